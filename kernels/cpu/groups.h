/* Tiles of several adjacent blocks of LANES lines across rows. A few rows are read in all blocks
 * before the next ones, and results are written row by row, so that runs in memory are long. */
#ifndef GF_KERNELS_CPU_GROUPS_H
#define GF_KERNELS_CPU_GROUPS_H

/* Adjacent blocks in a tile. */
struct group {
    const struct tile *tile; /* one per block */
    int count;
    int64_t lines;               /* existing lines */
    cvec *x[GF_CPU_MAX_GROUPS];  /* transformed points of each block */
    ivec own[GF_CPU_MAX_GROUPS]; /* own_mirror_lanes() */
    const real *column;          /* unpacked: re and im of an extra line; NULL: none */
    bool whole;                  /* has all blocks of a row */
};

/* Loads points k to end - 1 of complex lines across an array's rows. */
static void load_array_columns(const struct tile *t, cvec *a, int64_t k, int64_t end, bool swap,
                               ptrdiff_t next) {
    const struct gf_cpu_end *e = &t->pass->source;
    const struct lanes s = lanes_of(t, e, 0, false);
    const char *base = outer_at(t, e, false);
    if (s.order > 0 && sample_size[e->type] == 2 * (int)sizeof(real) && !e->line.shift) {
        for (base += s.at[0]; k < end; k++) {
            const char *row = base + k * e->line.stride;
            a[k] = swap_if(swap, load_pairs((const real *)row));
            if (next)
                prefetch_for_reading(row + next, (int)sizeof(cvec));
        }
        return;
    }
    for (; k < end; k++)
        a[k] = swap_if(swap, read_lanes(e->type, &s, base + axis_at(&e->line, k)));
}

/* Prefetches the next tile's rows, unless short lines have a few rows far apart, which evict each
 * other from the cache. Measured: this exception gains a tenth at 16x1048576. */
static void load_group(const struct tile *t, int count) {
    enum { ROWS = 8, LEAST_LINE = 32 };
    const struct gf_cpu_pass_args *p = t->pass;
    const bool work = p->source.type == GF_CPU_WORK;
    const ptrdiff_t next =
        p->destination.stream && p->n >= LEAST_LINE ? count * (ptrdiff_t)sizeof(cvec) : 0;
    for (int64_t k = 0; k < p->n; k += ROWS)
        for (int g = 0; g < count; g++) {
            int64_t end = k + ROWS < p->n ? k + ROWS : p->n;
            if (work)
                load_work_columns(&t[g], t[g].a, k, end, p->inverse);
            else
                load_array_columns(&t[g], t[g].a, k, end, p->inverse, next);
        }
}

/* Complex numbers `step` reals apart; imaginary parts are `im` reals after real ones. */
struct strided {
    real *re;
    ptrdiff_t im, step;
};
static struct strided first_lane(cvec *x) {
    return (struct strided){(real *)x, LANES, 2 * LANES};
}

/* x holds A + i B, the spectra of two real lines; y is the tile at the mirror image on the outer
 * axes, or x. Leaves A in place and writes B to p and q. */
static void unpack_lane(struct strided x, struct strided y, struct strided p, struct strided q,
                        int64_t n) {
    const real half = (real)0.5;
    for (int64_t k = 0; k < (x.re == y.re ? n / 2 + 1 : n); k++) {
        const int64_t m = k ? n - k : 0;
        real *z = x.re + k * x.step, *w = y.re + m * y.step;
        real *b = p.re + k * p.step, *c = q.re + m * q.step;
        real zr = z[0], zi = z[x.im], wr = w[0], wi = w[y.im];
        real ar = (zr + wr) * half, ai = (zi - wi) * half;
        real br = (zi + wi) * half, bi = (wr - zr) * half;
        w[0] = ar;
        w[y.im] = -ai;
        z[0] = ar;
        z[x.im] = ai;
        c[0] = br;
        c[q.im] = -bi;
        b[0] = br;
        b[p.im] = bi;
    }
}

