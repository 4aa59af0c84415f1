/* The first and last of three passes of Rader's convolution if too long for a tile, with
 * fft_convolution.cl between them. The first reads points in Rader's order, the last writes them
 * so. The zeroth point is stored after all others, and replaced by the sum of all. Given by -D: see
 * pass.h; RADER_PART 1 or 3. */
#include "sink.h"
#include "source.h"

#if RADER_PART == 1
INLINE cplx load_permuted(const struct source *s, GLOBAL const source_element *src,
                          GLOBAL const cplx *table, uint j, place at) {
    const int from = s->order[s->line.at_in + j * s->args->step_in];
    (void)at;
    return load_point(s, src, table, j, s->line.in + from * s->args->axis_in);
}
#define FETCH load_permuted
#else
INLINE void store_permuted(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                           GLOBAL const real *params, uint k, place at, cplx v) {
    const struct pass_args *a = s->args;
    const int to = s->order[a->axis_size + s->line.at_out + k * a->step_out];
    (void)at;
    store_point(s, dst, table, params, k, s->line.out + to * a->axis_out, v);
}
#define DELIVER store_permuted
#endif

#include "pass.h"

KERNEL(THREADS, RESIDENT)
VOID fft_rader_split(PASS_PARAMETERS(GLOBAL const int *order)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    GLOBAL const cplx *stages = table + args.table_stage;
    const wide behind = args.axis_size - 1;
    order += args.order;
    struct source in = source_of(&args, from);
    in.order = order;
    cplx x[HELD];
    int clipped = 0;
    load_line(&in, src, table, x, tile);
#if RADER_PART == 1
    if (from.first == 0 && in.line.there && in.line.at_in == 0)
        dst[in.line.out + behind * args.axis_out] = load_point(&in, src, table, 0, in.line.in);
#endif
    transform(x, tile, stages, from, to, DIR);
    struct sink out = sink_of(&in, to, &clipped);
    store_line(&out, dst, table, params, x, tile);
#if RADER_PART == 3
    if (to.first == 0 && out.line.there && out.line.at_out == 0)
        store_point(&out, dst, table, params, 0, out.line.out,
                    src[out.line.in + behind * args.axis_in]);
#endif
    count_clipped(clipped, counters);
    (void)behind;
}
