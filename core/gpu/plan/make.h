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

/* Touches no device. GF_ENOMEM or GF_EUNSUPP (no fp64; a line or array too long to index), after
 * gf_fail(). */
int gf_gpu_plan_make(const struct gf_job *job, const struct gf_gpu_props *props,
                     struct gf_gpu_plan **plan);
/* Plans in the named way, one of gf_gpu_plan_way() or "general". "across" does the last radix, 2, of
 * the last axis but one in the pass along the last; "left4x2" the last radices 4 of z and 2 of y in
 * the pass along x of a complex volume. gf_gpu_plan_make() chooses these if they are cheaper.
 * "general" uses the general kernel wherever it can do a pass: slower, but one compiled kernel
 * serves all sizes. GF_EUNSUPP if the job has no such plan. */
int gf_gpu_plan_make_way(const struct gf_job *job, const struct gf_gpu_props *props,
                         const char *name, struct gf_gpu_plan **plan);
/* Follows a script whose first word is a way. Without one, makes gf_gpu_plan_make()'s plan and
 * records its script in choices->taken. GF_EUNSUPP if the script does not fit the job or device. */
int gf_gpu_plan_make_chosen(const struct gf_job *job, const struct gf_gpu_props *props,
                            struct gf_gpu_choices *choices, struct gf_gpu_plan **plan);
/* Name of way i of those that scripts may name, from 0; NULL beyond the last. */
const char *gf_gpu_plan_way(int i);
/* Bytes that the device could copy in the plan's estimated time. */
double gf_gpu_plan_cost(const struct gf_gpu_plan *plan);
void gf_gpu_plan_free(struct gf_gpu_plan *plan); /* may be NULL */

/* Reduces a wavelet job to the device's share, and returns true, if it needs all coefficients at once
 * (a threshold by share, pictures, several outputs): a forward transform then ends with them as
 * floats, an inverse begins with them. */
bool gf_gpu_dwt_take_share(struct gf_job *job);

#endif
