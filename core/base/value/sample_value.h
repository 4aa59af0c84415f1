/* Single samples as doubles, and conversions of arrays, where speed does not matter.
 *
 *     gf_samples_convert(&as_f32, &as_u16);
 *     double v = gf_sample_get(as_f32.data, GF_F32);
 *
 * Arrays may have any strides; nothing can fail. */
#ifndef GF_CORE_BASE_SAMPLE_VALUE_H
#define GF_CORE_BASE_SAMPLE_VALUE_H

#include "core/base/value/array.h"

/* Weights of red, green and blue in Rec.709 luma. Kernels have them in their own precision. */
extern const double gf_luma_weight[3];
/* Reads the luma of n pixels, `step` bytes apart, whose channels are `next` bytes apart. `one` has room for
 * a channel. */
void gf_sample_luma(const char *p, enum gf_dtype t, int64_t next, int64_t step, int64_t n,
                    double *luma, double *one);

/* The sample, or the real part of a complex one. */
double gf_sample_get(const void *p, enum gf_dtype t);
/* Integers are rounded half away from zero and saturated; an imaginary part becomes 0. */
void gf_sample_put(void *p, enum gf_dtype t, double v);

/* Converts src to dst, of the same shape and any type. */
void gf_samples_convert(struct gf_array *dst, const struct gf_array *src);

/* Replaces NaN and Inf by 0, or by the mean of the channel's finite samples (channels are the last
 * axis). */
void gf_samples_mend(struct gf_array *a, bool with_mean);
/* The same for an array in parts: sum() of all parts in order, then fill() of each. One entry per
 * channel, all zero at first; fill() takes zeros for a mean of 0. */
struct gf_samples_mean {
    double sum[2];
    int64_t count;
};
void gf_samples_sum(const struct gf_array *a, struct gf_samples_mean *channel);
void gf_samples_fill(struct gf_array *a, struct gf_samples_mean *channel);

/* Fills a contiguous array with the same pseudo-random samples each time, for measurements: zeros
 * are transformed faster than real data. Reals and both parts of complex numbers are in [-1/2,
 * 1/2); every byte of integers is random. */
void gf_samples_noise(struct gf_array *a);

/* dst = magnitude * exp(i phase), dst being complex; all of one shape. */
void gf_samples_polar(struct gf_array *dst, const struct gf_array *magnitude,
                      const struct gf_array *phase);

#endif
