/* Results that pass through the tile in natural order: pairs (PAIRED in sink.h), and short rows
 * (COALESCED_OUT). */
#ifndef SINK_PAIRS_H
#define SINK_PAIRS_H

#include "sink.h"
#include "tile.h"

#if PAIRED || COALESCED_OUT
#if MIRRORED
#define PARTNERS (LENGTH / 2)
#elif STORE == STORE_TANGLE
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

/* Puts one part of all results into the tile; Rader's are permuted. */
INLINE void put_line(const struct sink *s, const cplx *x, LOCAL word *tile, const int part) {
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = s->share.first + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                uint k = p + q * (POINTS / LAST);
                if (PERMUTES)
                    k = (uint)s->order[LENGTH + k];
                if (POINTS <= LENGTH || k < LENGTH)
                    put(tile, SLOT(k, s->share.line), x[b * LAST + q], part);
            }
        }
    }
    if (PERMUTES && s->share.first < MEMBERS)
        put(tile, SLOT((uint)s->order[LENGTH + POINTS + s->share.first], s->share.line), s->zeroth,
            part);
}

#if COALESCED_OUT
/* The group's items write the tile's rows in memory order; pairs of lines have two each. */
#define TWO_ROWS (STORE == STORE_TWO_HALVES || STORE == STORE_PAIR)
#define ROW_OUT  (STORE == STORE_TWO_HALVES ? PARTNERS : LENGTH)
#define ROWS     ((1 + TWO_ROWS) * LINES)
#define WRITTEN  ((ROW_OUT * ROWS + THREADS - 1) / THREADS)

/* Stores the first `rows`, or all if `full`. */
INLINE void store_written(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                          GLOBAL const real *params, LOCAL const word *tile,
                          const struct tile_lines *lines, const int rows, const int full) {
    struct sink own = *s;
#if TWO_ROWS
    real factor = R(STORE == STORE_TWO_HALVES ? 0.5 : 1); /* as in store_pairs() */
#if SCALED
    factor *= params[s->args->params + PARAM_SCALE];
#endif
#endif
    UNROLL for (int i = 0; i < WRITTEN; i++) {
        struct element e = element_of(i, ROW_OUT);
        const place at = lines->first.out + (LOCAL_ID + i * THREADS);
        own.line.there = full || e.row < rows;
        if (!own.line.there)
            e.row = 0;
        const int second = TWO_ROWS ? e.row % 2 : 0, line = e.row / (1 + TWO_ROWS);
        const cplx v = tile[SLOT(e.at, line)];
#if COUNTED
        own.share.line = (uint)line;
        own.line.counts = line_at(s->args, own.share).counts;
        own.line.second_counts = line_at(s->args, own.share).second_counts;
#endif
#if STORE == STORE_TWO_HALVES
        const cplx w = tile[SLOT(e.at ? LENGTH - e.at : 0, line)];
        const cplx value = second ? CPLX(factor * (v.y + w.y), factor * (w.x - v.x))
                                  : CPLX(factor * (v.x + w.x), factor * (v.y - w.y));
        if (own.line.there)
            dst[at] = value;
#elif STORE == STORE_PAIR
        int outside = 0;
        const sink_element sample = as_number(factor * (second ? v.y : v.x), &outside);
        if (own.line.there) {
            dst[at] = sample;
            *s->clipped += COUNTS(&own, e.at, second) ? outside : 0;
        }
#else
        store_point(&own, dst, table, params, (uint)e.at, at, v);
#endif
        (void)second;
    }
    (void)table;
    (void)params;
}

INLINE void store_coalesced(const struct sink *s, GLOBAL sink_element *dst,
                            GLOBAL const cplx *table, GLOBAL const real *params, const cplx *x,
                            LOCAL word *tile) {
    const struct tile_lines lines = lines_of_tile(s->args, s->share);
    const int rows = (1 + TWO_ROWS) * lines.count - (TWO_ROWS && lines.lone);
    if (STAGES > 1)
        BARRIER();
    put_line(s, x, tile, 0);
    BARRIER();
    if (WRITTEN * THREADS == ROW_OUT * ROWS && rows == ROWS)
        store_written(s, dst, table, params, tile, &lines, rows, 1);
    else
        store_written(s, dst, table, params, tile, &lines, rows, 0);
}
#elif MIRRORED
/* Results i of a line and LENGTH - 1 - i of its mirror image are frequencies k and n/2 - k of the
 * packed samples: half of the work items takes the first half of the results, the others the
 * second. The two lines that are their own mirror images are one in each half; line 0 has results i
 * and LENGTH - i, the last being the middle one. */
