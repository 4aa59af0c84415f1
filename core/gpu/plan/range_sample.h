/* The automatic display range, as passes: a sample's bins out of the work buffer that has the
 * spectrum, then their quantiles, by one group. */
#ifndef GF_CORE_GPU_PLAN_RANGE_SAMPLE_H
#define GF_CORE_GPU_PLAN_RANGE_SAMPLE_H

#include "core/gpu/plan/plan_builder.h"

int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work);
/* The range of output 0 before the last pass, which is along the halved axis and reads `packed`: the
 * same transform of a few lines, and the bins out of those. Not done where that takes several
 * passes. */
int gf_gpu_add_range_lines(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *packed,
                           bool *done);

#endif
