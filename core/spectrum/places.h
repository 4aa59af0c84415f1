/* A wave in the places of a picture: its amplitude and phase in each, from the bins around it; for
 * core/spectrum/.
 *
 *     struct gf_places g = {.reach = {0, 4, 4}, .count = {1, 4, 4}, .first = 0.5, .span = 4};
 *     gf_places_look(&bins, &g, (double[]){0, 20.5, -3}, z);
 *
 * Place t along an axis is at (first + t) / span of it. The bins are tapered by a squared cosine,
 * so that each place is a mean over about two spans. */
#ifndef GF_CORE_SPECTRUM_PLACES_H
#define GF_CORE_SPECTRUM_PLACES_H

#include "core/spectrum/bins.h"

enum { GF_PLACES_REACH = 16, GF_PLACES_SIDE = 2 * GF_PLACES_REACH + 1 };

struct gf_places {
    int reach[3]; /* bins on each side, up to GF_PLACES_REACH; 0: the axis has no places */
    int count[3]; /* places along it, at most 2 reach + 1 */
    double first, span;
};

/* z[place] (the last axis fastest) times 2 / (points scale) is twice the mean of the samples times
 * exp(-2 pi i at x / n): a wave's amplitude. `at` is in bins, periodic. z has room for all bins,
 * the product of 2 reach + 1. */
void gf_places_look(const struct gf_bins *b, const struct gf_places *g, const double at[3],
                    double (*z)[2]);

#endif
