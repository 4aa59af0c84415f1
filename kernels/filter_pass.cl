/* The filter's pass: forward along the last axis, times the filter, and back, in one tile.
 *
 * Lines of packed pairs are Z = E + i O, spectra of even and odd samples along the other axes,
 * which a line and its mirror image separate. A work item takes both through the same butterflies,
 * transforms of half the axis' points; with w = exp(-2 pi i k / n)
 *     X(k) = E(k) + w O(k),  X(k + n/2) = E(k) - w O(k)
 * are the frequencies to multiply, and the way back reverses this. Even and odd points of one line
 * across a half spectrum are treated alike. Two real lines in one complex line need no partner, as
 * the filter's inverse is real.
 *
 * Given by -D: see pass.h and filter.h; SIDES, an item's lines; SIDE_STRIDE, between the two in the
 * tile, in words; FOLDED if the filter has half of the axis. LENGTH is the transform's: half the
 * line's for two sides. */
#include "filter_line.h"
#if SIDES == 2
#include "sides.h"
#else
#include "sink.h"
#include "source.h"

/* Compute addresses from point numbers, which saves a register for the filter's. */
INLINE cplx load_numbered(const struct source *s, GLOBAL const source_element *src,
                          GLOBAL const cplx *table, uint j, place at) {
    (void)at;
    return load_point(s, src, table, j, s->line.in + POINT_IN(s, j));
}
INLINE void store_numbered(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                           GLOBAL const real *params, uint k, place at, cplx v) {
    (void)at;
    store_point(s, dst, table, params, k, s->line.out + POINT_OUT(s, k), v);
}
#define FETCH   load_numbered
#define DELIVER store_numbered
#endif
#include "pass.h"

KERNEL(THREADS, RESIDENT)
VOID filter_pass(PASS_PARAMETERS(GLOBAL const factor *filter)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    GLOBAL const cplx *stages = table + args.table_stage;
    const struct source in = source_of(&args, from);
    const struct line line = ROWS_IN == ROWS_OUT ? in.line : line_at(&args, to);
    cplx x[SIDES * HELD];
    int clipped = 0;
#if SIDES == 2
    load_sides(&in, src, x);
#else
    load_line(&in, src, table, x, tile);
#endif
    transform(x, tile, stages, from, to, 1);
#if SIDES == 2
    mix_sides(x, table + args.table_split, to, 1);
#endif
    filter_line(x, &args, filter, &line, to);
    if (to.first == 0 && line.zero) {
        x[0].x += params[PARAM_OFFSET];
#if LOAD == LOAD_PAIR
        x[0].y += params[PARAM_OFFSET]; /* the other line's */
#endif
    }
#if SIDES == 2
    mix_sides(x, table + args.table_split, to, -1);
#endif
    transform_back(x, tile, stages, to);
    struct sink out = sink_of(&in, to, &clipped);
#if SIDES == 2
    store_sides(&out, dst, x);
#else
    store_line(&out, dst, table, params, x, tile);
#endif
    count_clipped(clipped, counters);
}
