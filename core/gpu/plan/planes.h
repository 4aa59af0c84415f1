/* Joins two passes along the axes of planes that fit one tile in one launch, kernels/fft_planes.cl. */
#ifndef GF_CORE_GPU_PLAN_PLANES_H
#define GF_CORE_GPU_PLAN_PLANES_H

#include "core/gpu/plan/plan.h"

/* Whether two passes, the second of which reads what the first writes, can be such a launch on the
 * plan's device. If so, fills *planes, and *args except for the tables. */
bool gf_gpu_planes_fit(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                       const struct gf_gpu_pass *second, struct gf_gpu_planes *planes,
                       struct chain_args *args);

#endif
