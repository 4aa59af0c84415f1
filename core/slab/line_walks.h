/* What the walks over long lines share. Private to core/slab/. */
#ifndef GF_CORE_SLAB_LINE_WALKS_H
#define GF_CORE_SLAB_LINE_WALKS_H

#include "core/slab/line_math.h"
#include "core/slab/state.h"

struct gf_lines {
    struct gf_slab_state *r;
    const struct gf_slab_plan *p;
    int64_t n;              /* points of a line */
    int64_t point;          /* bytes of one in the exchange */
    struct gf_roots points; /* of n; and of the samples, where two are a point */
    struct gf_roots samples;
    double squares; /* of the input, where a display range looks at them */
    struct gf_range_sample sample;
    double *sampled; /* re, im of each of its bins */
    bool scans;      /* for a display range: nothing is written */
    void *low, *high, *staged, *numbers, *converted;
};

static inline bool gf_lines_wide(const struct gf_lines *l) {
    return l->p->number == 16;
}

static inline int64_t gf_lines_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Where the exchange has a point of row k1. */
static inline int64_t gf_lines_place(const struct gf_lines *l, int64_t line, int64_t row,
                                     int64_t column) {
    return (line * l->n + row * l->p->rows + column) * l->point;
}

/* The walk over the blocks of columns: from the input, or back to the outputs. */
int gf_lines_columns(struct gf_lines *l, bool inverse);
/* A line's rows one after the other: transformed in place. */
struct gf_job gf_lines_row_job(const struct gf_slab_plan *p);
/* The same of a filter: times its values, and back. */
int gf_lines_filter_rows(struct gf_lines *l);

#endif
