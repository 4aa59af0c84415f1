/* The filter's pass: forward along the last axis, times the filter, back, in one tile.
 *
 * Lines of packed pairs are Z = E + i O, E and O the spectra, along the other axes, of the even and
 * the odd samples; a line and its mirror image tell them apart. A work item takes both through the
 * same butterflies, two transforms of half the axis' points; with w = exp(-2 pi i k / n)
 *     X(k) = E(k) + w O(k),  X(k + n/2) = E(k) - w O(k)
 * are the frequencies, multiplied, and the way back is the way there in reverse. The same goes for
 * the even and the odd points of one line across a half spectrum. Two real lines that are one
 * complex one keep to themselves, as the filter's inverse is real.
 *
 * Given by -D: what fft.cl and filter.h say, and SIDES, the lines that an item holds; SIDE_STRIDE,
 * the distance of the two in the tile, in words; FOLDED where the filter has half of the axis.
 * LENGTH is the transform's: half the line's for two sides. */
#include "filter.h"
#include "sink.h"
#include "source.h"

#if FILTER == FILTER_FACTORS
/* What the axes that the line runs across come to in a low pass that begins at `from`. */
INLINE void set_line(struct lowpass *l, const struct pass_args *a, const struct line *line,
                     GLOBAL const real *from) {
    UNROLL for (int i = 0; i < INDICES; i++) {
        const wide at = a->index[i].filter, n = a->index[i].size;
        if (at) {
            const wide k = (wide)line->at[i];
            l->rest = joined(l->rest, from[at + k], l->profile);
#if FOLDED
            l->mirrored = joined(l->mirrored, from[at + negated(k, n)], l->profile);
#endif
            (void)n;
        }
    }
}
#endif

/* What stands on the line at index k, or on its mirror image at minus k. */
#if FILTER == FILTER_FACTORS
#define FILTER_LINE struct filter_factor
#else
struct table_line {
    GLOBAL const factor *own, *mirrored;
    wide along;
};
#define FILTER_LINE struct table_line
INLINE factor factor_value(const FILTER_LINE *m, wide k, int mirrored) {
    const factor v = (mirrored ? m->mirrored : m->own)[k * m->along];
    return mirrored ? MIRRORED_M(v) : v;
}
#endif

/* All points that the work item holds: k, and for two sides k + n/2, the mirror image's n/2 - k, on
 * the second. */
INLINE void multiply(cplx *x, const FILTER_LINE *m, uint p1) {
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const uint k = p + q * (POINTS / LAST);
                cplx *v = x + b * LAST + q;
#if SIDES == 2
                v[0] = TIMES(v[0], factor_value(m, k, 0));
                v[HELD] = TIMES(v[HELD], FOLDED ? factor_value(m, LENGTH - k, 1)
                                                : factor_value(m, LENGTH + k, 0));
#else
                const int mirrored = FOLDED && 2 * k > LENGTH;
                v[0] = TIMES(v[0], factor_value(m, mirrored ? LENGTH - k : k, mirrored));
#endif
            }
        }
    }
}

INLINE void filter_line(cplx *x, const struct pass_args *a, GLOBAL const factor *filter,
                        const struct line *line, uint p1) {
#if FILTER == FILTER_FACTORS
    GLOBAL const real *from = filter + a->filter.values;
    for (int i = 0; i < (int)a->filter.factors; i++, from += 2 * a->filter.each) {
        struct filter_factor m = factor_at(from, a->filter.each, a->filter_along);
        set_line(&m.a, a, line, from);
#if BANDS
        set_line(&m.b, a, line, from + a->filter.each);
#endif
        multiply(x, &m, p1);
    }
#else
    struct table_line m;
    m.own = m.mirrored = filter;
    m.along = a->filter_along;
    UNROLL for (int i = 0; i < INDICES; i++) {
        const wide k = (wide)line->at[i], n = a->index[i].size, step = a->index[i].filter;
        m.own += k * step;
#if FOLDED
        m.mirrored += (n ? negated(k, n) : k) * step;
#endif
        (void)n;
    }
    multiply(x, &m, p1);
#endif
}

#if SIDES == 2
#if LOAD == LOAD_COMPLEX
/* Elements at and at + 1, with one access where `at` is always even. */
INLINE void get_two(GLOBAL const cplx *src, wide at, cplx *z, cplx *y) {
#if NEAR_IN
    const float4 two = ((GLOBAL const float4 *)src)[at >> 1];
    *z = CPLX(two.x, two.y);
    *y = CPLX(two.z, two.w);
#else
    *z = src[at];
    *y = src[at + 1];
#endif
}
INLINE void put_two(GLOBAL cplx *dst, wide at, cplx z, cplx y) {
#if NEAR_OUT
    float4 two;
    two.x = z.x;
    two.y = z.y;
    two.z = y.x;
    two.w = y.y;
    ((GLOBAL float4 *)dst)[at >> 1] = two;
#else
    dst[at] = z;
    dst[at + 1] = y;
#endif
}
#endif

/* E and O of half the points, both ways: `dir` 1 to frequencies, -1 from them. */
INLINE void mix_sides(cplx *x, GLOBAL const cplx *roots, uint p1, const int dir) {
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const cplx w = roots[p + q * (POINTS / LAST)];
                cplx *v = x + b * LAST + q;
                const cplx e = v[0], o = dir > 0 ? turn(v[HELD], w, 1) : v[HELD];
                v[0] = add(e, o);
                v[HELD] = dir > 0 ? sub(e, o) : turn(sub(e, o), w, -1);
            }
        }
    }
}

