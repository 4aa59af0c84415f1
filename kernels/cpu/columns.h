/* Columns of few points in an array of complex numbers, LANES columns at a time, transformed in
 * registers. Alternating reads and writes keep memory busy with both; a tile in scratch would be
 * read and written in bursts. */
#ifndef GF_KERNELS_CPU_COLUMNS_H
#define GF_KERNELS_CPU_COLUMNS_H

/* True for contiguous complex numbers of the kernels' precision. */
static bool end_is_plain(const struct gf_cpu_end *e) {
    return e->type >= GF_CPU_C64 && e->type != GF_CPU_WORK &&
           sample_size[e->type] == 2 * (int)sizeof(real) && !e->hermitian && !e->lane.shift &&
           !e->line.shift && e->lane.stride == 2 * (ptrdiff_t)sizeof(real);
}

/* ---------------------------------------------------------------- transforms between arrays */

/* Locates the tile's points at an end; false if they need more than a copy. */
static bool points_at(const struct tile *t, const struct gf_cpu_end *e, struct points *points) {
    const struct gf_cpu_pass_args *p = t->pass;
    *points = (struct points){.at = outer_at(t, e, false) + t->lane0 * e->lane.stride,
                              .step = e->line.stride,
                              .kind = e->type == GF_CPU_WORK ? POINTS_CVECS : POINTS_PAIRS};
    return p->form == GF_CPU_C2C && p->line && p->line->algorithm == GF_CPU_STAGES && p->n > 1 &&
           (points->kind != POINTS_CVECS
                ? end_is_plain(e) && t->count[0] == LANES
                : !e->line_is_inner && !e->band && points->step % (ptrdiff_t)sizeof(cvec) == 0);
}

/* True if the transform can read the tile's source directly. Not for long columns of a large array,
 * whose rows are pages apart (measured: a fifth slower at 3000x4000). Prefetches the next tile if
 * the source outgrows the second-level cache (measured: a seventh of 256^3). */
static bool reads_points(const struct tile *t, struct points *from) {
    enum { NEAR_BYTES = 1 << 15, LONG_BYTES = 1 << 17, FAR_BYTES = 1 << 22 };
    const struct gf_cpu_pass_args *p = t->pass;
    const bool reads =
        points_at(t, &p->source, from) && !p->twist && !(p->packs_within && !t->lane0);
    const int64_t tile = p->n * (int64_t)sizeof(cvec);
    const bool is_far = tile / LANES * p->n_lane * p->n_outer[0] * p->n_outer[1] > FAR_BYTES;
    from->swapped = p->inverse;
    from->ahead = is_far ? LANES * p->source.lane.stride : 0;
    from->far = tile > NEAR_BYTES;
    return reads && !(from->kind != POINTS_CVECS && is_far && tile > LONG_BYTES);
}

/* True if the transform can write the tile's destination directly. Prefetches for writing, unless
 * rows are several cache lines and a tile fits the second-level cache: eight rows of a power of two
 * evict each other from the first. Measured: without this exception 64^3 loses a tenth; 1024^2
 * gains one by prefetching. Packed columns are unpacked in place, where they are not scaled. */
static bool writes_points(const struct tile *t, struct points *to) {
    enum { ROWS_AHEAD = 12, LONG_BYTES = 1 << 17 };
    const struct gf_cpu_pass_args *p = t->pass;
    const struct gf_cpu_end *e = &p->destination;
    const bool unpacks = p->unpacks_within && !t->lane0;
    if (!points_at(t, e, to) || e->discard ||
        (to->kind != POINTS_CVECS && e->value != GF_CPU_COMPLEX) ||
        (unpacks && (to->kind == POINTS_CVECS || e->factor != 1)))
        return false;
    const ivec own = own_mirror_lanes(t, 0);
    bool any = false;
    for (int l = 0; l < LANES && to->kind != POINTS_CVECS && e->real_origin && !unpacks; l++)
        any |= own[l] != 0;
    const bool aligned = ((uintptr_t)to->at | (uintptr_t)to->step) % sizeof(vec) == 0;
    to->swapped = ends_swapped(p);
    to->stream = e->stream;
    to->far = VEC_BYTES == 64;
    to->ahead = e->stream || (to->far && p->n * (int64_t)sizeof(cvec) < LONG_BYTES) ? 0 : to->step;
    to->ahead *= to->far ? ROWS_AHEAD : 1;
    to->factor = (real)e->factor;
    return !any && (aligned || to->kind == POINTS_CVECS || !e->stream);
}

