/* What is read off a power spectrum: its slope over a band of frequencies, and its energy in each
 * direction. Pure functions.
 *
 *     struct gf_slope slope = gf_rings_slope(ring, n_rings, band);
 *     if (slope.rings)
 *         printf("%.2f +- %.2f\n", slope.value, slope.error); */
#ifndef GF_CORE_SPECTRUM_DENSITY_H
#define GF_CORE_SPECTRUM_DENSITY_H

#include "core/spectrum/spectrum.h"

/* The exponent b of power ~ frequency^b, a straight line through (log frequency, log mean power) of
 * the rings by least squares, each ring weighted by its bins, since its mean has a variance
 * proportional to 1 / bins. The standard error is that of the weighted fit, from its residuals:
 *
 *     b = sum w (x - <x>) y / S,  S = sum w (x - <x>)^2,  error^2 = sum w r^2 / ((rings - 2) S) */
struct gf_slope {
    double value, error;
    double level;  /* the line's power at a frequency of 1 */
    int64_t rings; /* in the fit; 0: fewer than three have power, and the rest is 0 */
};

/* `band`: the lowest and highest frequency, in the rings' unit; both count. */
struct gf_slope gf_rings_slope(const struct gf_ring *ring, int64_t n, const double band[2]);

enum { GF_ANGLES = 180 };

/* The bins of a picture's spectrum by the direction of their wave (struct gf_wave), a degree each:
 * angle i is that of -89 + i degrees. The two bins of a real wave count as two. */
struct gf_angles {
    int64_t bins[GF_ANGLES];
    double energy[GF_ANGLES]; /* sum |F|^2 / N */
};

/* Adds the bins of two axes with frequencies in the band, in cycles a sample. GF_ENOMEM. */
int gf_spectrum_angles(const struct gf_spectrum *s, const double band[2], struct gf_angles *a);

#endif
