/* Fourier ring and shell correlation: the resolution up to which two pictures, or volumes, of one
 * thing agree (van Heel and Schatz 2005, "Fourier shell correlation threshold criteria").
 *
 *     FRC(r) = sum Re A conj(B) / sqrt(sum |A|^2 sum |B|^2)       sums over the bins of ring r
 *
 * Rings are those of gf_spectrum_cross_rings(). Pure functions. */
#ifndef GF_CORE_COMPARE_FRC_H
#define GF_CORE_COMPARE_FRC_H

#include "core/spectrum/spectrum.h"

/* 0 for a ring without power. */
double gf_frc_correlation(const struct gf_ring *r);

/* Chen, McMullan, Faruqi and others 2013, "High-resolution noise substitution to measure overfitting
 * and validate resolution in 3D structure determination by single particle electron
 * cryomicroscopy": what random phases leave of a correlation. */
double gf_frc_corrected(double correlation, double randomized);

/* n, the number of independent bins, is half the ring's: a bin and its mirror image are one. The
 * object is taken to fill 2/3 of the extent. */
struct gf_frc_threshold {
    enum {
        GF_FRC_CONSTANT, /* value */
        GF_FRC_HALF_BIT, /* (0.2071 + 1.9102 / sqrt n) / (1.2071 + 0.9102 / sqrt n) */
        GF_FRC_3_SIGMA,  /* 3 / sqrt n */
    } rule;
    double value;
};
double gf_frc_threshold(struct gf_frc_threshold t, int64_t bins);

/* The frequency at which a curve of `count` rings, after rings above the threshold, first falls
 * below it, interpolated; INFINITY if it stays above to the end, 0 if it never is. Ring 0 is left
 * out. */
double gf_frc_crossing(struct gf_frc_threshold t, const struct gf_ring *ring, const double *curve,
                       int64_t count);

/* Fills a mask of f32 or f64 with 1 up to `radius` samples from its centre, (n - 1) / 2 along each
 * axis, and with (1 + cos(pi d / edge)) / 2 at distances d < edge beyond. */
void gf_frc_soft_mask(double radius, double edge, struct gf_array *mask);
/* Replaces samples x by m (x - mean), the mean being weighted by the mask m of any
 * strides. Both are of one shape and type. GF_EINVAL if the mask leaves nothing. */
int gf_frc_apply_mask(struct gf_array *px, const struct gf_array *mask);

/* Turns the phases of a contiguous half spectrum. With `shift` moves its samples so far along each
 * axis, periodically; else turns bins beyond `frequency` (cycles a sample) by random angles,
 * opposite ones at opposite bins. The same `seed` gives the same angles. */
void gf_frc_turn(const struct gf_spectrum *s, const double *shift, double frequency, uint64_t seed);

#endif
