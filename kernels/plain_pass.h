/* A line's transform in one tile, the body of a chain's passes. */
#ifndef PLAIN_PASS_H
#define PLAIN_PASS_H

#include "pass.h"

/* A tile's number, the offsets of its lines and their mirror images from their indices' places, and
 * the buffer of points that the source lacks. */
#ifndef PLACED_TILE
#define PLACED_TILE
struct placed_tile {
    uint number, in, in_mirror, out;
    GLOBAL const cplx *elsewhere;
};
#endif

INLINE void plain_pass(GLOBAL const source_element *src, GLOBAL sink_element *dst,
                       GLOBAL const cplx *table, GLOBAL const real *params,
                       const struct pass_args *args, const struct placed_tile at,
                       LOCAL word *tile) {
    const struct share from = SHARE_OF(ROWS_IN, at.number), to = SHARE_OF(ROWS_OUT, at.number);
    struct source in = source_of(args, from);
    in.line.in += (place)at.in;
    in.line.in_mirror += (place)at.in_mirror;
#if ELSEWHERE
    in.elsewhere = at.elsewhere;
#endif
    cplx x[HELD];
    int clipped = 0;
    load_line(&in, src, table, x, tile);
    transform(x, tile, table + args->table_stage, from, to, DIR);
    struct sink out = sink_of(&in, to, &clipped);
    out.line.out += (place)at.out;
    store_line(&out, dst, table, params, x, tile);
}

#endif
