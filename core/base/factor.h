/* Planning: pure functions from lengths to factors. No backend, no memory beyond the stack. */
#ifndef GF_CORE_BASE_FACTOR_H
#define GF_CORE_BASE_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GF_MAX_STAGES = 24 };

/* The radices of a length, outermost first: their product times `rest` is n. */
struct gf_radices {
    int n;
    int radix[GF_MAX_STAGES];
    int64_t rest; /* what is left when no radix divides any more: 1, or has primes above 31 only */
};

/* Factors n into the radices that the kernels have: few stages first, then balanced ones. */
struct gf_radices gf_factor_radices(int64_t n);

/* How a transform of n points is done. */
enum gf_algorithm {
    GF_ALG_STAGES,    /* radices only, or radices around one prime done by Rader or Bluestein */
    GF_ALG_RADER,     /* n prime, n - 1 smooth */
    GF_ALG_BLUESTEIN, /* everything else */
};
enum gf_algorithm gf_factor_algorithm(int64_t n);

bool gf_is_prime(int64_t n);
/* The smallest primitive root of a prime. */
int64_t gf_primitive_root(int64_t prime);
/* The cheapest length >= minimum with prime factors 2, 3, 5 and 7 only. */
int64_t gf_factor_smooth_length(int64_t minimum);
/* Relative cost of one transform of n smooth points: arithmetic and stages. */
double gf_factor_smooth_cost(int64_t n);

/* "4096 = 8·8·8·8", "4001: Rader over 4000 = 5·5·5·4·8", "4007: Bluestein over 8064 = …". */
void gf_factor_describe(int64_t n, char *text, size_t size);

#endif