struct mirrored_pair {
    uint line[2], result[2];
    place k;
};
INLINE struct mirrored_pair pair_of(const struct sink *s, uint i) {
    struct mirrored_pair p;
    const uint lines = LINES / 2, second = s->share.line >= lines;
    const uint number = s->share.line - second * lines;
    if (s->line.at_out) {
        p.result[0] = i + second * PARTNERS;
        p.result[1] = LENGTH - 1 - p.result[0];
        p.line[0] = number;
        p.line[1] = number + lines;
        p.k = s->line.at_out + (place)p.result[0] * (place)s->args->step_out;
    } else {
        p.result[0] = i;
        p.result[1] = second ? LENGTH - 1 - i : i ? LENGTH - i : 0;
        p.line[0] = p.line[1] = s->share.line;
        p.k = (place)i * (place)s->args->step_out + (second ? (place)s->args->step_out / 2 : 0);
    }
    return p;
}

/* With spectra A of the sums of even and odd samples and B of their differences, c = (1 + w^k) / 2:
 * X(k) = B + c (A - B), X(n/2 - k) = conj(A - c (A - B)). Sums and differences spare the last
 * frequency, n/2, the rounding error of a large mean. */
INLINE void store_pairs(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, const cplx *x, LOCAL word *tile) {
    cplx first[PAIRS_HELD], second[PAIRS_HELD], middle = CPLX(R(0), R(0));
    const place size = SIZE_OUT(s) / 2;
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        put_line(s, x, tile, part);
        BARRIER();
        UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
            const uint at = s->share.first + i * PER_LINE;
            if (at < PARTNERS) {
                const struct mirrored_pair p = pair_of(s, at);
                first[i] = got(tile, SLOT(p.result[0], p.line[0]), first[i], part);
                second[i] = got(tile, SLOT(p.result[1], p.line[1]), second[i], part);
            }
        }
        middle = got(tile, SLOT(PARTNERS, s->share.line), middle, part);
    }
    real factor = R(0.5);
#if SCALED
    factor *= params[s->args->params + PARAM_SCALE];
#endif
    UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
        const uint at = s->share.first + i * PER_LINE;
        if (at >= PARTNERS)
            continue;
        const cplx f = first[i], g = second[i];
        const place k = pair_of(s, at).k;
        const cplx a = CPLX(factor * (f.x + g.x), factor * (f.y - g.y));
        const cplx b = CPLX(factor * (f.y + g.y), factor * (g.x - f.x));
        const cplx w = fold_twiddle(s->args, table, k);
        const cplx t = mul(sub(a, b), CPLX(R(0.5) + R(0.5) * w.x, R(0.5) * w.y));
        dst[s->line.out + ALONG_OUT(s, k)] = k ? add(b, t) : a;
        dst[s->line.out + ALONG_OUT(s, size - k)] = conj_of(k ? sub(a, t) : b);
    }
    if (s->share.first == 0 && s->share.line == 0 && s->line.at_out == 0)
        dst[s->line.out + ALONG_OUT(s, size / 2)] =
            CPLX(factor * (middle.x + middle.y), factor * (middle.y - middle.x));
    (void)params;
}
#else
INLINE void store_pairs(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, const cplx *x, LOCAL word *tile) {
    const struct line *l = &s->line;
    cplx first[PAIRS_HELD], second[PAIRS_HELD];
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        put_line(s, x, tile, part);
        BARRIER();
        UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
            const uint at = s->share.first + i * PER_LINE;
            if (at < PARTNERS) {
                const uint other = second_of(at);
                first[i] = got(tile, SLOT(first_of(at), s->share.line), first[i], part);
                second[i] = other < LENGTH ? got(tile, SLOT(other, s->share.line), second[i], part)
                                           : CPLX(R(0), R(0));
            }
        }
    }
    if (!s->line.there)
        return;
#if STORE != STORE_TANGLE
    /* The factor multiplies sums and differences, so that equal numbers' difference is 0 even if a
     * compiler fuses a product with a subtraction. */
    real factor = R(0.5);
#if SCALED
    factor *= params[s->args->params + PARAM_SCALE];
#endif
#endif
    UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
        const uint at = s->share.first + i * PER_LINE;
        if (at >= PARTNERS)
            continue;
        const cplx f = first[i], g = second[i];
#if STORE == STORE_TANGLE
        dst[l->out + POINT_OUT(s, at)] = CPLX(f.x - g.y, f.y + g.x);
        if (!l->own)
            dst[l->out_mirror + POINT_OUT(s, at)] = CPLX(f.x + g.y, g.x - f.y);
#else
        cplx even = CPLX(factor * (f.x + g.x), factor * (f.y - g.y));
        cplx odd = CPLX(factor * (f.y + g.y), factor * (g.x - f.x));
#if STORE == STORE_ROW_HALVES
        /* X(k) = E(k) + w^k O(k), E and O of even and odd samples; X(n/2 - k) = conj(E - w^k O). */
        odd = turn(odd, table[s->args->table_split + at], DIR);
        dst[l->out + POINT_OUT(s, at)] = add(even, odd);
        dst[l->out + POINT_OUT(s, LENGTH - at)] = conj_of(sub(even, odd));
#else /* two lines' spectra */
        dst[l->out + POINT_OUT(s, at)] = even;
        if (!l->lone)
            dst[l->out + (place)s->args->pair_out + POINT_OUT(s, at)] = odd;
#endif
#endif
    }
    (void)table;
    (void)params;
}
#endif
#endif

#endif
