/* Appends one pass along an axis: chooses its fast index, its tile and its tables. */
#ifndef GF_CORE_GPU_PLAN_AXIS_PASS_H
#define GF_CORE_GPU_PLAN_AXIS_PASS_H

#include "core/gpu/plan/plan_builder.h"

/* Appends the cheapest pass that does what `ap` asks. GF_EUNSUPP without a message when no tile
 * fits. */
int gf_gpu_add_axis_pass(struct gf_gpu_plan *p, const struct gf_gpu_axis_pass *ap,
                         const struct gf_gpu_space *src, const struct gf_gpu_space *dst);

#endif
