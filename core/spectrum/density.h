/* The slope of a power spectrum over a band of frequencies, and its energy in each direction. Pure
 * functions. A band is a lowest and a highest frequency in cycles a sample. */
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
    int64_t rings; /* in the fit; 0: fewer than three have power, and the rest is 0 */
};

struct gf_slope gf_rings_slope(const struct gf_ring *ring, int64_t n, const double band[2]);

enum { GF_ANGLES = 180 };

/* Adds the energies, sum |F|^2 / N, of a picture's bins in the band to the degree of their wave's
 * direction (struct gf_wave): energy[i] is that of -89 + i degrees. GF_ENOMEM. */
int gf_spectrum_angles(const struct gf_spectrum *s, const double band[2], double energy[GF_ANGLES]);

#endif
