/* The passes of a job between work buffers. */
#include "core/base/pass_list.h"

#include <stdio.h>

#include "core/base/loadstore.h"
#include "core/base/range_sample.h"

void gf_pass_list_load(struct gf_plan *plan, int64_t before) {
    struct gf_pass_info *p = &plan->pass[plan->n_passes++];
    gf_work_load_text(&plan->job, p->what, sizeof p->what);
    p->bytes_read = gf_job_bytes(&plan->job, -1);
    p->bytes_written = before;
}

void gf_pass_list_axes(struct gf_plan *plan, const char *who, bool r2c, bool c2r, int64_t before,
                       int64_t after) {
    const struct gf_job *job = &plan->job;
    for (int i = 0; i < job->ndim; i++) {
        int axis = c2r ? i : job->ndim - 1 - i;
        if (!(job->axes >> axis & 1))
            continue;
        bool halves = axis == gf_job_half_axis(job) && (r2c || c2r);
        const char *what = r2c ? "real -> half spectrum" : "half spectrum -> real";
        struct gf_pass_info *p = &plan->pass[plan->n_passes++];
        snprintf(p->what, sizeof p->what, "%s: %c, %lld points, %s", who,
                 "zyx"[gf_work_axis(job, axis)], (long long)job -> shape[axis],
                 halves ? what : "complex");
        p->bytes_read = c2r || halves ? before : after;
        p->bytes_written = r2c || halves ? after : before;
    }
}

void gf_pass_list_store(struct gf_plan *plan, int64_t after) {
    const struct gf_job *job = &plan->job;
    for (int i = 0; i < job->n_out; i++) {
        struct gf_pass_info *p = &plan->pass[plan->n_passes++];
        if (gf_output_scans(job, i) || gf_output_samples(job, i)) {
            p->part = gf_output_samples(job, i);
            snprintf(p->what, sizeof p->what, "range: %s %s", p->part ? "sample of" : "largest",
                     gf_kind_name(job->out[i].kind));
            p->bytes_read = p->part ? 0 : after;
            p = &plan->pass[plan->n_passes++];
        }
        gf_work_store_text(job, i, p->what, sizeof p->what);
        p->bytes_read = after;
        p->bytes_written = gf_job_bytes(job, i);
    }
}
