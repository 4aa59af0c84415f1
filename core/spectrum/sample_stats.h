/* What the samples of one signal amount to. */
#ifndef GF_CORE_SPECTRUM_SAMPLE_STATS_H
#define GF_CORE_SPECTRUM_SAMPLE_STATS_H

#include "core/base/array.h"

enum { GF_LUMA = -1 }; /* Rec.709 of the first three channels, as a job's luma */

/* Complex samples count by their magnitude. */
struct gf_sample_stats {
    int64_t count;
    double mean, low, high;
    double deviation; /* sqrt(mean (x - mean)^2) */
    double energy;    /* sum x^2 */
};

/* Of `channel`, or GF_LUMA, of an array whose last axis is the channels. GF_ENOMEM. */
int gf_sample_stats(const struct gf_array *px, int64_t channel, struct gf_sample_stats *out);

#endif
