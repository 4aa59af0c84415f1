/* Wavelet transforms (kernels/wavelets.h lists the wavelets): their bands, thresholds and outputs.
 *
 *     struct gf_dwt_band band[GF_MAX_BANDS];
 *     int n = gf_dwt_bands(&job, band);                    band[0] is the approximation
 *     struct gf_array v = gf_dwt_band_view(&job, &band[1], &coefficients);
 *
 * A wavelet of t taps is a filter h; g[i] = (-1)^i h[t - 1 - i]. Mallat 1989 gives the pyramid: a
 * line x of n samples becomes
 *     a[k] = sum over i < t of h[i] x[2 k - s + i]        d[k] likewise with g
 * and a is the next level's line. s = t / 2 - 1 if the boundary is periodic, else t - 2, which is
 * PyWavelets' alignment. The counts of a[] and d[], and how bands are packed, are in
 * core/base/job/dwt_shape.h. Along several axes one level transforms all of them, time first for a
 * sequence of frames (3D-FWT: Bernabe, Cuenca, Gimenez 2013, Procedia Computer Science 18); the
 * order changes only rounding.
 *
 * gf_job_validate() has checked the job. Coefficients are packed, C-contiguous, f32 or f64,
 * channels last. GF_ENOMEM is the only failure. */
#ifndef GF_CORE_WAVELET_DWT_H
#define GF_CORE_WAVELET_DWT_H

#include "core/base/job/dwt_shape.h"

enum { GF_MAX_BANDS = 7 * GF_MAX_LEVELS + 1 };

/* A box in the packed array; bit i of `detail`: detail along axis i. */
struct gf_dwt_band {
    int level;
    unsigned detail;
    int64_t start[GF_MAX_DIMS], extent[GF_MAX_DIMS];
    char name[8]; /* PyWavelets' key and the level: "aa3", "ad1", "dda2" */
};
/* Fills bands[], coarsest first, the approximation before its details. Returns their number. */
int gf_dwt_bands(const struct gf_job *job, struct gf_dwt_band bands[GF_MAX_BANDS]);

/* Decides a threshold by share. True if its limit is the magnitude of that rank among all details, 0
 * being the largest; else the job's threshold is now one by its amount, or keeps all. */
bool gf_dwt_limit(struct gf_job *job, int64_t *rank);
/* Applies the job's threshold in place. */
int gf_dwt_threshold(const struct gf_job *job, struct gf_array *c, int threads);
/* Applies the threshold T to `height` rows of n details, `stride` bytes apart. */
void gf_dwt_shrink(const struct gf_job *job, void *rows, int64_t height, int64_t n, int64_t stride);
/* Fills output i of a forward job with a copy, a conversion or a picture of the pyramid, for which
 * *high becomes the approximation's maximum. */
void gf_dwt_output(const struct gf_job *job, int i, const struct gf_array *c, struct gf_array *out,
                   int threads, double *high);
/* How a band is shown: (v - low) gain, or (|v| - low) gain of details, by its extremes. */
struct gf_dwt_scale {
    bool detail;
    double low, gain;
};
struct gf_dwt_scale gf_dwt_scale_of(enum gf_dtype to, bool detail, double least, double most);
/* Makes v[0] .. v[n - 1] values of that type. */
void gf_dwt_scale_run(const struct gf_dwt_scale *s, enum gf_dtype to, double *v, int64_t n);
void gf_dwt_convert(const struct gf_array *from, struct gf_array *to, int threads);
void gf_dwt_clear(struct gf_array *a);
/* The box of a band as a view. */
struct gf_array gf_dwt_band_view(const struct gf_job *job, const struct gf_dwt_band *band,
                                 const struct gf_array *c);

#endif
