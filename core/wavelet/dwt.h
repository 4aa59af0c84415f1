/* The wavelet of four taps (W4, D4, PyWavelets' db2): its layout, and what is done to coefficients.
 *
 * Daubechies 1988 ("Orthonormal bases of compactly supported wavelets") gives the filter
 *     h = (1 + r, 3 + r, 3 - r, 1 - r) / (4 sqrt 2), r = sqrt 3;    g = (h3, -h2, h1, -h0)
 * and Mallat 1989 the pyramid: a line x of n samples becomes
 *     a[k] = sum over i < 4 of h[i] x[2 k - s + i]        d[k] likewise with g
 * and a goes on to the next level. Periodic: s = 1, ceil(n / 2) of each; else s = 2 and
 * floor((n + 3) / 2). That is PyWavelets' alignment and count. Along several axes one level takes
 * all of them, time first for a sequence of frames (3D-FWT: Bernabe, Cuenca, Gimenez 2013,
 * Procedia Computer Science 18); the order changes nothing but rounding.
 *
 * Bands are packed as PyWavelets' coeffs_to_array has them: along each axis the last level's
 * approximation stands at 0, the details of level l behind everything coarser. Where a size does
 * not divide there are gaps, which hold zeros. */
#ifndef GF_CORE_WAVELET_DWT_H
#define GF_CORE_WAVELET_DWT_H

#include "core/base/job.h"

/* One axis: n[l] samples after l levels; at[l] is where the details of level l >= 1 begin. */
struct gf_dwt_axis {
    int64_t n[GF_MAX_LEVELS + 1], at[GF_MAX_LEVELS + 1];
    int64_t packed; /* extent of all bands together */
};
/* With `on` false the axis is not transformed: everything is at 0 and n long. */
void gf_dwt_axis(int64_t n, bool on, int levels, enum gf_boundary b, struct gf_dwt_axis *out);

/* Levels until an approximation would not become shorter than what it is made of (1 sample, or 3
 * where the boundary is not periodic), along the shortest transformed axis; at least 1. */
int gf_dwt_max_levels(int ndim, const int64_t *shape, unsigned axes, enum gf_boundary b);

/* The picture's shape, or that of its packed coefficients; then channels. */
void gf_dwt_shape(const struct gf_job *job, bool packed, int64_t shape[GF_MAX_RANK]);

enum { GF_MAX_BANDS = 7 * GF_MAX_LEVELS + 1 };

/* A box in the packed array; `detail` bit i: detail along axis i. */
struct gf_dwt_band {
    int level;
    unsigned detail;
    int64_t start[GF_MAX_DIMS], extent[GF_MAX_DIMS];
    char name[8]; /* "aa3", "ad1", "dda2": PyWavelets' key and the level */
};
/* Coarsest first, the approximation in front; returns how many. */
int gf_dwt_bands(const struct gf_job *job, struct gf_dwt_band bands[GF_MAX_BANDS]);

/* What gf_job_validate() asks of a GF_DWT job's input. */
int gf_dwt_validate(const struct gf_job *job);

/* The rest works on packed coefficients: C-contiguous, f32 or f64, channels last. */

/* Applies the job's threshold in place. */
int gf_dwt_threshold(const struct gf_job *job, struct gf_array *c, int threads);
/* A threshold by T on rows of n details, `stride` bytes apart. */
void gf_dwt_shrink(const struct gf_job *job, void *rows, int64_t height, int64_t n, int64_t stride);
/* Fills output `i` of a forward job: a copy, a conversion, or the picture of the pyramid; *high is
 * the approximation's largest value. */
void gf_dwt_output(const struct gf_job *job, int i, const struct gf_array *c, struct gf_array *out,
                   int threads, double *high);
/* The box of a band as a view. */
struct gf_array gf_dwt_band_view(const struct gf_job *job, const struct gf_dwt_band *band,
                                 const struct gf_array *c);

#endif
