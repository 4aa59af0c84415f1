/* The strength of white noise in a picture, from the picture itself.
 *
 *     rc = gf_noise_estimate(&samples, ndim, 0, 1, threads, &noise);
 *
 * The second differences along x and y together, (1 -2 1) times (1 -2 1)^T / 6 (Immerkaer 1996, Fast
 * noise variance estimation), remove what is smooth and keep the deviation of white noise. Of tiles
 * of 16 x 16 samples those in which averages of 2 x 2 samples vary least are taken, as a picture's
 * details show there too; the median of the differences' absolute values in them, over 0.6745, is
 * the deviation (Donoho and Johnstone 1994). Lines take (1 -2 1) / sqrt(6).
 *
 * Counted photons have noise that grows with the picture: if the mean squares of the differences, in
 * the smoothest quarter of the tiles of 16 groups of equal levels, lie on a line, that is the
 * variance. Lossy files have lost the finest noise: means of `step` x `step` samples still show it.
 *
 * Integers at an end of their type's range, which may be clipped, and those beside them do not
 * count. Rounding to integers is part of the noise. The result is too high for pictures with fine
 * texture all over, and too low for noise that is not white, as in JPEG and enlarged pictures. */
#ifndef GF_CORE_RESTORE_NOISE_H
#define GF_CORE_RESTORE_NOISE_H

#include "core/base/value/array.h"

/* The variance at level y is base + slope y, but not below `least`. */
struct gf_noise {
    double deviation; /* as if it were the same at all levels */
    double base, slope, least;
};

/* In sample units, averaged (as variances) over channels: of `a`, real, with `ndim` spatial axes and
 * the channels last, any strides. 0 for pictures below 3 samples along x. Samples are finite.
 * `white`: the largest number that they can have; 0: their type's. With a step other than 1 the
 * noise is the same at all levels. GF_ENOMEM. */
int gf_noise_estimate(const struct gf_array *a, int ndim, double white, int step, int threads,
                      struct gf_noise *noise);

#endif
