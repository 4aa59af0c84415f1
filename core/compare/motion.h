/* Turned, scaled and shifted pictures.
 *
 * A motion moves a picture's place x to c + scale R (x - c) + shift, c being the picture's centre, (n
 * - 1) / 2, and R a turn counterclockwise as seen (y is down). */
#ifndef GF_CORE_COMPARE_MOTION_H
#define GF_CORE_COMPARE_MOTION_H

#include "core/spectrum/spectrum.h"

struct gf_motion {
    double shift[GF_MAX_DIMS]; /* samples, slowest axis first */
    double turn;               /* degrees */
    double scale;
};

enum { GF_POLAR = 512 }; /* angles in half a turn, and radii */

/* Samples the logarithms of a picture's half spectrum, high-passed, at GF_POLAR angles in rows and
 * GF_POLAR radii, which grow by a constant factor; each radius without its mean. `to` is f32
 * (Reddy and Chatterji 1996, An FFT-based technique for translation, rotation, and scale-invariant
 * image registration). */
void gf_motion_polar(const struct gf_spectrum *s, struct gf_array *to);
/* The turn, up to a quarter turn, and scale for which such samples of two pictures differ by
 * `shift`. */
struct gf_motion gf_motion_of_polar(const double shift[2]);

/* Moves a picture: y, x, channel or y, x; f32 or f64, C-contiguous, as is `to`. Between samples by
 * cubic convolution (Keys 1981, Cubic convolution interpolation for digital image processing);
 * samples from more than half a sample outside the picture are 0, or with `edge` those of its edge.
 */
void gf_motion_apply(const struct gf_array *px, const struct gf_motion *m, bool edge, int threads,
                     struct gf_array *to);
/* Fills a half spectrum of a picture of `shape` with the numbers that, as factors, shift it. */
void gf_motion_ramp(const int64_t *shape, const double *shift, struct gf_array *table);
/* Fills what a shift brought from beyond the edges, in an array of any type whose last axis is the
 * channels, as gf_motion_apply() does. */
void gf_motion_fill(struct gf_array *a, const double *shift, bool edge);

#endif
