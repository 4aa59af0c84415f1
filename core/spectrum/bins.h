/* The bins of a spectrum as a grid of three axes; for core/spectrum/ alone. Pure functions. */
#ifndef GF_CORE_SPECTRUM_BINS_H
#define GF_CORE_SPECTRUM_BINS_H

#include <math.h>

#include "core/base/halves.h"
#include "core/spectrum/spectrum.h"

struct gf_bins {
    int64_t n[3];      /* extents of the picture; axes that are not there come first and are 1 */
    int64_t stored;    /* bins along the last axis: n[2], or n[2]/2 + 1 of a half spectrum */
    int64_t stride[3]; /* bytes */
    const char *data;
    bool wide; /* c128 */
    bool half;
    int64_t longest;
    double points; /* the product of the extents */
    double scale;  /* components are multiplied by this before they are squared … */
    double unit;   /* … and powers by this */
    int threads;
};

void gf_bins_view(const struct gf_spectrum *s, struct gf_bins *b);
/* Sets b->scale where squares would leave the range of a double. */
void gf_bins_fit(struct gf_bins *b);
/* gf_bins_square() of the last axis's stored bins, or NULL without memory; the caller frees. */
double *gf_bins_squares(const struct gf_bins *b);
/* Sums gf_bins_power() over all stored bins; `full`: over those of the full spectrum but its zero
 * frequency. GF_ENOMEM. */
int gf_bins_sum(const struct gf_bins *b, bool full, double *total);
/* |F|^2 of a bin as stored, times b->scale^2 and b->unit. */
static inline double gf_bins_power(const struct gf_bins *b, int64_t z, int64_t y, int64_t x) {
    const char *p = b->data + z * b->stride[0] + y * b->stride[1] + x * b->stride[2];
    const struct gf_number f = gf_number_get(p, 0, b->wide);
    const double re = f.re * b->scale, im = f.im * b->scale;
    return (re * re + im * im) * b->unit;
}

/* The signed frequency of bin k, 0 <= k < n. */
static inline int64_t gf_bins_signed(int64_t k, int64_t n) {
    return k < (n + 1) / 2 ? k : k - n;
}

/* The square of the distance from the zero frequency, in steps of 1/longest cycles a sample, that
 * axis `i` contributes at bin k; exact where it is a whole or a half number of steps. */
static inline double gf_bins_square(const struct gf_bins *b, int i, int64_t k) {
    double steps = (double)(gf_bins_signed(k, b->n[i]) * b->longest) / (double)b->n[i];
    return steps * steps;
}

/* The number of bins of the full spectrum that bin x of a stored row represents. */
static inline int gf_bins_weight(const struct gf_bins *b, int64_t x) {
    return b->half && x && 2 * x != b->n[2] ? 2 : 1;
}

/* True for the first of a pair of bins on x = 0 and x = n/2, where a half spectrum stores both. */
static inline bool gf_bins_is_first(const struct gf_bins *b, int64_t z, int64_t y, int64_t x) {
    if (!b->half || (x && 2 * x != b->n[2]))
        return true;
    int64_t tz = z ? b->n[0] - z : 0, ty = y ? b->n[1] - y : 0;
    return z < tz || (z == tz && y <= ty);
}

/* The stored index `to` of the bin `step` away from `at`, periodic, or of its mirror image; a step
 * is shorter than its axis. */
static inline void gf_bins_neighbour(const struct gf_bins *b, const int64_t at[3],
                                     const int64_t step[3], int64_t to[3]) {
    for (int i = 0; i < 3; i++) {
        int64_t k = at[i] + step[i];
        to[i] = k < 0 ? k + b->n[i] : k >= b->n[i] ? k - b->n[i] : k;
    }
    if (to[2] < b->stored)
        return;
    for (int i = 0; i < 3; i++)
        to[i] = to[i] ? b->n[i] - to[i] : 0;
}

/* Below 0 where bin a is stored before bin b. */
static inline int gf_bins_compare(const int64_t a[3], const int64_t b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* The ring at that distance squared: halves count to the outer one. */
static inline int64_t gf_bins_ring(double square) {
    return (int64_t)(sqrt(square) + 0.5);
}

/* F at any bin, periodic, of the side that is stored or of the other; times b.scale. */
void gf_bins_value(const struct gf_bins *b, const int64_t at[3], double value[2]);

#endif
