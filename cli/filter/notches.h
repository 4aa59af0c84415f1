/* The waves and screens that gpufft filter --auto-notch and --descreen remove from a picture. */
#ifndef GF_CLI_FILTER_NOTCHES_H
#define GF_CLI_FILTER_NOTCHES_H

#include "core/base/job.h"
#include "core/spectrum/detail.h"
#include "core/spectrum/screen.h"
#include "core/spectrum/thing.h"

/* A wave, subtracted from the samples; the notch takes what is left of it. */
struct gf_notch {
    double at[GF_MAX_DIMS]; /* bins from the centre, by the picture's axes */
    double radius;          /* bins; of a gaussian; 0: no notch */
    double strength;        /* over its surroundings */
    double amplitude;       /* in sample units, once it is fitted */
};

enum { GF_MAX_NOTCHES = 60 };

struct gf_notches {
    bool expected; /* nothing was looked for yet: as many as there may be */
    int n;
    struct gf_notch notch[GF_MAX_NOTCHES];
    int n_hidden;         /* the last of them, which the picture is stronger than */
    double *factor;       /* of their cosine and sine: for each wave, for each channel; or NULL */
    struct gf_notch left; /* the strongest of a regular thing's waves; amplitude 0: there is none */
    int n_screens;
    struct gf_screen screen[GF_MAX_SCREENS];
    struct gf_array mask; /* of the screens, over half the spectrum of the picture; or no data */
};

#endif
