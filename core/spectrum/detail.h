/* Finds waves that are weaker than the picture's own spectrum around them, by limiting the
 * amplitude of its detail.
 *
 *     rc = gf_detail_make(&spectrum, &known, &detail);
 *     while (!(rc = gf_detail_find(&detail, 0.5, &wave)) && wave.amplitude > 0)
 *         gf_detail_take(&detail, wave.at, factor);
 *     gf_detail_free(&detail);
 *
 * Edges and shapes are strong in a few places, added noise is equally strong everywhere. So the low
 * band of the spectrum, times |f|^2 (a Laplacian, which reduces shapes to their edges), is
 * transformed back to samples, clipped at a share of their mean magnitude, and the search uses the
 * spectrum of the result, in which an edge weighs no more than an even area. The limiter is the
 * detector for a weak signal in heavy-tailed noise (Kassam 1988, Signal Detection in Non-Gaussian
 * Noise). It passes a weak wave in proportion to the samples within the limit (Bussgang 1952),
 * which gives its amplitude. */
#ifndef GF_CORE_SPECTRUM_DETAIL_H
#define GF_CORE_SPECTRUM_DETAIL_H

#include "core/spectrum/periodic.h"

struct gf_detail {
    int64_t shape[2];         /* of the picture, y, x */
    int64_t n[2];             /* of the samples; bins are those of the picture */
    float *sample;            /* n[0] rows of n[1], from the picture's first on; NULL: no search */
    float *limited;           /* of the last search */
    float *work;              /* transform tables, then scratch */
    struct gf_array spectrum; /* of `limited`, c64, half */
    double gain;              /* the share of the samples within the limit */
    int threads;
};

/* Takes half a spectrum of a picture of at least 64 samples along both axes; others yield no waves.
 * Removes the waves of `known`. GF_ENOMEM. */
int gf_detail_make(const struct gf_spectrum *s, const struct gf_periodic_list *known,
                   struct gf_detail *d);
void gf_detail_free(struct gf_detail *d);
/* The strongest wave with an amplitude in the picture of at least `least`, or none, with amplitude
 * 0. GF_ENOMEM. */
int gf_detail_find(struct gf_detail *d, double least, struct gf_periodic *wave);
/* After a search: removes the wave at `at`, which hides weaker ones and has side bands where the
 * limiter passes more of it. `factor` becomes the picture's factors of cosine and sine, with the
 * phase counted from the first sample. */
void gf_detail_take(struct gf_detail *d, const double at[2], double factor[2]);
/* Upper estimates of the memory kept, and of the additional memory for a search. */
int64_t gf_detail_bytes(const struct gf_spectrum *s, int64_t *search);

#endif
