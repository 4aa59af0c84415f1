/* The automatic display range, as passes: a sample's bins out of a buffer that has them, then their
 * quantiles, by one group. */
#ifndef GF_CORE_GPU_PLAN_RANGE_SAMPLE_H
#define GF_CORE_GPU_PLAN_RANGE_SAMPLE_H

#include "core/base/range_sample.h"
#include "core/gpu/plan/space.h"

/* Which indices of an axis are taken: those of the sample; all of `count`. Four choices are in the
 * kernels' order: x, y, z, channels. */
struct gf_gpu_choice {
    const struct gf_range_axis *axis; /* NULL: all */
    int64_t count;
};
/* The work buffers' axis that is i-th in that order; the inverse is the same. */
static inline int gf_gpu_sample_axis(int i) {
    return i < 3 ? 2 - i : 3;
}

/* The range of an output out of the work buffer that has the spectrum. */
int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work);
/* The chosen lines alone, dense; along transformed axes the indices are as far from the two ends as
 * their negatives, so that they mirror each other there as they do in the whole. */
int gf_gpu_add_lines(struct gf_gpu_plan *p, const struct gf_gpu_choice choice[4],
                     const struct gf_gpu_space *from, const struct gf_gpu_space *to);
/* The range of an output from the bins that the choices make of `space`; their keys are put into
 * buffer `keys`. */
int gf_gpu_add_quantiles(struct gf_gpu_plan *p, int output, const struct gf_range_sample *s,
                         const struct gf_gpu_choice choice[4], const struct gf_gpu_space *space,
                         enum gf_gpu_buffer_id keys);

#endif
