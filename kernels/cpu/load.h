/* The load step: from samples or workspace to the tile a[point][re|im][lane]. */
#ifndef GF_KERNELS_CPU_LOAD_H
#define GF_KERNELS_CPU_LOAD_H

/* A thread's tile: LANES lines, or LANES pairs of real lines, the first of each (half 0) in the
 * real parts, the second (half 1) in the imaginary parts. */
struct tile {
    const struct gf_cpu_pass_args *pass;
    int64_t lane0, outer[2];
    int count[2]; /* existing lines of each half */
    cvec *a, *b;  /* scratch */
};

static int clamp_lanes(int64_t n) {
    return n < 0 ? 0 : n > LANES ? LANES : (int)n;
}

/* Byte offset of index i of an axis. */
INLINE ptrdiff_t axis_at(const struct gf_cpu_axis *axis, int64_t i) {
    int64_t p = i + axis->shift;
    return (p >= axis->n ? p - axis->n : p) * axis->stride;
}
/* True if `count` samples starting at index i are contiguous, as in nearly all tiles. */
INLINE bool lanes_are_adjacent(const struct gf_cpu_axis *axis, int64_t i, int count, int size) {
    return count && axis->stride == size &&
           axis_at(axis, i + count - 1) - axis_at(axis, i) == (ptrdiff_t)(count - 1) * size;
}
INLINE ptrdiff_t axis_mirror(const struct gf_cpu_axis *axis, int64_t i) {
    return axis_at(axis, axis->mirrored && i ? axis->n - i : i);
}
INLINE char *outer_at(const struct tile *t, const struct gf_cpu_end *e, bool mirror) {
    char *p = e->data;
    for (int d = 0; d < 2; d++)
        p += mirror ? axis_mirror(&e->outer[d], t->outer[d]) : axis_at(&e->outer[d], t->outer[d]);
    return p;
}

/* Row `row` of a block in `n` banded rows; the block's next rows of the band follow it. */
INLINE char *banded_at(const struct gf_cpu_end *e, int64_t n, int64_t row, int64_t block) {
    const ptrdiff_t size = sizeof(cvec);
    if (block >= e->rest_from)
        return e->rest + row * size;
    int64_t first = row / e->band * e->band, rows = n - first < e->band ? n - first : e->band;
    return e->data + first * e->row_bytes + (block * rows + row - first) * size;
}

/* The lanes of one half. A missing lane reads the same as the last one, so that arithmetic uses no
 * uninitialised numbers. */
struct lanes {
    ptrdiff_t at[LANES];
    int order; /* +1: contiguous, -1: contiguous in reverse order, 0: neither */
};

INLINE struct lanes lanes_of(const struct tile *t, const struct gf_cpu_end *e, int half,
                             bool mirror) {
    struct lanes s;
    int64_t first = t->lane0 + half * LANES;
    int size = sample_size[e->type], count = t->count[half];
    if (!mirror && count == LANES && lanes_are_adjacent(&e->lane, first, count, size)) {
        for (int l = 0; l < LANES; l++)
            s.at[l] = axis_at(&e->lane, first) + l * size;
        s.order = 1;
        return s;
    }
    for (int l = 0; l < LANES; l++) {
        int64_t i = first + (l < count ? l : count - 1);
        s.at[l] = mirror ? axis_mirror(&e->lane, i) : axis_at(&e->lane, i);
    }
    bool up = true, down = true;
    for (int l = 1; l < LANES; l++) {
        up &= s.at[l] - s.at[l - 1] == size;
        down &= s.at[l] - s.at[l - 1] == -size;
    }
    s.order = up - down;
    return s;
}

INLINE real read_luma(const struct gf_cpu_end *e, const char *p) {
    ptrdiff_t s = e->channel_stride;
    return (real)0.2126L * read_real(e->type, p) + (real)0.7152L * read_real(e->type, p + s) +
           (real)0.0722L * read_real(e->type, p + 2 * s);
}

/* Reading a vector from each row in turn needs more streams than the hardware prefetcher follows,
 * so cache lines this far ahead are prefetched. */
enum { AHEAD_BYTES = 256 };

INLINE void prefetch_rows(const struct lanes *s, const char *base, int bytes) {
    for (int l = 0; l < LANES; l++)
        for (int at = 0; at < bytes; at += 64)
            __builtin_prefetch(base + s->at[l] + at);
}

