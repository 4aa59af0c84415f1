/* Transforms that compute tables: the spectra of convolutions, with more digits than the tables
 * keep. Slow but multithreaded.
 *
 *     long double *x = malloc(n * 2 * sizeof *x);       pairs of re and im
 *     fill(x);
 *     ok = gf_exact_transform(x, n, 1.0L / n, table, 64); */
#ifndef GF_KERNELS_CPU_EXACT_H
#define GF_KERNELS_CPU_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* out[k] = factor sum_j x[j] exp(-2 pi i j k / n), k < n, as floats or doubles (`bits` 32 or 64).
 * Overwrites x. False: no memory, or n has a prime above 31. */
bool gf_exact_transform(long double *x, int64_t n, long double factor, void *out, int bits);
/* The same in double, whose errors do not reach the last bits of a table of floats. */
bool gf_double_transform(double *x, int64_t n, double factor, void *out, int bits);

#endif
