/* Multiplies a filter's values along a line into a work item's points. */
#ifndef FILTER_LINE_H
#define FILTER_LINE_H

#include "filter.h"
#include "lines.h"
#include "tile.h"

#if FILTER == FILTER_FACTORS
/* Joins the fixed axes' values of a line into the low pass that begins at `from`. */
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

/* The filter on the line at index k, or on its mirror image at minus k. */
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

/* A work item's points: k, and on a second side k + n/2, or the mirror image's n/2 - k. */
INLINE void multiply(cplx *x, const FILTER_LINE *m, const struct share share) {
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = share.first + b * PER_LINE;
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
                        const struct line *line, const struct share share) {
#if FILTER == FILTER_FACTORS
    GLOBAL const real *from = filter + a->filter.values;
    for (int i = 0; i < (int)a->filter.factors; i++, from += 2 * a->filter.each) {
        struct filter_factor m = factor_at(from, a->filter.each, a->filter_along);
        set_line(&m.a, a, line, from);
#if BANDS
        set_line(&m.b, a, line, from + a->filter.each);
#endif
        multiply(x, &m, share);
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
    multiply(x, &m, share);
#endif
}

#endif