/* Loads real lines into the re (half 0) or im (half 1) slots of a[0 .. n). */
static void load_reals(const struct tile *t, int half, cvec *a) {
    const struct gf_cpu_end *e = &t->pass->source;
    int64_t n = t->pass->n;
    real *out = (real *)a + half * LANES;
    if (!t->count[half]) {
        for (int64_t k = 0; k < n; k++)
            vec_storeu(out + 2 * LANES * k, (vec){0});
        return;
    }
    struct lanes s = lanes_of(t, e, half, false);
    const char *base = outer_at(t, e, false);
    ptrdiff_t step = e->line.stride;
    int64_t k = 0;
    if (s.order > 0 && !e->luma) {
        for (; k < n; k++)
            vec_storeu(out + 2 * LANES * k, read_reals(e->type, base + s.at[0] + k * step));
    } else if (step == sample_size[e->type] && !e->luma) {
        prefetch_rows(&s, base, AHEAD_BYTES);
        for (; k + LANES <= n; k += LANES) {
            vec row[LANES];
            for (int l = 0; l < LANES; l++) {
                const char *p = base + s.at[l] + k * step;
                row[l] = read_reals(e->type, p);
                __builtin_prefetch(p + AHEAD_BYTES);
            }
            vec_transpose(row);
            for (int j = 0; j < LANES; j++)
                vec_storeu(out + 2 * LANES * (k + j), row[j]);
        }
    }
    for (; k < n; k++)
        for (int l = 0; l < LANES; l++) {
            const char *p = base + s.at[l] + k * step;
            out[2 * LANES * k + l] = e->luma ? read_luma(e, p) : read_real(e->type, p);
        }
}

INLINE cvec swap_if(bool swap, cvec x) {
    return swap ? (cvec){x.im, x.re} : x;
}

/* Reads LANES complex samples at arbitrary offsets. */
INLINE cvec read_lanes(enum gf_cpu_sample type, const struct lanes *s, const char *p) {
    cvec x;
    if (s->order > 0) {
        x = read_complexes(type, p + s->at[0]);
    } else if (s->order < 0) {
        x = read_complexes(type, p + s->at[LANES - 1]);
        x = (cvec){vec_reverse(x.re), vec_reverse(x.im)};
    } else {
        real re[LANES], im[LANES];
        for (int l = 0; l < LANES; l++)
            read_complex(type, p + s->at[l], &re[l], &im[l]);
        x = (cvec){vec_loadu(re), vec_loadu(im)};
    }
    return x;
}

/* The index on the halved axis of point k of the tile's line `lane`. */
INLINE int64_t half_index(const struct tile *t, const struct gf_cpu_end *e, int64_t k, int lane) {
    return e->half_axis == GF_CPU_HALF_LINE   ? k
           : e->half_axis == GF_CPU_HALF_LANE ? t->lane0 + lane
                                              : t->outer[0];
}

/* In double: squares of floats above 1e19 overflow. */
INLINE double square_of(double re, double im) {
    return re * re + im * im;
}

/* Loads the Hermitian part of a full spectrum, (F(k) + conj F(-k)) / 2. By Parseval, the energy of
 * the rest is that of the inverse's imaginary part. */
static void load_hermitian(const struct tile *t, int half, cvec *a, int64_t points, bool swap,
                           struct gf_cpu_stats *stats) {
    const struct gf_cpu_end *e = &t->pass->source;
    struct lanes s = lanes_of(t, e, half, false), m = lanes_of(t, e, half, true);
    const char *base = outer_at(t, e, false), *mirror = outer_at(t, e, true);
    double weight[LANES], even[LANES] = {0}, odd[LANES] = {0};
    for (int64_t k = 0; k < points; k++) {
        cvec f = read_lanes(e->type, &s, base + axis_at(&e->line, k));
        cvec g = read_lanes(e->type, &m, mirror + axis_mirror(&e->line, k));
        cvec x = {(f.re + g.re) * (real)0.5, (f.im - g.im) * (real)0.5};
        cvec y = {(f.re - g.re) * (real)0.5, (f.im + g.im) * (real)0.5};
        for (int l = 0; l < LANES; l++) {
            int64_t h = half_index(t, e, k, half * LANES + l);
            weight[l] = l >= t->count[half] ? 0 : h == 0 || 2 * h == e->half_n ? 1 : 2;
            even[l] += weight[l] * square_of(x.re[l], x.im[l]);
            odd[l] += weight[l] * square_of(y.re[l], y.im[l]);
        }
        a[k] = swap_if(swap, x);
    }
    for (int l = 0; l < LANES; l++) {
        stats->energy += even[l];
        stats->anti_energy += odd[l];
    }
}

static void load_complexes(const struct tile *t, int half, cvec *a, int64_t points, bool swap,
                           struct gf_cpu_stats *stats) {
    const struct gf_cpu_end *e = &t->pass->source;
    if (!t->count[half]) {
        memset(a, 0, (size_t)points * sizeof *a);
        return;
    }
    if (e->hermitian) {
        load_hermitian(t, half, a, points, swap, stats);
        return;
    }
    struct lanes s = lanes_of(t, e, half, false);
    const char *base = outer_at(t, e, false);
    int64_t k = 0;
    if (!s.order && e->line.stride == sample_size[e->type] && !e->line.shift) {
        prefetch_rows(&s, base, AHEAD_BYTES);
        for (; k + LANES <= points; k += LANES) {
            vec re[LANES], im[LANES];
            for (int l = 0; l < LANES; l++) {
                const char *p = base + s.at[l] + k * e->line.stride;
                cvec x = read_complexes(e->type, p);
                __builtin_prefetch(p + AHEAD_BYTES);
                __builtin_prefetch(p + AHEAD_BYTES + 64);
                re[l] = x.re;
                im[l] = x.im;
            }
            vec_transpose(re);
            vec_transpose(im);
            for (int j = 0; j < LANES; j++)
                a[k + j] = swap_if(swap, (cvec){re[j], im[j]});
        }
    }
    for (; k < points; k++)
        a[k] = swap_if(swap, read_lanes(e->type, &s, base + axis_at(&e->line, k)));
}

