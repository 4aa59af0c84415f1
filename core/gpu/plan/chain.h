/* Two passes, over the parts of one axis or along the axes of planes, as one launch, so that what is between
 * them stays in the device's second-level cache or, of small planes, in a tile. */
#ifndef GF_CORE_GPU_PLAN_CHAIN_H
#define GF_CORE_GPU_PLAN_CHAIN_H

#include "core/gpu/plan/plan.h"

/* Adds the chains of a plan whose passes are complete, where the device gains by them: neighbouring
 * passes that one launch can take stay in the plan, and the first of them names it. 0, or GF_EUNSUPP for a
 * script that names something else (core/gpu/plan/decision.h). */
int gf_gpu_plan_chains(struct gf_gpu_plan *p);
/* How much less the passes from this one on cost for the chains among them. */
double gf_gpu_chains_gain(const struct gf_gpu_plan *p, int first);
/* Whether the device gains by a chain through planes of complex points; extents z, y, x, channels. */
bool gf_gpu_chains_planes(const struct gf_gpu_plan *p, const int64_t n[4]);

#endif
