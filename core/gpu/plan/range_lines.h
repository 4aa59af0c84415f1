/* The automatic display range of a picture whose last pass writes its greys. */
#ifndef GF_CORE_GPU_PLAN_RANGE_LINES_H
#define GF_CORE_GPU_PLAN_RANGE_LINES_H

#include "core/gpu/plan/plan_builder.h"

/* The range of output 0 before the last pass, which is along the halved axis and reads `packed`: the
 * same transform of a few lines, and the bins out of those. Not done where that takes several
 * passes. */
int gf_gpu_add_range_lines(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *packed,
                           bool *done);

#endif
