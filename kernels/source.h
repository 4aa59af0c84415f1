/* The load step of a pass: the LOAD endpoints of codes.h. */
#ifndef SOURCE_H
#define SOURCE_H

#include "lines.h"
#include "share.h"

#if LOAD == LOAD_PAIR || LOAD == LOAD_REAL
typedef IN_T source_element;
#else
typedef cplx source_element;
#endif

/* fft_chain.cl reads elements otherwise. */
#ifndef READ
#define READ(p) (*(p))
#endif

/* Loads a pair of samples as sum and difference: store_pairs() of mirrored lines. */
#ifndef SUMS
#define SUMS 0
#endif

/* Skips halving the sums of two points: a sample's value is halved instead. */
#define DOUBLED (LOAD == LOAD_UNTANGLE && STORE == STORE_SAMPLE)
#define MEAN    R(DOUBLED ? 1 : 0.5)

#ifndef ELSEWHERE
#define ELSEWHERE 0
#endif

/* A work item's line of the input. */
struct source {
    const struct pass_args *args;
#if ELSEWHERE
    GLOBAL const source_element *elsewhere;
#endif
    GLOBAL const int *order; /* Rader's permutations; 0: none */
    struct line line;
    struct share share; /* operands of the first stage */
};

INLINE struct source source_of(const struct pass_args *args, const struct share share) {
    struct source s;
    s.args = args;
    s.order = 0;
#if ELSEWHERE
    s.elsewhere = 0;
#endif
    s.line = line_at(args, share);
    s.share = share;
    return s;
}

/* Reads element `at` of a line; with ACROSS result k of the butterfly of its two lines. */
INLINE cplx read_line(const struct source *s, GLOBAL const cplx *src, GLOBAL const cplx *table,
                      place at, place k) {
    const cplx v = READ(src + at);
#if ACROSS
    const cplx w = READ(src + at + (place)s->args->index[0].in / 2);
    return add(v, turn(w, table[(place)s->args->table_fold + k], DIR));
#else
    (void)s;
    (void)table;
    (void)k;
    return v;
#endif
}
#if ACROSS
#define LINE_K(s)   (s)->line.across
#define MIRROR_K(s) (s)->line.across_mirror
#else
#define LINE_K(s)   0
#define MIRROR_K(s) 0
#endif

/* Point j's offset from the line's first. */
#if UNIT_IN
#define POINT_IN(s, j) (place)(j)
#else
#define POINT_IN(s, j) SPAN(SHORT_IN, j, (s)->args->in_point)
#endif

/* Coordinates along the axis: small if the points are all of it. */
#if WHOLE_IN
typedef int coord_in;
#define COORD_IN(s, j) (int)(j)
#define SIZE_IN(s)     LENGTH
#else
typedef place coord_in;
#define COORD_IN(s, j) ((s)->line.at_in + (place)(j) * (place)(s)->args->step_in)
#define SIZE_IN(s)     ((place)(s)->args->axis_size)
#endif
#if UNIT_AXIS_IN
#define ALONG_IN(s, k) (place)(k)
#else
#define ALONG_IN(s, k) SPAN(SHORT_IN, k, (s)->args->axis_in)
#endif

/* For short dense rows, whose items are too few to fill sectors: the group's items read the tile's
 * rows in memory order. */
#ifndef COALESCED_IN
#define COALESCED_IN 0
#endif
#if COALESCED_IN
#define ROW_IN     (LOAD == LOAD_TWO_HALVES ? LENGTH / 2 + 1 : LENGTH) /* of a row */
#define PAIR_IN(s) ROW_IN
#else
#define PAIR_IN(s) (place)(s)->args->pair_in
#endif

/* Lines needed in another order pass through the tile (source_staged.h), so that memory is read in
 * sequence: halves to be separated, each used for two points; Rader's permuted points; short
 * rows. */
#define UNTANGLES  (LOAD == LOAD_UNTANGLE && WHOLE_IN && !MULTIPLY_IN)
#define FOLDS      (LOAD == LOAD_ROW_HALVES && !MIRRORED)
#define PERMUTES   (ALGORITHM == ALGORITHM_RADER)
#define LONE_PRIME (PERMUTES && MEMBERS == 1) /* point 0 is then no operand */
#define CHIRPED    (ALGORITHM == ALGORITHM_BLUESTEIN)
#define STAGED_IN  (FOLDS || COALESCED_IN || (ROWS_IN && (UNTANGLES || PERMUTES)))

