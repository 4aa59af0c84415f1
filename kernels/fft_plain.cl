/* A line's transform in one tile: POINTS is LENGTH. Given by -D: see pass.h. */
#include "pass.h"

KERNEL(THREADS, RESIDENT)
VOID fft_plain(PASS_PARAMETERS(GLOBAL const int *order)) {
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    const struct source in = source_of(&args, src, table, from);
    cplx x[HELD];
    int clipped = 0;
    load_line(&in, x, tile);
    transform(x, tile, table + args.table_stage, from, to, DIR);
    struct sink out = sink_of(&in, dst, params, to, &clipped);
    store_line(&out, x, tile);
    count_clipped(clipped, counters);
    (void)order;
}
