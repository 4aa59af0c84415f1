/* Plans and runs an operation's jobs within the memory that its caller leaves. */
#include "core/op/crew.h"

int gf_crew_fit(const struct gf_crew *c, struct gf_job *job) {
    const int rc = gf_runner_plan(c->runner, job);
    if (rc || !gf_runner_check_memory(c->runner, c->held + c->runner->workspace))
        return rc;
    job->lean = true;
    return gf_runner_plan(c->runner, job);
}

int gf_crew_plan(const struct gf_crew *c, struct gf_job *job) {
    const int rc = gf_crew_fit(c, job);
    return rc ? rc : gf_runner_check_memory(c->runner, c->held + c->runner->workspace);
}

int gf_crew_run(const struct gf_crew *c, struct gf_job *job, const struct gf_array *in,
                struct gf_array *out) {
    struct gf_report report;
    int rc = gf_crew_plan(c, job);
    return rc ? rc : gf_runner_run(c->runner, in, out, &report);
}
