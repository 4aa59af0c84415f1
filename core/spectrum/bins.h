/* The bins of a spectrum as a grid of three axes, for core/spectrum/ and core/compare/. Pure. */
#ifndef GF_CORE_SPECTRUM_BINS_H
#define GF_CORE_SPECTRUM_BINS_H

#include <math.h>

#include "core/base/value/halves.h"
#include "core/spectrum/spectrum.h"

struct gf_bins {
    int64_t n[3];      /* the picture's extents; missing axes come first, as 1 */
    int64_t stored;    /* bins along the last axis: n[2], or n[2]/2 + 1 of a half spectrum */
    int64_t stride[3]; /* bytes */
    const char *data;
    bool is_double; /* c128 */
    bool half;
    int64_t longest;
    double points; /* the product of the extents */
    double scale;  /* factor of components before squaring … */
    double unit;   /* … and of powers after it */
    int threads;
    const struct gf_bins *other; /* NULL, or the second spectrum of rings */
};

void gf_bins_view(const struct gf_spectrum *s, struct gf_bins *b);
/* Sets b->scale if squares would leave a double's range. */
void gf_bins_fit(struct gf_bins *b);
/* gf_bins_square() of the last axis's stored bins; NULL if memory is short. The caller frees. */
double *gf_bins_squares(const struct gf_bins *b);
/* Sums gf_bins_power() over all stored bins or, for `full`, over the full spectrum without its zero
 * frequency. GF_ENOMEM. */
int gf_bins_sum(const struct gf_bins *b, bool full, double *total);
/* F of a stored bin, times b->scale. */
static inline struct gf_number gf_bins_number(const struct gf_bins *b, int64_t z, int64_t y,
                                              int64_t x) {
    const char *p = b->data + z * b->stride[0] + y * b->stride[1] + x * b->stride[2];
    const struct gf_number f = gf_number_get(p, 0, b->is_double);
    return (struct gf_number){f.re * b->scale, f.im * b->scale};
}
/* |F|^2 of a stored bin, times b->scale^2 and b->unit. */
static inline double gf_bins_power(const struct gf_bins *b, int64_t z, int64_t y, int64_t x) {
    const struct gf_number f = gf_bins_number(b, z, y, x);
    return (f.re * f.re + f.im * f.im) * b->unit;
}

/* The signed frequency of bin k, 0 <= k < n. */
static inline int64_t gf_bins_signed(int64_t k, int64_t n) {
    return k < (n + 1) / 2 ? k : k - n;
}

/* Axis i's contribution at bin k to the squared distance from the zero frequency, in steps of
 * 1/longest cycles a sample; exact for whole and half steps. */
static inline double gf_bins_square(const struct gf_bins *b, int i, int64_t k) {
    double steps = (double)(gf_bins_signed(k, b->n[i]) * b->longest) / (double)b->n[i];
    return steps * steps;
}

/* The number of full-spectrum bins that bin x of a stored row represents. */
static inline int gf_bins_weight(const struct gf_bins *b, int64_t x) {
    return b->half && x && 2 * x != b->n[2] ? 2 : 1;
}

/* True for the first bin of a pair on x = 0 and x = n/2, where a half spectrum stores both. */
static inline bool gf_bins_is_first(const struct gf_bins *b, int64_t z, int64_t y, int64_t x) {
    if (!b->half || (x && 2 * x != b->n[2]))
        return true;
    int64_t tz = z ? b->n[0] - z : 0, ty = y ? b->n[1] - y : 0;
    return z < tz || (z == tz && y <= ty);
}

/* Sets `to` to the stored bin, or its mirror image, that is `step` away from `at`, periodic; steps
 * are shorter than their axis. */
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

/* A loop over the steps d of a box, -most .. most along each axis, the last axis fastest. */
#define GF_EACH_STEP(d, most) \
    for ((d)[0] = -(most)[0]; (d)[0] <= (most)[0]; (d)[0]++) \
        for ((d)[1] = -(most)[1]; (d)[1] <= (most)[1]; (d)[1]++) \
            for ((d)[2] = -(most)[2]; (d)[2] <= (most)[2]; (d)[2]++)

/* A step's length. */
static inline double gf_bins_length(const int64_t d[3]) {
    return sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
}

/* Negative if bin a is stored before bin b. */
static inline int gf_bins_compare(const int64_t a[3], const int64_t b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* The ring at this squared distance; halves belong to the outer ring. */
static inline int64_t gf_bins_ring(double square) {
    return (int64_t)(sqrt(square) + 0.5);
}

/* F at any bin, stored or not, periodic; times b.scale. */
void gf_bins_value(const struct gf_bins *b, const int64_t at[3], double value[2]);

#endif
