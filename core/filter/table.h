/* Contents of a filter's table: a mask of the spectrum, or a kernel's transfer function.
 *
 *     struct gf_filter_samples mask = {.extent = {1, 512, 512}, .value = doubles};
 *     rc = gf_filter_times_mask(filter, &job, threads, &mask);
 *
 * Each function multiplies the table (1 at first), on the job's shape and in its precision; after a
 * failure it is unchanged. For a part of a job (job.whole) it holds the part's numbers. They return
 * 0, GF_ENOMEM or GF_EINVAL. */
#ifndef GF_CORE_FILTER_TABLE_H
#define GF_CORE_FILTER_TABLE_H

#include "core/filter/filter.h"

/* Doubles in C order by the job's axes; extent 1 along untransformed axes. A mask may lack samples,
 * or be half a spectrum. */
struct gf_filter_samples {
    int64_t extent[GF_MAX_DIMS];
    double *value;
    /* Only some indices of one axis: index i is number held[i] of n_held. NULL: all. */
    int axis;
    int64_t n_held;
    const int64_t *held;
    int64_t first, count; /* a span of a line's samples; count 0: all */
    /* Instead of `value`: half an even mask, its zero frequency in the corner, extent / 2 + 1 long
     * on the last axis. The job transforms all axes. */
    const float *half;
};

/* Runs a Fourier transform for this room: `job` from `in` to its one output `out`, both allocated
 * in the job's shapes. Returns 0 or a negative code with its message. */
struct gf_filter_transform {
    int (*run)(void *context, const struct gf_job *job, const struct gf_array *in,
               struct gf_array *out);
    void *context;
};

/* A mask M of the spectrum of `extent` samples, its zero frequency at extent / 2. Its even part
 * (M(k) + M(-k)) / 2 is used. If the job's extent P differs, bin k is between the mask's bins
 * around k extent / P, and the value is interpolated linearly along each axis. */
int gf_filter_times_mask(struct gf_filter *f, const struct gf_job *job, int threads,
                         const struct gf_filter_samples *mask);
/* Sets held[i] to 1 for the indices along `axis` of a mask of that extent that a part's values
 * depend on, else to 0. */
void gf_filter_mark_mask(const struct gf_job *job, int axis, int64_t extent, int64_t *held);

/* Adds a span's contribution to value[], one number per index of a part with steps, of a line's
 * mask. All spans add up to the values. */
void gf_filter_add_span(const struct gf_job *part, const struct gf_filter_samples *span,
                        int threads, double *value);
/* Multiplies the table by these values. */
int gf_filter_times_values(struct gf_filter *f, const struct gf_job *part, int threads,
                           double *value);

/* A kernel h for circular convolution, its centre at extent / 2:
 *     H(k) = sum over j of h(j) exp(-2 pi i k (j - extent / 2) / P)
 * `transform` computes the sums in double. If imaginary parts are only rounding, as for symmetric
 * kernels of odd size, the table stays real. GF_EINVAL for a kernel larger than the job's shape. */
int gf_filter_times_kernel(struct gf_filter *f, const struct gf_job *job, int threads,
                           const struct gf_filter_samples *kernel,
                           const struct gf_filter_transform *transform);
/* Bytes needed to make it, besides the table's values. */
int64_t gf_filter_kernel_bytes(const struct gf_job *job);

#endif
