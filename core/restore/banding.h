/* Bands of light: the flicker of a lamp on a rolling shutter is a wave across the lines of a
 * picture, which multiplies it, adds to it, or both. */
#ifndef GF_CORE_RESTORE_BANDING_H
#define GF_CORE_RESTORE_BANDING_H

#include "core/restore/steps.h"

struct gf_banding {
    double frequency; /* cycles a line; 0: none was found */
    double amplitude; /* of the line's brightness, in sample units */
    double evidence;  /* power of the strongest wave over that of the frequencies around it */
    double others;    /* the most power at another frequency, as a share */
    double coherence; /* of its phase in the segments of lines, 0 .. 1 */
};

/* Finds the strongest wave of 3 to 64 periods, of 8 lines or more each, in the spectrum of the
 * steps. */
struct gf_banding gf_banding_find(const struct gf_line_steps *p);

/* Fits the wave to the differences of lines by weighted least squares: for each line and channel,
 * sample = (1 + gain) picture + offset. GF_ENOMEM. */
int gf_banding_fit(const struct gf_line_steps *p, const struct gf_banding *wave, float *offset,
                   float *gain);

#endif
