/* Shared by all passes along an axis: parameters, a line in and a line out. An algorithm is a file:
 * fft_plain.cl, fft_bluestein.cl, fft_rader.cl, fft_rader_split.cl, fft_convolution.cl, and, with a
 * filter between two transforms, filter_pass.cl. A work group of THREADS items reads, transforms
 * and writes LINES lines of LENGTH points.
 *
 * Given by -D:
 *   LENGTH POINTS LINES THREADS STAGES RADIX0..5  sizes; the FFT's POINTS are LENGTH or, for large
 *                  prime factors, a convolution's
 *   MEMBERS MEMBER_STAGES MEMBER0..2   several of Rader's: members.h
 *   RESIDENT       groups that share a compute unit
 *   DIR            1 forward, -1 inverse
 *   ALGORITHM      of codes.h
 *   RADER_PART     which third of a Rader's convolution split over passes, 0 none
 *   ROWS_IN ROWS_OUT   neighbouring work items take neighbouring points (1) or lines (0)
 *   COALESCED_IN COALESCED_OUT   neighbouring work items read or write neighbouring points of all
 *                  the tile's rows, which the tile then carries; ROWS_IN, ROWS_OUT is 0
 *   UNIT_IN UNIT_OUT   points are neighbours in memory
 *   PAD_EVERY IDX_STRIDE LINE_STRIDE   layout of the tile, in words
 *   WHOLE          the tile holds complex words: one exchange instead of two, twice the space
 *   LOAD STORE     the endpoints, of codes.h; IN_T, OUT_T the samples' types
 *   WHOLE_IN WHOLE_OUT   the points are all of the axis
 *   UNIT_AXIS_IN UNIT_AXIS_OUT   coordinates are neighbours in memory
 *   SHORT_IN SHORT_OUT   a line's points are within 32 bits of each other
 *   FAR            some offset or coordinate is beyond 32 bits
 *   SPLIT          tables of four-step twiddles (Gentleman and Sande 1966) on the way out, or
 *                  SPLIT_BY_LINE
 *   MULTIPLY_IN MULTIPLY_OUT   tables multiplied in by coordinate, zero past their end
 *   NEAR_IN NEAR_OUT   a pair's samples are neighbours: one IN_T2, OUT_T2
 *   KIND SCALE DISPLAY SHIFTED OUT_LOW OUT_HIGH MIRROR   of a sample that is written
 *   ROW_ACCESS     bytes an access in which rows of samples are written: sink_rows.h
 *   MIRRORED       each line comes with its mirror image: lines.h; FOLD_SPLIT: tables of the
 *                  twiddles that combine even and odd samples
 *   SUMS           pairs of samples are loaded as sums and differences
 *   ELSEWHERE      a range of the axis is at the same place of another buffer
 *   ACROSS         has the last radix, 2, of the fast index' axis: lines.h
 *   JOIN_Z JOIN_Y  the last radices of z and y that are in this pass, if more than 1: lines.h;
 *                  JOIN_AT_Z, JOIN_AT_Y: the indices that count these axes' frequencies
 *   INDICES        of the line's five that are in use
 *   HELD           points of a work item
 *   SCALED         the norm's factor is multiplied in on the way out
 *   COUNTED        only some samples count if they clip
 *   SAMPLED        takes a display range's sample of lines alone, and leaves its keys
 *   AWAITS_RANGE   begins beside the launches that find the display range: lang.h
 *
 * Before including this file a kernel may define:
 *   FETCH(s, src, table, j, at)   operand j of the transform; load_point()
 *   DELIVER(s, dst, table, params, k, at, v)  writes result k; store_point() */
#ifndef PASS_H
#define PASS_H

#include "sink.h"
#include "sink_pairs.h"
#include "sink_rows.h"
#include "source.h"
#include "source_staged.h"
#include "tile.h"

#include "join.h"

#ifndef FETCH
#define FETCH load_point
#endif
#ifndef DELIVER
#define DELIVER store_point
#endif

/* A kernel's parameters. Buffers remain parameters of all functions beside the structs: NVRTC
 * repeats address arithmetic for pointers that are members. `own` differs: Rader's permutations or
 * a filter. */
#if ELSEWHERE
#define ELSEWHERE_PARAMETER , GLOBAL const source_element *elsewhere
#else
#define ELSEWHERE_PARAMETER
#endif
#define PASS_PARAMETERS(own) \
    GLOBAL const source_element *src, GLOBAL sink_element *dst, GLOBAL const cplx *RESTRICT table, \
        GLOBAL const real *RESTRICT params, own, \
        GLOBAL uint *RESTRICT counters ELSEWHERE_PARAMETER, \
        const struct pass_args args TILE_PARAMETER(word)

