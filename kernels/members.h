/* Lengths of MEMBERS times a prime. Rader's permutations number points so that transforms of
 * MEMBERS points come first, without twiddles after them, then Rader's of each result (Good 1958,
 * Thomas 1963). Stages have LENGTH points, prime after prime, all zeroth points last. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "tile.h"

/* Their twiddles, before the other stages'. */
#if MEMBERS == 1
#define MEMBER_ROOTS 0
#elif MEMBER_STAGES == 1
#define LAST_MEMBER  MEMBER0
#define MEMBER_ROOTS 0
#elif MEMBER_STAGES == 2
#define LAST_MEMBER  MEMBER1
#define MEMBER_ROOTS (ROOTS(MEMBER1, MEMBER0) * MEMBER0)
#else
#define LAST_MEMBER  MEMBER2
#define MEMBER_DONE  (MEMBER0 * MEMBER1)
#define MEMBER_ROOTS (ROOTS(MEMBER1, MEMBER0) * MEMBER0 + ROOTS(MEMBER2, MEMBER_DONE) * MEMBER_DONE)
#endif

#if MEMBERS > 1
INLINE void exchange_members(cplx *x, LOCAL word *tile, const struct share from,
                             const struct share to, const int r, const int done, const int next) {
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        put_results(x, tile, from, LENGTH, r, done, part);
        BARRIER();
        get_operands(x, tile, to, LENGTH, next, part);
    }
}

/* Then `to` owns the convolutions' operands, its first items a zeroth point each. */
INLINE void transform_members(cplx *x, cplx *zeroth, LOCAL word *tile, GLOBAL const cplx *table,
                              const struct share from, const struct share to) {
    struct share last = from;
    butterflies(x, table, from.first, LENGTH, MEMBER0, 1, DIR);
#if MEMBER_STAGES > 1
    exchange_members(x, tile, from, to, MEMBER0, 1, MEMBER1);
    butterflies(x, table, to.first, LENGTH, MEMBER1, MEMBER0, DIR);
    last = to;
#endif
#if MEMBER_STAGES > 2
    table += ROOTS(MEMBER1, MEMBER0) * MEMBER0;
    exchange_members(x, tile, to, to, MEMBER1, MEMBER0, MEMBER2);
    butterflies(x, table, to.first, LENGTH, MEMBER2, MEMBER_DONE, DIR);
#endif
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        put_results(x, tile, last, LENGTH, LAST_MEMBER, MEMBERS / LAST_MEMBER, part);
        BARRIER();
        get_operands(x, tile, to, POINTS, RADIX0, part);
        if (to.first < MEMBERS)
            *zeroth = got(tile, SLOT(POINTS + to.first, to.line), *zeroth, part);
    }
}
#endif

#endif
