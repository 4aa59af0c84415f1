/* Filters of the openmp backend: one pass transforms along the last axis, multiplies and goes back
 * (kernels/cpu/gain.h). Its factors are worked out on the way where they are few; else there is a
 * table in the order in which the pass meets the workspace. */
#ifndef GF_CORE_CPU_FILTER_H
#define GF_CORE_CPU_FILTER_H

#include "core/cpu/plan.h"

struct gf_cpu_filter {
    struct gf_cpu_gain mask;
    void *values, *table; /* what it points at */
    int64_t bytes;        /* of the table, which every run reads */
};

/* False for jobs that are left to core/filter/compose.h: one axis, with a table. */
bool gf_cpu_filter_fuses(const struct gf_job *job);

/* The mask of step s, which has its axes and its form. The caller frees with gf_cpu_filter_free(),
 * which also takes NULL. */
int gf_cpu_filter_make(const struct gf_cpu_plan *p, const struct gf_cpu_step *s, int threads,
                       struct gf_cpu_filter **out);
void gf_cpu_filter_free(struct gf_cpu_filter *f);

#endif
