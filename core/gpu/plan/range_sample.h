/* Finds the automatic display range of a spectrum in a buffer, in two passes: the bins of a sample,
 * then their quantiles, by one group. Also serves other searches in a sample. */
#ifndef GF_CORE_GPU_PLAN_RANGE_SAMPLE_H
#define GF_CORE_GPU_PLAN_RANGE_SAMPLE_H

#include "core/base/range_sample.h"
#include "core/gpu/plan/space.h"

/* The range of an output out of the work buffer that has the spectrum. */
int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work);

/* The last step: from the keys of all bins, in GF_GPU_FOUND, to the output's parameters.
 * GF_EUNSUPP: too many passes; GF_ENOMEM. */
int gf_gpu_add_quantiles(struct gf_gpu_plan *p, int output, const struct gf_range_sample *s);

/* Adds to the plan's integers the first `count` indices of an axis in the sample (NULL: of all of an axis), or
 * the bin, or -1, of each coordinate of an axis of n. Returns the place of the first one, or GF_ENOMEM. */
int64_t gf_gpu_range_list(struct gf_gpu_plan *p, const struct gf_range_axis *axis, int64_t count);
int64_t gf_gpu_range_bins(struct gf_gpu_plan *p, const struct gf_range_axis *axis, int64_t n);

#endif
