/* Plans of libraries that transform from buffer to buffer. */
#include "core/vendor/bare.h"

#include <stdlib.h>

#include "core/base/status.h"
#include "core/gpu/plan/space.h"

int gf_bare_check(const struct gf_job *job) {
    const int rc = gf_job_check_ops(job, 1u << GF_FFT);
    return rc || gf_job_is_bare(job)
               ? rc
               : gf_fail(GF_EUNSUPP, "only c2c, r2c and c2r without scale and shift are measured");
}

struct gf_plan *gf_bare_new(struct gf_gpu_context *c, const struct gf_job *job,
                            const struct gf_plan_ops *ops, size_t bytes) {
    struct gf_plan *plan = gf_plan_new(c, job, ops, bytes);
    struct gf_gpu_plan *p = plan ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        free(plan ? plan->impl : NULL);
        free(plan);
        gf_fail(GF_ENOMEM, "no memory for a plan");
        return NULL;
    }
    p->job = *job;
    p->props = c->props;
    ((struct gf_gpu_run *)plan->impl)->plan = p;
    return plan;
}

int gf_bare_begin(struct gf_gpu_context *c, const struct gf_job *job, const struct gf_plan_ops *ops,
                  size_t bytes, struct gf_plan **out) {
    int rc = gf_bare_check(job);
    *out = rc ? NULL : gf_bare_new(c, job, ops, bytes);
    if (*out)
        gf_gpu_size_buffers(((struct gf_gpu_run *)(*out)->impl)->plan);
    return rc || *out ? rc : GF_ENOMEM;
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