#if (!STAGED_IN || !UNTANGLES || PERMUTES) && LOAD != LOAD_PACKED && !FOLDS
/* Loads point j of a line; element `at` of the source if points have equal strides. */
INLINE cplx load_point(const struct source *s, GLOBAL const source_element *src,
                       GLOBAL const cplx *table, uint j, place at) {
    cplx v = CPLX(R(0), R(0));
    const coord_in k = COORD_IN(s, j);
#if MULTIPLY_IN
    if (k >= (place)s->args->limit)
        return v;
#endif
#if ELSEWHERE
    const uint from = (uint)k - (uint)s->args->elsewhere_first;
    const int there = from < (uint)s->args->elsewhere_count;
    v = READ((there ? s->elsewhere : src) + at);
#elif LOAD == LOAD_COMPLEX
    v = read_line(s, src, table, at, LINE_K(s));
#elif LOAD == LOAD_PAIR && NEAR_IN
    const IN_T2 two = READ((GLOBAL const IN_T2 *)src + (at >> 1));
    v = CPLX((real)two.x, (real)two.y);
#elif LOAD == LOAD_PAIR
    v = CPLX((real)src[at], s->line.lone ? R(0) : (real)src[at + PAIR_IN(s)]);
#elif LOAD == LOAD_REAL
    v = CPLX((real)src[at], R(0));
#elif LOAD == LOAD_UNTANGLE
    /* Z = E + i O, spectra of reals: E = (Z(k) + conj Z(-k)) / 2, O likewise. */
    const place m = ALONG_IN(s, k >> 1);
    const cplx z = read_line(s, src, table, s->line.in + m, LINE_K(s));
    const cplx y = read_line(s, src, table, s->line.in_mirror + m, MIRROR_K(s));
    v = (k & 1) ? CPLX(MEAN * (z.y + y.y), MEAN * (y.x - z.x))
                : CPLX(MEAN * (z.x + y.x), MEAN * (z.y - y.y));
#elif LOAD == LOAD_HERMITIAN
    if (k == 0 || 2 * k == SIZE_IN(s)) {
        cplx z = src[s->line.in + ALONG_IN(s, k)], y = src[s->line.in_mirror + ALONG_IN(s, k)];
        v = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
    } else if (2 * k < SIZE_IN(s)) {
        v = src[s->line.in + ALONG_IN(s, k)];
    } else {
        v = conj_of(src[s->line.in_mirror + ALONG_IN(s, SIZE_IN(s) - k)]);
    }
#elif LOAD == LOAD_ROW_HALVES
    /* fold_pair() for each point: two points of the tile read the same, cached elements. */
    cplx f = src[s->line.in + ALONG_IN(s, k)];
    cplx g = src[s->line.in + ALONG_IN(s, SIZE_IN(s) / 2 - k)];
    if (k == 0)
        f.y = g.y = R(0);
    const cplx o = turn(CPLX(f.x - g.x, f.y + g.y), fold_twiddle(s->args, table, k), -1);
    v = CPLX(f.x + g.x - o.y, f.y - g.y + o.x);
#elif LOAD == LOAD_TWO_HALVES
    int folded = 2 * k > SIZE_IN(s);
    const place m = ALONG_IN(s, folded ? SIZE_IN(s) - k : k);
#if NEAR_IN
    const float4 two = ((GLOBAL const float4 *)src)[(s->line.in + m) >> 1];
    cplx f = CPLX(two.x, two.y), g = CPLX(two.z, two.w);
#else
    cplx f = src[s->line.in + m], g = CPLX(R(0), R(0));
    if (!s->line.lone)
        g = src[s->line.in + PAIR_IN(s) + m];
#endif
    if (k == 0 || 2 * k == SIZE_IN(s))
        f.y = g.y = R(0);
    v = folded ? CPLX(f.x + g.y, g.x - f.y) : CPLX(f.x - g.y, f.y + g.x);
#endif
#if SUMS
    v = CPLX(v.x + v.y, v.x - v.y);
#endif
#if MULTIPLY_IN
    v = mul(v, table[s->args->table_in + k]);
#endif
    (void)s;
    (void)k;
    (void)at;
    (void)table;
    return v;
}
#endif

#endif
