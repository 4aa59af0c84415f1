/* Roots of unity to the last bit. */
#include "root.h"

#include <math.h>
#include <stdbool.h>

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
