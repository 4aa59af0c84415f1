/* The store step of a pass: the STORE endpoints of codes.h. */
#ifndef SINK_H
#define SINK_H

#include "lines.h"
#include "range_key.h"
#include "share.h"
#include "source.h"

#if SAMPLED
typedef uint sink_element; /* a key */
#elif STORE == STORE_PAIR || STORE == STORE_SAMPLE
typedef OUT_T sink_element;
#else
typedef cplx sink_element;
#endif

#define SYMMETRIC (KIND != KIND_PHASE && KIND != KIND_IMAG) /* alike for v and conj v */
#define PAIRED    (STORE == STORE_TANGLE || STORE == STORE_TWO_HALVES || STORE == STORE_ROW_HALVES)

/* As COALESCED_IN in source.h. */
#ifndef COALESCED_OUT
#define COALESCED_OUT 0
#endif

/* As READ in source.h. */
#ifndef WRITE
#define WRITE(p, v) (*(p) = (v))
#endif

/* A work item's line of the output. */
struct sink {
    const struct pass_args *args;
    GLOBAL const int *order; /* as in struct source */
    struct line line;
    struct share share; /* results of the last stage */
    struct shade shade; /* of displayed samples: set_shade() */
    cplx zeroth;        /* Rader's sum of all points, or of a member's */
    int *clipped;       /* the work item's clipped samples */
};

/* Returns the line of a share; `source` has the work item's points. */
INLINE struct sink sink_of(const struct source *source, const struct share share, int *clipped) {
    struct sink s;
    s.args = source->args;
    s.order = source->order;
    s.line = ROWS_IN == ROWS_OUT ? source->line : line_at(source->args, share);
#if MIRRORED && PAIRED
    struct share first = share; /* the item writes pairs of this line and its mirror image */
    first.line %= LINES / 2;
    s.line = line_at(source->args, first);
#endif
    s.share = share;
    s.shade.black = s.shade.factor = R(0);
    s.zeroth = CPLX(R(0), R(0));
    s.clipped = clipped;
    return s;
}

/* Called after the transform, so that no registers hold the range through it. */
INLINE void set_shade(struct sink *s, GLOBAL const real *params) {
#if STORE == STORE_SAMPLE && DISPLAY && !SAMPLED
    GLOBAL const real *range = params + s->args->params;
#if AWAITS_RANGE
    AWAIT();
    s->shade = shade_of(KIND, SCALE, AWAITED(range + PARAM_LOW), AWAITED(range + PARAM_HIGH));
#else
    s->shade = shade_of(KIND, SCALE, range[PARAM_LOW], range[PARAM_HIGH]);
#endif
#endif
    (void)s;
    (void)params;
}

#if UNIT_OUT
#define POINT_OUT(s, j) (place)(j)
#else
#define POINT_OUT(s, j) SPAN(SHORT_OUT, j, (s)->args->out_point)
#endif

/* As in source.h. */
#if WHOLE_OUT
typedef int coord_out;
#define COORD_OUT(s, j) (int)(j)
#define SIZE_OUT(s)     LENGTH
#else
typedef place coord_out;
#define COORD_OUT(s, j) ((s)->line.at_out + (place)(j) * (place)(s)->args->step_out)
#define SIZE_OUT(s)     ((place)(s)->args->axis_size)
#endif
#if UNIT_AXIS_OUT
#define ALONG_OUT(s, k) (place)(k)
#else
#define ALONG_OUT(s, k) SPAN(SHORT_OUT, k, (s)->args->axis_out)
#endif

/* True if the sample of coordinate k, or with `second` its pair's, counts if it clips. */
#if COUNTED
#define COUNTS(s, k, second) \
    (((second) ? (s)->line.second_counts : (s)->line.counts) && \
     (k) < (place)(s)->args->counted[second])
#else
#define COUNTS(s, k, second) 1
#endif

