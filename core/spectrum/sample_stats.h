/* Mean, range, deviation and energy of one signal's samples, in the samples' own unit.
 *
 *     struct gf_sample_stats s;
 *     rc = gf_sample_stats(&picture, GF_LUMA, &s); */
#ifndef GF_CORE_SPECTRUM_SAMPLE_STATS_H
#define GF_CORE_SPECTRUM_SAMPLE_STATS_H

#include "core/base/value/array.h"

enum { GF_LUMA = -1 }; /* Rec.709 of the first three channels, as a job's luma */

/* Statistics of samples; of the magnitudes if they are complex. */
struct gf_sample_stats {
    int64_t count;
    double mean, low, high;
    double deviation; /* sqrt(mean (x - mean)^2) */
    double energy;    /* sum x^2 */
};

/* Fills *out for `channel`, or GF_LUMA, of an array whose last axis is the channels. GF_ENOMEM. */
int gf_sample_stats(const struct gf_array *px, int64_t channel, struct gf_sample_stats *out);

#endif
