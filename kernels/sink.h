/* Where fft.cl's points go: the STORE ends of args.h. */
#ifndef SINK_H
#define SINK_H

#include "lines.h"
#include "sample.h"
#include "tile.h"

#if STORE == STORE_PAIR || STORE == STORE_SAMPLE
typedef OUT_T sink;
#else
typedef cplx sink;
#endif

#define SYMMETRIC (KIND != KIND_PHASE && KIND != KIND_IMAG) /* the same of v and conj v */
#define PAIRED    (STORE == STORE_TANGLE || STORE == STORE_TWO_HALVES || STORE == STORE_ROW_HALVES)

#define STAGED_OUT (ROWS_OUT && ALGORITHM == 2 && !PAIRED)

#if SPLIT
/* exp(-2 pi i k / n) of a split axis, k < n, out of two tables of about sqrt(n) entries. */
INLINE cplx split_twiddle(const struct pass_args *a, GLOBAL const cplx *table, wide k) {
    cplx high = table[a->table_split + (k >> a->split_bits)];
    if (a->split_bits == 0)
        return high;
    return mul(high, table[a->table_split_low + (k & (((wide)1 << a->split_bits) - 1))]);
}
#endif

#if UNIT_OUT
#define POINT_OUT(j) (wide)(j)
#else
#define POINT_OUT(j) SPAN(SHORT_OUT, j, a->out_point)
#endif

/* As in source.h. */
#if WHOLE_OUT
typedef int place_out;
#define PLACE_OUT(j) (int)(j)
#define SIZE_OUT     LENGTH
#else
typedef wide place_out;
#define PLACE_OUT(j) (l->at_out + (j)*a->step_out)
#define SIZE_OUT     (a->axis_size)
#endif
#if UNIT_AXIS_OUT
#define ALONG_OUT(k) (k)
#else
#define ALONG_OUT(k) SPAN(SHORT_OUT, k, a->axis_out)
#endif
#define CENTRE        (SHIFTED ? SIZE_OUT / 2 : 0)
#define NEGATED(k, n) ((k) ? (n) - (k) : 0)

#if STORE == STORE_PAIR || (STORE == STORE_SAMPLE && !DISPLAY)
/* Rounds half away from zero and saturates where the type is one of integers. */
INLINE sink as_number(real v, int *clipped) {
#if OUT_INTEGER && OUT_SMALL
    /* Types that a float holds with room: no branch, and none is taken twice. */
    const int inside = v > R(OUT_LOW) - R(0.5) && v < R(OUT_HIGH) + R(0.5);
    *clipped += !inside;
    v = fmin(fmax(v, R(OUT_LOW)), R(OUT_HIGH));
    v += OUT_LOW < 0 && v < R(0) ? R(-0.5) : R(0.5);
#elif OUT_INTEGER
    v = round(v);
    if (!(v >= R(OUT_LOW))) {
        (*clipped)++;
        return (sink)(OUT_LOW);
    }
    if (v > R(OUT_HIGH)) {
        (*clipped)++;
        return (sink)(OUT_HIGH);
    }
#endif
    (void)clipped;
    return (sink)v;
}
#endif

#if STORE == STORE_SAMPLE
INLINE sink as_sample(cplx v, const struct shade *shade, int *clipped) {
    const real number = value_of(v, KIND);
#if DISPLAY
    (void)clipped;
    return (sink)(displayed(number, KIND, SCALE, shade) * R(OUT_HIGH) + R(0.5));
#else
    (void)shade;
    return as_number(number, clipped);
#endif
}
#endif

#if !PAIRED && STORE != STORE_PACKED
/* Point j, the transform's j-th result. */
INLINE void store_point(const struct pass_args *a, GLOBAL sink *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, const struct shade *shade, const struct line *l,
                        uint j, wide at, cplx v, int *clipped) {
    const place_out k = PLACE_OUT(j);
    if (!l->there)
        return;
#if MULTIPLY_OUT
    if (k >= a->limit)
        return;
    v = mul(v, table[a->table_out + k]);
#endif
#if SPLIT
    v = turn(v, split_twiddle(a, table, l->turn * j), DIR);
#endif
#if SCALED
    v = scaled_by(v, params[a->params + PARAM_SCALE]);
#endif
#if STORE == STORE_COMPLEX
    dst[at] = v;
#elif STORE == STORE_PAIR && NEAR_OUT
    OUT_T2 two;
    two.x = as_number(v.x, clipped);
    two.y = as_number(v.y, clipped);
    ((GLOBAL OUT_T2 *)dst)[at >> 1] = two;
#elif STORE == STORE_PAIR
    dst[at] = as_number(v.x, clipped);
    if (!l->lone)
        dst[at + a->pair_out] = as_number(v.y, clipped);
#elif STORE == STORE_HALVES
    if (l->self && (k == 0 || 2 * k == SIZE_OUT))
        v.y = R(0);
    if (2 * k <= SIZE_OUT)
        dst[l->out + ALONG_OUT(k)] = v;
    if (!l->own && (2 * k >= SIZE_OUT || k == 0))
        dst[l->out_mirror + ALONG_OUT(NEGATED(k, SIZE_OUT))] = conj_of(v);
#elif STORE == STORE_SAMPLE
#if MIRROR
    if (l->self && (k == 0 || 2 * k == SIZE_OUT))
        v.y = R(0);
#endif
    const place_out to = k + CENTRE;
    const int before = *clipped;
    sink sample = as_sample(v, shade, clipped);
    dst[l->out + ALONG_OUT(to >= SIZE_OUT ? to - SIZE_OUT : to)] = sample;
#if MIRROR
    if (!l->own) {
        const place_out m = NEGATED(k, SIZE_OUT) + CENTRE;
        if (SYMMETRIC)
            *clipped += *clipped - before; /* written twice */
        else
            sample = as_sample(conj_of(v), shade, clipped);
        dst[l->out_mirror + ALONG_OUT(m >= SIZE_OUT ? m - SIZE_OUT : m)] = sample;
    }
#endif
    (void)before;
#endif
    (void)a;
    (void)k;
    (void)at;
    (void)table;
    (void)params;
    (void)shade;
    (void)clipped;
}
#endif

