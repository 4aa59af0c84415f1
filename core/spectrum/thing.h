/* Interference, or a thing in the picture that is regular: a wall, a fence, fabric.
 *
 *     rc = gf_thing_look(&spectrum, levels, at, total, &look);
 *     if (!rc && !gf_thing_is_likely(&look))
 *         …                                  the wave was added to the picture
 *
 * Interference is added to whatever lies below: its amplitude is the same in dark and bright places, its
 * phase is steady, and it has few harmonics. A thing has edges, which are many harmonics in phase; other
 * things hide it, and its contrast follows the light on it. A print is a thing whose amplitude is that of
 * dots or lines of ink as wide as its greys ask for: none on bare paper and none on solid ink. */
#ifndef GF_CORE_SPECTRUM_THING_H
#define GF_CORE_SPECTRUM_THING_H

#include "core/spectrum/screen.h"

/* A wave in the places of the picture, each a few periods wide; numbers in units of its amplitude. */
struct gf_thing {
    bool looked;      /* false: not a picture of two axes; nothing else is set */
    double amplitude; /* in sample units */
    int harmonics;    /* second and higher ones that are in phase with it everywhere */
    double shared;    /* the most that one of them goes with it from place to place, -1 .. 1 */
    double level;     /* mean of the samples */
    double range;     /* between their darkest and brightest hundredths */
    bool painted;     /* its amplitudes go with the channels' means; the caller tells */
    double follows, correlation; /* how far its amplitude goes with the local mean */
    double chance;               /* a correlation that noise does not reach */
    double noise;                /* variance over the places, of both its components … */
    double swing[2];             /* … and from place to place, in phase with it and across */
    double contrast;             /* its rms amplitude over the range of the samples */
    double greys;                /* deviation of the local mean, over that range */
    double ink;                  /* how much of the variation a print does not explain: 0 .. */
    double print_swing[2];       /* variances where all places count alike */
};

/* The wave at `at` (bins from the centre) in one channel's spectrum; levels are the samples' darkest and
 * brightest hundredths, `total` the amplitude of all waves together. GF_ENOMEM. */
int gf_thing_look(const struct gf_spectrum *s, const double levels[2], const double *at,
                  double total, struct gf_thing *look);
/* Bytes that it allocates. */
int64_t gf_thing_bytes(void);
bool gf_thing_is_likely(const struct gf_thing *look);
/* True if it has one strength in all places, dark or bright, and few harmonics: it was added to the picture. */
bool gf_thing_is_added(const struct gf_thing *look);
/* True if no picture lies below it: the greys deviate by less than that share of the range. */
static inline bool gf_thing_is_bare(const struct gf_thing *look) {
    return look->looked && look->greys < 0.03;
}
/* True if it is as constant and as pure as only interference is, which is enough even beside a thing. */
bool gf_thing_is_pure(const struct gf_thing *look);
/* `look` is that at the screen's first vector. */
bool gf_thing_is_print(const struct gf_thing *look, const struct gf_screen *screen);

#endif
