/* A tile of contiguous lines from load to store, a few lines at a time (kernels/cpu/rows.h). */
#ifndef GF_KERNELS_CPU_ROW_TILE_H
#define GF_KERNELS_CPU_ROW_TILE_H

/* A line at one end of a pass: pairs, or blocks of LANES real and LANES imaginary parts `step`
 * reals apart. Block rest_from, if any, is the last, incomplete one, at `rest`. */
struct row_place {
    real *at, *rest;
    ptrdiff_t step;
    int64_t rest_from;
    bool pairs;
    const real *last; /* struct gf_cpu_column; NULL: stored after the others */
};

struct row_side {
    const struct gf_cpu_end *end;
    char *base; /* at the tile's outer indices */
    int64_t lane0;
    const char *last;     /* struct gf_cpu_column */
    ptrdiff_t step, next; /* reals between blocks; between lines, 0: varies */
};

static struct row_side row_side(const struct tile *t, const struct gf_cpu_end *e) {
    struct row_side s = {
        .end = e, .base = outer_at(t, e, false), .lane0 = t->lane0, .last = last_base(t, e)};
    ptrdiff_t step = e->line.stride * LANES;
    if (e->band)
        step = banded_at(e, e->lane.n, t->lane0, 1) - banded_at(e, e->lane.n, t->lane0, 0);
    s.step = step / (ptrdiff_t)sizeof(real);
    s.next = e->band || e->lane.shift || e->lane.stride % (ptrdiff_t)sizeof(real)
                 ? 0
                 : e->lane.stride / (ptrdiff_t)sizeof(real);
    return s;
}

/* Line i of the tile. */
INLINE struct row_place row_place(const struct row_side *s, int64_t i) {
    const struct gf_cpu_end *e = s->end;
    struct row_place p = {.step = s->step, .rest_from = INT64_MAX, .pairs = e->type != GF_CPU_WORK};
    if (e->band) {
        p.at = (real *)banded_at(e, e->lane.n, s->lane0 + i, 0);
        p.rest_from = e->rest_from;
        p.rest = (real *)banded_at(e, e->lane.n, s->lane0 + i, e->rest_from);
    } else {
        p.at = (real *)(s->base + axis_at(&e->lane, s->lane0 + i));
    }
    if (s->last)
        p.last = (const real *)(s->last + (s->lane0 + i) * e->last.lane);
    return p;
}

/* Block i, which is complete. */
INLINE cvec *place_block(const struct row_place *p, int64_t i) {
    return (cvec *)(p->at + i * p->step);
}

INLINE cvec place_read(const struct row_place *p, int64_t i) {
    return p->pairs ? load_pairs(p->at + 2 * LANES * i) : *place_block(p, i);
}

INLINE void place_write(const struct row_place *p, int64_t i, cvec x) {
    if (p->pairs)
        store_pairs(p->at + 2 * LANES * i, x);
    else
        *place_block(p, i) = x;
}

/* Writes a line's last `count` complex numbers, one or LANES / 2 + 1, padded with zeros. */
INLINE void place_write_last(const struct row_place *p, int64_t i, int count, cvec x) {
    if (p->pairs) {
        const int64_t k = i * LANES;
        if (count > 1)
            vec_storeu(p->at + 2 * k, vec_zip_low(x.re, x.im));
        p->at[2 * (k + count) - 2] = x.re[count > 1 ? LANES / 2 : 0];
        p->at[2 * (k + count) - 1] = x.im[count > 1 ? LANES / 2 : 0];
        return;
    }
    for (int l = count; l < LANES; l++)
        x.re[l] = x.im[l] = 0;
    *(i < p->rest_from ? place_block(p, i) : (cvec *)p->rest) = x;
}

/* Block i of the half spectra of A and B, times 2 f. */
INLINE void split_block(const real *re, const real *im, int64_t n, vec f, int64_t i, cvec *a,
                        cvec *b) {
    const int64_t k = i * LANES, m = n - k - LANES + 1;
    const vec xr = vec_loadu(re + k), yr = vec_reverse(vec_loadu(re + m));
    const vec xi = vec_loadu(im + k), yi = vec_reverse(vec_loadu(im + m));
    *a = (cvec){(xr + yr) * f, (xi - yi) * f};
    *b = (cvec){(xi + yi) * f, (yr - xr) * f};
}

