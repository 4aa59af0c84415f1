/* Filters of the openmp backend: one pass transforms along the last axis, multiplies, and
 * transforms back (kernels/cpu/gain.h). A few factors are evaluated during the pass; other filters
 * become a table in the order in which the pass reads the workspace.
 *
 *     if (gf_cpu_filter_fuses(&job))
 *         rc = gf_cpu_filter_make(plan, &plan->pass[i], threads, &plan->filter); */
#ifndef GF_CORE_CPU_FILTER_H
#define GF_CORE_CPU_FILTER_H

#include "core/cpu/plan.h"

struct gf_cpu_filter {
    struct gf_cpu_gain gain;
    void *values, *table; /* what `gain` points at; owned */
    int64_t bytes;        /* of the table, which every run reads */
};

/* False for jobs that core/filter/compose.h runs: one axis, with a table, unless they are a part of one
 * of more axes. */
bool gf_cpu_filter_fuses(const struct gf_job *job);

/* The filter of p->job for `pass`, whose axes and form are set; GF_ENOMEM. The caller frees with
 * gf_cpu_filter_free(), which also takes NULL. */
int gf_cpu_filter_make(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, int threads,
                       struct gf_cpu_filter **out);
void gf_cpu_filter_free(struct gf_cpu_filter *f);

#endif