/* The four-step twiddle of result j of a line: exp(-2 pi i turn j / n). */
#if SPLIT == SPLIT_BY_LINE
/* Neighbouring work items have neighbouring lines: result p + q POINTS / LAST has the product of
 * twiddles for p and for q, from tables in which neighbouring lines are neighbours. */
INLINE cplx line_twiddle(const struct sink *s, GLOBAL const cplx *table, uint p, int q) {
    const uint lines = (uint)s->args->index[0].count;
    const cplx w = table[(uint)s->args->table_split + p * lines + s->line.at[0]];
    if (q == 0)
        return w;
    return mul(w, table[(uint)s->args->table_split_low + (uint)q * lines + s->line.at[0]]);
}
#elif SPLIT
INLINE cplx split_twiddle(const struct pass_args *a, GLOBAL const cplx *table, place k) {
    return root_of(table, a->table_split, a->table_split_low, a->split_bits, k, SPLIT);
}
#endif

/* True if store_line() multiplies a butterfly's results by their twiddles in steps. Neighbouring
 * work items need entries of the two tables that are far apart, so each moves a whole sector; with
 * two entries for each result that takes longer than the results themselves. So only the twiddle of
 * the middle result comes from the tables, and powers 1, 2 and 4 of the step from one result to the
 * next; others are products of these, so that roundings hardly add up. */
#define IN_STEPS (SPLIT == 2 && (ALGORITHM == ALGORITHM_PLAIN || ALGORITHM == ALGORITHM_BOTH_WAYS))

#if STORE == STORE_PAIR || (STORE == STORE_SAMPLE && !DISPLAY)
/* Integers are rounded half away from zero and saturated. */
INLINE sink_element as_number(real v, int *clipped) {
#if OUT_INTEGER && OUT_SMALL
    /* Types that fit a float need no branch. */
    const int inside = v > R(OUT_LOW) - R(0.5) && v < R(OUT_HIGH) + R(0.5);
    *clipped += !inside;
    v = fmin(fmax(v, R(OUT_LOW)), R(OUT_HIGH));
    v += OUT_LOW < 0 && v < R(0) ? R(-0.5) : R(0.5);
#elif OUT_INTEGER
    v = round(v);
    if (!(v >= R(OUT_LOW))) {
        (*clipped)++;
        return (sink_element)(OUT_LOW);
    }
    if (v > R(OUT_HIGH)) {
        (*clipped)++;
        return (sink_element)(OUT_HIGH);
    }
#endif
    (void)clipped;
    return (sink_element)v;
}
#endif

#if STORE == STORE_SAMPLE
/* Returns the value of a point, which DOUBLED has doubled. */
INLINE real point_value(cplx v) {
#if DOUBLED && KIND != KIND_PHASE
    return value_of(v, KIND) * (KIND == KIND_POWER ? R(0.25) : R(0.5));
#else
    return value_of(v, KIND);
#endif
}

INLINE sink_element as_sample(cplx v, const struct shade *shade, int *clipped) {
    const real number = point_value(v);
#if DISPLAY
    (void)clipped;
    const real shown = displayed(number, KIND, SCALE, *shade);
#if OUT_INTEGER && OUT_SMALL && !defined(DOUBLE)
    /* The nearest integer in the low bits of a float whose last bit is 1: a conversion is
       slower. */
    return (sink_element)(BITS_OF(shown * R(OUT_HIGH) + R(8388608)) & 0xffffu);
#else
    return (sink_element)(shown * R(OUT_HIGH) + R(0.5));
#endif
#else
    (void)shade;
    return as_number(number, clipped);
#endif
}
#endif

