/* The automatic display range out of a buffer that has the spectrum, as passes: a sample's bins, then
 * their quantiles, by one group. And what all searches in a sample need. */
#ifndef GF_CORE_GPU_PLAN_RANGE_SAMPLE_H
#define GF_CORE_GPU_PLAN_RANGE_SAMPLE_H

#include "core/base/range_sample.h"
#include "core/gpu/plan/space.h"

/* The range of an output out of the work buffer that has the spectrum. */
int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work);

/* The last step, from `count` keys of a buffer: kind, params, weight and keys of `args` count too. */
int gf_gpu_add_select(struct gf_gpu_plan *p, enum gf_gpu_buffer_id keys,
                      const struct sample_args *args);

/* Where the plan's integers have an axis' indices of the sample, and all bins' weights; or
 * GF_ENOMEM. */
int64_t gf_gpu_range_list(struct gf_gpu_plan *p, const struct gf_range_axis *axis);
int64_t gf_gpu_range_weights(struct gf_gpu_plan *p, const struct gf_range_sample *s);
/* QUANTILE_WORDS of kernels/quantiles.h. */
int64_t gf_gpu_quantile_words(int threads);

#endif
