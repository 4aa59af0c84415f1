/* What backends on devices share: a run in timed parts. */
#include "core/base/backend.h"

#include "core/base/clock.h"
#include "core/base/job_check.h"

int gf_device_exec_all(const struct gf_device_exec *d, void *context, struct gf_plan *plan,
                       const struct gf_array *in, struct gf_array *out, struct gf_report *report) {
    struct gf_report found = {.imag_ratio = 0};
    double seconds = 0, start = gf_now_ms();
    int rc = gf_job_check_arrays(&plan->job, in, out);
    if (!rc)
        rc = d->upload(context, plan, in);
    double uploaded = gf_now_ms();
    if (!rc)
        rc = d->run(context, plan, 1, &seconds);
    double ran = gf_now_ms();
    if (!rc)
        rc = d->download(context, plan, out, &found);
    if (rc || !report)
        return rc;
    *report = found;
    report->ms = (struct gf_device_ms){
        .upload = uploaded - start, .run = seconds * 1e3, .download = gf_now_ms() - ran};
    return 0;
}
