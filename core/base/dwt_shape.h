/* The extents of a wavelet transform: how many samples each level has and where its bands are. What
 * the transform computes is in core/wavelet/dwt.h.
 *
 *     struct gf_dwt_axis x;
 *     gf_dwt_axis(1000, true, 3, GF_PERIODIC, &x);    x.n: 1000 500 250 125, x.at[3]: 125
 *
 * Level l makes of n samples ceil(n / 2) approximations and as many details where the boundary is
 * periodic, else floor((n + 3) / 2) of each, which are PyWavelets' counts. Along a packed axis the
 * last level's approximation is at 0 and the details of level l follow everything coarser, as
 * PyWavelets' coeffs_to_array packs them. Where a size does not divide there are gaps; they hold
 * zeros. Pure functions without failures. */
#ifndef GF_CORE_BASE_DWT_SHAPE_H
#define GF_CORE_BASE_DWT_SHAPE_H

#include "core/base/job.h"

/* One axis: n[l] samples after l levels; at[l] is where the details of level l >= 1 begin. */
struct gf_dwt_axis {
    int64_t n[GF_MAX_LEVELS + 1], at[GF_MAX_LEVELS + 1];
    int64_t packed; /* extent of all bands together */
};

/* With `on` false the axis is not transformed: every band begins at 0 and has n samples. */
void gf_dwt_axis(int64_t n, bool on, int levels, enum gf_boundary b, struct gf_dwt_axis *out);

/* Levels until an approximation would not become shorter than its input (1 sample, or 3 where the
 * boundary is not periodic), along the shortest transformed axis; at least 1. */
int gf_dwt_max_levels(int ndim, const int64_t *shape, unsigned axes, enum gf_boundary b);

/* The picture's shape, or that of its packed coefficients; then channels. */
void gf_dwt_shape(const struct gf_job *job, bool packed, int64_t shape[GF_MAX_RANK]);

#endif
