/* Lets a plan's first pass read points in a range of coordinates from the same place in another
 * buffer: pages still in another device's memory.
 *
 *     if (gf_gpu_plan_can_read_elsewhere(p)) {
 *         gf_gpu_plan_read_elsewhere(p);
 *         gf_gpu_plan_set_elsewhere(p, pages);
 *     } */
#ifndef GF_CORE_GPU_PLAN_ELSEWHERE_H
#define GF_CORE_GPU_PLAN_ELSEWHERE_H

#include "core/gpu/plan/plan.h"

/* True if its first pass is a plain complex transform. */
bool gf_gpu_plan_can_read_elsewhere(const struct gf_gpu_plan *p);
/* Before kernels are built: gives the first launch the buffer GF_GPU_ELSEWHERE, from which it reads
 * nothing yet. */
void gf_gpu_plan_read_elsewhere(struct gf_gpu_plan *p);
void gf_gpu_plan_set_elsewhere(struct gf_gpu_plan *p, struct gf_span coordinates);

#endif
