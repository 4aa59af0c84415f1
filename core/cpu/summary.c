/* Summaries of the openmp backend's passes for `gpufft plan`. */
#include "core/cpu/plan.h"

#include <stdio.h>

#include "core/base/factor.h"

static const char *type_name(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, bool in) {
    const struct gf_job *job = &p->job;
    if (in ? !pass->from_input : pass->output < 0)
        return p->half >= 0 ? "half spectrum" : "spectrum";
    return gf_dtype_name(in ? job->in_dtype : job->out[pass->output].dtype);
}

/* Bytes of the workspace between two passes. */
static int64_t bytes_between(const struct gf_cpu_plan *p) {
    if (p->work.band)
        return p->work.bytes + p->extent[p->pass[0].lane] * p->work.row_bytes;
    return p->lean ? gf_job_bytes(&p->job, 0) : p->work.bytes;
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
    pass->summary.bytes_read = pass->from_input ? gf_job_bytes(job, -1) : bytes_between(p);
    pass->summary.bytes_written = pass->to_plane ? 0 : bytes_between(p);
    if (pass->from_plane)
        pass->summary.bytes_read = 0; /* its planes are in cache */
    if (pass->args.gain)
        pass->summary.bytes_read += p->filter->bytes;
    if (pass->output >= 0)
        pass->summary.bytes_written = gf_job_bytes(job, pass->output);
    if (pass->args.destination.discard) {
        pass->summary.bytes_written = 0;
        snprintf(pass->summary.what, sizeof pass->summary.what, "%s of %s", how, kind);
        return;
    }
    snprintf(pass->summary.what, sizeof pass->summary.what, "%s, %s -> %s%s%s", how,
             type_name(p, pass, true), type_name(p, pass, false), *kind ? " " : "", kind);
}
