/* The words that a job shares with the record of its result, which formats/ stores: kinds of
 * numbers, norms, boundaries, and, as enum wavelet, wavelets. */
#ifndef GF_CORE_BASE_KINDS_H
#define GF_CORE_BASE_KINDS_H

#include <stdint.h>

#include "kernels/wavelets.h"

enum { GF_MAX_DIMS = 3, GF_MAX_LEVELS = 40 };
/* A table over i / 16 cycles a sample ends at the corner of a spectrum. */
enum { GF_ROUNDING_BANDS = 11 };
/* The steps of a JPEG file by frequency: coefficient (u, v) of a block of 8 x 8, at u / 16 and v / 16
 * cycles a sample, is rounded to a multiple of its quantum. Quanta of 0 are unknown; bands of
 * them have the step of the band below. */
void gf_rounding_make(const uint16_t quantum[64], uint8_t rounding[GF_ROUNDING_BANDS]);

enum gf_kind {
    GF_MAGNITUDE, /* |F| */
    GF_PHASE,     /* atan2(imag, real), radians */
    GF_POWER,     /* |F|^2 */
    GF_REAL,
    GF_IMAG,
    GF_COMPLEX,
    GF_N_KINDS
};
enum gf_norm { GF_NORM_BACKWARD, GF_NORM_ORTHO, GF_NORM_FORWARD }; /* as numpy.fft names them */

/* The continuation of a line beyond its ends: the line itself (of odd length: with its last sample
 * twice), its mirror image, zeros. PyWavelets' periodization, symmetric, zero. */
enum gf_boundary { GF_PERIODIC, GF_SYMMETRIC, GF_ZERO };

/* The names of all, as users type them and files have them; NULL ends a list. */
extern const char *const gf_kind_names[], *const gf_norm_names[], *const gf_boundary_names[],
                                                                      *const gf_wavelet_names[];
/* One of them; "?" for a number that has none. */
const char *gf_kind_name(enum gf_kind k);
const char *gf_norm_name(enum gf_norm n);
const char *gf_boundary_name(enum gf_boundary b);

#endif
