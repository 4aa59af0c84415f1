/* Runs a plan's passes on the arrays of a run.
 *
 *     struct gf_report report;
 *     int rc = gf_cpu_run(p, threads, &(struct gf_cpu_run){&in, NULL, out, &report, NULL});
 */
#ifndef GF_CORE_CPU_RUN_H
#define GF_CORE_CPU_RUN_H

#include "core/cpu/plan.h"

/* The arrays of a run, as the plan's job has them, and where to note its passes' seconds (NULL: nowhere). */
struct gf_cpu_run {
    const struct gf_array *in;
    struct gf_feed *feed; /* makes the input meanwhile; NULL: it is there */
    struct gf_array *out; /* job.n_out */
    struct gf_report *report;
    double *seconds;
};

/* GF_ENOMEM, only of a plan's first run: it allocates the workspace, which the plan then owns. */
int gf_cpu_run(struct gf_cpu_plan *p, int threads, const struct gf_cpu_run *run);

/* How many of the threads a run of the job uses; `first` is the plan's first run. */
int gf_cpu_team_for(const struct gf_job *job, bool first, int threads);

#endif
