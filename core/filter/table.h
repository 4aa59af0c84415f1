/* What fills a filter's table: a mask, and the transfer function of a kernel. Each multiplies what
 * the table holds, on the job's shape and in its precision. */
#ifndef GF_CORE_FILTER_TABLE_H
#define GF_CORE_FILTER_TABLE_H

#include "core/filter/filter.h"

/* Doubles, C order, by the job's axes; 1 along those that are not transformed. */
struct gf_filter_samples {
    int64_t extent[GF_MAX_DIMS];
    double *value;
};

/* A mask M of the spectrum of `extent` samples, its zero frequency at extent / 2. Its even part
 * (M(k) + M(-k)) / 2 counts. Where the job's shape P is longer, bin k of that lies between those
 * around k extent / P, and the value is interpolated linearly along each axis. */
int gf_filter_times_mask(struct gf_filter *f, const struct gf_job *job, int threads,
                         const struct gf_filter_samples *mask);

/* A kernel h with its centre at extent / 2, to convolve with circularly: sum h(j) exp(-2 pi i k (j
 * - extent / 2) / P). The sums are run in double on the processor; where no imaginary part is left,
 * as of symmetric kernels of odd size, the table stays real. GF_EINVAL where it is larger than the
 * job's shape. */
int gf_filter_times_kernel(struct gf_filter *f, const struct gf_job *job, int threads,
                           const struct gf_filter_samples *kernel);

#endif
