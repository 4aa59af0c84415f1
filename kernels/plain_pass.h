/* A line's transform in one tile, number `number` of a pass: the body of a chain's passes. */
#ifndef PLAIN_PASS_H
#define PLAIN_PASS_H

#include "pass.h"

INLINE void plain_pass(GLOBAL const source_element *src, GLOBAL sink_element *dst,
                       GLOBAL const cplx *table, GLOBAL const real *params,
                       const struct pass_args *args, uint number, LOCAL word *tile) {
    const struct share from = SHARE_OF(ROWS_IN, number), to = SHARE_OF(ROWS_OUT, number);
    const struct source in = source_of(args, from);
    cplx x[HELD];
    int clipped = 0;
    load_line(&in, src, table, x, tile);
    transform(x, tile, table + args->table_stage, from, to, DIR);
    struct sink out = sink_of(&in, to, &clipped);
    store_line(&out, dst, table, params, x, tile);
}

#endif
