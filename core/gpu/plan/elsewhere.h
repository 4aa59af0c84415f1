/* Lets a plan's first pass read a range of coordinates from the same offsets in another buffer:
 * pages that are still in another device's memory.
 *
 *     if (gf_gpu_plan_can_read_elsewhere(p)) {
 *         gf_gpu_plan_read_elsewhere(p);
 *         gf_gpu_plan_set_elsewhere(p, pages);
 *     } */
#ifndef GF_CORE_GPU_PLAN_ELSEWHERE_H
#define GF_CORE_GPU_PLAN_ELSEWHERE_H

#include "core/gpu/plan/plan.h"

/* True if the first pass is a plain complex transform. */
bool gf_gpu_plan_can_read_elsewhere(const struct gf_gpu_plan *p);
/* Adds the buffer GF_GPU_ELSEWHERE to the first launch, with an empty range. Call before kernels
 * are built. */
void gf_gpu_plan_read_elsewhere(struct gf_gpu_plan *p);
void gf_gpu_plan_set_elsewhere(struct gf_gpu_plan *p, struct gf_span coordinates);

#endif
