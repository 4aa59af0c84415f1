/* The strength of white noise in a picture, from the picture itself.
 *
 *     rc = gf_noise_estimate(&samples, ndim, 0, threads, &deviation);
 *
 * The second differences along x and y together, (1 -2 1) times (1 -2 1)^T / 6 (Immerkaer 1996, Fast
 * noise variance estimation), remove what is smooth and keep the deviation of white noise. Of tiles
 * of 16 x 16 samples those in which averages of 2 x 2 samples vary least are taken, as a picture's
 * details show there too; the median of the differences' absolute values in them, over 0.6745, is
 * the deviation (Donoho and Johnstone 1994). Lines take (1 -2 1) / sqrt(6).
 *
 * Integers at an end of their type's range, which may be clipped, and those beside them do not
 * count. Rounding to integers is part of the noise. The result is too high for pictures with fine
 * texture all over, and too low for noise that is not white, as in JPEG and enlarged pictures. */
#ifndef GF_CORE_RESTORE_NOISE_H
#define GF_CORE_RESTORE_NOISE_H

#include "core/base/array.h"

/* The standard deviation, in sample units, averaged (as variances) over channels: of `a`, real, with
 * `ndim` spatial axes and the channels last, any strides. 0 for pictures below 3 samples along x.
 * Samples are finite. `white`: the largest number that they can have; 0: their type's. GF_ENOMEM. */
int gf_noise_estimate(const struct gf_array *a, int ndim, double white, int threads,
                      double *deviation);

#endif