/* Unpacks the first column of the written tile. */
static void unpack_written(const struct tile *t) {
    const struct gf_cpu_end *e = &t->pass->destination;
    const ptrdiff_t step = e->line.stride / (ptrdiff_t)sizeof(real);
    char *base = outer_at(t, e, false);
    const struct strided first = {(real *)base, 1, step};
    const struct strided last = {(real *)(base + axis_at(&e->lane, t->pass->n_lane)), 1, step};
    unpack_lane(first, first, last, last, t->pass->n);
}

/* For an inverse: lane 0, A with re and im swapped, becomes A + i B, where B is the source's column
 * n_lane. Uses the Hermitian parts: the rest would not become real. */
static void pack_within(const struct tile *t) {
    const struct gf_cpu_pass_args *p = t->pass;
    const struct gf_cpu_end *e = &p->source;
    const char *column = outer_at(t, e, false) + axis_at(&e->lane, p->n_lane);
    const real half = (real)0.5;
    real *z = (real *)t->a;
    for (int64_t k = 0; 2 * k <= p->n; k++) {
        const int64_t m = k ? p->n - k : 0;
        real *x = z + 2 * LANES * k, *y = z + 2 * LANES * m, br, bi, cr, ci;
        read_complex(e->type, column + axis_at(&e->line, k), &br, &bi);
        read_complex(e->type, column + axis_at(&e->line, m), &cr, &ci);
        const real ar = (x[LANES] + y[LANES]) * half, ai = (x[0] - y[0]) * half;
        const real re = (br + cr) * half, im = (bi - ci) * half;
        y[LANES] = ar + im;
        y[0] = re - ai;
        x[LANES] = ar - im;
        x[0] = ai + re;
    }
}

/* Number k of the unpacked line. */
INLINE void put_column(const real *column, int64_t k, real factor, char *at) {
    ((real *)at)[0] = column[2 * k] * factor;
    ((real *)at)[1] = column[2 * k + 1] * factor;
}

static void store_column(const struct group *g) {
    const struct gf_cpu_pass_args *p = g->tile->pass;
    const struct gf_cpu_end *e = &p->destination;
    const struct gf_cpu_axis line = e->line;
    const real *column = g->column, factor = (real)e->factor;
    char *base = outer_at(g->tile, e, false) + axis_at(&e->lane, p->n_lane);
    for (int64_t k = 0, n = p->n; k < n; k++)
        put_column(column, k, factor, base + axis_at(&line, k));
}

/* ---------------------------------------------------------------- rows of plain complex numbers */

enum { LINE_BYTES = 64, ROW_BYTES = (GF_CPU_MAX_GROUPS * LANES + 1) * 2 * (int)sizeof(real) };

/* True for contiguous complex numbers of the kernels' precision, none mirrored. */
static bool group_is_plain(const struct tile *t) {
    const struct gf_cpu_end *e = &t->pass->destination;
    return e->type != GF_CPU_WORK && e->value == GF_CPU_COMPLEX && !e->hermitian && !e->discard &&
           !e->lane.shift && sample_size[e->type] == 2 * (int)sizeof(real) &&
           e->lane.stride == 2 * (ptrdiff_t)sizeof(real);
}

INLINE bool row_is_own_mirror(const struct gf_cpu_end *e, int64_t k) {
    return is_own_mirror(&e->line, e->half_axis == GF_CPU_HALF_LINE ? e->half_n : e->line.n, k);
}

/* Copies less than a cache line, a multiple of 8 bytes, without a call. */
INLINE void copy_part(char *to, const char *from, int64_t bytes) {
    _Pragma("GCC unroll 4") for (int size = LINE_BYTES / 2; size >= 8;
                                 size /= 2) if (bytes & size) {
        __builtin_memcpy(to, from, (size_t)size);
        to += size;
        from += size;
    }
}

/* Copies a row past the caches, except its ends, which share cache lines with other rows. Both
 * addresses are equal modulo a cache line. */