/* split_rows() for constant `pairs` and `both`. */
INLINE void split_rows_to(const real *re, const real *im, int64_t n, real factor, bool packs,
                          struct row_place a, struct row_place b, bool pairs, bool both) {
    const int64_t half = n / 2, count = half + !packs, whole = count / LANES;
    const vec f = vec_splat(factor * (real)0.5);
    cvec u, v;
    a.pairs = b.pairs = pairs;
    for (int64_t i = 0; i < whole; i++) {
        split_block(re, im, n, f, i, &u, &v);
        place_write(&a, i, u);
        if (both)
            place_write(&b, i, v);
    }
    if (whole * LANES < count) {
        split_block(re, im, n, f, whole, &u, &v);
        place_write_last(&a, whole, (int)(count - whole * LANES), u);
        if (both)
            place_write_last(&b, whole, (int)(count - whole * LANES), v);
    }
    if (packs)
        a.at[pairs ? 1 : LANES] = re[half] * factor;
    if (packs && both)
        b.at[pairs ? 1 : LANES] = im[half] * factor;
}

/* Splits the spectrum re, im of A + i B into half spectra of A and B (NULL: none), times `factor`.
 * Index n must repeat index 0. */
static void split_rows(const real *re, const real *im, int64_t n, real factor, bool packs,
                       const struct row_place *a, const struct row_place *b) {
    if (!b)
        split_rows_to(re, im, n, factor, packs, *a, *a, a->pairs, false);
    else if (a->pairs)
        split_rows_to(re, im, n, factor, packs, *a, *b, true, true);
    else
        split_rows_to(re, im, n, factor, packs, *a, *b, false, true);
}

/* Frequency k of a line. */
INLINE void place_point(const struct row_place *p, int64_t k, int64_t half, real *re, real *im) {
    const ptrdiff_t at = p->pairs ? 2 * k : k / LANES * p->step + k % LANES;
    const real *x = p->last && k == half ? p->last : p->at + at;
    *re = x[0];
    *im = x[p->pairs || x == p->last ? 1 : LANES];
}

/* Joins one frequency and its mirror image; `odd` 0 drops imaginary parts. */
static void join_point(const struct row_place *a, const struct row_place *b, int64_t k, real odd,
                       real *re, real *im, int64_t n) {
    real xr, xi, yr = 0, yi = 0;
    place_point(a, k, n / 2, &xr, &xi);
    if (b)
        place_point(b, k, n / 2, &yr, &yi);
    xi *= odd;
    yi *= odd;
    re[k] = xr - yi;
    im[k] = -(xi + yr);
    re[n - k] = xr + yi;
    im[n - k] = xi - yr;
}

/* Joins whole blocks for constant `pairs`; returns their end. */
INLINE int64_t join_blocks(struct row_place a, struct row_place b, int64_t n, real *re, real *im,
                           bool pairs) {
    int64_t k = 0;
    a.pairs = b.pairs = pairs;
    for (; k + LANES <= n / 2; k += LANES) {
        const cvec x = place_read(&a, k / LANES), y = place_read(&b, k / LANES);
        vec_storeu(re + k, x.re - y.im);
        vec_storeu(im + k, -(x.im + y.re));
        vec_storeu(re + n - k - LANES + 1, vec_reverse(x.re + y.im));
        vec_storeu(im + n - k - LANES + 1, vec_reverse(x.im - y.re));
    }
    return k;
}

/* Joins half spectra A and B (NULL: 0) to the conjugate of A + i B, whose transform is the
 * conjugate of its inverse. re and im have room for an index n. */
static void join_rows(const struct row_place *a, const struct row_place *b, int64_t n, real *re,
                      real *im) {
    const int64_t half = n / 2;
    int64_t k = 1;
    if (b)
        k = a->pairs ? join_blocks(*a, *b, n, re, im, true) : join_blocks(*a, *b, n, re, im, false);
    /* zero by symmetry at 0 and n / 2 */
    join_point(a, b, 0, 0, re, im, n);
    for (k = k ? k : 1; k < half; k++)
        join_point(a, b, k, 1, re, im, n);
    join_point(a, b, half, 0, re, im, n);
}

/* Shared by the lines of a tile. */
struct row_work {
    const struct tile *t;
    struct row_side from, to;
    cvec *a, *b;  /* for rows_run() */
    real *planes; /* two per line: re and im, or two real lines; and one more */
    char *stage;  /* room for the tile's lines */
    struct gf_cpu_end staged;
    int64_t pitch;
    int lines;
};

/* The lines to prefetch. */
struct row_stream {
    const char *at;  /* line 0; NULL: lines are not contiguous */
    ptrdiff_t bytes; /* per line */
    int ahead;       /* distance in lines */
};

