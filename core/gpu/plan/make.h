/* Chooses a job's passes for a device of given properties.
 *
 *     struct gf_gpu_plan *p;
 *     int rc = gf_gpu_plan_make(&job, &props, &p);
 *     for (int i = 0; !rc && i < p->n_passes; i++)
 *         show(&p->pass[i].summary);
 *     if (!rc)
 *         gf_gpu_plan_free(p); */
#ifndef GF_CORE_GPU_PLAN_MAKE_H
#define GF_CORE_GPU_PLAN_MAKE_H

#include "core/gpu/plan/decision.h"

/* Touches no device. GF_ENOMEM or GF_EUNSUPP (no fp64; a line or array beyond what kernels index),
 * after gf_fail(). */
int gf_gpu_plan_make(const struct gf_job *job, const struct gf_gpu_props *props,
                     struct gf_gpu_plan **plan);
/* With kernels of any length where they can do a pass: slower, but one compiled kernel serves all
 * sizes. */
int gf_gpu_plan_make_general(const struct gf_job *job, const struct gf_gpu_props *props,
                             struct gf_gpu_plan **plan);
/* With the last radix, 2, of the last axis but one in the pass along the last, as
 * gf_gpu_plan_make() chooses if cheaper. GF_EUNSUPP: no plan does so. */
int gf_gpu_plan_make_across(const struct gf_job *job, const struct gf_gpu_props *props,
                            struct gf_gpu_plan **plan);
/* With these last radices of z and y, one of them may be 1, in the pass along x, for complex
 * volumes. Likewise. */
int gf_gpu_plan_make_joined(const struct gf_job *job, const struct gf_gpu_props *props, int z,
                            int y, struct gf_gpu_plan **plan);
/* The plan of a script, whose first word is a way; without one gf_gpu_plan_make()'s, whose script
 * choices->taken then is. GF_EUNSUPP: no plan of this job on this device. */
int gf_gpu_plan_make_chosen(const struct gf_job *job, const struct gf_gpu_props *props,
                            struct gf_gpu_choices *choices, struct gf_gpu_plan **plan);
/* Way i, from 0 on; NULL beyond the last. */
const char *gf_gpu_plan_way(int i);
/* Bytes that the device could copy in the plan's expected time. */
double gf_gpu_plan_cost(const struct gf_gpu_plan *plan);
void gf_gpu_plan_free(struct gf_gpu_plan *plan); /* or NULL */

#endif
