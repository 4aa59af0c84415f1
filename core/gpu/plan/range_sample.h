/* The automatic display range, as passes: a sample's bins out of the work buffer that has the
 * spectrum, then their quantiles, by one group. */
#ifndef GF_CORE_GPU_PLAN_RANGE_SAMPLE_H
#define GF_CORE_GPU_PLAN_RANGE_SAMPLE_H

#include "core/gpu/plan/space.h"

int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work);

#endif
