/* Linear deconvolution: what multiplies the spectrum of a blurred picture, with H the spectrum of
 * the point-spread function and conj(H) its conjugate.
 *
 *     Wiener (1949)      conj(H) / (|H|^2 + 2 N(f) / S(f))
 *     Tikhonov           conj(H) / (|H|^2 + L |D|^2)
 *
 * f is the distance from the zero frequency in cycles a sample, D = sum over the axes of 2 - 2 cos(2
 * pi k / n), the Laplacian. The power S of the sharp picture comes from the blurred one's own
 * spectrum G and the power N of its noise: over bands of frequencies a sixth wide
 *     S = sum |H|^2 (|G|^2 - N) / sum |H|^4
 * which is the least-squares fit of |G|^2 = |H|^2 S + N. A power law that fits the bands above the
 * noise continues it in those below. N(f) is the mean of |G|^2 - |H|^2 S over the bins of a band
 * whose |H|^2 is below 1e-3, and at least N: samples beyond the edges are guessed, and errors that
 * do not fit the blur are as harmful as noise. The 2 is for the variation of S within a band.
 *
 * A lossy file's rounding removes noise from high frequencies, so that N is too low for the others.
 * Its own variance is the least noise. That one limits how much a frequency is amplified; it
 * damps none, since coefficients that are not rounded to 0 are right but for half a quantum.
 *
 *     rc = gf_prior_make(&forward, &spectrum, &h, deviation * deviation, threads, &prior);
 *     gf_wiener_invert(&job, &prior, 0, threads, &h);
 */
#ifndef GF_CORE_RESTORE_WIENER_H
#define GF_CORE_RESTORE_WIENER_H

#include "core/filter/filter.h"

enum { GF_PRIOR_BANDS = 128 };

/* Powers are |G|^2 over the number of points: that of white noise is its variance. */
struct gf_prior {
    double noise;
    /* N(f) / S(f) in the middle of each band, from which it is interpolated over the square of f:
     * at 2^-24 exp(0.16 (i + 1/2)) cycles a sample. */
    double ratio[GF_PRIOR_BANDS];
    double mean; /* the least N over the mean of S without the zero frequency */
};

/* `spectrum`: output 0 of a forward job of the samples, complex, half, norm backward. `h`: H as
 * gf_filter_tabulate() gives it on the job's shape. `rounding`: steps, which add a
 * twelfth of their square at i / 16 cycles a sample. Means are over channels and untransformed axes too. GF_ENOMEM. */
int gf_prior_make(const struct gf_job *forward, const struct gf_array *spectrum,
                  const struct gf_array *h, double noise, const uint8_t rounding[GF_ROUNDING_BANDS],
                  int threads, struct gf_prior *prior);

/* The mean variance of the rounding over the frequencies that H, on the job's shape, leaves. */
double gf_blur_rounding(const struct gf_job *job, const struct gf_array *h,
                        const uint8_t rounding[GF_ROUNDING_BANDS]);

/* Replaces H on the job's shape by the Wiener filter or, without a prior, by Tikhonov's with L.
 * GF_ENOMEM. */
int gf_wiener_invert(const struct gf_job *job, const struct gf_prior *prior, double regularize,
                     int threads, struct gf_array *h);

#endif