INLINE void copy_streamed(char *to, const char *from, int64_t bytes) {
    int64_t head = -(intptr_t)to & (LINE_BYTES - 1);
    head = head < bytes ? head : bytes;
    copy_part(to, from, head);
    for (; head + LINE_BYTES <= bytes; head += LINE_BYTES)
        for (int at = 0; at < LINE_BYTES; at += (int)sizeof(vec))
            vec_stream(to + head + at, *(const vec *)(from + head + at));
    copy_part(to + head, from + head, bytes - head);
}

/* Writes row k to `to`. g and e are copies that stores cannot alias. */
INLINE void put_row(const struct group *g, const struct gf_cpu_end *e, bool swap, int64_t k,
                    bool stream, char *to) {
    const bool real_only = e->real_origin && row_is_own_mirror(e, k);
    const vec factor = vec_splat((real)e->factor);
    for (int i = 0; i < g->count; i++, to += 2 * sizeof(vec)) {
        cvec v = swap_if(swap, g->x[i][k]);
        if (real_only)
            v.im = vec_select(g->own[i], (vec){0}, v.im);
        v = (cvec){v.re * factor, v.im * factor};
        vec_put(to, vec_zip_low(v.re, v.im), stream);
        vec_put(to + sizeof(vec), vec_zip_high(v.re, v.im), stream);
    }
}

/* For whole vectors; streamed rows are aligned. */
static void store_rows_directly(const struct group *group, char *base, bool stream) {
    const struct group g = *group;
    const struct gf_cpu_end e = g.tile->pass->destination;
    const bool swap = ends_swapped(g.tile->pass);
    const int bytes = (int)(g.lines * 2 * (int64_t)sizeof(real));
    for (int64_t k = 0, n = g.tile->pass->n; k < n; k++) {
        if (!stream && k + AHEAD < n)
            prefetch_for_writing(base + axis_at(&e.line, k + AHEAD), bytes);
        put_row(&g, &e, swap, k, stream, base + axis_at(&e.line, k));
    }
}

/* For rows of any length and alignment: each is assembled, then copied from the first-level cache
 * one row later. */
static void store_rows_staged(const struct group *group, char *base) {
    const struct group g = *group;
    const struct gf_cpu_pass_args *p = g.tile->pass;
    const struct gf_cpu_end e = p->destination;
    const bool ends_row = g.column && g.whole, swap = ends_swapped(p);
    const int64_t bytes = (g.lines + ends_row) * 2 * (int64_t)sizeof(real);
    _Alignas(LINE_BYTES) char stage[2][(ROW_BYTES / LINE_BYTES + 2) * LINE_BYTES];
    char *before = NULL, *row = NULL;
    for (int64_t k = 0; k <= p->n; k++) {
        char *to = k < p->n ? base + axis_at(&e.line, k) : NULL, *at = NULL;
        if (to) {
            at = stage[k % 2] + ((uintptr_t)to & (LINE_BYTES - 1));
            put_row(&g, &e, swap, k, false, at);
            if (ends_row)
                put_column(g.column, k, (real)e.factor, at + g.lines * 2 * (int64_t)sizeof(real));
        }
        if (before && e.stream)
            copy_streamed(before, row, bytes);
        else if (before)
            memcpy(before, row, (size_t)bytes);
        before = to;
        row = at;
    }
}

/* For adjacent rows: no cache line is written in parts. */
static void store_rows_at_once(const struct group *group, char *base) {
    const struct group g = *group;
    const struct gf_cpu_pass_args *p = g.tile->pass;
    const struct gf_cpu_end e = p->destination;
    const bool swap = ends_swapped(p);
    const size_t bytes = (size_t)p->destination.line.stride;
    _Alignas(WRITER_UNIT) char buffer[ROW_BYTES + 2 * WRITER_UNIT + 2 * LINE_BYTES];
    struct row_writer w;
    writer_begin(&w, buffer, base);
    for (int64_t k = 0; k < p->n; k++) {
        char *at = writer_room(&w);
        put_row(&g, &e, swap, k, false, at);
        if (g.column)
            put_column(g.column, k, (real)e.factor, at + g.lines * 2 * (int64_t)sizeof(real));
        writer_add(&w, bytes);
    }
    writer_end(&w);
}

