/* Makes a GPU plan: chooses the passes of a job for a device of given properties.
 *
 *     struct gf_gpu_plan *p;
 *     int rc = gf_gpu_plan_make(&job, &props, &p);
 *     for (int i = 0; !rc && i < p->n_passes; i++)
 *         show(&p->pass[i].summary);
 *     if (!rc)
 *         gf_gpu_plan_free(p);
 */
#ifndef GF_CORE_GPU_PLAN_MAKE_H
#define GF_CORE_GPU_PLAN_MAKE_H

#include "core/gpu/plan/decision.h"

/* Pure arithmetic: no device is touched. GF_ENOMEM or GF_EUNSUPP (no fp64; a line or an array
 * beyond what the kernels index), with the message set by gf_fail(). */
int gf_gpu_plan_make(const struct gf_job *job, const struct gf_gpu_props *props,
                     struct gf_gpu_plan **plan);
/* The same, with kernels of any length wherever they can do a pass: slower, but one compiled kernel
 * serves arrays of all sizes. */
int gf_gpu_plan_make_general(const struct gf_job *job, const struct gf_gpu_props *props,
                             struct gf_gpu_plan **plan);
/* The same with the last radix, 2, of the last axis but one in the pass along the last: which
 * gf_gpu_plan_make() chooses where it is cheaper. GF_EUNSUPP where no plan does so. */
int gf_gpu_plan_make_across(const struct gf_job *job, const struct gf_gpu_props *props,
                            struct gf_gpu_plan **plan);
/* The same with the last radices of z and of y, so many, one of them 1 or none, in the pass along
 * x: of complex volumes. Likewise. */
int gf_gpu_plan_make_joined(const struct gf_job *job, const struct gf_gpu_props *props, int z,
                            int y, struct gf_gpu_plan **plan);
/* The plan of a script, whose first word is a way; without one that of gf_gpu_plan_make(), whose script
 * choices->taken then is. GF_EUNSUPP for a script that is no plan of this job on this device. */
int gf_gpu_plan_make_chosen(const struct gf_job *job, const struct gf_gpu_props *props,
                            struct gf_gpu_choices *choices, struct gf_gpu_plan **plan);
/* The name of way i, from 0 on; NULL beyond the last. */
const char *gf_gpu_plan_way(int i);
/* Bytes that the device could copy in the plan's expected time. */
double gf_gpu_plan_cost(const struct gf_gpu_plan *plan);
void gf_gpu_plan_free(struct gf_gpu_plan *plan); /* NULL is fine */

#endif
