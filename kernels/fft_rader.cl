/* Rader's (1968) transform of a prime length in one tile: all points but the zeroth, in the order of
 * a generator's powers, are convolved with the roots of unity; POINTS is LENGTH - 1.
 *
 * `order` has four permutations of POINTS each: which point is operand j, which point result k is,
 * and of point n + 1 which operand and which result it is. Given by -D: see pass.h. */
#include "source.h"
#include "sink.h"

#if !STAGED_IN
INLINE cplx load_permuted(const struct source *s, GLOBAL const source_element *src,
                          GLOBAL const cplx *table, uint j, place at) {
    const uint from = (uint)s->order[j];
    (void)at;
    return load_point(s, src, table, from, s->line.in + POINT_IN(s, from));
}
#define FETCH load_permuted
#endif

#if !PAIRED
INLINE void store_permuted(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                           GLOBAL const real *params, uint k, place at, cplx v) {
    const uint to = (uint)s->order[POINTS + k];
    (void)at;
    store_point(s, dst, table, params, to, s->line.out + POINT_OUT(s, to), v);
}
#define DELIVER store_permuted
#endif

#include "pass.h"

#if !PAIRED && ROWS_OUT
/* Through the tile, so that memory is written from end to end. */
INLINE void store_staged(struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                         GLOBAL const real *params, const cplx *x, LOCAL word *tile) {
    cplx v[HELD];
    if (IS_ASIDE(s)) { /* which are in the tile, as is their histogram */
        store_line(s, dst, table, params, x, tile);
        return;
    }
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
            const uint p = s->share.first + b * PER_LINE;
            if (INSIDE(p, LAST)) {
                UNROLL for (int q = 0; q < LAST; q++)
                    put(tile, SLOT(p + q * (POINTS / LAST), s->share.line), x[b * LAST + q], part);
            }
        }
        BARRIER();
        UNROLL for (int i = 0; i < HELD; i++) {
            const uint n = s->share.first + i * PER_LINE;
            if (n < POINTS)
                v[i] = got(tile, SLOT((uint)s->order[3 * POINTS + n], s->share.line), v[i], part);
        }
    }
    set_shade(s, params);
    UNROLL for (int i = 0; i < HELD; i++) {
        const uint n = s->share.first + i * PER_LINE;
        if (n < POINTS)
            store_point(s, dst, table, params, n + 1, s->line.out + POINT_OUT(s, n + 1), v[i]);
    }
}
#define STORE_LINE store_staged
#else
#define STORE_LINE store_line
#endif

/* The line's results, the zeroth of which is the sum of all points. */
INLINE void store_prime(struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, const cplx *x, LOCAL word *tile) {
    STORE_LINE(s, dst, table, params, x, tile);
#if !PAIRED
    if (s->share.first == 0)
        store_point(s, dst, table, params, 0, s->line.out, s->zeroth);
#endif
}

KERNEL(THREADS, RESIDENT)
VOID fft_rader(PASS_PARAMETERS(GLOBAL const int *order)) {
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
        cplx zeroth = CPLX(R(0), R(0)), sum = CPLX(R(0), R(0));
        in.order = order + args.order;
        load_line(&in, src, table, x, tile);
        transform(x, tile, stages, from, to, 1);
        if (to.first == 0) {
            struct source here = in;
            if (ROWS_IN != ROWS_OUT)
                here.line = line_at(&args, to);
            zeroth = load_point(&here, src, table, 0, here.line.in);
            sum = add(zeroth, x[0]);
        }
        multiply_spectrum(x, table + args.table_spectrum, to, 0, 1, zeroth);
        transform_back(x, tile, stages, to);
        struct sink out = sink_of(&in, to, &clipped);
        out.zeroth = sum;
        STORES(task, out, (LOCAL uint *)tile, store_prime(&out, dst, table, params, x, tile));
    } while (NEXT_TASK(task));
    count_clipped(clipped, counters);
}
