/* What `gpufft plan` prints of the openmp backend's passes. */
#include "core/cpu/summary.h"

#include <stdio.h>

#include "core/base/factor.h"
#include "core/cpu/filter.h"

static const char *type_name(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, bool in) {
    const struct gf_job *job = &p->job;
    if (in ? !pass->from_input : pass->output < 0)
        return p->half >= 0 ? "half spectrum" : "spectrum";
    return gf_dtype_name(in ? job->in_dtype : job->out[pass->output].dtype);
}

static int64_t array_bytes(const int64_t *shape, int rank, enum gf_dtype t) {
    int64_t n = (int64_t)gf_dtype_size(t);
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}

/* Bytes of the workspace between two passes. */
static int64_t bytes_between(const struct gf_cpu_plan *p) {
    int64_t shape[GF_MAX_RANK];
    if (p->work.band)
        return p->work.bytes + p->extent[p->pass[0].lane] * p->work.row_bytes;
    if (!p->lean)
        return p->work.bytes;
    gf_job_out_shape(&p->job, 0, shape);
    return array_bytes(shape, p->job.ndim + 1, p->job.out[0].dtype);
}

void gf_cpu_pass_summarise(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass) {
    const struct gf_job *job = &p->job;
    static const char names[] = "zyx";
    char how[128] = "";
    const char *kind = pass->output >= 0 ? gf_kind_name(job->out[pass->output].kind) : "";
    if (pass->args.line) {
        char factors[96];
        gf_factor_describe(pass->args.n, factors, sizeof factors);
        snprintf(how, sizeof how, "%c: %s%s", names[GF_MAX_DIMS - job->ndim + pass->axis], factors,
                 pass->args.gain ? ", filter, and back" : "");
    } else {
        snprintf(how, sizeof how, pass->args.destination.discard ? "range" : "extract");
    }
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(job, shape);
    pass->summary.bytes_read =
        pass->from_input ? array_bytes(shape, job->ndim + 1, job->in_dtype) : bytes_between(p);
    pass->summary.bytes_written = pass->to_plane ? 0 : bytes_between(p);
    if (pass->from_plane)
        pass->summary.bytes_read = 0; /* its planes are in cache */
    if (pass->args.gain)
        pass->summary.bytes_read += p->filter->bytes;
    if (pass->output >= 0) {
        gf_job_out_shape(job, pass->output, shape);
        pass->summary.bytes_written =
            array_bytes(shape, job->ndim + 1, job->out[pass->output].dtype);
    }
    if (pass->args.destination.discard) {
        pass->summary.bytes_written = 0;
        snprintf(pass->summary.what, sizeof pass->summary.what, "%s of %s", how, kind);
        return;
    }
    snprintf(pass->summary.what, sizeof pass->summary.what, "%s, %s -> %s%s%s", how,
             type_name(p, pass, true), type_name(p, pass, false), *kind ? " " : "", kind);
}
