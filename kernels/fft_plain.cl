/* A line's transform in one tile: POINTS is LENGTH. Given by -D: see pass.h. */
#include "pass.h"

KERNEL(THREADS, RESIDENT)
VOID fft_plain(PASS_PARAMETERS(ORDER order)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    GLOBAL const cplx *stages = table + args.table_stage;
    struct source in = source_of(&args, from);
    cplx x[HELD];
    int clipped = 0;
#if ELSEWHERE
    in.elsewhere = elsewhere;
#endif
    load_line(&in, src, table, x, tile);
    transform(x, tile, stages, from, to, DIR);
#if JOINS > 1
    join_rows(&in, table, x, tile, to);
#endif
    struct sink out = sink_of(&in, to, &clipped);
    store_line(&out, dst, table, params, x, tile);
    count_clipped(clipped, counters);
    (void)order;
}