/* Results that are written two by two: through the tile in natural order. */
#if PAIRED
#if STORE == STORE_TANGLE
#define PARTNERS ((LENGTH + 1) / 2)
#else
#define PARTNERS (LENGTH / 2 + 1)
#endif
#define PAIRS_HELD ((PARTNERS + PER_LINE - 1) / PER_LINE)

INLINE uint first_of(uint i) {
    return STORE == STORE_TANGLE ? 2 * i : i;
}
INLINE uint second_of(uint i) {
    return STORE == STORE_TANGLE ? 2 * i + 1 : (i ? LENGTH - i : 0);
}

INLINE void store_pairs(const struct pass_args *a, GLOBAL cplx *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, const struct line *l, cplx *x, cplx dc,
                        GLOBAL const int *order, LOCAL word *tile, uint p0, uint l0,
                        const int done) {
    cplx first[PAIRS_HELD], second[PAIRS_HELD];
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
            const uint p = p0 + b * PER_LINE;
            if (INSIDE(p, LAST)) {
                UNROLL for (int q = 0; q < LAST; q++) {
                    uint k = p + q * done;
                    if (ALGORITHM == 2)
                        k = (uint)order[POINTS + k];
                    if (POINTS <= LENGTH || k < LENGTH)
                        put(tile, SLOT(k, l0), x[b * LAST + q], part);
                }
            }
        }
        if (ALGORITHM == 2 && p0 == 0)
            put(tile, SLOT(0, l0), dc, part);
        BARRIER();
        UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
            const uint at = p0 + i * PER_LINE;
            if (at < PARTNERS) {
                const uint other = second_of(at);
                first[i] = got(tile, SLOT(first_of(at), l0), first[i], part);
                second[i] =
                    other < LENGTH ? got(tile, SLOT(other, l0), second[i], part) : CPLX(R(0), R(0));
            }
        }
    }
    if (!l->there)
        return;
    UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
        const uint at = p0 + i * PER_LINE;
        if (at >= PARTNERS)
            continue;
        cplx f = first[i], g = second[i];
#if SCALED
        f = scaled_by(f, params[a->params + PARAM_SCALE]);
        g = scaled_by(g, params[a->params + PARAM_SCALE]);
#endif
#if STORE == STORE_TANGLE
        dst[l->out + POINT_OUT(at)] = CPLX(f.x - g.y, f.y + g.x);
        if (!l->own)
            dst[l->out_mirror + POINT_OUT(at)] = CPLX(f.x + g.y, g.x - f.y);
#elif STORE == STORE_ROW_HALVES
        /* X(k) = E(k) + w^k O(k) of the even and the odd samples, X(n/2 - k) = conj(E - w^k O). */
        cplx even = CPLX(R(0.5) * (f.x + g.x), R(0.5) * (f.y - g.y));
        cplx odd = CPLX(R(0.5) * (f.y + g.y), R(0.5) * (g.x - f.x));
        odd = turn(odd, table[a->table_split + at], DIR);
        dst[l->out + POINT_OUT(at)] = add(even, odd);
        dst[l->out + POINT_OUT(LENGTH - at)] = conj_of(sub(even, odd));
#else
        cplx one = CPLX(R(0.5) * (f.x + g.x), R(0.5) * (f.y - g.y));
        cplx two = CPLX(R(0.5) * (f.y + g.y), R(0.5) * (g.x - f.x));
        dst[l->out + POINT_OUT(at)] = one;
        if (!l->lone)
            dst[l->out + a->pair_out + POINT_OUT(at)] = two;
#endif
    }
    (void)a;
    (void)table;
    (void)params;
    (void)order;
    (void)dc;
}
#endif

#endif
