/* A convolution's middle pass, for Bluestein's or Rader's lines too long for a tile: the
 * transform's second half, the product with the spectrum, and the inverse's first half. Rader's
 * zeroth point (RADER_PART 2) is stored after all others and replaced by the sum of all. Given by
 * -D: see pass.h. */
#include "pass.h"

KERNEL(THREADS, RESIDENT)
VOID fft_convolution(PASS_PARAMETERS(GLOBAL const int *order)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    GLOBAL const cplx *stages = table + args.table_stage;
    const struct source in = source_of(&args, from);
    cplx x[HELD];
    int clipped = 0;
    load_line(&in, src, table, x, tile);
    transform(x, tile, stages, from, to, 1);
    struct sink out = sink_of(&in, to, &clipped);
    cplx zeroth = CPLX(R(0), R(0));
#if RADER_PART == 2
    const place behind = (place)args.axis_size - 1;
    if (to.first == 0 && out.line.there && out.line.at_out == 0) {
        zeroth = src[out.line.in + behind * (place)args.axis_in];
        dst[out.line.out + behind * (place)args.axis_out] = add(zeroth, x[0]);
    }
#endif
    multiply_spectrum(x, table + args.table_spectrum, to, out.line.at_out, (place)args.step_out,
                      zeroth);
    transform_back(x, tile, stages, to);
    store_line(&out, dst, table, params, x, tile);
    count_clipped(clipped, counters);
    (void)order;
}
