/* A printer's screen in a picture's spectrum: a lattice of peaks around which the picture's own
 * spectrum is repeated.
 *
 *     n = gf_screens_find(&list, &spectrum, &want, screen);
 *     rc = gf_screens_mask(&windowed, screen, n, &mask);
 *
 * Dots have two basis vectors, lines have one. */
#ifndef GF_CORE_SPECTRUM_SCREEN_H
#define GF_CORE_SPECTRUM_SCREEN_H

#include "core/spectrum/periodic.h"
#include "core/spectrum/windowed.h"

enum { GF_MAX_SCREENS = 4 /* inks */ };

struct gf_screen {
    int n;              /* basis vectors: 2, or 1 for lines */
    double basis[2][2]; /* y, x; cycles a sample; the first is that of the stronger peak */
    double at[2];       /* the first, in bins from the centre */
    double amplitude;   /* of the first, in sample units */
    double level;       /* its power over its surroundings */
};

struct gf_screen_request {
    bool known;    /* the user knows that the picture is screened, and less evidence will do */
    double period; /* that the first basis vector has, within a tenth; 0: any */
};

/* Screens of a picture (two axes) from its candidates, up to GF_MAX_SCREENS. */
int gf_screens_find(const struct gf_periodic_list *list, const struct gf_spectrum *s,
                    const struct gf_screen_request *want, struct gf_screen *screen);

/* Two waves that are added stay two; of a product, such as a thing's pattern, there are sums and
 * differences too. Where those are there, sets in[] for each candidate of that lattice; returns
 * whether. */
bool gf_screens_product(const struct gf_periodic_list *list, const struct gf_spectrum *s, bool *in);

/* Makes the factors of the half spectrum: f32, the stored shape, 1 at and around the zero
 * frequency. Each member of a lattice, aliased ones included, reaches up to a third of its distance
 * from the centre; within that the depth is fitted: the power that the picture itself would have,
 * continued from the frequencies below the screen, over the power that is there. Members nearer to
 * the centre than half a period are spared. Allocates *mask, the caller frees. GF_ENOMEM. */
int gf_screens_mask(const struct gf_windowed *w, const struct gf_screen *screen, int n,
                    struct gf_array *mask);
/* An upper estimate of what it allocates, the mask included. */
int64_t gf_screens_mask_bytes(const struct gf_spectrum *s);

#endif
