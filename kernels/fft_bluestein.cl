/* Bluestein's (1970) transform of any length in one tile: points times a chirp, convolved with it,
 * times the chirp; POINTS >= 2 LENGTH - 1. Given by -D: see pass.h. */
#include "source.h"
#include "sink.h"

/* Multiplies by the chirp, unless load_staged() does; zeros fill the convolution. */
#if !STAGED_IN
INLINE cplx load_turned(const struct source *s, GLOBAL const source_element *src,
                        GLOBAL const cplx *table, uint j, place at) {
    cplx v = CPLX(R(0), R(0));
    if (j < LENGTH)
        v = turn(load_point(s, src, table, j, at), table[s->args->table_chirp + j], DIR);
    return v;
}
#define FETCH load_turned
#endif

#if !PAIRED
INLINE void store_turned(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                         GLOBAL const real *params, uint k, place at, cplx v) {
    if (k < LENGTH)
        store_point(s, dst, table, params, k, at, turn(v, table[s->args->table_chirp + k], DIR));
}
#define DELIVER store_turned
#endif

#include "pass.h"

#if PAIRED
/* Multiplies by the chirp before results are paired in the tile. */
INLINE void turn_results(cplx *x, GLOBAL const cplx *chirp, const struct share share) {
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        UNROLL for (int q = 0; q < LAST; q++) {
            const uint k = share.first + b * PER_LINE + q * (POINTS / LAST);
            if (k < LENGTH)
                x[b * LAST + q] = turn(x[b * LAST + q], chirp[k], DIR);
        }
    }
}
#endif

KERNEL(THREADS, RESIDENT)
VOID fft_bluestein(PASS_PARAMETERS(ORDER order)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    GLOBAL const cplx *stages = table + args.table_stage;
    const struct source in = source_of(&args, from);
    cplx x[HELD];
    int clipped = 0;
    load_line(&in, src, table, x, tile);
    transform(x, tile, stages, from, to, 1);
    multiply_spectrum(x, table + args.table_spectrum, to, 0, 1, CPLX(R(0), R(0)));
    transform_back(x, tile, stages, to);
#if PAIRED
    turn_results(x, table + args.table_chirp, to);
#endif
    struct sink out = sink_of(&in, to, &clipped);
    store_line(&out, dst, table, params, x, tile);
    count_clipped(clipped, counters);
    (void)order;
}