#if SIDES == 1
INLINE void load_line(const struct source *s, GLOBAL const source_element *src,
                      GLOBAL const cplx *table, cplx *x, LOCAL word *tile) {
#if SAMPLED
    AWAIT();
    BEGIN_NEXT();
#endif
#if STAGED_IN
    load_staged(s, src, table, x, tile);
#else
    const int apart = FIRST_POINTS / FIRST;
    const place step = UNIT_IN ? apart : apart * (place)s->args->in_point;
    UNROLL for (int b = 0; b < HOLD(FIRST_POINTS, FIRST); b++) {
        const uint p = s->share.first + b * PER_LINE;
        place at = s->line.in + POINT_IN(s, p);
        if (WITHIN(p, FIRST_POINTS, FIRST)) {
            UNROLL for (int q = 0; q < FIRST; q++, at += step) x[b * FIRST + q] =
                FETCH(s, src, table, p + q * apart, at);
        }
    }
    (void)tile;
#endif
}

/* IN_STEPS: powers of the step, and a result's twiddle. */
#if IN_STEPS
#define MIDDLE (LAST / 2)
INLINE void set_powers(const struct sink *s, GLOBAL const cplx *table, cplx *power) {
    UNROLL for (int q = 1; q <= MIDDLE; q++) {
        const int high = q > 7 ? q / 2 : q > 3 ? 4 : 2;
        power[q] = q == 1 || q == 2 || q == 4
                       ? split_twiddle(s->args, table, s->line.turn * (place)(q * (POINTS / LAST)))
                       : mul(power[high], power[q - high]);
    }
}
INLINE cplx step_twiddle(cplx middle, const cplx *power, int q) {
    return q == MIDDLE  ? middle
           : q > MIDDLE ? mul(middle, power[q - MIDDLE])
                        : turn(middle, power[MIDDLE - q], -1);
}
#endif

INLINE void store_line(struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                       GLOBAL const real *params, const cplx *x, LOCAL word *tile) {
#if COALESCED_OUT
    store_coalesced(s, dst, table, params, x, tile);
#elif PAIRED
    store_pairs(s, dst, table, params, x, tile);
#elif JOINS > 1
    store_joined(s, dst, table, params, x);
    (void)tile;
#else
    set_shade(s, params);
#if ROW_ACCESS
    store_rows(s, dst, x, tile);
#else
    if (!s->line.there)
        return;
    const place step = UNIT_OUT ? POINTS / LAST : POINTS / LAST * (place)s->args->out_point;
#if IN_STEPS
    cplx power[MIDDLE + 1];
    set_powers(s, table, power);
#endif
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = s->share.first + b * PER_LINE;
        place at = s->line.out + POINT_OUT(s, p);
        if (INSIDE(p, LAST)) {
#if IN_STEPS
            const place middle = s->line.turn * (place)(p + MIDDLE * (POINTS / LAST));
            const cplx w = split_twiddle(s->args, table, middle);
#endif
            UNROLL for (int q = 0; q < LAST; q++, at += step) {
                cplx v = x[b * LAST + q];
#if SPLIT == SPLIT_BY_LINE
                v = turn(v, line_twiddle(s, table, p, q), DIR);
#elif IN_STEPS
                v = turn(v, step_twiddle(w, power, q), DIR);
#endif
                DELIVER(s, dst, table, params, p + q * (POINTS / LAST), at, v);
            }
        }
    }
#endif
    (void)tile;
    (void)table;
#endif
}
#endif

/* A cyclic convolution's spectrum: result k is multiplied by table entry from + k * step, k
 * counting from member to member. `zeroth`, Rader's zeroth point, is added to all results of the
 * convolution. */
INLINE void multiply_spectrum(cplx *x, GLOBAL const cplx *spectrum, const struct share share,
                              place from, place step, cplx zeroth) {
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = share.first + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const uint k = p + q * (POINTS / LAST);
                x[b * LAST + q] = mul(x[b * LAST + q], spectrum[from + k / MEMBERS * step]);
            }
        }
    }
    if (share.first < MEMBERS)
        x[0] = add(x[0], zeroth);
}

INLINE void count_clipped(int clipped, GLOBAL uint *counters) {
    if (clipped)
        ATOMIC_ADD(&counters[GROUP_ID % COUNTERS], (uint)clipped);
}

#endif
