/* Roots of unity from tables. */
#ifndef TWIDDLE_H
#define TWIDDLE_H

#include "complex.h"
#include "coord.h"

/* exp(-2 pi i k / n), k < n, from a table, or from two of about sqrt(n) entries (`tables` 2). */
INLINE cplx root_of(GLOBAL const cplx *table, wide high, wide low, wide bits, place k,
                    const int tables) {
    if (tables == 1)
        return table[high + k];
    return mul(table[high + (k >> (int)bits)], table[low + (k & (((place)1 << (int)bits) - 1))]);
}

#endif
