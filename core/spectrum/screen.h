/* A printer's screen in a picture's spectrum: a lattice of peaks around which the picture's own
 * spectrum is repeated.
 *
 *     n = gf_screens_find(&list, &spectrum, &want, screen);
 *     own = gf_screens_own(&windowed, screen, n);
 *     rc = gf_screens_mask(&windowed, &own, screen, n, &mask);
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
    double at[2];       /* the first vector, in bins from the centre */
    double amplitude;   /* the first vector's, in sample units */
    double level;       /* its power over its surroundings */
    /* Lines across which the power of dots is spread: a photographed screen, whose period varies
     * over the picture, has no lattice. */
    bool varies;
};

struct gf_screen_request {
    bool known;    /* the user knows that the picture is screened, so less evidence suffices */
    double period; /* of the first basis vector, within a tenth; 0: any */
};

/* Finds up to GF_MAX_SCREENS screens of a picture (two axes) among its candidates. */
int gf_screens_find(const struct gf_periodic_list *list, const struct gf_spectrum *s,
                    const struct gf_screen_request *want, struct gf_screen *screen);

/* Finds dots without a lattice, whose period varies over a picture that is known to be screened:
 * power that is spread around two frequencies at right angles. Sets *period to about theirs, or 0.
 * GF_ENOMEM. */
int gf_screens_spread(const struct gf_periodic_list *list, const struct gf_spectrum *s,
                      const struct gf_screen_request *want, double *period);

/* Added waves stay separate; a product, such as a structure's pattern, also has sums and differences.
 * If it has, sets in[] for each candidate of that lattice and returns true. */
bool gf_screens_product(const struct gf_periodic_list *list, const struct gf_spectrum *s, bool *in);

/* The picture's own power: c f^q a sample. */
struct gf_own_power {
    double log_c, q;
};
/* Finds it from frequencies below the screens. The window keeps the power of opposite edges that do
 * not meet out of it. */
struct gf_own_power gf_screens_own(const struct gf_windowed *w, const struct gf_screen *screen,
                                   int n);

/* Makes the factors of the half spectrum: f32, the stored shape, 1 at and around the zero
 * frequency. Each lattice member, including aliases, reaches up to a third of its distance from the
 * centre. The depth within is fitted: the picture's own power over the actual power. Members nearer
 * to the centre than half a period are spared. The caller frees *mask. GF_ENOMEM. */
int gf_screens_mask(const struct gf_windowed *w, const struct gf_own_power *own,
                    const struct gf_screen *screen, int n, struct gf_array *mask);
/* An upper estimate of its memory, the mask included. */
int64_t gf_screens_mask_bytes(const struct gf_spectrum *s);

#endif
