/* What `gpufft plan` says of the openmp backend's passes. */
#include <stdio.h>

#include "core/cpu/filter.h"
#include "core/base/factor.h"

static const char *type_name(const struct gf_cpu_plan *p, const struct gf_cpu_step *s, bool in) {
    const struct gf_job *job = &p->job;
    if (in ? !s->from_input : s->output < 0)
        return p->half >= 0 ? "half spectrum" : "spectrum";
    return gf_dtype_name(in ? job->in_dtype : job->out[s->output].dtype);
}

static int64_t array_bytes(const int64_t *shape, int rank, enum gf_dtype t) {
    int64_t n = (int64_t)gf_dtype_size(t);
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}

/* Bytes that a pass leaves for the next one. */
static int64_t bytes_between(const struct gf_cpu_plan *p) {
    int64_t shape[GF_MAX_RANK];
    if (p->work.band)
        return p->work.bytes + p->extent[p->step[0].lane] * p->work.row_bytes;
    if (!p->lean)
        return p->work.bytes;
    gf_job_out_shape(&p->job, 0, shape);
    return array_bytes(shape, p->job.ndim + 1, p->job.out[0].dtype);
}

void gf_cpu_step_summarise(const struct gf_cpu_plan *p, struct gf_cpu_step *s) {
    const struct gf_job *job = &p->job;
    static const char names[] = "zyx";
    char how[128] = "";
    const char *kind = s->output >= 0 ? gf_kind_name(job->out[s->output].kind) : "";
    if (s->pass.line) {
        char factors[96];
        gf_factor_describe(s->pass.n, factors, sizeof factors);
        snprintf(how, sizeof how, "%c: %s%s", names[GF_MAX_DIMS - job->ndim + s->axis], factors,
                 s->pass.mask ? ", filter, and back" : "");
    } else {
        snprintf(how, sizeof how, s->pass.destination.discard ? "range" : "extract");
    }
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(job, shape);
    s->summary.bytes_read =
        s->from_input ? array_bytes(shape, job->ndim + 1, job->in_dtype) : bytes_between(p);
    s->summary.bytes_written = s->to_plane ? 0 : bytes_between(p);
    if (s->from_plane)
        s->summary.bytes_read = 0; /* its planes are in cache */
    if (s->pass.mask)
        s->summary.bytes_read += p->filter->bytes;
    if (s->output >= 0) {
        gf_job_out_shape(job, s->output, shape);
        s->summary.bytes_written = array_bytes(shape, job->ndim + 1, job->out[s->output].dtype);
    }
    if (s->pass.destination.discard) {
        s->summary.bytes_written = 0;
        snprintf(s->summary.what, sizeof s->summary.what, "%s of %s", how, kind);
        return;
    }
    snprintf(s->summary.what, sizeof s->summary.what, "%s, %s -> %s%s%s", how,
             type_name(p, s, true), type_name(p, s, false), *kind ? " " : "", kind);
}
