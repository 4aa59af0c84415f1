/* Joins two passes, over the parts of one axis or along the axes of planes, in one launch, so that
 * the data between them stays in the second-level cache or, for small planes, in a tile. */
#ifndef GF_CORE_GPU_PLAN_CHAIN_H
#define GF_CORE_GPU_PLAN_CHAIN_H

#include "core/gpu/plan/plan.h"

/* Adds chains to a plan with all its passes, where the device gains by them: both passes stay in
 * the plan, and the first one names the chain. Returns 0, or GF_EUNSUPP for a script that names
 * something else (core/gpu/plan/decision.h). */
int gf_gpu_plan_chains(struct gf_gpu_plan *p);
/* How much the chains save among the passes from this one on. */
double gf_gpu_chains_gain(const struct gf_gpu_plan *p, int first);
/* Whether the device gains by chaining through planes of complex points; extents are z, y, x, channels. */
bool gf_gpu_chains_planes(const struct gf_gpu_plan *p, const int64_t n[4]);

#endif
