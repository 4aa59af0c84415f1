/* Roots of unity, for twiddle tables.
 *
 *     long double re, im;
 *     gf_root_of_unity(1, 8, &re, &im);    sqrt(1/2), -sqrt(1/2)
 *
 *     struct gf_root_eighth e;
 *     if (gf_root_eighth_make(&e, 512))
 *         gf_root_eighth_get(&e, 3, &re, &im);
 *     gf_root_eighth_free(&e);
 *
 *     struct gf_roots r;
 *     if (gf_roots_make(&r, 1000000))
 *         gf_roots_at(&r, 3, &re, &im);
 *     gf_roots_free(&r); */
#ifndef GF_KERNELS_ROOT_H
#define GF_KERNELS_ROOT_H

#include <stdbool.h>
#include <stdint.h>

/* exp(-2 pi i k / n), n < 2^61, correct to the last bit of a double and nearly to that of a long
 * double: the angle is first reduced to an eighth of a turn in integers. */
void gf_root_of_unity(uint64_t k, uint64_t n, long double *re, long double *im);

/* Many roots of one n: each point of the first eighth of a turn is computed once, on first use. */
struct gf_root_eighth {
    uint64_t n;
    unsigned unit;           /* angles are multiples of this part of 2 pi / (4 n) */
    long double (*point)[2]; /* cosine and sine; zeros: not computed yet */
};

bool gf_root_eighth_make(struct gf_root_eighth *e, uint64_t n); /* false: no memory */
void gf_root_eighth_get(const struct gf_root_eighth *e, uint64_t k, long double *re,
                        long double *im);
void gf_root_eighth_free(struct gf_root_eighth *e);

/* All roots of one n as products of two tables of about sqrt(n) entries: ten times faster than
 * separate computation. The product's error, two bits of a long double, vanishes in a double. */
struct gf_roots {
    uint64_t n;
    int bits; /* of k that select the fine root */
    long double *fine, *coarse;
};

bool gf_roots_make(struct gf_roots *r, uint64_t n); /* false: no memory */
void gf_roots_free(struct gf_roots *r);

/* k < n */
static inline void gf_roots_at(const struct gf_roots *r, uint64_t k, long double *re,
                               long double *im) {
    const long double *a = r->fine + 2 * (k & (((uint64_t)1 << r->bits) - 1));
    const long double *b = r->coarse + 2 * (k >> r->bits);
    *re = a[0] * b[0] - a[1] * b[1];
    *im = a[0] * b[1] + a[1] * b[0];
}

/* k^2 mod m, exactly, m < 2^62: a chirp's argument, whose angle in floating point would have no
 * accurate digits for large k. */
static inline uint64_t gf_square_mod(uint64_t k, uint64_t m) {
    if (k >> 32 == 0)
        return k * k % m;
    return (uint64_t)((unsigned __int128)k * k % m);
}

#endif
