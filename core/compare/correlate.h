/* How a picture lies on another: correlation of two signals of one shape, 1 to 3 axes.
 *
 *     gf_taper(&ref, NULL, NULL, 7, 1, &f, &energy[0]);
 *     gf_taper(&in, NULL, NULL, 7, 1, &g, &energy[1]);
 *     F, G = half spectra of f and g;    gf_ring_shares(&F, &share);
 *     gf_cross_phases(&F, share, &G, &cross);
 *     surface = inverse of cross;        gf_correlation_peak(&F, &surface, &peak);
 *
 * Shifts are in samples, slowest axis first, at most half an axis, and move `in` onto `ref`:
 * ref(x) = in(x - shift).
 *
 * The first estimate correlates phases (Kuglin and Hines 1975, The phase correlation image alignment
 * method), those of each ring of frequencies by its share of power above the noise. The second one
 * correlates the samples as they are, the best in white noise (Knapp and Carter 1976, The
 * generalized correlation method for estimation of time delay), in windows that the first one moves
 * to the same places of both pictures. Its peak is sampled between samples by products of matrices
 * (Guizar-Sicairos, Thurman and Fienup 2008, Efficient subpixel image registration algorithms). */
#ifndef GF_CORE_COMPARE_CORRELATE_H
#define GF_CORE_COMPARE_CORRELATE_H

#include "core/spectrum/spectrum.h"

struct gf_correlation_peak {
    double shift[GF_MAX_DIMS]; /* between samples, to about a tenth */
    double height;             /* over the surface's standard deviation */
    bool inverted;             /* a trough, as of a negative */
};
/* Unrelated photographs and noises of 32 to 512 samples a side stay below 9, or, turned and scaled
 * to fit each other best, below 12. */
enum { GF_PEAK_LEAST = 12, GF_PEAK_LEAST_TURNED = 18 };

/* Makes `to`, f32, from px, f32 or f64, C-contiguous and of one shape: without its mean, behind a
 * window that is flat in the middle half of an axis. If `to` is of half the extents, px is a picture
 * of f32, of which it takes the means of 2x2 samples. Unless they are NULL, the window is `less`
 * samples shorter than the axes and `middle` samples from their centre. Bit i of `axes`: axis i has
 * a window. *energy becomes the sum of squares, 0 if all samples are equal. GF_ENOMEM. */
int gf_taper(const struct gf_array *px, const double *middle, const double *less, unsigned axes,
             int threads, struct gf_array *to, double *energy);
/* Replaces complex b by a conj(b), the spectrum of their correlation. Both are C-contiguous, of one
 * shape and type. */
void gf_cross_power(const struct gf_array *a, struct gf_array *b);
/* Fills *share, allocated if it is NULL, with the share of each ring's power above that of the
 * quietest five rings in a row. The caller frees it. GF_ENOMEM. */
int gf_ring_shares(const struct gf_spectrum *s, float **share);
/* Fills to->px, c64, contiguous, with the weighted phases of F conj(G); `shares` are those of F.
 * GF_ENOMEM. */
int gf_cross_phases(const struct gf_spectrum *f, const float *shares, const struct gf_spectrum *g,
                    struct gf_spectrum *to);
/* The highest sample of a real surface of the spectrum's shape or, if `troughs`, the lowest one if
 * that is clearly farther from 0. */
void gf_correlation_peak(const struct gf_spectrum *s, const struct gf_array *surface, bool troughs,
                         struct gf_correlation_peak *peak);
/* Moves `shift`, which is at most 10 samples from it, to a maximum (a minimum if inverted) of the
 * correlation of two tapered signals, found to 1/1000 of a sample. *height becomes the coefficient
 * there. Changes g. GF_ENOMEM. */
int gf_correlation_refine(const struct gf_spectrum *f, struct gf_spectrum *g,
                          const double energy[2], bool inverted, double *shift, double *height);

#endif