/* Writes unaligned rows past the caches if that is worth assembling them. */
static void store_plain_rows(struct group *g) {
    enum { WORTH_STAGING = 8 * LINE_BYTES };
    const struct gf_cpu_end *e = &g->tile->pass->destination;
    char *base = outer_at(g->tile, e, false) + g->tile->lane0 * e->lane.stride;
    bool aligned = ((uintptr_t)base | (uintptr_t)e->line.stride) % sizeof(vec) == 0;
    for (int i = 0; i < g->count; i++)
        g->own[i] = own_mirror_lanes(&g->tile[i], 0);
    const bool ends_row = g->column && g->whole;
    const bool partial = g->lines < (int64_t)g->count * LANES;
    const ptrdiff_t bytes = (g->lines + ends_row) * 2 * (ptrdiff_t)sizeof(real);
    bool column = ends_row; /* written with the rows */
    if (e->stream && e->line.stride == bytes && !e->line.shift) {
        store_rows_at_once(g, base);
    } else if (partial || (e->stream && (!aligned || ends_row) && bytes >= WORTH_STAGING)) {
        store_rows_staged(g, base);
    } else {
        store_rows_directly(g, base, e->stream && aligned);
        column = false;
    }
    if (g->column && !column)
        store_column(g);
}

/* ---------------------------------------------------------------- other destinations */

static void store_group(const struct group *g, struct gf_cpu_stats *stats) {
    enum { ROWS = 8 };
    const struct tile *t = g->tile;
    const struct gf_cpu_pass_args *p = t->pass;
    struct columns columns[GF_CPU_MAX_GROUPS];
    bool work = p->destination.type == GF_CPU_WORK;
    for (int i = 0; i < g->count && !work; i++) {
        columns[i] = (struct columns){0};
        columns_begin(&t[i], 0, &columns[i]);
    }
    for (int64_t k = 0; k < p->n; k += ROWS)
        for (int i = 0; i < g->count; i++) {
            int64_t end = k + ROWS < p->n ? k + ROWS : p->n;
            if (work)
                store_work_columns(&t[i], g->x[i], k, end, ends_swapped(p));
            else
                columns_store(&t[i], 0, &columns[i], g->x[i], k, end, p->n);
        }
    for (int i = 0; i < g->count && !work; i++) {
        while (mapping_again(&columns[i].m))
            columns_store(&t[i], 0, &columns[i], g->x[i], 0, p->n, p->n);
        mapping_report(&columns[i].m, stats);
    }
    if (g->column)
        store_column(g);
}

/* room: scratch for one more block, and with unpacks_within for another. */
static void run_groups(const struct tile *t, int count, cvec *room, struct gf_cpu_stats *stats) {
    const struct gf_cpu_pass_args *p = t->pass;
    struct group g;
    cvec *spare = room;
    g.tile = t;
    g.count = count;
    g.lines = 0;
    g.column = NULL;
    g.whole = false;
    load_group(t, count);
    if (p->packs_within && !t->lane0)
        pack_within(t);
    for (int i = 0; i < count; i++) {
        g.lines += t[i].count[0];
        struct points to;
        const bool writes = p->destination.type == GF_CPU_WORK && writes_points(&t[i], &to);
        g.x[i] = transform(&t[i], t[i].a, spare, NULL, writes ? &to : NULL);
        if (g.x[i] == spare)
            spare = t[i].a;
    }
    if (p->unpacks_within && !t->lane0) {
        real *column = (real *)(room + gf_cpu_scratch_points(p, LANES));
        const struct strided first = first_lane(g.x[0]), last = {column, 1, 2};
        unpack_lane(first, first, last, last, p->n);
        g.column = column;
        g.whole = g.lines == p->n_lane;
    }
    if (group_is_plain(t))
        store_plain_rows(&g);
    else if (g.x[count - 1])
        store_group(&g, stats);
}

#endif
