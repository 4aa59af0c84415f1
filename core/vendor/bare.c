/* Plans of libraries that transform from buffer to buffer. */
#include "core/vendor/bare.h"

#include <stdlib.h>

#include "core/base/job_check.h"
#include "core/base/status.h"
#include "core/gpu/plan/space.h"

int gf_bare_check(const struct gf_job *job) {
    int rc = gf_job_validate(job);
    if (!rc)
        rc = gf_job_check_unpacked(job);
    if (!rc)
        rc = gf_job_fourier_only(job);
    if (!rc && !gf_job_is_bare(job))
        rc = gf_fail(GF_EUNSUPP, "only c2c, r2c and c2r without scale and shift are measured");
    return rc;
}

int gf_bare_begin(struct gf_gpu_context *c, const struct gf_job *job, const struct gf_plan_ops *ops,
                  size_t bytes, struct gf_plan **out) {
    int rc = gf_bare_check(job);
    *out = NULL;
    if (rc)
        return rc;
    struct gf_gpu_plan *p = calloc(1, sizeof *p);
    struct gf_plan *plan = p ? gf_plan_new(c, job, ops, bytes) : NULL;
    if (!plan) {
        free(p);
        return gf_fail(GF_ENOMEM, "no memory for a plan");
    }
    struct gf_gpu_run *run = plan->impl;
    p->job = *job;
    p->props = c->props;
    run->plan = p;
    gf_gpu_size_buffers(p);
    *out = plan;
    return 0;
}

int gf_bare_end(const struct gf_gpu_context *c, struct gf_plan *plan, int64_t beside,
                const char *what) {
    struct gf_gpu_run *run = plan->impl;
    int rc = gf_gpu_run_prepare(c, run, beside);
    if (rc)
        return rc;
    gf_gpu_run_summarize(run, plan);
    struct gf_pass_info *pass = &plan->pass[plan->n_passes++]; /* how many it has is its own */
    snprintf(pass->what, sizeof pass->what, "%s", what);
    pass->bytes_read = run->plan->bytes[GF_GPU_IN];
    pass->bytes_written = run->plan->bytes[GF_GPU_OUT];
    return 0;
}

void gf_bare_drop(struct gf_plan *plan) {
    gf_gpu_run_drop(plan->context, plan->impl);
    free(plan->impl);
}

int gf_bare_upload(struct gf_plan *plan, const struct gf_array *in) {
    return gf_gpu_run_upload(plan->context, plan->impl, in);
}

int gf_bare_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    return gf_gpu_run_download(plan->context, plan->impl, out, report);
}
