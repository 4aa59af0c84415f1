/* A line's transform in one tile: POINTS is LENGTH. Given by -D: see pass.h. */
#include "pass.h"

KERNEL(THREADS, RESIDENT)
VOID fft_plain(PASS_PARAMETERS(GLOBAL const int *order)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    GLOBAL const cplx *stages = table + args.table_stage;
    struct task task = FIRST_TASK(order);
    cplx x[HELD];
    int clipped = 0;
    if (IS_NONE(task))
        return;
    do {
        SHARE_TASK(task, from);
        SHARE_TASK(task, to);
        struct source in = source_of(&args, from);
#if ELSEWHERE
        in.elsewhere = elsewhere;
#endif
        if (!IS_PARKED(task)) {
            load_line(&in, src, table, x, tile);
            transform(x, tile, stages, from, to, DIR);
#if JOINS > 1
            join_rows(&in, table, x, tile, to);
#endif
        } else {
            TAKE_PARKED(task, to, x);
        }
        struct sink out = sink_of(&in, to, &clipped);
        STORES(task, out, (LOCAL uint *)tile, store_line(&out, dst, table, params, x, tile));
    } while (NEXT_TASK(task));
    count_clipped(clipped, counters);
    (void)order;
}
