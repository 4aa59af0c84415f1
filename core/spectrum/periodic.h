/* Finds waves that run through a whole picture in its spectrum, and tells them from the picture's.
 *
 *     rc = gf_spectrum_periodic(&spectrum, least, false, &list);
 *     for (int i = 0; i < list.n; i++)
 *         if (gf_periodic_is_wave(&list.item[i]))
 *             …
 *
 * The samples are weighted by a Hann window (core/spectrum/windowed.h). A candidate is a local
 * maximum that rises above its surroundings on every side. The bins around it, transformed back,
 * are the wave's amplitude and phase in each of 4 x 4 tiles. These agree for interference; bricks
 * and fences drift, and edges are in a few tiles. */
#ifndef GF_CORE_SPECTRUM_PERIODIC_H
#define GF_CORE_SPECTRUM_PERIODIC_H

#include "core/spectrum/spectrum.h"

struct gf_periodic {
    double at[GF_MAX_DIMS]; /* bins from the centre, by the picture's axes, between bins too */
    double amplitude;       /* in sample units */
    double level;           /* power over the median of its surroundings */
    double clear;           /* power over the median of its surroundings' strongest side */
    double steady;          /* the share of the tiles' power that one wave explains, 0 .. 1 */
    double in_phase;        /* |sum z| / sum |z| over the tiles' complex amplitudes z */
    double spread;          /* share of the tiles in which it is in phase and about as strong */
    double periods;         /* through the picture: the distance from the centre in bins */
    double radius;          /* of a swelling wave's peak, in bins; 0 for a constant amplitude */
};

enum { GF_MAX_PERIODIC = 256 };

/* The strongest first. */
struct gf_periodic_list {
    int n;
    double deviation; /* standard deviation of the samples */
    struct gf_periodic item[GF_MAX_PERIODIC];
};

/* Lists the strongest candidates with an amplitude of at least `least` and of a hundredth of the
 * standard deviation. With `uneven` a wave may be stronger in some places than in others: its
 * frequency is the one at which the tiles agree best, and its evidence comes from 8 x 8 tiles.
 * GF_ENOMEM, or GF_EINVAL if the spectrum is not a half spectrum. */
int gf_spectrum_periodic(const struct gf_spectrum *s, double least, bool uneven,
                         struct gf_periodic_list *list);
/* Adds the candidates of another channel; of two within a bin the stronger one is kept. */
void gf_periodic_merge(struct gf_periodic_list *list, const struct gf_periodic_list *other);
/* An upper estimate of the bytes that it allocates. */
int64_t gf_spectrum_periodic_bytes(const struct gf_spectrum *s);

/* True if it is the same wave all over the picture. */
bool gf_periodic_is_wave(const struct gf_periodic *p);
/* True if b is a harmonic of a; both in bins from the centre. */
bool gf_wave_is_multiple(const double *a, const double *b);
/* True if item n is a harmonic of one before it that is not left. */
bool gf_periodic_is_harmonic(const struct gf_periodic_list *list, const bool *left, int n);
/* True if item n is a point of the lattice that two items in[] span: the sum of up to twice each.
 * `turn` is the least sine of the angle between the two. */
bool gf_periodic_is_of_lattice(const struct gf_periodic_list *list, const bool *in, double turn,
                               int n);

#endif
