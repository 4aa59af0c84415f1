/* Distinguishes interference from regular structure in the scene: a wall, a fence, fabric.
 *
 *     rc = gf_structure_look(&spectrum, levels, at, total, &look);
 *     if (!rc && !gf_structure_is_likely(&look))
 *         …                                  the wave was added to the picture
 *
 * Interference is added to the picture: its amplitude is the same in dark and bright places, its
 * phase is constant, and it has few harmonics. A structure has edges, so many harmonics are in phase;
 * other structures hide it, and its contrast follows the light. A print is a structure whose amplitude is
 * that of dots or lines of ink as wide as the greys require: 0 on bare paper and on solid ink. */
#ifndef GF_CORE_SPECTRUM_STRUCTURE_H
#define GF_CORE_SPECTRUM_STRUCTURE_H

#include "core/spectrum/screen.h"

/* A wave in up to 31 x 31 places of the picture, each a few periods wide. Follows, noise and swings
 * are relative to its amplitude. */
struct gf_structure {
    bool looked;      /* false: not a picture of two axes; the rest is 0 */
    double amplitude; /* in sample units */
    int harmonics;    /* second and higher ones in phase with it everywhere */
    double shared;    /* their highest correlation with it from place to place, 0 .. 1 */
    double level;     /* mean of the samples */
    double range;     /* between their darkest and brightest hundredths */
    bool painted;     /* its amplitude is proportional to the channels' means; the caller sets it */
    double follows, correlation; /* of its amplitude with the local mean: deviation, correlation */
    double chance;               /* a correlation that noise does not reach */
    double gain;                 /* slope of that line: 1 if it is proportional to the mean */
    double noise;                /* variance over the places, of both components */
    double swing[2];             /* the same between neighbours: in phase, in quadrature */
    double contrast;             /* rms amplitude over `range` */
    double greys;                /* standard deviation of the local mean, over `range` */
    double ink;            /* share of print_swing[0] that a print does not explain, 0 and up */
    double print_swing[2]; /* unweighted variances: in phase, in quadrature */
};

/* Examines the wave at `at` (bins from the centre) in one channel's spectrum. `levels` are the
 * samples' 1% and 99% quantiles, `total` is the sum of all waves' amplitudes. GF_ENOMEM. */
int gf_structure_look(const struct gf_spectrum *s, const double levels[2], const double *at,
                      double total, struct gf_structure *look);
/* Bytes that it allocates. */
int64_t gf_structure_bytes(void);
/* True if the wave shows a sign of a structure. */
bool gf_structure_is_likely(const struct gf_structure *look);
/* True if the wave is equally strong in all places, dark or bright, and has few harmonics. */
bool gf_structure_is_added(const struct gf_structure *look);
/* True if the wave is all there is: the local mean hardly varies. */
static inline bool gf_structure_is_bare(const struct gf_structure *look) {
    return look->looked && look->greys < 0.03;
}
/* True if the wave is as constant and as pure as only interference is, even beside a structure. */
bool gf_structure_is_pure(const struct gf_structure *look);
/* True if the picture is multiplied by the wave, as by the lines of a cathode-ray tube. */
bool gf_structure_is_factor(const struct gf_structure *look);
/* True if the screen looks printed; `look` is its first basis vector's. */
bool gf_structure_is_print(const struct gf_structure *look, const struct gf_screen *screen);

#endif
