/* One pass of a Fourier transform: LINES lines of LENGTH points are read into a tile, transformed
 * and written, by a work group of THREADS items.
 *
 * A Stockham autosort FFT of POINTS points with radices RADIX0, RADIX1, …: each work item holds the
 * operands of its butterflies in registers, and the tile (local memory) only carries them from one
 * stage's owners to the next's. POINTS is LENGTH; or, for lengths with large prime factors, that of
 * a convolution: Bluestein's (1970) chirp, POINTS >= 2 LENGTH - 1, or Rader's (1968), LENGTH - 1.
 *
 * Given by -D:
 *   LENGTH POINTS LINES THREADS STAGES RADIX0..5  sizes
 *   RESIDENT       groups that share a compute unit
 *   DIR            1 forward, -1 inverse
 *   ALGORITHM      0 plain, 1 Bluestein, 2 Rader, 3 there, times a table, and back
 *   RADER_PART     which third of a Rader's convolution split over passes, 0 none: the first one
 *                  reads its points in his order, the last one writes them so, and the zeroth
 *                  point is carried behind all others; the sum of all comes back in its place
 *   ROWS_IN        neighbouring work items take neighbouring points (1) or lines (0) on the way in,
 *   ROWS_OUT       and on the way out
 *   UNIT_IN UNIT_OUT   points are neighbours in memory
 *   PAD_EVERY IDX_STRIDE LINE_STRIDE   layout of the tile, in words
 *   WHOLE          the tile holds complex words: one exchange instead of two, twice the space
 *   LOAD STORE     one of the ends below; IN_T, OUT_T the samples' types
 *   WHOLE_IN WHOLE_OUT   the points are the axis' own, from its first to its last
 *   UNIT_AXIS_IN UNIT_AXIS_OUT   coordinates are neighbours in memory
 *   SPLIT          four-step twiddles (Gentleman and Sande 1966) on the way out
 *   MULTIPLY_IN MULTIPLY_OUT   tables multiplied in by coordinate, zero past their end
 *   NEAR_IN NEAR_OUT   a pair's samples are neighbours, and read or written as one IN_T2, OUT_T2
 *   KIND SCALE DISPLAY SHIFTED OUT_LOW OUT_HIGH MIRROR   of a sample that is written
 *   INDICES        of the line's five that are in use
 *   HELD           points a work item holds
 *   SCALED         the norm's factor is multiplied in on the way out
 */
#include "sink.h"
#include "source.h"

KERNEL(THREADS, RESIDENT)
VOID fft_pass(GLOBAL const source *src, GLOBAL sink *dst, GLOBAL const cplx *table,
              GLOBAL const real *params, GLOBAL const int *order, GLOBAL uint *counters,
              const struct pass_args args TILE_PARAMETER(word)) {
    TILE_DECLARE(word)
    const struct pass_args *a = &args;
    const uint id = (uint)LOCAL_ID;
    const uint l0 = ROWS_IN ? id / PER_LINE : id % LINES, p0 = ROWS_IN ? id % PER_LINE : id / LINES;
    const uint l1 = ROWS_OUT ? id / PER_LINE : id % LINES;
    const uint p1 = ROWS_OUT ? id % PER_LINE : id / LINES;
    GLOBAL const cplx *stages = table + args.table_stage;
    order += args.order;
    cplx x[HELD];
    int clipped = 0;
    struct line in = line_at(a, (uint)GROUP_ID, l0, LINES);
#if STAGED_IN
    load_staged(a, src, table, order, &in, x, tile, p0, l0);
#else
    const wide in_step = UNIT_IN ? POINTS / RADIX0 : POINTS / RADIX0 * args.in_point;
    UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
        const uint p = p0 + b * PER_LINE;
        wide at = in.in + POINT_IN(p);
        if (INSIDE(p, RADIX0)) {
            UNROLL for (int q = 0; q < RADIX0; q++, at += in_step) {
                const uint j = p + q * (POINTS / RADIX0);
                cplx v;
#if ALGORITHM == 1
                v = CPLX(R(0), R(0));
                if (j < LENGTH)
                    v = turn(load_point(a, src, table, &in, j, at), table[args.table_chirp + j],
                             DIR);
#elif ALGORITHM == 2
                const uint from = (uint)order[j];
                v = load_point(a, src, table, &in, from, in.in + POINT_IN(from));
#elif RADER_PART == 1
                const int from = order[in.at_in + j * args.step_in];
                v = load_point(a, src, table, &in, j, in.in + from * args.axis_in);
#else
                v = load_point(a, src, table, &in, j, at);
#endif
                x[b * RADIX0 + q] = v;
            }
        }
    }
#endif
#if RADER_PART == 1
    if (p0 == 0 && in.there && in.at_in == 0)
        dst[in.out + (args.axis_size - 1) * args.axis_out] =
            load_point(a, src, table, &in, 0, in.in);
#endif
    cplx dc = CPLX(R(0), R(0)); /* Rader's sum of all points */
#if ALGORITHM
    /* A cyclic convolution: forward, times a spectrum, backward. */
    cplx first = dc;
    transform(x, tile, stages, p0, l0, p1, l1, 1);
