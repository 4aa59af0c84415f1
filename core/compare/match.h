/* Normalised cross-correlation of a template with an image, at every place where it fits: Lewis
 * 1995, "Fast template matching"; with weights of the template's samples as Padfield 2012, "Masked
 * object registration in the Fourier domain".
 *
 *     score(u) = sum w (t - mean t) x(. + u) / sqrt(sum w (t - mean t)^2 sum w (x(. + u) - mean)^2)
 *
 * The means are weighted by w over the template or over the window at u; the score is in -1..1. The
 * caller transforms; pure functions do the rest. */
#ifndef GF_CORE_COMPARE_MATCH_H
#define GF_CORE_COMPARE_MATCH_H

#include "core/base/job/job.h"

struct gf_match {
    int ndim;
    int64_t shape[GF_MAX_DIMS]; /* of the template, slowest axis first */
    double count;               /* sum w */
    double energy;              /* sum w (t - mean t)^2 */
};

/* Replaces a template of f32 or f64, C-contiguous, by w (t - mean t). `weight`, of the same shape
 * and type, is 0 or more; NULL: 1. GF_EINVAL if all weights are 0 or the weighted samples alike. */
int gf_match_prepare(struct gf_array *t, const struct gf_array *weight, struct gf_match *m);

/* Replaces each sample of a C-contiguous f64 array by the sum over the template's window that
 * begins there; places without a whole window keep no meaning. */
void gf_match_windows(const struct gf_match *m, struct gf_array *a);

/* Replaces sum w x by the score, from sum w (t - mean t) x and sum w x^2; all are C-contiguous, of
 * one shape, f32 or f64. A window has 0 if its sum w (x - mean)^2 is up to `floor`. */
void gf_match_score(const struct gf_match *m, const struct gf_array *correlation,
                    const struct gf_array *square, double floor, struct gf_array *sum);

struct gf_match_peak {
    int64_t at[GF_MAX_DIMS];    /* in the map: where the template's first sample lies */
    double fine[GF_MAX_DIMS];   /* the maximum of a parabola through three scores along each axis */
    double centre[GF_MAX_DIMS]; /* of the template there */
    double score;
};

/* Finds the `max` best local maxima of a map (f32 or f64) above 0 and not below `least`, best first,
 * equals in C order. The templates at two of them do not overlap. GF_ENOMEM. */
int gf_match_peaks(const struct gf_match *m, const struct gf_array *map, double least,
                   struct gf_match_peak *peak, int max, int *n);

#endif
