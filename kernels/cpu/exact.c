/* The transforms of exact.h, in long double and in double. */
#include "kernels/cpu/exact.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/root.h"

enum { LANES = 8, MAX_STAGES = 40, MAX_PRIME = 31, WORTH_A_TEAM = 1 << 14 };

/* The destination: pairs of floats or doubles. */
struct table {
    void *data;
    int bits;
};

#define NUM     long double
#define NAME(x) gf_exact_##x
#include "kernels/cpu/exact.inc"
#undef NUM
#undef NAME

#define NUM     double
#define NAME(x) gf_double_##x
#include "kernels/cpu/exact.inc"
