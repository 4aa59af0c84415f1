/* Lines that are read in the order of memory and reach the first stage's owners through the tile,
 * see STAGED_IN in source.h. */
#ifndef SOURCE_STAGED_H
#define SOURCE_STAGED_H

#include "source.h"

#if FOLDS
#define FETCHED ((LENGTH / 2 + PER_LINE) / PER_LINE) /* pairs of frequencies of a work item */

/* With X(k) = E(k) + w^k O(k) and X(m - k) = conj(E(k) - w^k O(k)), m = LENGTH, the points of the
 * transform back are 2 (E + i O), twice what m points want and once what the 2 m real ones do. Each
 * frequency is read once; the tile carries k and m - k to their owners. */
INLINE void fold_pair(const struct source *s, uint k, cplx *v) {
    cplx f = CPLX(R(0), R(0)), g = f, w = f;
    if (s->line.there && 2 * k <= LENGTH) {
        f = s->data[s->line.in + ALONG_IN(s, (wide)k)];
        g = s->data[s->line.in + ALONG_IN(s, (wide)(LENGTH - k))];
        w = s->table[s->args->table_split + k];
    }
    if (k == 0) /* both are real */
        f.y = g.y = R(0);
    const cplx e = CPLX(f.x + g.x, f.y - g.y), o = turn(CPLX(f.x - g.x, f.y + g.y), w, -1);
    v[0] = CPLX(e.x - o.y, e.y + o.x);
    v[1] = CPLX(e.x + o.y, o.x - e.y);
}

INLINE void load_staged(const struct source *s, cplx *x, LOCAL word *tile) {
    cplx v[2 * FETCHED];
    UNROLL for (int i = 0; i < FETCHED; i++) fold_pair(s, s->share.first + i * PER_LINE, v + 2 * i);
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        UNROLL for (int i = 0; i < FETCHED; i++) {
            const uint k = s->share.first + i * PER_LINE;
            if (2 * k <= LENGTH) {
                put(tile, SLOT(k, s->share.line), v[2 * i], part);
                if (k && 2 * k != LENGTH)
                    put(tile, SLOT(LENGTH - k, s->share.line), v[2 * i + 1], part);
            }
        }
        BARRIER();
        get_operands(x, tile, s->share, RADIX0, part);
    }
}
#elif STAGED_IN
/* Pairs of points of a work item. */
#define FETCHED (((LENGTH + 1) / 2 + PER_LINE - 1) / PER_LINE)

/* Point n's place among the transform's inputs; Rader's zeroth point has none. */
INLINE uint input_of(const struct source *s, uint n) {
    return PERMUTES ? (uint)s->order[2 * POINTS + n - 1] : n;
}

/* The work item's pair number i. Untangled: two neighbours, 2 m and 2 m + 1. */
INLINE void load_two(const struct source *s, int i, cplx *v) {
#if UNTANGLES
    const uint m = s->share.first + i * PER_LINE;
    cplx z = CPLX(R(0), R(0)), y = z;
    if (s->line.there && 2 * m < LENGTH) {
        z = s->data[s->line.in + ALONG_IN(s, m)];
        y = s->data[s->line.in_mirror + ALONG_IN(s, m)];
    }
    v[0] = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
    v[1] = CPLX(R(0.5) * (z.y + y.y), R(0.5) * (y.x - z.x));
#else
    UNROLL for (int c = 0; c < 2; c++) {
        const uint n = s->share.first + (2 * i + c) * PER_LINE;
        if (n < LENGTH)
            v[c] = load_point(s, n, s->line.in + POINT_IN(s, n));
    }
#endif
}

INLINE void load_staged(const struct source *s, cplx *x, LOCAL word *tile) {
    const uint p = s->share.first;
    cplx v[2 * FETCHED];
    UNROLL for (int i = 0; i < FETCHED; i++) load_two(s, i, v + 2 * i);
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        UNROLL for (int i = 0; i < 2 * FETCHED; i++) {
            const uint n = UNTANGLES ? 2 * (p + i / 2 * PER_LINE) + i % 2 : p + i * PER_LINE;
            if (n < LENGTH && (!PERMUTES || n))
                put(tile, SLOT(input_of(s, n), s->share.line), v[i], part);
        }
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
            const uint p = s->share.first + b * PER_LINE;
            if (INSIDE(p, RADIX0)) {
                UNROLL for (int q = 0; q < RADIX0; q++) x[b * RADIX0 + q] =
                    got(tile, SLOT(p + q * (POINTS / RADIX0), s->share.line), x[b * RADIX0 + q], part);
            }
        }
    }
}
#endif

#endif
