/* The first and the last of the three passes of a Rader's convolution too long for a tile; the one
 * between them is fft_convolution.cl. The first reads the points in Rader's order, the last writes
 * them so. The zeroth point is carried behind all others, and the sum of all comes back in its
 * place. Given by -D: see pass.h; RADER_PART 1 or 3. */
#include "sink.h"
#include "source.h"

#if RADER_PART == 1
INLINE cplx load_permuted(const struct source *s, uint j, wide at) {
    const int from = s->order[s->line.at_in + j * s->args->step_in];
    (void)at;
    return load_point(s, j, s->line.in + from * s->args->axis_in);
}
#define FETCH load_permuted
#else
INLINE void store_permuted(const struct sink s, uint k, wide at, cplx v) {
    const struct pass_args *a = s.args;
    const int to = s.order[a->axis_size - 1 + s.line.at_out + k * a->step_out];
    (void)at;
    store_point(s, k, s.line.out + to * a->axis_out, v);
}
#define DELIVER store_permuted
#endif

#include "pass.h"

KERNEL(THREADS, RESIDENT)
VOID fft_rader_split(PASS_PARAMETERS(GLOBAL const int *order)) {
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    const wide behind = args.axis_size - 1;
    struct source in = source_of(&args, src, table, from);
    cplx x[HELD];
    int clipped = 0;
    in.order = order + args.order;
    load_line(&in, x, tile);
#if RADER_PART == 1
    if (from.first == 0 && in.line.there && in.line.at_in == 0)
        dst[in.line.out + behind * args.axis_out] = load_point(&in, 0, in.line.in);
#endif
    transform(x, tile, table + args.table_stage, from, to, DIR);
    struct sink out = sink_of(&in, dst, params, to, &clipped);
    store_line(&out, x, tile);
#if RADER_PART == 3
    if (to.first == 0 && out.line.there && out.line.at_out == 0)
        store_point(out, 0, out.line.out, src[out.line.in + behind * args.axis_in]);
#endif
    count_clipped(clipped, counters);
    (void)behind;
}
