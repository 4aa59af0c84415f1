/* Bluestein's (1970) transform of any length in one tile: the points times a chirp, convolved with
 * it, times the chirp again; POINTS >= 2 LENGTH - 1. Given by -D: see pass.h. */
#include "source.h"
#include "sink.h"

#if !STAGED_IN
/* Zeros fill the convolution. */
INLINE cplx load_or_zero(const struct source *s, uint j, wide at) {
    cplx v = CPLX(R(0), R(0));
    if (j < LENGTH)
        v = load_point(s, j, at);
    return v;
}
#define FETCH load_or_zero
#endif

#if !PAIRED
INLINE void store_inside(const struct sink s, uint k, wide at, cplx v) {
    if (k < LENGTH)
        store_point(s, k, at, v);
}
#define DELIVER store_inside
#endif

#include "pass.h"

/* The work item's points of a stage of radix r, those past the line's end zero. */
INLINE void turn_by_chirp(cplx *x, GLOBAL const cplx *chirp, const struct share share,
                          const int r) {
    UNROLL for (int b = 0; b < HOLDS(r); b++) {
        const uint p = share.first + b * PER_LINE;
        if (INSIDE(p, r)) {
            UNROLL for (int q = 0; q < r; q++) {
                const uint j = p + q * (POINTS / r);
                cplx *v = x + b * r + q;
                *v = j < LENGTH ? turn(*v, chirp[j], DIR) : CPLX(R(0), R(0));
            }
        }
    }
}

KERNEL(THREADS, RESIDENT)
VOID fft_bluestein(PASS_PARAMETERS(GLOBAL const int *order)) {
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    const struct source in = source_of(&args, src, table, from);
    GLOBAL const cplx *stages = table + args.table_stage, *chirp = table + args.table_chirp;
    cplx x[HELD];
    int clipped = 0;
    load_line(&in, x, tile);
    turn_by_chirp(x, chirp, from, RADIX0);
    transform(x, tile, stages, from, to, 1);
    multiply_spectrum(x, table + args.table_spectrum, to, 0, 1);
    transform_back(x, tile, stages, to);
    turn_by_chirp(x, chirp, to, LAST);
    struct sink out = sink_of(&in, dst, params, to, &clipped);
    store_line(&out, x, tile);
    count_clipped(clipped, counters);
    (void)order;
}