/* `lines` lines of `points` alternate. Only for arrays that are not in cache. */
static struct row_stream row_stream(const struct tile *t, const struct row_side *s, int lines,
                                    int64_t points) {
    enum { LEAST_LINE = 128, MOST_LINE = 16384, PAGE = 4096, LEAST_AHEAD = 2048 };
    const struct gf_cpu_row *rows = t->pass->rows;
    const bool strided = rows->reads && rows->line->n_stages > 1; /* a line is not read
                                                                   * sequentially */
    const struct gf_cpu_end *e = s->end;
    struct row_stream r = {.at = NULL};
    if (!t->pass->destination.stream || e->type == GF_CPU_WORK || e->lane.shift ||
        (lines < 2 && !strided))
        return r;
    r.bytes = points * sample_size[e->type];
    if (e->lane.stride != r.bytes || r.bytes < LEAST_LINE ||
        r.bytes >= (strided ? MOST_LINE : PAGE))
        return r;
    r.at = (const char *)row_place(s, 0).at;
    r.ahead = (int)((LEAST_AHEAD + lines * r.bytes - 1) / (lines * r.bytes)) * lines;
    return r;
}

/* Prefetch address for line i and its neighbours. */
INLINE const char *ahead_of(const struct row_stream *r, int i) {
    return r->at ? r->at + (i + r->ahead) * r->bytes : NULL;
}

/* Starts a writer for adjacent lines of `points` that bypass the caches; else returns NULL. */
static struct row_writer *begin_writing(const struct row_work *w, int64_t points,
                                        struct row_writer *writer) {
    const struct gf_cpu_end *e = w->to.end;
    if (e->type == GF_CPU_WORK || !e->stream || e->lane.shift ||
        e->lane.stride != points * sample_size[e->type])
        return NULL;
    writer_begin(writer, w->stage, (char *)row_place(&w->to, 0).at);
    return writer;
}

/* Line i at the destination, or in a writer's room for lines starting at `first`. */
INLINE struct row_place place_to(const struct row_work *w, char *room, int64_t first, int64_t i) {
    if (!room)
        return row_place(&w->to, i);
    return (struct row_place){.at = (real *)(room + (i - first) * w->to.end->lane.stride),
                              .rest_from = INT64_MAX,
                              .pairs = true};
}

/* Copies the tile first, as a spent input's rows are written where others are read. */
static void stage_lines(struct row_work *w, int lines, size_t bytes) {
    for (int i = 0; i < lines; i++)
        memcpy(w->stage + (size_t)i * bytes, row_place(&w->from, i).at, bytes);
    w->staged = *w->from.end;
    w->staged.lane = (struct gf_cpu_axis){.n = lines, .stride = (ptrdiff_t)bytes};
    w->from.end = &w->staged;
    w->from.base = w->stage;
    w->from.lane0 = 0;
    w->from.next = 0;
}

/* Points ends at complex lines i to i + lines - 1; missing ones repeat the last. */
static void complex_lines(const struct row_work *w, const struct row_side *side, int i, bool stream,
                          struct row_end *end) {
    bool aligned = stream;
    for (int l = 0; l < w->lines; l++) {
        int line = i + l < w->t->count[0] ? i + l : w->t->count[0] - 1;
        struct row_place p = row_place(side, line);
        end->re[l] = p.at;
        end->im[l] = p.at + LANES;
        end->step = p.step;
        aligned &= (uintptr_t)p.at % sizeof(vec) == 0;
    }
    bool pairs = side->end->type != GF_CPU_WORK;
    end->kind = pairs     ? aligned ? ROW_PAIRS_STREAMED : ROW_PAIRS
                : aligned ? ROW_PARTS_STREAMED
                          : ROW_PARTS;
}

/* True if lines that share vectors are written as whole, aligned ones. */
static bool writes_whole_vectors(const struct row_work *w) {
#if N_LANES == 16
    const struct gf_cpu_row *rows = w->t->pass->rows;
    return rows_pair_blocks(rows, rows->block) && w->from.end->type != GF_CPU_WORK && w->to.next &&
           ((uintptr_t)row_place(&w->to, 0).at | (uintptr_t)w->to.end->lane.stride) % sizeof(vec) ==
               0;
#else
    (void)w;
    return false;
#endif
}

/* Assembles lines that share vectors in parts too small to bypass the caches. Returns the number of
 * lines done. */
