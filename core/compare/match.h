/* Normalised cross-correlation of a template with an image, at every place where it fits: Lewis
 * 1995, "Fast template matching"; with weights of the template's samples as Padfield 2012, "Masked
 * object registration in the Fourier domain".
 *
 *     score(u) = sum w (t - mean t) x(. + u) / sqrt(sum w (t - mean t)^2 sum w (x(. + u) - mean)^2)
 *
 * The means are weighted by w over the template or over the window at u; the score is in -1..1. The
 * caller transforms; pure functions do the rest:
 *
 *     rc = gf_match_prepare(&t, NULL, &m);                  t becomes w (t - mean t)
 *     gf_match_multiply(&image_spectrum, &t_spectrum);      of one padded shape
 *     rc = gf_match_windows(&m, threads, &sum, &square);    or correlations with w
 *     gf_match_score(&m, &correlation, &square, floor, &sum);
 *     rc = gf_match_peaks(&m, &sum, 0.5, peak, 10, &n); */
#ifndef GF_CORE_COMPARE_MATCH_H
#define GF_CORE_COMPARE_MATCH_H

#include "core/base/job.h"

struct gf_match {
    int ndim;
    int64_t shape[GF_MAX_DIMS]; /* of the template, slowest axis first */
    bool weighted;
    double count;  /* sum w */
    double energy; /* sum w (t - mean t)^2 */
};

/* Replaces a template of f32 or f64, C-contiguous, by w (t - mean t). `weight`, of the same shape
 * and type, is 0 or more; NULL: 1. GF_EINVAL if all weights are 0 or the weighted samples alike. */
int gf_match_prepare(struct gf_array *t, const struct gf_array *weight, struct gf_match *m);

/* Replaces complex b by a conj(b), both C-contiguous, of one shape and type: of spectra the one of
 * their correlation. */
void gf_match_multiply(const struct gf_array *a, struct gf_array *b);

/* Replaces each f64 sample of both C-contiguous arrays of one shape by the sum over the template's
 * window that begins there; places without a whole window keep no meaning. Sums have only terms of
 * their own window (van Herk 1992, "A fast algorithm for local minimum and maximum filters on
 * rectangular and octagonal kernels", with sums), so that bright samples elsewhere leave no
 * rounding. GF_ENOMEM. */
int gf_match_windows(const struct gf_match *m, int threads, struct gf_array *sum,
                     struct gf_array *square);

/* Replaces sum w x by the score, from sum w (t - mean t) x and sum w x^2; all are of one shape, f32
 * or f64, any strides. A window whose sum w (x - mean)^2 is up to `floor`, or rounding, has 0. */
void gf_match_score(const struct gf_match *m, const struct gf_array *correlation,
                    const struct gf_array *square, double floor, struct gf_array *sum);

struct gf_match_peak {
    int64_t at[GF_MAX_DIMS];  /* in the map: where the template's first sample lies */
    double fine[GF_MAX_DIMS]; /* the maximum of a parabola through three scores along each axis */
    double score;
};

/* Finds the `max` best local maxima of a map (f32 or f64) above 0 and not below `least`, best first, equals
 * in C order. The templates at two of them do not overlap. GF_ENOMEM. */
int gf_match_peaks(const struct gf_match *m, const struct gf_array *map, double least,
                   struct gf_match_peak *peak, int max, int *n);

#endif
