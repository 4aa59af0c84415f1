/* Transforms for tables: the spectra that convolutions multiply by, in more digits than the tables
 * keep. Slower than the transforms of line.h by the factor that long double costs, but concurrent.
 *
 *     long double *x = malloc(n * 2 * sizeof *x);       pairs of re and im
 *     fill(x);
 *     ok = gf_exact_transform(x, n, 1.0L / n, table, 64); */
#ifndef GF_KERNELS_CPU_EXACT_H
#define GF_KERNELS_CPU_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* out[k] = factor sum_j x[j] exp(-2 pi i j k / n), for k < n, as floats or doubles (`bits` 32 or
 * 64). n has no prime above 31; x is overwritten. False where there is no memory for a workspace, or
 * n has a larger prime. */
bool gf_exact_transform(long double *x, int64_t n, long double factor, void *out, int bits);
/* The same with doubles between: enough for a table of floats, whose last bits it does not reach. */
bool gf_double_transform(double *x, int64_t n, double factor, void *out, int bits);

#endif