static int write_complex_rows(const struct row_work *w, struct row_end *from, struct row_end *to) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    enum { LEAST_LINES = 4 }; /* fewer are streamed directly */
    struct row_writer writer, *writes = NULL;
    int i = 0;
    if (w->lines >= LEAST_LINES && !writes_whole_vectors(w))
        writes = begin_writing(w, p->n, &writer);
    if (!writes)
        return 0;
    to->kind = ROW_PAIRS;
    to->writer = writes;
    for (; i + w->lines <= w->t->count[0]; i += w->lines) {
        char *room = writer_room(writes);
        complex_lines(w, &w->from, i, false, from);
        for (int l = 0; l < w->lines; l++)
            to->re[l] = place_to(w, room, i, i + l).at;
        rows_run(p->rows, from, to, 1, w->a, w->b);
        writer_add(writes, (size_t)(w->lines * w->to.end->lane.stride));
    }
    writer_end(writes);
    to->writer = NULL;
    return i;
}

static void run_complex_rows(const struct row_work *w) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    const struct gf_cpu_end *d = &p->destination;
    const real factor = d->type == GF_CPU_WORK ? 1 : (real)d->factor, sign = p->inverse ? -1 : 1;
    struct row_end from = {.re_factor = 1, .im_factor = sign},
                   to = {.re_factor = factor, .im_factor = factor * sign};
    const int lines = w->t->count[0], whole = lines / w->lines;
    const struct row_stream in = row_stream(w->t, &w->from, w->lines, p->n),
                            out = row_stream(w->t, &w->to, w->lines, p->n);
    int i = write_complex_rows(w, &from, &to);
    if (!i && w->from.next && w->to.next && whole) {
        /* lines that fill vectors, in one call */
        complex_lines(w, &w->from, 0, false, &from);
        complex_lines(w, &w->to, 0, d->stream, &to);
        from.next = w->from.next * w->lines;
        to.next = w->to.next * w->lines;
        if (to.next * (ptrdiff_t)sizeof(real) % (ptrdiff_t)sizeof(vec))
            complex_lines(w, &w->to, 0, false, &to);
        from.ahead = ahead_of(&in, 0);
        bool streams = to.kind == ROW_PAIRS_STREAMED || to.kind == ROW_PARTS_STREAMED;
        to.ahead = streams && (w->lines <= 2 || writes_whole_vectors(w)) ? NULL : ahead_of(&out, 0);
        rows_run(p->rows, &from, &to, whole, w->a, w->b);
        from.ahead = to.ahead = NULL;
        i = whole * w->lines;
    }
    for (; i < lines; i += w->lines) {
        complex_lines(w, &w->from, i, false, &from);
        complex_lines(w, &w->to, i, d->stream, &to);
        rows_run(p->rows, &from, &to, 1, w->a, w->b);
    }
}

static struct row_end plane_lines(const struct row_work *w) {
    struct row_end e = {.kind = ROW_PARTS, .step = LANES, .re_factor = 1, .im_factor = 1};
    for (int l = 0; l < w->lines; l++) {
        e.re[l] = w->planes + 2 * l * w->pitch;
        e.im[l] = e.re[l] + w->pitch;
    }
    return e;
}

/* Real lines are in the tile's order: half 0, then half 1. */
static int real_lines(const struct tile *t) {
    return t->count[0] + t->count[1];
}

/* Line i of the source, in place or converted to `plane`. */
static const real *real_line(const struct row_work *w, int i, real *plane) {
    const struct gf_cpu_end *e = w->from.end;
    const char *x = (const char *)row_place(&w->from, i).at;
    if (sample_size[e->type] == sizeof(real) && e->type >= GF_CPU_F32)
        return (const real *)x;
    for (int64_t k = 0; k < w->t->pass->n; k += LANES)
        vec_storeu(plane + k, read_reals(e->type, x + k * sample_size[e->type]));
    return plane;
}

/* Reads come in bursts too short for the hardware prefetcher. */
static void prefetch_lines(const struct row_work *w, int first, int count) {
    enum { MOST = 8192 }; /* a quarter of the first-level cache */
    const int64_t bytes = w->t->pass->n * sample_size[w->from.end->type];
    for (int l = first; l < first + count && count * bytes <= MOST; l++) {
        const char *line = (const char *)row_place(&w->from, l).at;
#pragma GCC unroll 8
        for (int64_t at = 0; at < bytes; at += 64)
            __builtin_prefetch(line + at);
    }
}

/* Half spectra bypass the caches in one of two ways, or not. */
struct half_writing {
    struct row_shift shift;
    struct row_writer writer;
    bool shifts, writes;
};

