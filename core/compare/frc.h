/* Fourier ring and shell correlation: the resolution up to which two pictures, or volumes, of one
 * thing agree (van Heel and Schatz 2005, "Fourier shell correlation threshold criteria").
 *
 *     FRC(r) = sum Re A conj(B) / sqrt(sum |A|^2 sum |B|^2)       sums over the bins of ring r
 *
 * Rings are those of core/spectrum/spectrum.h, up to half a cycle a sample. Pure functions. */
#ifndef GF_CORE_COMPARE_FRC_H
#define GF_CORE_COMPARE_FRC_H

#include "core/spectrum/spectrum.h"

/* The rings up to half a cycle a sample. */
int64_t gf_frc_ring_count(const struct gf_spectrum *s);
/* 0 for a ring without power. */
double gf_frc_correlation(const struct gf_ring_pair *r);

/* Chen, McMullan, Faruqi and others 2013, "High-resolution noise substitution to measure overfitting
 * and validate resolution in 3D structure determination by single particle electron
 * cryomicroscopy": of a correlation, what the correlation of phases that were made random leaves. */
double gf_frc_corrected(double correlation, double randomized);

/* n, the number of independent bins, is half the ring's: a bin and its mirror image are one. The
 * object is taken to fill 2/3 of the extent. */
enum gf_frc_threshold {
    GF_FRC_SEVENTH,  /* 1/7 */
    GF_FRC_0143,     /* 0.143 */
    GF_FRC_HALF_BIT, /* (0.2071 + 1.9102 / sqrt n) / (1.2071 + 0.9102 / sqrt n) */
    GF_FRC_3_SIGMA,  /* 3 / sqrt n */
    GF_N_FRC_THRESHOLDS
};
double gf_frc_threshold(enum gf_frc_threshold which, int64_t bins);

/* The frequency at which a curve of `count` rings first falls below the threshold, interpolated
 * between rings; INFINITY if it stays above to the end, 0 if it is never above. Ring 0 is left
 * out. */
double gf_frc_crossing(enum gf_frc_threshold which, const struct gf_ring_pair *ring,
                       const double *curve, int64_t count);

/* ---- samples and spectra ---- */

/* Fills a mask of f32 or f64 with 1 up to `radius` samples from its centre, (n - 1) / 2 along each
 * axis, and with (1 + cos(pi d / edge)) / 2 at distances d < edge beyond. */
void gf_frc_soft_mask(double radius, double edge, struct gf_array *mask);
/* Replaces samples x by m (x - mean), the mean being weighted by the mask m. Both are of one shape
 * and type and C-contiguous. GF_EINVAL if the mask leaves nothing. */
int gf_frc_apply_mask(struct gf_array *px, const struct gf_array *mask);

/* Turns each bin of a spectrum beyond `frequency` (cycles a sample) by a random angle, opposite at
 * opposite bins; bins that are their own opposites stay. The same `seed` gives the same angles. */
void gf_frc_randomize(const struct gf_spectrum *s, double frequency, uint64_t seed);
/* Moves the samples of a spectrum by `shift` along each axis, periodically. */
void gf_frc_shift(const struct gf_spectrum *s, const double shift[GF_MAX_DIMS]);

#endif
