/* Rader's (1968) transform of a prime length in one tile: convolves all points but the zeroth, in
 * the order of a generator's powers, with the roots of unity; POINTS is LENGTH - 1. A prime times
 * MEMBERS (members.h) has MEMBERS convolutions and as many zeroth points.
 *
 * `order` has four permutations of LENGTH: the point of operand j, zeroth ones last; the point of
 * result k; and point n's operand and result. Given by -D: see pass.h. */
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
    const uint to = (uint)s->order[LENGTH + k];
    (void)at;
    store_point(s, dst, table, params, to, s->line.out + POINT_OUT(s, to), v);
}
#define DELIVER store_permuted
#endif

#include "pass.h"
#include "members.h"

#if !PAIRED && ROWS_OUT
/* Excludes a lone prime's zeroth point. */
#define STAGED ((LENGTH - LONE_PRIME + PER_LINE - 1) / PER_LINE)

/* Stores through the tile, so that memory is written in sequence. */
INLINE void store_staged(struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                         GLOBAL const real *params, const cplx *x, LOCAL word *tile) {
    cplx v[STAGED];
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
            const uint p = s->share.first + b * PER_LINE;
            if (INSIDE(p, LAST)) {
                UNROLL for (int q = 0; q < LAST; q++)
                    put(tile, SLOT(p + q * (POINTS / LAST), s->share.line), x[b * LAST + q], part);
            }
        }
        if (!LONE_PRIME && s->share.first < MEMBERS)
            put(tile, SLOT(POINTS + s->share.first, s->share.line), s->zeroth, part);
        BARRIER();
        UNROLL for (int i = 0; i < STAGED; i++) {
            const uint n = s->share.first + i * PER_LINE + LONE_PRIME;
            if (n < LENGTH)
                v[i] = got(tile, SLOT((uint)s->order[3 * LENGTH + n], s->share.line), v[i], part);
        }
    }
    set_shade(s, params);
    UNROLL for (int i = 0; i < STAGED; i++) {
        const uint n = s->share.first + i * PER_LINE + LONE_PRIME;
        if (n < LENGTH)
            store_point(s, dst, table, params, n, s->line.out + POINT_OUT(s, n), v[i]);
    }
}
#define STORE_LINE    store_staged
#define STORES_ZEROTH LONE_PRIME
#else
#define STORE_LINE    store_line
#define STORES_ZEROTH (!PAIRED)
#endif

/* Stores a line's results; zeroth ones are sums of all points. */
INLINE void store_prime(struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, const cplx *x, LOCAL word *tile) {
    STORE_LINE(s, dst, table, params, x, tile);
#if !PAIRED
    if (STORES_ZEROTH && s->share.first < MEMBERS)
        DELIVER(s, dst, table, params, POINTS + s->share.first, s->line.out, s->zeroth);
#endif
}

KERNEL(THREADS, RESIDENT)
VOID fft_rader(PASS_PARAMETERS(ORDER order)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(word)
    const struct share from = OWN_SHARE(ROWS_IN), to = OWN_SHARE(ROWS_OUT);
    GLOBAL const cplx *members = table + args.table_stage, *stages = members + MEMBER_ROOTS;
    struct source in = source_of(&args, from);
    cplx x[HELD], zeroth = CPLX(R(0), R(0)), sum = CPLX(R(0), R(0));
    int clipped = 0;
    in.order = order + args.order;
    load_line(&in, src, table, x, tile);
#if MEMBERS > 1
    transform_members(x, &zeroth, tile, members, from, to);
    transform(x, tile, stages, to, to, 1);
#else
    transform(x, tile, stages, from, to, 1);
    if (to.first == 0) {
        struct source here = in;
        if (ROWS_IN != ROWS_OUT)
            here.line = line_at(&args, to);
        zeroth = load_point(&here, src, table, 0, here.line.in);
    }
#endif
    if (to.first < MEMBERS)
        sum = add(zeroth, x[0]);
    multiply_spectrum(x, table + args.table_spectrum, to, 0, 1, zeroth);
    transform_back(x, tile, stages, to);
    struct sink out = sink_of(&in, to, &clipped);
    out.zeroth = sum;
    store_prime(&out, dst, table, params, x, tile);
    count_clipped(clipped, counters);
}