static void begin_half(const struct row_work *w, struct half_writing *h) {
    enum { WORTH_WRITING = 128 }; /* shorter lines have too little arithmetic to hide the copies */
    const struct gf_cpu_pass_args *p = w->t->pass;
    const bool streams = begin_writing(w, p->n / 2 + 1, &h->writer);
    h->shifts = streams && !p->packs && row_shift_begin(&h->shift, (char *)row_place(&w->to, 0).at);
    h->writes = streams && !h->shifts && p->n >= WORTH_WRITING;
}

/* Writes lines i to `end` - 1 from their planes. */
static void write_half(const struct row_work *w, struct half_writing *h, int i, int end) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    const struct gf_cpu_end *d = &p->destination;
    const real factor = d->type == GF_CPU_WORK ? 1 : (real)d->factor;
    char *room = h->writes ? writer_room(&h->writer) : NULL;
    for (int l = 0; i + 2 * l < end; l++) {
        real *re = w->planes + 2 * l * w->pitch, *im = re + w->pitch;
        const bool both = i + 2 * l + 1 < end;
        re[p->n] = re[0];
        im[p->n] = im[0];
        if (h->shifts && both) {
            shift_pair(re, im, p->n, factor, &h->shift);
            continue;
        }
        if (h->shifts)
            row_shift_end(&h->shift);
        struct row_place a = place_to(w, room, i, i + 2 * l), b;
        if (both)
            b = place_to(w, room, i, i + 2 * l + 1);
        split_rows(re, im, p->n, factor, p->packs, &a, both ? &b : NULL);
    }
    if (h->writes)
        writer_add(&h->writer, (size_t)((end - i) * w->to.end->lane.stride));
}

static void run_rows_to_half(const struct row_work *w) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    const int count = real_lines(w->t);
    const struct row_end planes = plane_lines(w);
    const struct row_stream in = row_stream(w->t, &w->from, 2 * w->lines, p->n);
    struct row_end from = planes, to = planes;
    struct half_writing h;
    begin_half(w, &h);
    to.writer = h.writes ? &h.writer : NULL;
    for (int i = 0; i < count; i += 2 * w->lines) {
        const int end = count - i < 2 * w->lines ? count : i + 2 * w->lines;
        from.ahead = h.writes || h.shifts ? ahead_of(&in, i) : NULL;
        for (int l = 0; l < w->lines; l++) {
            int first = i + 2 * l < count ? i + 2 * l : (count - 1) / 2 * 2;
            int second = first + 1 < count ? first + 1 : first;
            from.re[l] = (real *)real_line(w, first, planes.re[l]);
            from.im[l] = (real *)real_line(w, second, planes.im[l]);
        }
        if (p->destination.type == GF_CPU_WORK && i + 2 * w->lines < count)
            prefetch_lines(w, i + 2 * w->lines, 2 * w->lines);
        rows_run(p->rows, &from, &to, 1, w->a, w->b);
        write_half(w, &h, i, end);
    }
    if (h.writes)
        writer_end(&h.writer);
    if (h.shifts)
        row_shift_end(&h.shift);
}

static void run_rows_to_real(const struct row_work *w) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    const struct gf_cpu_end *d = &p->destination;
    const int count = real_lines(w->t);
    const struct row_end planes = plane_lines(w);
    const struct row_stream in = row_stream(w->t, &w->from, 2 * w->lines, p->n / 2 + 1),
                            out = row_stream(w->t, &w->to, 2 * w->lines, p->n);
    real *unused = w->planes + 2 * w->lines * w->pitch;
    for (int i = 0; i < count; i += 2 * w->lines) {
        struct row_end from = planes, to = planes;
        from.ahead = ahead_of(&in, i);
        to.ahead = ahead_of(&out, i);
        to.re_factor = (real)d->factor;
        to.im_factor = -(real)d->factor;
        for (int l = 0; l < w->lines; l++) {
            int first = i + 2 * l < count ? i + 2 * l : (count - 1) / 2 * 2;
            bool both = first + 1 < count;
            struct row_place a = row_place(&w->from, first), b;
            if (both)
                b = row_place(&w->from, first + 1);
            join_rows(&a, both ? &b : NULL, p->n, from.re[l], from.im[l]);
            to.re[l] = row_place(&w->to, first).at;
            to.im[l] = both ? row_place(&w->to, first + 1).at : unused;
        }
        if (d->stream && w->lines == 1 && (uintptr_t)to.re[0] % sizeof(vec) == 0 &&
            (uintptr_t)to.im[0] % sizeof(vec) == 0)
            to.kind = ROW_PARTS_STREAMED, to.ahead = NULL;
        rows_run(p->rows, &from, &to, 1, w->a, w->b);
    }
}

#endif
