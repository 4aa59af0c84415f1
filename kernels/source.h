/* Where fft.cl's points come from: the LOAD ends of args.h. */
#ifndef SOURCE_H
#define SOURCE_H

#include "lines.h"
#include "tile.h"

#if LOAD == LOAD_PAIR || LOAD == LOAD_REAL
typedef IN_T source;
#else
typedef cplx source;
#endif
#if UNIT_IN
#define POINT_IN(j) (wide)(j)
#else
#define POINT_IN(j) SPAN(SHORT_IN, j, a->in_point)
#endif

/* Coordinates along the axis: small numbers where the points are the whole axis. */
#if WHOLE_IN
typedef int place_in;
#define PLACE_IN(j) (int)(j)
#define SIZE_IN     LENGTH
#else
typedef wide place_in;
#define PLACE_IN(j) (l->at_in + (j)*a->step_in)
#define SIZE_IN     (a->axis_size)
#endif
#if UNIT_AXIS_IN
#define ALONG_IN(k) (k)
#else
#define ALONG_IN(k) SPAN(SHORT_IN, k, a->axis_in)
#endif

/* Rows whose points are not wanted in the order in which they stand go through the tile first, so
 * that memory is read from end to end: halves to be untangled, each used for two points, and
 * Rader's permuted points. */
#define UNTANGLES (LOAD == LOAD_UNTANGLE && WHOLE_IN && !MULTIPLY_IN)
#define FOLDS     (LOAD == LOAD_ROW_HALVES)
#define STAGED_IN (FOLDS || (ROWS_IN && (UNTANGLES || ALGORITHM == 2)))

#if (!STAGED_IN || !UNTANGLES || ALGORITHM == 2) && LOAD != LOAD_PACKED && !FOLDS
/* Point j of a line, element `at` of the source where points are at equal strides. */
INLINE cplx load_point(const struct pass_args *a, GLOBAL const source *src,
                       GLOBAL const cplx *table, const struct line *l, uint j, wide at) {
    cplx v = CPLX(R(0), R(0));
    const place_in k = PLACE_IN(j);
    if (!l->there)
        return v;
#if MULTIPLY_IN
    if (k >= a->limit)
        return v;
#endif
#if LOAD == LOAD_COMPLEX
    v = src[at];
#elif LOAD == LOAD_PAIR && NEAR_IN
    const IN_T2 two = ((GLOBAL const IN_T2 *)src)[at >> 1];
    v = CPLX((real)two.x, (real)two.y);
#elif LOAD == LOAD_PAIR
    v = CPLX((real)src[at], l->lone ? R(0) : (real)src[at + a->pair_in]);
#elif LOAD == LOAD_REAL
    v = CPLX((real)src[at], R(0));
#elif LOAD == LOAD_UNTANGLE
    /* Z = E + i O, both spectra of reals: E = (Z(k) + conj Z(-k)) / 2, O likewise. */
    const wide m = ALONG_IN(k >> 1);
    cplx z = src[l->in + m], y = src[l->in_mirror + m];
    v = (k & 1) ? CPLX(R(0.5) * (z.y + y.y), R(0.5) * (y.x - z.x))
                : CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
#elif LOAD == LOAD_HERMITIAN
    if (k == 0 || 2 * k == SIZE_IN) {
        cplx z = src[l->in + ALONG_IN(k)], y = src[l->in_mirror + ALONG_IN(k)];
        v = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
    } else if (2 * k < SIZE_IN) {
        v = src[l->in + ALONG_IN(k)];
    } else {
        v = conj_of(src[l->in_mirror + ALONG_IN(SIZE_IN - k)]);
    }
#elif LOAD == LOAD_TWO_HALVES
    int folded = 2 * k > SIZE_IN;
    const wide m = ALONG_IN(folded ? SIZE_IN - k : k);
#if NEAR_IN
    const float4 two = ((GLOBAL const float4 *)src)[(l->in + m) >> 1];
    cplx f = CPLX(two.x, two.y), g = CPLX(two.z, two.w);
#else
    cplx f = src[l->in + m], g = CPLX(R(0), R(0));
    if (!l->lone)
        g = src[l->in + a->pair_in + m];
#endif
    if (k == 0 || 2 * k == SIZE_IN)
        f.y = g.y = R(0);
    v = folded ? CPLX(f.x + g.y, g.x - f.y) : CPLX(f.x - g.y, f.y + g.x);
#endif
#if MULTIPLY_IN
    v = mul(v, table[a->table_in + k]);
#endif
    (void)a;
    (void)k;
    (void)at;
    (void)table;
    return v;
}
#endif

#if FOLDS
#define FETCHED ((LENGTH / 2 + PER_LINE) / PER_LINE) /* pairs of frequencies of a work item */