#if STORE == STORE_SAMPLE
/* The sample at coordinate k and, with MIRROR, at its mirror image. */
INLINE void store_sample(const struct sink *s, GLOBAL sink_element *dst, coord_out k, cplx v) {
    const coord_out n = SIZE_OUT(s), centre = SHIFTED ? n / 2 : 0, to = k + centre;
#if MIRROR
    if (s->line.self && (k == 0 || 2 * k == n))
        v.y = R(0);
#endif
    int outside = 0;
    sink_element sample = as_sample(v, &s->shade, &outside);
    *s->clipped += COUNTS(s, k, 0) ? outside : 0;
    dst[s->line.out + ALONG_OUT(s, to >= n ? to - n : to)] = sample;
#if MIRROR
    if (!s->line.own) {
        const coord_out m = NEGATED(k, n) + centre;
        if (SYMMETRIC)
            *s->clipped += outside; /* written twice */
        else
            sample = as_sample(conj_of(v), &s->shade, s->clipped);
        dst[s->line.out_mirror + ALONG_OUT(s, m >= n ? m - n : m)] = sample;
    }
#endif
}
#endif

#if SAMPLED
/* Stores keys of the value at coordinate k and of its mirror image, if the sample has their
 * bins. */
INLINE void store_keys(const struct sink *s, GLOBAL uint *keys, coord_out k, cplx v) {
    const struct sample_lines *a = &s->args->sample;
    GLOBAL const int *bins = s->share.order + a->bins;
    const int bin = bins[k], mirror = s->line.own ? -1 : bins[NEGATED(k, SIZE_OUT(s))];
    if (s->line.self && (k == 0 || 2 * k == SIZE_OUT(s)))
        v.y = R(0);
    const uint key = range_key_of(fabs(point_value(v)));
    if (bin >= 0)
        keys[s->line.keys + (place)bin * (place)a->stride_along] = key;
    if (mirror >= 0)
        keys[s->line.keys_mirror + (place)mirror * (place)a->stride_along] = key;
}
#endif

#if !PAIRED && STORE != STORE_PACKED
/* Stores result j; element `at` if points have equal strides. */
INLINE void store_point(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, uint j, place at, cplx v) {
    const coord_out k = COORD_OUT(s, j);
    if (!s->line.there)
        return;
#if MULTIPLY_OUT
    if (k >= (place)s->args->limit)
        return;
    v = mul(v, table[s->args->table_out + k]);
#endif
#if SPLIT && SPLIT != SPLIT_BY_LINE && !IN_STEPS
    v = turn(v, split_twiddle(s->args, table, s->line.turn * (place)j), DIR);
#endif
#if SCALED
    v = scaled_by(v, params[s->args->params + PARAM_SCALE]);
#endif
#if STORE == STORE_COMPLEX
    WRITE(dst + at, v);
#elif STORE == STORE_PAIR
    int outside[2] = {0, 0};
#if NEAR_OUT
    OUT_T2 two;
    two.x = as_number(v.x, &outside[0]);
    two.y = as_number(v.y, &outside[1]);
    ((GLOBAL OUT_T2 *)dst)[at >> 1] = two;
#else
    dst[at] = as_number(v.x, &outside[0]);
    if (!s->line.lone)
        dst[at + (place)s->args->pair_out] = as_number(v.y, &outside[1]);
#endif
    *s->clipped += (COUNTS(s, k, 0) ? outside[0] : 0) + (COUNTS(s, k, 1) ? outside[1] : 0);
#elif STORE == STORE_HALVES
    if (s->line.self && (k == 0 || 2 * k == SIZE_OUT(s)))
        v.y = R(0);
    if (2 * k <= SIZE_OUT(s))
        dst[s->line.out + ALONG_OUT(s, k)] = v;
    if (!s->line.own && !s->line.self && (2 * k >= SIZE_OUT(s) || k == 0))
        dst[s->line.out_mirror + ALONG_OUT(s, NEGATED(k, SIZE_OUT(s)))] = conj_of(v);
#elif SAMPLED
    store_keys(s, dst, k, v);
#elif STORE == STORE_SAMPLE
    store_sample(s, dst, k, v);
#endif
    (void)k;
    (void)at;
    (void)table;
    (void)params;
}
#endif

#endif
