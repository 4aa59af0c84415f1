/* Roots of unity, for twiddle tables. */
#ifndef GF_KERNELS_ROOT_H
#define GF_KERNELS_ROOT_H

#include <stdint.h>

/* exp(-2 pi i k / n), k < n < 2^61, right to the last bit of a double and nearly so of a long
 * double: the angle is brought within an eighth of a turn in integers first. */
void gf_root_of_unity(uint64_t k, uint64_t n, long double *re, long double *im);

#endif
