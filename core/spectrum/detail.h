/* Waves that are weaker than the picture's own spectrum around them, found in its detail with
 * limited amplitude.
 *
 *     rc = gf_detail_make(&spectrum, &known, &detail);
 *     while (!(rc = gf_detail_find(&detail, 0.5, &wave)) && wave.amplitude > 0)
 *         gf_detail_take(&detail, wave.at, factor);
 *     gf_detail_free(&detail);
 *
 * Edges and shapes are strong in a few places, noise that was added is equally strong everywhere.
 * So the low band of the spectrum, times |f|^2 (a Laplacian, which leaves of shapes their edges),
 * is taken back to samples, these are clipped at a share of their mean size, and the search looks
 * at the spectrum of that: an edge has no more weight there than an even area. The limiter is the
 * detector for a weak signal in noise with heavy tails (Kassam 1988, Signal Detection in
 * Non-Gaussian Noise). A weak wave passes it with the share of the samples that are within the
 * limit (Bussgang 1952), from which its amplitude follows. */
#ifndef GF_CORE_SPECTRUM_DETAIL_H
#define GF_CORE_SPECTRUM_DETAIL_H

#include "core/spectrum/periodic.h"

struct gf_detail {
    int64_t shape[2]; /* of the picture, y, x */
    int64_t n[2];     /* of the samples; bins are those of the picture */
    float *sample; /* n[0] rows of n[1], from the picture's first on; NULL: no search */
    float *limited;           /* those of the last search */
    float *work;              /* tables of the transforms, then room */
    struct gf_array spectrum; /* of `limited`, c64, half */
    double gain;              /* the share of the samples within the limit */
    int threads;
};

/* Takes half a spectrum of a picture with 64 samples or more along both axes; others have no waves
 * here. The waves of `known` are taken out. GF_ENOMEM. */
int gf_detail_make(const struct gf_spectrum *s, const struct gf_periodic_list *known,
                   struct gf_detail *d);
void gf_detail_free(struct gf_detail *d);
/* The strongest wave, with its amplitude in the picture and that at least `least`; or none, with an
 * amplitude of 0. GF_ENOMEM. */
int gf_detail_find(struct gf_detail *d, double least, struct gf_periodic *wave);
/* After a search: takes the wave at `at` out of the samples, because it hides weaker ones and has
 * side bands where the limit lets more of it through in some places. Its factors, in the picture,
 * are those of cosine and sine with the phase counted from the first sample. */
void gf_detail_take(struct gf_detail *d, const double at[2], double factor[2]);
/* An upper estimate of what one keeps, and of what searching it allocates beside that. */
int64_t gf_detail_bytes(const struct gf_spectrum *s, int64_t *search);

#endif
