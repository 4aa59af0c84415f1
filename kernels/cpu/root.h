/* Roots of unity, for twiddle tables.
 *
 *     long double re, im;
 *     gf_root_of_unity(1, 8, &re, &im);    sqrt(1/2), -sqrt(1/2) */
#ifndef GF_KERNELS_ROOT_H
#define GF_KERNELS_ROOT_H

#include <stdint.h>

/* exp(-2 pi i k / n), n < 2^61, correct to the last bit of a double and nearly to that of a long
 * double: the angle is reduced to an eighth of a turn in integers first. */
void gf_root_of_unity(uint64_t k, uint64_t n, long double *re, long double *im);

#endif
