/* Real samples have symmetric spectra, F(-k) = conj F(k), of which half is stored. This header
 * serves all holders of part of a spectrum: mirror indices, runs of mirror images, the Hermitian
 * part, and two columns packed into one. No function allocates or fails.
 *
 * Numbers are complex, in double precision if `is_double`, else in single. Results are rounded as
 * in the CPU's kernels, so that a spectrum made of parts has the same bytes. */
#ifndef GF_CORE_BASE_HALVES_H
#define GF_CORE_BASE_HALVES_H

#include <string.h>

#include "core/base/value/array.h"
#include "core/base/value/kinds.h"

/* The index of frequency -k along an axis of n. */
static inline int64_t gf_half_negative(int64_t k, int64_t n) {
    return k ? n - k : 0;
}

/* A complex number of either precision; doubles hold both exactly. */
struct gf_number {
    double re, im;
};

static inline struct gf_number gf_number_get(const void *numbers, int64_t i, bool is_double) {
    float x[2];
    struct gf_number y;
    if (is_double) {
        memcpy(&y, (const char *)numbers + i * (int64_t)sizeof y, sizeof y);
        return y;
    }
    memcpy(x, (const char *)numbers + i * (int64_t)sizeof x, sizeof x);
    return (struct gf_number){(double)x[0], (double)x[1]};
}

static inline void gf_number_put(void *numbers, int64_t i, bool is_double, struct gf_number y) {
    const float x[2] = {(float)y.re, (float)y.im};
    if (is_double)
        memcpy((char *)numbers + i * (int64_t)sizeof y, &y, sizeof y);
    else
        memcpy((char *)numbers + i * (int64_t)sizeof x, x, sizeof x);
}

/* The same for reals. */
static inline double gf_real_get(const void *reals, int64_t i, bool is_double) {
    return is_double ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
}

static inline void gf_real_put(void *reals, int64_t i, bool is_double, double x) {
    if (is_double)
        ((double *)reals)[i] = x;
    else
        ((float *)reals)[i] = (float)x;
}

static inline struct gf_number gf_number_conjugate(struct gf_number x) {
    return (struct gf_number){x.re, -x.im};
}

static inline struct gf_number gf_number_times(struct gf_number a, struct gf_number b) {
    return (struct gf_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* (a + b) / 2, rounded to that precision. */
static inline struct gf_number gf_number_mean(struct gf_number a, struct gf_number b,
                                              bool is_double) {
    if (is_double)
        return (struct gf_number){(a.re + b.re) * 0.5, (a.im + b.im) * 0.5};
    return (struct gf_number){(double)((float)a.re + (float)b.re) * 0.5,
                              (double)((float)a.im + (float)b.im) * 0.5};
}

/* Unpacks a column of A + i B, where A and B are spectra of real samples. `here` is its number at
 * some frequency and `there` at the mirror image; `a` and `b` become A and B at `here`. */
static inline void gf_half_unpack(struct gf_number here, struct gf_number there, bool is_double,
                                  struct gf_number *a, struct gf_number *b) {
    *a = gf_number_mean(here, gf_number_conjugate(there), is_double);
    *b = gf_number_mean((struct gf_number){here.im, -here.re},
                        (struct gf_number){there.im, there.re}, is_double);
}

/* True if the kernels unpack this row of a page and conjugate its mirror image (row `mirror` of the
 * negative page), not the reverse (kernels/cpu/tile.h). It affects only the signs of zeros. */
bool gf_half_leads(int64_t page, int64_t pages, int64_t row, int64_t mirror);

/* The Hermitian part (f + conj g) / 2 of a full spectrum at k, from f = F(k), g = F(-k). Adds
 * `weight` times its square to energy[0], and that of the rest, (f - conj g) / 2, to energy[1]: by
 * Parseval the energies of the inverse's real and imaginary parts. */
static inline struct gf_number gf_half_hermitian(struct gf_number f, struct gf_number g,
                                                 bool is_double, double weight, double energy[2]) {
    const struct gf_number even = gf_number_mean(f, gf_number_conjugate(g), is_double);
    const struct gf_number odd = gf_number_mean(f, (struct gf_number){-g.re, g.im}, is_double);
    energy[0] += weight * (even.re * even.re + even.im * even.im);
    energy[1] += weight * (odd.re * odd.re + odd.im * odd.im);
    return even;
}

/* Writes the mirror images of n samples, which start at `from` and are `step` bytes apart, from
 * `to` downwards, `to_step` bytes apart. */
typedef void gf_mirror_fn(char *to, int64_t to_step, const char *from, int64_t step, int64_t n);
/* The mirror function of a kind and type: copies, negates or conjugates. NULL for signed integers
 * that would need negation. */
gf_mirror_fn *gf_half_mirror(enum gf_kind kind, enum gf_dtype dtype);
/* Mirrors n columns of `channels` adjacent samples: column i of `from` becomes column n - 1 - i of
 * `to`. The type must have a mirror function. */
void gf_half_mirror_columns(enum gf_kind kind, enum gf_dtype dtype, int64_t channels,
                            const void *from, int64_t n, void *to);

#endif