/* Two points of the second side's line and its own, or of one line's even and odd points, which are
 * neighbours. */
INLINE void load_sides(cplx *x, const struct pass_args *a, GLOBAL const cplx *src,
                       const struct line *l, uint p0) {
    UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
        const uint p = p0 + b * PER_LINE;
        if (INSIDE(p, RADIX0)) {
            UNROLL for (int q = 0; q < RADIX0; q++) {
                const uint j = p + q * (POINTS / RADIX0);
                cplx z = CPLX(R(0), R(0)), y = z;
                cplx *v = x + b * RADIX0 + q;
#if LOAD == LOAD_PACKED
                if (l->there) {
                    z = src[l->in + POINT_IN(j)];
                    y = src[l->in_mirror + POINT_IN(j)];
                }
                v[0] = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
                v[HELD] = CPLX(R(0.5) * (z.y + y.y), R(0.5) * (y.x - z.x));
#else
                if (l->there)
                    get_two(src, l->in + 2 * j, &z, &y);
                v[0] = z;
                v[HELD] = y;
#endif
            }
        }
    }
    (void)a;
}

INLINE void store_sides(const cplx *x, const struct pass_args *a, GLOBAL cplx *dst,
                        const struct line *l, uint p1) {
    if (!l->there)
        return;
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const uint j = p + q * (POINTS / LAST);
                const cplx e = x[b * LAST + q], o = x[HELD + b * LAST + q];
#if STORE == STORE_PACKED
                dst[l->out + POINT_OUT(j)] = CPLX(e.x - o.y, e.y + o.x);
                if (!l->own)
                    dst[l->out_mirror + POINT_OUT(j)] = CPLX(e.x + o.y, o.x - e.y);
#else
                put_two(dst, l->out + 2 * j, e, o);
#endif
            }
        }
    }
    (void)a;
}
#else
INLINE void load_line(cplx *x, const struct pass_args *a, GLOBAL const source *src,
                      GLOBAL const cplx *table, const struct line *l, uint p0) {
    UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
        const uint p = p0 + b * PER_LINE;
        if (INSIDE(p, RADIX0)) {
            UNROLL for (int q = 0; q < RADIX0; q++) {
                const uint j = p + q * (POINTS / RADIX0);
                x[b * RADIX0 + q] = load_point(a, src, table, l, j, l->in + POINT_IN(j));
            }
        }
    }
}

INLINE void store_line(const cplx *x, const struct pass_args *a, GLOBAL sink *dst,
                       GLOBAL const cplx *table, GLOBAL const real *params, const struct line *l,
                       uint p1, int *clipped) {
    const struct shade shade = {R(0), R(0)};
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const uint j = p + q * (POINTS / LAST);
                store_point(a, dst, table, params, &shade, l, j, l->out + POINT_OUT(j),
                            x[b * LAST + q], clipped);
            }
        }
    }
}
#endif

KERNEL(THREADS, RESIDENT)
VOID filter_pass(GLOBAL const source *src, GLOBAL sink *dst, GLOBAL const cplx *table,
                 GLOBAL const real *params, GLOBAL const factor *filter, GLOBAL uint *counters,
                 const struct pass_args args TILE_PARAMETER(word)) {
    TILE_DECLARE(word)
    const struct pass_args *a = &args;
    const uint id = (uint)LOCAL_ID;
    const uint l0 = ROWS_IN ? id / PER_LINE : id % LINES, p0 = ROWS_IN ? id % PER_LINE : id / LINES;
    const uint l1 = ROWS_OUT ? id / PER_LINE : id % LINES;
    const uint p1 = ROWS_OUT ? id % PER_LINE : id / LINES;
    GLOBAL const cplx *stages = table + args.table_stage;
    const struct line in = line_at(a, (uint)GROUP_ID, l0, LINES);
    const struct line out = ROWS_IN == ROWS_OUT ? in : line_at(a, (uint)GROUP_ID, l1, LINES);
    cplx x[SIDES * HELD];
    int clipped = 0;
#if SIDES == 2
    load_sides(x, a, src, &in, p0);
#else
    load_line(x, a, src, table, &in, p0);
#endif
    transform(x, tile, stages, p0, l0, p1, l1, 1);
#if SIDES == 2
    mix_sides(x, table + args.table_split, p1, 1);
#endif
    filter_line(x, a, filter, &out, p1);
    if (p1 == 0 && out.zero) {
        x[0].x += params[PARAM_OFFSET];
#if LOAD == LOAD_PAIR
        x[0].y += params[PARAM_OFFSET]; /* the other line's */
#endif
    }
#if SIDES == 2
    mix_sides(x, table + args.table_split, p1, -1);
#endif
#if RADIX0 != LAST
    exchange(x, tile, p1, l1, p1, l1, LAST, POINTS / LAST, RADIX0);
#endif
    transform(x, tile, stages, p1, l1, p1, l1, -1);
#if SIDES == 2
    store_sides(x, a, dst, &out, p1);
#else
    store_line(x, a, dst, table, params, &out, p1, &clipped);
#endif
    if (clipped)
        ATOMIC_ADD(&counters[GROUP_ID % COUNTERS], (uint)clipped);
    (void)counters;
}
