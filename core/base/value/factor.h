/* Factorisation of transform lengths: radices, the algorithm that a length needs, and the cheapest
 * length near another. Pure functions of integers; they cannot fail.
 *
 *     struct gf_radices r = gf_factor_radices(4096);      r.n 4, r.radix 8 8 8 8, r.rest 1
 *     int64_t m = gf_factor_smooth_length(2 * 4007 - 1);  8064, what Bluestein convolves over
 *
 * Rader 1968 ("Discrete Fourier transforms when the number of data samples is prime"), Bluestein
 * 1970 ("A linear filtering approach to the computation of discrete Fourier transform"). */
#ifndef GF_CORE_BASE_FACTOR_H
#define GF_CORE_BASE_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GF_MAX_STAGES = 24, GF_MAX_RADIX = 31 };

/* The radices of a length, outermost first: their product times `rest` is n. */
struct gf_radices {
    int n;
    int radix[GF_MAX_STAGES];
    /* 1, or the product of the prime factors above GF_MAX_RADIX; for lengths from 3^25 on, which no
     * memory holds, also of factors that exceed the array */
    int64_t rest;
};

/* Factors n >= 1 into as few and as large of the kernels' radices as are fast. */
struct gf_radices gf_factor_radices(int64_t n);

/* The algorithm for n points. */
enum gf_algorithm {
    GF_ALG_STAGES,    /* radices only, or radices around one prime done by Rader or Bluestein */
    GF_ALG_RADER,     /* n prime, n - 1 smooth */
    GF_ALG_BLUESTEIN, /* everything else */
};
enum gf_algorithm gf_factor_algorithm(int64_t n);

bool gf_is_prime(int64_t n);
/* True if n has no prime factors but 2, 3, 5 and 7. */
bool gf_factor_is_smooth(int64_t n);
/* The smallest primitive root of a prime. */
int64_t gf_primitive_root(int64_t prime);
/* The cheapest length >= minimum with prime factors 2, 3, 5 and 7 only. */
int64_t gf_factor_smooth_length(int64_t minimum);

/* "4096 = 8·8·8·8", "4001: Rader over 4000 = 5·5·5·4·8", "4007: Bluestein over 8064 = …". */
void gf_factor_describe(int64_t n, char *text, size_t size);

#endif