#if ALGORITHM == 2
    struct line here = ROWS_IN == ROWS_OUT ? in : line_at(a, (uint)GROUP_ID, l1, LINES);
    if (p1 == 0) {
        first = load_point(a, src, table, &here, 0, here.in);
        dc = add(first, x[0]);
    }
#elif ALGORITHM == 3
    struct line here = ROWS_IN == ROWS_OUT ? in : line_at(a, (uint)GROUP_ID, l1, LINES);
#if RADER_PART == 2
    if (p1 == 0 && here.there && here.at_out == 0) {
        first = src[here.in + (args.axis_size - 1) * args.axis_in];
        dst[here.out + (args.axis_size - 1) * args.axis_out] = add(first, x[0]);
    }
#endif
#endif
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const uint k = p + q * (POINTS / LAST);
#if ALGORITHM == 3
                const wide at = here.at_out + k * args.step_out;
#else
                const wide at = k;
#endif
                x[b * LAST + q] = mul(x[b * LAST + q], table[args.table_spectrum + at]);
            }
        }
    }
    if (p1 == 0)
        x[0] = add(x[0], first);
#if RADIX0 != LAST
    exchange(x, tile, p1, l1, p1, l1, LAST, POINTS / LAST, RADIX0);
#endif
    transform(x, tile, stages, p1, l1, p1, l1, -1);
#else
    transform(x, tile, stages, p0, l0, p1, l1, DIR);
#endif
    struct line out = ROWS_IN == ROWS_OUT ? in : line_at(a, (uint)GROUP_ID, l1, LINES);
#if STORE == STORE_SAMPLE && DISPLAY
    const struct shade shade =
        shade_of(KIND, SCALE, params[args.params + PARAM_LOW], params[args.params + PARAM_HIGH]);
#elif !PAIRED
    const struct shade shade = {R(0), R(0)}; /* of no interest */
#endif
#if PAIRED
#if ALGORITHM == 1
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        UNROLL for (int q = 0; q < LAST; q++) {
            const uint k = p1 + b * PER_LINE + q * (POINTS / LAST);
            if (k < LENGTH)
                x[b * LAST + q] = turn(x[b * LAST + q], table[args.table_chirp + k], DIR);
        }
    }
#endif
    store_pairs(a, dst, table, params, &out, x, dc, order, tile, p1, l1, POINTS / LAST);
#else
#if STAGED_OUT
    cplx v[HELD];
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
            const uint p = p1 + b * PER_LINE;
            if (INSIDE(p, LAST)) {
                UNROLL for (int q = 0; q < LAST; q++)
                    put(tile, SLOT(p + q * (POINTS / LAST), l1), x[b * LAST + q], part);
            }
        }
        BARRIER();
        UNROLL for (int i = 0; i < HELD; i++) {
            const uint n = p1 + i * PER_LINE;
            if (n < POINTS)
                v[i] = got(tile, SLOT((uint)order[3 * POINTS + n], l1), v[i], part);
        }
    }
    UNROLL for (int i = 0; i < HELD; i++) {
        const uint n = p1 + i * PER_LINE;
        if (n < POINTS)
            store_point(a, dst, table, params, &shade, &out, n + 1, out.out + POINT_OUT(n + 1),
                        v[i], &clipped);
    }
#else
    const wide out_step = UNIT_OUT ? POINTS / LAST : POINTS / LAST * args.out_point;
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        wide at = out.out + POINT_OUT(p);
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++, at += out_step) {
                const uint k = p + q * (POINTS / LAST);
                cplx v = x[b * LAST + q];
#if ALGORITHM == 1
                if (k < LENGTH)
                    store_point(a, dst, table, params, &shade, &out, k, at,
                                turn(v, table[args.table_chirp + k], DIR), &clipped);
#elif ALGORITHM == 2
                const uint to = (uint)order[POINTS + k];
                store_point(a, dst, table, params, &shade, &out, to, out.out + POINT_OUT(to), v,
                            &clipped);
#elif RADER_PART == 3
                const int to = order[args.axis_size - 1 + out.at_out + k * args.step_out];
                store_point(a, dst, table, params, &shade, &out, k, out.out + to * args.axis_out, v,
                            &clipped);
#else
                store_point(a, dst, table, params, &shade, &out, k, at, v, &clipped);
#endif
            }
        }
    }
#endif
#if ALGORITHM == 2
    if (p1 == 0)
        store_point(a, dst, table, params, &shade, &out, 0, out.out, dc, &clipped);
#elif RADER_PART == 3
    if (p1 == 0 && out.there && out.at_out == 0) {
        dc = src[(ROWS_IN == ROWS_OUT ? in : line_at(a, (uint)GROUP_ID, l1, LINES)).in +
                 (args.axis_size - 1) * args.axis_in];
        store_point(a, dst, table, params, &shade, &out, 0, out.out, dc, &clipped);
    }
#endif
#endif
    if (clipped)
        ATOMIC_ADD(&counters[GROUP_ID % COUNTERS], (uint)clipped);
    (void)dc;
    (void)order;
    (void)counters;
    (void)params;
}
