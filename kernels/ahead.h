/* Prefetches several neighbouring tiles' points with one access. Lines of one- or two-byte samples
 * have fewer bytes at a point than an access moves, and the second-level cache answers as many
 * requests a second whatever their size. Given by -D beside pass.h's:
 *   AHEAD_TILES    tiles fetched together, 16 bytes of each point's pairs of samples
 *   AHEAD_AT       their offset in the tile's memory, behind the tile, in bytes */
#ifndef AHEAD_H
#define AHEAD_H

#include "pass.h"

INLINE uint fetches_of(const struct pass_args *a) {
    uint tiles = (uint)a->index[0].count / LINES / AHEAD_TILES;
    UNROLL for (int i = 1; i < INDICES; i++) tiles *= (uint)a->index[i].count;
    return tiles;
}

INLINE void fetch_tiles(const struct pass_args *a, GLOBAL const source_element *src,
                        LOCAL uint4 *ahead, uint number) {
    const struct share first = {0, 0, number * AHEAD_TILES SHARE_ORDER};
    const place step = SPAN(SHORT_IN, THREADS, a->in_point);
    place at = line_at(a, first).in + SPAN(SHORT_IN, LOCAL_ID, a->in_point);
    UNROLL for (int i = 0; i < LENGTH; i += THREADS, at += step) {
        if (LENGTH % THREADS == 0 || i + LOCAL_ID < LENGTH)
            FETCH_AHEAD(ahead + i + LOCAL_ID, (GLOBAL const uint4 *)(src + at));
    }
}

/* The work item's points in fetched tile `which`. */
INLINE void take_points(cplx *x, LOCAL const uint4 *ahead, const struct share share, int which) {
    LOCAL const IN_T2 *from = (LOCAL const IN_T2 *)ahead + which * LINES + (int)share.line;
    UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
        const uint p = share.first + b * PER_LINE;
        if (INSIDE(p, RADIX0)) {
            UNROLL for (int q = 0; q < RADIX0; q++) {
                const IN_T2 two = from[(int)(p + q * (POINTS / RADIX0)) * (LINES * AHEAD_TILES)];
                x[b * RADIX0 + q] = CPLX((real)two.x, (real)two.y);
            }
        }
    }
}

#endif
