/* From a job to the passes that the openmp backend runs.
 *
 *     struct gf_cpu_plan *p;
 *     rc = gf_cpu_plan_make(&job, gf_cpu_kernels_find(32, NULL), threads, &p);
 *     …
 *     gf_cpu_plan_free(p);
 *
 * For Fourier transforms, and for filters that gf_cpu_filter_fuses(); wavelets and long lines have
 * plans of their own (core/cpu/dwt.h, core/cpu/long.h). */
#ifndef GF_CORE_CPU_MAKE_H
#define GF_CORE_CPU_MAKE_H

#include "core/cpu/plan.h"

/* Plans a job that gf_job_validate() passed and builds its tables; GF_ENOMEM. Allocates no
 * workspace. The caller frees the plan. */
int gf_cpu_plan_make(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_plan **out);
/* Whether a plan for the job packs its half spectra. */
bool gf_cpu_packs(const struct gf_job *job, const struct gf_cpu_kernels *kernels);
void gf_cpu_plan_free(struct gf_cpu_plan *p); /* or NULL; frees the memory of its runs too */

#endif
