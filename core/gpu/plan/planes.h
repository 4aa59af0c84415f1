/* Two passes along the axes of planes that one tile holds whole, as one launch: kernels/fft_planes.cl. */
#ifndef GF_CORE_GPU_PLAN_PLANES_H
#define GF_CORE_GPU_PLAN_PLANES_H

#include "core/gpu/plan/plan.h"

/* Whether the two passes, of which the second one reads what the first one writes, can be such a launch
 * on the plan's device: then it is in *planes, and its arguments but for the tables in *args. */
bool gf_gpu_planes_fit(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                       const struct gf_gpu_pass *second, struct gf_gpu_planes *planes,
                       struct chain_args *args);

#endif
