/* Columns of pairs of small samples, by groups with a compute unit each, which fetch their next
 * tiles while they transform and store the last one fetched. Given by -D: see pass.h and
 * ahead.h. */
#include "ahead.h"

KERNEL(THREADS, RESIDENT)
VOID fft_ahead(PASS_PARAMETERS(GLOBAL const int *order)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    LOCAL uint4 *ahead = (LOCAL uint4 *)((LOCAL uchar *)tile + AHEAD_AT);
    GLOBAL const cplx *stages = table + args.table_stage;
    const uint fetches = fetches_of(&args);
    uint next = (uint)GROUP_ID;
    cplx x[HELD];
    int clipped = 0;
    fetch_tiles(&args, src, ahead, next);
    do {
        const uint first = next * AHEAD_TILES;
        next += (uint)GROUPS;
        AWAIT_FETCHED();
        BARRIER();
        ROLLED for (int i = 0; i < AHEAD_TILES; i++) {
            const struct share from = SHARE_OF(ROWS_IN, first + i),
                               to = SHARE_OF(ROWS_OUT, first + i);
            const struct source in = source_of(&args, from);
            take_points(x, ahead, from, i);
            BARRIER();
            if (i + 1 == AHEAD_TILES && next < fetches)
                fetch_tiles(&args, src, ahead, next);
            transform(x, tile, stages, from, to, DIR);
            struct sink out = sink_of(&in, to, &clipped);
            store_line(&out, dst, table, params, x, tile);
        }
    } while (next < fetches);
    count_clipped(clipped, counters);
    (void)order;
}
