/* The peaks of a spectrum that gpufft filter --auto-notch removes. */
#ifndef GF_CLI_FILTER_NOTCHES_H
#define GF_CLI_FILTER_NOTCHES_H

#include "core/base/job.h"

/* A peak of the spectrum that is removed. */
struct gf_notch {
    int64_t at[GF_MAX_DIMS]; /* bins from the centre, by the picture's axes */
    double radius;           /* bins; of a gaussian */
    double strength, power;  /* over the middle of its ring, 0 for a sum of others; |F|^2 */
};

enum { GF_MAX_NOTCHES = 60 };

struct gf_notches {
    int n;
    struct gf_notch notch[GF_MAX_NOTCHES];
};

#endif
