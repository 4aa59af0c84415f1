/* Lines read in memory order that reach their points' owners through the tile: STAGED_IN in
 * source.h. */
#ifndef SOURCE_STAGED_H
#define SOURCE_STAGED_H

#include "source.h"
#include "tile.h"

#if STAGED_IN
/* Takes the first stage's operands; zeros fill Bluestein's convolution. */
INLINE void take_operands(cplx *x, LOCAL const word *tile, const struct share share,
                          const int part) {
    UNROLL for (int b = 0; b < HOLD(FIRST_POINTS, FIRST); b++) {
        const uint p = share.first + b * PER_LINE;
        const int slot = SLOT(p, share.line), step = FIRST_POINTS / FIRST;
        if (WITHIN(p, FIRST_POINTS, FIRST)) {
            UNROLL for (int q = 0; q < FIRST; q++) {
                const uint j = p + q * step;
                const int at = EVEN_GETS(step) ? slot + APART(q * step) : SLOT(j, share.line);
                cplx *v = x + b * FIRST + q;
                *v = !CHIRPED || j < LENGTH ? got(tile, at, *v, part) : CPLX(R(0), R(0));
            }
        }
    }
}
#endif

#if FOLDS
#define FETCHED ((LENGTH / 2 + PER_LINE) / PER_LINE) /* a work item's pairs of frequencies */

/* X(k) = E(k) + w^k O(k), X(m - k) = conj(E(k) - w^k O(k)), m = LENGTH: the inverse has points 2 (E
 * + i O), twice the scale of m points, that of 2 m reals. Each frequency is read once; the tile
 * carries k and m - k to their owners. */
INLINE void fold_pair(const struct source *s, GLOBAL const source_element *src,
                      GLOBAL const cplx *table, uint k, cplx *v) {
    cplx f = CPLX(R(0), R(0)), g = f, w = f;
    if (2 * k <= LENGTH) {
        f = src[s->line.in + ALONG_IN(s, (place)k)];
        g = src[s->line.in + ALONG_IN(s, (place)(LENGTH - k))];
        w = table[s->args->table_split + k];
    }
    if (k == 0) /* both are real */
        f.y = g.y = R(0);
    const cplx e = CPLX(f.x + g.x, f.y - g.y), o = turn(CPLX(f.x - g.x, f.y + g.y), w, -1);
    v[0] = CPLX(e.x - o.y, e.y + o.x);
    v[1] = CPLX(e.x + o.y, o.x - e.y);
}

INLINE void load_staged(const struct source *s, GLOBAL const source_element *src,
                        GLOBAL const cplx *table, cplx *x, LOCAL word *tile) {
    cplx v[2 * FETCHED];
    UNROLL for (int i = 0; i < FETCHED; i++)
        fold_pair(s, src, table, s->share.first + i * PER_LINE, v + 2 * i);
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
        take_operands(x, tile, s->share, part);
    }
}
#elif STAGED_IN
/* Returns the operand number of point n. */
INLINE uint input_of(const struct source *s, uint n) {
    return PERMUTES ? (uint)s->order[2 * LENGTH + n] : n;
}

/* Puts point n of line l into the tile, times Bluestein's chirp. */
INLINE void put_point(const struct source *s, GLOBAL const cplx *table, LOCAL word *tile, uint n,
                      uint l, cplx v, const int part) {
    if (n == 0 && LONE_PRIME)
        return;
    if (CHIRPED)
        v = turn(v, table[s->args->table_chirp + n], DIR);
    put(tile, SLOT(input_of(s, n), l), v, part);
}

#if COALESCED_IN
#define FETCHED ((LENGTH * LINES + THREADS - 1) / THREADS) /* a work item's points */

#define LINE_IN ((LOAD == LOAD_PAIR || LOAD == LOAD_TWO_HALVES ? 2 : 1) * ROW_IN)

/* Loads all of a tile's lines; unless `full`, the last existing one replaces those beyond. */
INLINE void load_rows(const struct source *s, GLOBAL const source_element *src,
                      GLOBAL const cplx *table, LOCAL word *tile, const struct tile_lines *lines,
                      const int full) {
    const int last = lines->count - 1;
    struct source own = *s;
    struct element e[FETCHED];
    cplx v[FETCHED];
    UNROLL for (int i = 0; i < FETCHED; i++) {
        e[i] = element_of(i, LENGTH);
        if (!full && e[i].row > last)
            e[i].row = last;
        own.line.in = lines->first.in + (place)e[i].row * LINE_IN;
        own.line.lone = !full && lines->lone && e[i].row == last;
        v[i] = load_point(&own, src, table, (uint)e[i].at, own.line.in + (place)e[i].at);
    }
    UNROLL for (int i = 0; i < FETCHED; i++) put(tile, SLOT(e[i].at, e[i].row), v[i], 0);
}

INLINE void load_staged(const struct source *s, GLOBAL const source_element *src,
                        GLOBAL const cplx *table, cplx *x, LOCAL word *tile) {
    const struct tile_lines lines = lines_of_tile(s->args, s->share);
    if (FETCHED * THREADS == LENGTH * LINES && lines.count == LINES && !lines.lone)
        load_rows(s, src, table, tile, &lines, 1);
    else
        load_rows(s, src, table, tile, &lines, 0);
    BARRIER();
    take_operands(x, tile, s->share, 0);
}
#else
/* A work item's pairs of points. */
#define FETCHED (((LENGTH + 1) / 2 + PER_LINE - 1) / PER_LINE)

/* Loads the work item's pair i; separated points are neighbours, 2 m and 2 m + 1. */
INLINE void load_two(const struct source *s, GLOBAL const source_element *src,
                     GLOBAL const cplx *table, int i, cplx *v) {
#if UNTANGLES
    const uint m = s->share.first + i * PER_LINE;
    cplx z = CPLX(R(0), R(0)), y = z;
    if (2 * m < LENGTH) {
        z = read_line(s, src, table, s->line.in + ALONG_IN(s, m), LINE_K(s));
        y = read_line(s, src, table, s->line.in_mirror + ALONG_IN(s, m), MIRROR_K(s));
    }
    v[0] = CPLX(MEAN * (z.x + y.x), MEAN * (z.y - y.y));
    v[1] = CPLX(MEAN * (z.y + y.y), MEAN * (y.x - z.x));
#else
    UNROLL for (int c = 0; c < 2; c++) {
        const uint n = s->share.first + (2 * i + c) * PER_LINE;
        if (n < LENGTH)
            v[c] = load_point(s, src, table, n, s->line.in + POINT_IN(s, n));
    }
#endif
    (void)table;
}

INLINE void load_staged(const struct source *s, GLOBAL const source_element *src,
                        GLOBAL const cplx *table, cplx *x, LOCAL word *tile) {
    const uint p0 = s->share.first, l0 = s->share.line;
    cplx v[2 * FETCHED];
    UNROLL for (int i = 0; i < FETCHED; i++) load_two(s, src, table, i, v + 2 * i);
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        UNROLL for (int i = 0; i < 2 * FETCHED; i++) {
            const uint n = UNTANGLES ? 2 * (p0 + i / 2 * PER_LINE) + i % 2 : p0 + i * PER_LINE;
            if (n < LENGTH)
                put_point(s, table, tile, n, l0, v[i], part);
        }
        BARRIER();
        take_operands(x, tile, s->share, part);
    }
}
#endif
#endif

#endif