/* Transforms the tile's points a, or those at `from`; with a gain, multiplies by it and transforms
 * back. b is scratch. Returns a or b, whichever has the result, or NULL if that is at `to`. */
static cvec *transform(const struct tile *t, cvec *a, cvec *b, const struct points *from,
                       const struct points *to) {
    const struct gf_cpu_pass_args *p = t->pass;
    const struct points loaded = {.at = (char *)a, .step = sizeof *a};
    if (!p->line)
        return a;
    if (!p->gain && (from || to)) {
        line_between(p->line, from ? from : &loaded, b, to);
        return to ? NULL : b;
    }
    cvec *x = b;
    if (from)
        line_between(p->line, from, b, NULL);
    else
        x = line_run(p->line, a, b);
    if (!p->gain)
        return x;
    cvec *y = x == a ? b : a;
    gain_apply(t, x);
    if (!to)
        return line_run(p->line, x, y);
    const struct points back = {.at = (char *)x, .step = sizeof *x};
    line_between(p->line, &back, y, to);
    return NULL;
}

/* ---------------------------------------------------------------- columns of few points */

/* True for a tile of whole blocks that run_short_columns() can transform. */
static bool columns_are_short(const struct tile *t) {
    const struct gf_cpu_pass_args *p = t->pass;
    const struct gf_cpu_end *d = &p->destination;
    return p->form == GF_CPU_C2C && p->line && p->line->algorithm == GF_CPU_STAGES && p->n > 1 &&
           p->line->n_stages == 1 && (p->n == 16 || p->n == 8 || p->n == 4) && !p->gain &&
           !p->twist && !p->unpacks && !p->unpacks_within && !p->packs_within &&
           end_is_plain(&p->source) && end_is_plain(d) && d->value == GF_CPU_COMPLEX &&
           !d->discard && !d->real_origin && p->n_lane - t->lane0 >= gf_cpu_tile_lines(p, LANES);
}

/* A block's first row, and bytes between rows. */
struct short_columns {
    const char *from;
    char *to;
    ptrdiff_t from_row, to_row;
    real factor;
};

INLINE void run_column_block(const struct short_columns *c, int n, bool swap, bool stream) {
    enum { AHEAD_COLUMNS = 4 * (int)sizeof(cvec) };
    const vec factor = vec_splat(c->factor);
#define TAKE_ROWS(first, step, count, x) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++) { \
        const char *row = c->from + ((first) + (step)*i) * c->from_row; \
        if (stream) \
            prefetch_for_reading(row + AHEAD_COLUMNS, (int)sizeof(cvec)); \
        (x)[i] = swap_if(swap, take_block(row)); \
    }
#define PUT_ROWS(first, step, count, x) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++) { \
        const cvec v = {(x)[i].re * factor, (x)[i].im * factor}; \
        put_block(c->to + ((first) + (step)*i) * c->to_row, swap_if(swap, v), stream); \
    }
    DFT_THROUGH(n, TAKE_ROWS, PUT_ROWS);
#undef TAKE_ROWS
#undef PUT_ROWS
}

static void run_short_columns(const struct tile *t) {
    const struct gf_cpu_pass_args *p = t->pass;
    const struct gf_cpu_end *s = &p->source, *d = &p->destination;
    struct short_columns c = {.from = outer_at(t, s, false) + t->lane0 * s->lane.stride,
                              .to = outer_at(t, d, false) + t->lane0 * d->lane.stride,
                              .from_row = s->line.stride,
                              .to_row = d->line.stride,
                              .factor = (real)d->factor};
    const int64_t blocks = gf_cpu_tile_lines(p, LANES) / LANES;
    const bool aligned = ((uintptr_t)c.to | (uintptr_t)c.to_row) % sizeof(vec) == 0;
#define RUN(n, swap, stream) \
    for (int64_t g = 0; g < blocks; g++, c.from += sizeof(cvec), c.to += sizeof(cvec)) \
    run_column_block(&c, n, swap, stream)
#define RUN_ENDS(n) \
    if (d->stream && aligned && p->inverse) \
        RUN(n, true, true); \
    else if (d->stream && aligned) \
        RUN(n, false, true); \
    else if (p->inverse) \
        RUN(n, true, false); \
    else \
        RUN(n, false, false)
    if (p->n == 16) {
        RUN_ENDS(16);
    } else if (p->n == 8) {
        RUN_ENDS(8);
    } else {
        RUN_ENDS(4);
    }
#undef RUN_ENDS
#undef RUN
}

#endif
