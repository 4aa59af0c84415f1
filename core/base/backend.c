/* Common to all plans: their memory, runs on bound arrays, and a run in timed parts. */
#include "core/base/backend.h"

#include <omp.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/job_check.h"
#include "core/base/loadstore.h"
#include "core/base/status.h"

struct gf_plan *gf_plan_new(void *context, const struct gf_job *job, const struct gf_plan_ops *ops,
                            size_t impl_bytes) {
    struct gf_plan *plan = calloc(1, sizeof *plan);
    void *impl = impl_bytes ? calloc(1, impl_bytes) : NULL;
    if (!plan || (impl_bytes && !impl)) {
        free(plan);
        free(impl);
        gf_fail(GF_ENOMEM, "no memory for a plan");
        return NULL;
    }
    plan->context = context;
    plan->job = *job;
    plan->pair_axis = -1;
    plan->ops = ops;
    plan->impl = impl;
    return plan;
}

void gf_plan_drop(struct gf_plan *plan) {
    if (plan && plan->impl)
        plan->ops->drop(plan);
    free(plan);
}

int gf_plan_finish(struct gf_plan *plan, int rc, struct gf_plan **out) {
    *out = rc ? NULL : plan;
    if (rc)
        gf_plan_drop(plan);
    return rc;
}

static int run_exec(struct gf_bound *b, struct gf_report *report) {
    struct gf_report unused;
    return b->plan->ops->exec(b->plan, &b->in, b->out, report ? report : &unused);
}

int gf_plan_bind(struct gf_plan *plan, const struct gf_array *in, const struct gf_array *out,
                 struct gf_bound **bound) {
    struct gf_bound *b = calloc(1, sizeof *b);
    if (!b)
        return gf_fail(GF_ENOMEM, "no memory for a plan");
    *b = (struct gf_bound){.run = run_exec, .plan = plan, .in = *in};
    for (int i = 0; i < plan->job.n_out; i++)
        b->out[i] = out[i];
    const int rc = plan->ops->bind ? plan->ops->bind(b) : 0;
    if (rc)
        gf_bound_drop(b);
    else
        *bound = b;
    return rc;
}

void gf_bound_drop(struct gf_bound *bound) {
    if (bound)
        free(bound->impl);
    free(bound);
}

int gf_plan_exec_parts(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report) {
    struct gf_report found = {.imag_ratio = 0};
    double seconds = 0, start = gf_now_ms();
    int rc = gf_job_check_arrays(&plan->job, in, out);
    if (!rc)
        rc = plan->ops->upload(plan, in);
    double uploaded = gf_now_ms();
    if (!rc)
        rc = plan->ops->run(plan, 1, &seconds);
    double ran = gf_now_ms();
    if (!rc)
        rc = plan->ops->download(plan, out, &found);
    if (rc || !report)
        return rc;
    gf_work_mend_energy(&plan->job, in, omp_get_max_threads(), &found);
    *report = found;
    report->ms = (struct gf_device_ms){
        .upload = uploaded - start, .run = seconds * 1e3, .download = gf_now_ms() - ran};
    return 0;
}
