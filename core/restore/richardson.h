/* Richardson-Lucy deconvolution (Richardson 1972, Lucy 1974), the most likely picture under Poisson
 * noise, which is never negative:
 *
 *     x' = y * H^T (d / H y)        d: the blurred picture, H: the blur, H^T: its mirror image
 *
 * accelerated as by Biggs and Andrews (1997, Acceleration of iterative image restoration): y = x +
 * a (x - x of the iteration before), a = (g g') / (g' g'), 0 to 1, of the last two corrections g =
 * x' - y and g', in all rows or, of large pictures, some. H keeps a constant. Both blurs continue
 * the picture beyond its edges as its tiles say.
 *
 * It ends after `iterations`. If those are automatic, the result is that of 1 to GF_RICHARDSON_MOST
 * with the least
 *
 *     mean (d - H y)^2 / v + 2 F
 *
 * where v is the noise's variance at the level H y and F the share of the noise that y fits: an
 * unbiased estimate of the distance of H y from the blurred truth (Mallows 1973, Some comments on Cp;
 * for this likelihood Bardsley and Goldes 2009, Regularization parameter selection methods for
 * ill-posed Poisson maximum likelihood estimation). v matters only as the price of F, so that a wrong
 * one does little harm. F is that of a constant picture, where each step leaves 1 - |H|^2 of what it
 * finds. Iterations end where the residuals fall and the sum rises. */
#ifndef GF_CORE_RESTORE_RICHARDSON_H
#define GF_CORE_RESTORE_RICHARDSON_H

#include "core/filter/table.h"
#include "core/restore/noise.h"
#include "core/restore/tiles.h"

enum { GF_RICHARDSON_MOST = 200, GF_BLUR_CLASSES = 128 };

struct gf_richardson {
    int iterations;               /* 0: automatic */
    struct gf_noise noise;        /* for those */
    const double *blur_share;     /* and of the spectrum, in each class of |H|^2 */
    const struct gf_tiles *tiles; /* of the picture */
    /* Each hand's: by H and by H^T, as tiles->job says. */
    const struct gf_filter_transform (*blur)[2];
};

/* *data: the picture, f32, contiguous, channels last; negative samples count as 0. Replaces it by
 * the result after *done iterations. GF_ENOMEM, or the blur's status. */
int gf_richardson_restore(const struct gf_richardson *how, struct gf_array *data, int *done);
/* Bytes that it allocates. */
int64_t gf_richardson_bytes(const struct gf_tiles *tiles);

#endif
