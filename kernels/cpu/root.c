/* Roots of unity, accurate to the last bit. */
#include "root.h"

#include <math.h>
#include <stdlib.h>

/* A root as reflections of the first eighth of a turn, at the angle 2 pi part / (4 n). */
struct place {
    uint64_t part;
    bool steep, left, lower;
};

static struct place place_of(uint64_t k, uint64_t n) {
    struct place p;
    k %= n;
    p.lower = 2 * k > n; /* below the real axis of exp(+i…) */
    if (p.lower)
        k = n - k;
    p.left = 4 * k > n;
    uint64_t q = p.left ? n - 2 * k : 2 * k; /* angle = pi q / n, q <= n / 2 */
    p.steep = 4 * q > n;
    p.part = p.steep ? n - 2 * q : 2 * q;
    return p;
}

static void compute(uint64_t part, uint64_t n, long double point[2]) {
    const long double two_pi = 6.283185307179586476925286766559005768L;
    const long double angle = two_pi * (long double)part / (4 * (long double)n);
    point[0] = cosl(angle);
    point[1] = sinl(angle);
}

static void reflect(const struct place *p, const long double point[2], long double *re,
                    long double *im) {
    const long double c = point[p->steep], s = point[!p->steep];
    *re = p->left ? -c : c;
    *im = p->lower ? s : -s;
}

void gf_root_of_unity(uint64_t k, uint64_t n, long double *re, long double *im) {
    const struct place p = place_of(k, n);
    long double point[2];
    compute(p.part, n, point);
    reflect(&p, point, re, im);
}

bool gf_root_eighth_make(struct gf_root_eighth *e, uint64_t n) {
    *e = (struct gf_root_eighth){.n = n, .unit = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1};
    e->point = calloc(n / 2 / e->unit + 1, sizeof *e->point);
    return e->point != NULL;
}

void gf_root_eighth_get(const struct gf_root_eighth *e, uint64_t k, long double *re,
                        long double *im) {
    const struct place p = place_of(k, e->n);
    long double *point = e->point[p.part / e->unit];
    if (point[0] == 0) /* cosines in the first eighth are nonzero */
        compute(p.part, e->n, point);
    reflect(&p, point, re, im);
}

void gf_root_eighth_free(struct gf_root_eighth *e) {
    free(e->point);
    e->point = NULL;
}

bool gf_roots_make(struct gf_roots *r, uint64_t n) {
    *r = (struct gf_roots){.n = n};
    while ((uint64_t)1 << 2 * r->bits < n)
        r->bits++;
    const uint64_t step = (uint64_t)1 << r->bits, coarse = (n - 1) / step + 1;
    r->fine = malloc(step * 2 * sizeof *r->fine);
    r->coarse = malloc(coarse * 2 * sizeof *r->coarse);
    if (!r->fine || !r->coarse) {
        gf_roots_free(r);
        return false;
    }
    for (uint64_t k = 0; k < step; k++)
        gf_root_of_unity(k, n, &r->fine[2 * k], &r->fine[2 * k + 1]);
    for (uint64_t k = 0; k < coarse; k++)
        gf_root_of_unity(k * step, n, &r->coarse[2 * k], &r->coarse[2 * k + 1]);
    return true;
}

void gf_roots_free(struct gf_roots *r) {
    free(r->fine);
    free(r->coarse);
    r->fine = r->coarse = NULL;
}