/* With X(k) = E(k) + w^k O(k) and X(m - k) = conj(E(k) - w^k O(k)), m = LENGTH, the points of the
 * transform back are 2 (E + i O), twice what m points want and once what the 2 m real ones do. Each
 * frequency is read once; the tile brings k and m - k to whom they belong. */
INLINE void load_staged(const struct pass_args *a, GLOBAL const source *src,
                        GLOBAL const cplx *table, GLOBAL const int *order, const struct line *l,
                        cplx *x, LOCAL word *tile, uint p0, uint l0) {
    cplx v[2 * FETCHED];
    UNROLL for (int i = 0; i < FETCHED; i++) {
        const uint k = p0 + i * PER_LINE;
        cplx f = CPLX(R(0), R(0)), g = f, w = f;
        if (l->there && 2 * k <= LENGTH) {
            f = src[l->in + ALONG_IN((wide)k)];
            g = src[l->in + ALONG_IN((wide)(LENGTH - k))];
            w = table[a->table_split + k];
        }
        if (k == 0) /* both are real */
            f.y = g.y = R(0);
        const cplx e = CPLX(f.x + g.x, f.y - g.y), o = turn(CPLX(f.x - g.x, f.y + g.y), w, -1);
        v[2 * i] = CPLX(e.x - o.y, e.y + o.x);
        v[2 * i + 1] = CPLX(e.x + o.y, o.x - e.y);
    }
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int i = 0; i < FETCHED; i++) {
            const uint k = p0 + i * PER_LINE;
            if (2 * k <= LENGTH) {
                put(tile, SLOT(k, l0), v[2 * i], part);
                if (k && 2 * k != LENGTH)
                    put(tile, SLOT(LENGTH - k, l0), v[2 * i + 1], part);
            }
        }
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
            const uint p = p0 + b * PER_LINE;
            if (INSIDE(p, RADIX0)) {
                UNROLL for (int q = 0; q < RADIX0; q++) x[b * RADIX0 + q] =
                    got(tile, SLOT(p + q * (POINTS / RADIX0), l0), x[b * RADIX0 + q], part);
            }
        }
    }
    (void)order;
}
#elif STAGED_IN
#define FETCHED                                                                                    \
    (((LENGTH + 1) / 2 + PER_LINE - 1) /                                                           \
     PER_LINE) /* pairs of points of a work item               \
                                                    */

/* Point n's place among the transform's inputs; the zeroth of Rader's has none. */
INLINE uint place_of(GLOBAL const int *order, uint n) {
    return ALGORITHM == 2 ? (uint)order[2 * POINTS + n - 1] : n;
}

INLINE void load_staged(const struct pass_args *a, GLOBAL const source *src,
                        GLOBAL const cplx *table, GLOBAL const int *order, const struct line *l,
                        cplx *x, LOCAL word *tile, uint p0, uint l0) {
    cplx v[2 * FETCHED];
    const int step = POINTS / RADIX0;
    UNROLL for (int i = 0; i < FETCHED; i++) {
#if UNTANGLES
        const uint m = p0 + i * PER_LINE;
        cplx z = CPLX(R(0), R(0)), y = z;
        if (l->there && 2 * m < LENGTH) {
            z = src[l->in + ALONG_IN(m)];
            y = src[l->in_mirror + ALONG_IN(m)];
        }
        v[2 * i] = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
        v[2 * i + 1] = CPLX(R(0.5) * (z.y + y.y), R(0.5) * (y.x - z.x));
#else
        UNROLL for (int c = 0; c < 2; c++) {
            const uint n = p0 + (2 * i + c) * PER_LINE;
            if (n < LENGTH)
                v[2 * i + c] = load_point(a, src, table, l, n, l->in + POINT_IN(n));
        }
#endif
    }
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int i = 0; i < 2 * FETCHED; i++) {
            const uint n = UNTANGLES ? 2 * (p0 + i / 2 * PER_LINE) + i % 2 : p0 + i * PER_LINE;
            const int among = ALGORITHM != 2 || n; /* not so Rader's zeroth point */
            if (among && n < LENGTH) {
                cplx w = v[i];
                if (ALGORITHM == 1)
                    w = turn(w, table[a->table_chirp + n], DIR);
                put(tile, SLOT(place_of(order, n), l0), w, part);
            }
        }
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
            const uint p = p0 + b * PER_LINE;
            if (INSIDE(p, RADIX0)) {
                UNROLL for (int q = 0; q < RADIX0; q++) {
                    const uint j = p + q * step;
                    if (ALGORITHM != 1 || j < LENGTH)
                        x[b * RADIX0 + q] = got(tile, SLOT(j, l0), x[b * RADIX0 + q], part);
                    else
                        x[b * RADIX0 + q] = CPLX(R(0), R(0));
                }
            }
        }
    }
    (void)order;
    (void)table;
}
#endif

#endif
