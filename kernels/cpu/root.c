/* Roots of unity to the last bit. */
#include "root.h"

#include <math.h>
#include <stdlib.h>

void gf_root_of_unity(uint64_t k, uint64_t n, long double *re, long double *im) {
    const long double two_pi = 6.283185307179586476925286766559005768L;
    k %= n;
    bool lower = 2 * k > n; /* below the real axis of exp(+i…): reflect */
    if (lower)
        k = n - k;
    bool left = 4 * k > n;
    uint64_t q = left ? n - 2 * k : 2 * k; /* angle = pi q / n, q <= n / 2 */
    bool steep = 4 * q > n;
    long double c, s;
    if (steep) {
        long double a = two_pi * (long double)(n - 2 * q) / (4 * (long double)n);
        c = sinl(a), s = cosl(a);
    } else {
        long double a = two_pi * (long double)q / (2 * (long double)n);
        c = cosl(a), s = sinl(a);
    }
    *re = left ? -c : c;
    *im = lower ? s : -s;
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