/* Loads points k to end - 1 of lines across the workspace's blocks: whole vectors. */
static void load_work_columns(const struct tile *t, cvec *a, int64_t k, int64_t end, bool swap) {
    const struct gf_cpu_end *e = &t->pass->source;
    while (e->band && k < end) {
        const cvec *x = (const cvec *)banded_at(e, e->line.n, k, t->lane0 / LANES);
        int64_t stop = (k / e->band + 1) * e->band;
        for (stop = stop < end ? stop : end; k < stop; k++)
            a[k] = swap_if(swap, *x++);
    }
    const char *base = outer_at(t, e, false) + t->lane0 * e->lane.stride;
    for (; k < end; k++)
        a[k] = swap_if(swap, *(const cvec *)(base + k * e->line.stride));
}

/* Loads lines along the workspace's blocks, transposed. */
static void load_work_rows(const struct tile *t, int half, cvec *a, int64_t points, bool swap) {
    const struct gf_cpu_end *e = &t->pass->source;
    const char *base = outer_at(t, e, false);
    int64_t first = t->lane0 + half * LANES;
    for (int64_t k = 0; k < points; k += LANES) {
        vec re[LANES], im[LANES];
        for (int l = 0; l < LANES; l++) {
            int64_t i = first + (l < t->count[half] ? l : t->count[half] - 1); /* like lanes_of() */
            const cvec *x = (const cvec *)(base + i * e->lane.stride + k * e->line.stride);
            re[l] = x->re;
            im[l] = x->im;
        }
        vec_transpose(re);
        vec_transpose(im);
        for (int j = 0; j < LANES; j++)
            a[k + j] = swap_if(swap, (cvec){re[j], im[j]});
    }
}

/* Joins half spectra A in a and B in b to the full spectrum of A + i B in a, whose inverse has A's
 * line as real part and B's as imaginary part; re and im are swapped for the inverse. */
static void join_pairs(cvec *a, const cvec *b, int64_t n) {
    for (int64_t k = 0; 2 * k <= n; k++) {
        cvec x = a[k], y = b[k];
        if (k == 0 || 2 * k == n) {
            a[k] = (cvec){y.re, x.re}; /* imaginary parts are zero by symmetry */
        } else {
            a[k] = (cvec){x.im + y.re, x.re - y.im};
            a[n - k] = (cvec){y.re - x.im, x.re + y.im};
        }
    }
}

static void load_work(const struct tile *t, int half, cvec *a, int64_t points, bool swap) {
    struct tile other = *t;
    other.lane0 += half * LANES;
    if (!t->count[half])
        memset(a, 0, (size_t)points * sizeof *a);
    else if (t->pass->source.line_is_inner)
        load_work_rows(t, half, a, points, swap);
    else
        load_work_columns(&other, a, 0, points, swap);
}

/* The separately stored line at the tile's outer indices; NULL: none. */
static const char *last_base(const struct tile *t, const struct gf_cpu_end *e) {
    const struct gf_cpu_column *c = &e->last;
    return c->data ? c->data + t->outer[0] * c->outer[0] + t->outer[1] * c->outer[1] : NULL;
}

static cvec load_last(const struct tile *t, int half) {
    const struct gf_cpu_end *e = &t->pass->source;
    const char *base = last_base(t, e);
    cvec x = {{0}, {0}};
    for (int l = 0; l < t->count[half]; l++) {
        const real *at = (const real *)(base + (t->lane0 + half * LANES + l) * e->last.lane);
        x.re[l] = at[0];
        x.im[l] = at[1];
    }
    return x;
}

static void load(const struct tile *t, struct gf_cpu_stats *stats) {
    const struct gf_cpu_pass_args *p = t->pass;
    bool work = p->source.type == GF_CPU_WORK;
    switch (p->form) {
    case GF_CPU_R2C:
    case GF_CPU_R2R:
        load_reals(t, 0, t->a);
        load_reals(t, 1, t->a);
        break;
    case GF_CPU_C2C:
        if (work)
            load_work(t, 0, t->a, p->n, p->inverse);
        else
            load_complexes(t, 0, t->a, p->n, p->inverse, stats);
        break;
    case GF_CPU_C2R:
        for (int half = 0; half < 2; half++) {
            cvec *to = half ? t->b : t->a;
            if (work)
                load_work(t, half, to, p->n / 2 + !p->source.last.data, false);
            else
                load_complexes(t, half, to, p->n / 2 + 1, false, stats);
            if (p->source.last.data)
                to[p->n / 2] = load_last(t, half);
        }
        join_pairs(t->a, t->b, p->n);
        break;
    }
}

#endif
