/* A plan whose first pass finds some points of its axis, those of a range of coordinates, in another buffer
 * than its input, at the same place there: pages that another device still has in its memory.
 *
 *     if (gf_gpu_plan_can_read_elsewhere(p)) {
 *         gf_gpu_plan_read_elsewhere(p);
 *         gf_gpu_plan_set_elsewhere(p, pages);
 *     }
 */
#ifndef GF_CORE_GPU_PLAN_ELSEWHERE_H
#define GF_CORE_GPU_PLAN_ELSEWHERE_H

#include "core/base/span.h"
#include "core/gpu/plan/plan.h"

/* Whether its first pass is a plain transform of complex numbers. */
bool gf_gpu_plan_can_read_elsewhere(const struct gf_gpu_plan *p);
/* Before its kernels are built: the first launch has buffer GF_GPU_ELSEWHERE, of which it reads nothing yet. */
void gf_gpu_plan_read_elsewhere(struct gf_gpu_plan *p);
void gf_gpu_plan_set_elsewhere(struct gf_gpu_plan *p, struct gf_span coordinates);

#endif
