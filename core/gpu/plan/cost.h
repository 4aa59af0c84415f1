/* Estimates the traffic of a pass along an axis, and its time. */
#ifndef GF_CORE_GPU_PLAN_COST_H
#define GF_CORE_GPU_PLAN_COST_H

#include "core/gpu/plan/pass_builder.h"

/* Sets the bytes that the pass reads and writes, every element once. */
void gf_gpu_axis_pass_bytes(struct gf_gpu_pass_builder *b);
/* The cost of any launch on the device, in the same unit. */
double gf_gpu_launch_cost(const struct gf_gpu_props *props);
/* The cost of the pass with this tile, in bytes moved at the device's copy bandwidth. */
double gf_gpu_axis_pass_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* The cost of two passes in one launch; each runs alone, at the start or the end, for the fraction
 * `alone` of the time. */
double gf_gpu_chain_cost(const struct gf_gpu_pass *first, const struct gf_gpu_pass *second,
                         double alone);
/* The cost of two passes through planes that tiles hold, whose tiles, groups and residency are set. */
double gf_gpu_planes_cost(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                          const struct gf_gpu_pass *second, const struct gf_gpu_planes *planes);

#endif
