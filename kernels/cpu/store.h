/* The store step: from the tile to workspace or samples, with value, curve, shift and mirror
 * image. */
#ifndef GF_KERNELS_CPU_STORE_H
#define GF_KERNELS_CPU_STORE_H

/* Runs of lanes that are contiguous at the destination, in order or reversed. */
struct placement {
    int n_runs;
    struct run {
        int first, count, step; /* step +1 or -1 */
        ptrdiff_t at;           /* of lane `first` */
    } run[LANES];
};

static struct placement place_lanes(const struct tile *t, int half, bool mirror) {
    const struct gf_cpu_end *e = &t->pass->destination;
    struct placement p = {0};
    int size = sample_size[e->type], count = t->count[half];
    if (!mirror && lanes_are_adjacent(&e->lane, t->lane0 + half * LANES, count, size)) {
        p.n_runs = 1;
        p.run[0] = (struct run){0, count, 1, axis_at(&e->lane, t->lane0 + half * LANES)};
        return p;
    }
    for (int l = 0; l < count; l++) {
        int64_t i = t->lane0 + half * LANES + l;
        int64_t h = half_index(t, e, 0, half * LANES + l);
        if (mirror && e->half_axis != GF_CPU_HALF_LINE && (h == 0 || 2 * h >= e->half_n))
            continue; /* its mirror image is in the half */
        ptrdiff_t at = mirror ? axis_mirror(&e->lane, i) : axis_at(&e->lane, i);
        struct run *last = p.n_runs ? &p.run[p.n_runs - 1] : NULL;
        bool joins = last && last->first + last->count == l;
        ptrdiff_t gap = joins ? at - (last->at + (last->count - 1) * last->step * size) : 0;
        if (joins && last->count == 1 && (gap == size || gap == -size))
            last->step = gap > 0 ? 1 : -1;
        if (joins && gap == last->step * size)
            last->count++;
        else
            p.run[p.n_runs++] = (struct run){l, 1, 1, at};
    }
    return p;
}

/* Copies 1, 2, 4, 8 or 16 bytes without a call. */
INLINE void copy_sample(char *to, const char *from, int size) {
    switch (size) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, 16);
    }
}

/* Copies lanes from a block of LANES samples of `size` bytes. */
static void scatter_lanes(const struct placement *p, char *base, const char *block, int size) {
    for (int r = 0; r < p->n_runs; r++) {
        const struct run *run = &p->run[r];
        const char *from = block + run->first * size;
        char *to = base + run->at;
        if (run->count == 1) { /* interleaved channels: every lane is a run */
            copy_sample(to, from, size);
        } else if (run->step > 0) {
            memcpy(to, from, (size_t)(run->count * size));
        } else {
            for (int l = 0; l < run->count; l++)
                copy_sample(to - l * size, from + l * size, size);
        }
    }
}

INLINE void put_reals(const struct placement *p, enum gf_cpu_sample type, char *base, vec x) {
    int size = sample_size[type];
    if (p->n_runs == 1 && p->run[0].count == LANES) {
        if (p->run[0].step > 0)
            write_reals(type, base + p->run[0].at, x);
        else
            write_reals(type, base + p->run[0].at - (LANES - 1) * size, vec_reverse(x));
        return;
    }
    char block[LANES * 8];
    write_reals(type, block, x);
    scatter_lanes(p, base, block, size);
}

INLINE void put_complexes(const struct placement *p, enum gf_cpu_sample type, char *base, cvec x,
                          bool stream) {
    int size = sample_size[type];
    if (p->n_runs == 1 && p->run[0].count == LANES) {
        char *at = base + p->run[0].at;
        if (stream && p->run[0].step > 0 && (uintptr_t)at % sizeof(vec) == 0 &&
            size == 2 * (int)sizeof(real)) {
            vec_stream(at, vec_zip_low(x.re, x.im));
            vec_stream(at + sizeof(vec), vec_zip_high(x.re, x.im));
            return;
        }
        if (p->run[0].step > 0)
            write_complexes(type, base + p->run[0].at, x);
        else
            write_complexes(type, base + p->run[0].at - (LANES - 1) * size,
                            (cvec){vec_reverse(x.re), vec_reverse(x.im)});
        return;
    }
    char block[LANES * 16];
    write_complexes(type, block, x);
    scatter_lanes(p, base, block, size);
}

/* Smaller sums of squares have lost digits: their parts were subnormal or 0. */
#define LEAST_SQUARES (GF_REAL_BITS == 32 ? (real)0x1p-110 : (real)0x1p-1000)
#define LARGEST_REAL  (GF_REAL_BITS == 32 ? (real)FLT_MAX : (real)DBL_MAX)

/* For lanes whose squares are outside the range of a real. */
enum { WIDE_MAGNITUDE = GF_CPU_COMPLEX + 1, WIDE_POWER };

/* A destination's constants as vectors. */
struct mapping {
    const struct gf_cpu_end *e;
    int value;
    bool integer;
    vec factor, gain, offset, floor, ceiling;
    vec largest;
    ivec clipped;
    ivec lost; /* nonzero bits of numbers whose squares are close to 0 */
    /* All ones in lanes that hold a line, that count as clipped, that have a mirror image. */
    ivec exists, counted, mirrors;
};

static struct mapping mapping_of(const struct tile *t, int half) {
    const struct gf_cpu_end *e = &t->pass->destination;
    struct mapping m = {.e = e,
                        .value = e->value,
                        .integer = e->type < GF_CPU_F32,
                        .factor = vec_splat((real)e->factor),
                        .gain = vec_splat((real)e->gain),
                        .offset = vec_splat((real)e->offset),
                        .floor = vec_splat((real)e->floor),
                        .ceiling = vec_splat((real)e->ceiling)};
    bool counts = t->outer[0] < e->outer[0].counted && t->outer[1] < e->outer[1].counted;
    int64_t counted = counts ? e->lane.counted - t->lane0 - half * LANES : 0;
    for (int l = 0; l < LANES; l++) {
        m.exists[l] = l < t->count[half] ? -1 : 0;
        m.counted[l] = l < counted ? m.exists[l] : 0;
    }
    return m;
}

static void mapping_report(const struct mapping *m, struct gf_cpu_stats *stats) {
    for (int l = 0; l < LANES; l++) {
        if (m->exists[l] && (double)m->largest[l] > stats->largest)
            stats->largest = (double)m->largest[l];
        stats->clipped -= (int64_t)m->clipped[l];
    }
}

/* True once if a square was outside the range of a real: all samples are stored again, with wider
 * squares. */
static bool mapping_again(struct mapping *m) {
    bool magnitude = m->value == GF_CPU_MAGNITUDE, again = false;
    if (!magnitude && m->value != GF_CPU_POWER)
        return false;
    vec lost = vec_abs((vec)m->lost); /* -0 loses nothing */
    for (int l = 0; l < LANES; l++)
        again |= m->exists[l] && (((ivec)lost)[l] || m->largest[l] > LARGEST_REAL);
    if (!again)
        return false;
    m->value = magnitude ? WIDE_MAGNITUDE : WIDE_POWER;
    m->largest = (vec){0};
    m->clipped = (ivec){0};
    return true;
}

INLINE vec squares_of(cvec x) {
    return x.re * x.re + x.im * x.im;
}

/* Recomputes only the lanes that need it: a sample does not depend on its neighbours. */
static vec wide_value(const struct mapping *m, cvec x) {
    const bool power = m->value == WIDE_POWER;
    const vec s = squares_of(x);
    vec v = (power ? s : vec_sqrt(s)) * m->factor;
    for (int l = 0; l < LANES; l++) {
        wide re = x.re[l], im = x.im[l], factor = (wide)m->e->factor;
        if (power && s[l] > LARGEST_REAL)
            v[l] = (real)((re * re + im * im) * factor);
        else if (!power && (s[l] < LEAST_SQUARES || s[l] > LARGEST_REAL))
            v[l] = (real)(wide_hypot(re, im) * factor);
    }
    /* Values that still overflow clip to a shade. */
    const vec largest = vec_splat(LARGEST_REAL);
    return m->integer ? vec_select(v > largest, largest, v) : v;
}

/* The value before curve and range. */
INLINE vec value_of(struct mapping *m, cvec x) {
    vec s;
    switch (m->value) {
    case GF_CPU_MAGNITUDE:
        s = squares_of(x);
        m->lost |= (s < vec_splat(LEAST_SQUARES)) & ((ivec)x.re | (ivec)x.im);
        return vec_sqrt(s) * m->factor;
    case GF_CPU_POWER:
        return squares_of(x) * m->factor;
    case WIDE_MAGNITUDE:
    case WIDE_POWER:
        return wide_value(m, x);
    case GF_CPU_PHASE:
        return vec_atan2(x.im, x.re);
    case GF_CPU_IMAG:
        return x.im * m->factor;
    default:
        return x.re * m->factor;
    }
}

/* Only values in `lanes` count as clipped. */
INLINE vec sample_of(struct mapping *m, vec v, ivec lanes) {
    m->largest = vec_max(vec_abs(v), m->largest);
    if (!m->integer)
        return v;
    if (m->e->curve == GF_CPU_LOG)
        v = vec_log1p(v);
    else if (m->e->curve == GF_CPU_SQRT)
        v = vec_sqrt(v);
    v = v * m->gain + m->offset;
    m->clipped += ~((v >= m->floor - (real)0.5) & (v < m->ceiling + (real)0.5)) & lanes;
    return vec_min(vec_max(v, m->floor), m->ceiling);
}

/* Inverse transforms leave re and im swapped. */
INLINE bool ends_swapped(const struct gf_cpu_pass_args *p) {
    return p->inverse || p->gain;
}

INLINE bool ends_real(const struct gf_cpu_pass_args *p) {
    return p->form == GF_CPU_C2R || p->form == GF_CPU_R2R;
}

/* The result at a point: an inverse's re and im are swapped back, and each of two real lines in a
 * complex line takes its part. */
INLINE cvec result_of(const struct tile *t, int half, cvec x) {
    x = swap_if(ends_swapped(t->pass), x);
    return ends_real(t->pass) ? (cvec){half ? x.im : x.re, {0}} : x;
}

/* Stores whole blocks of real samples in the kernels' precision, for which store_rows()'s choices
 * take longer than its arithmetic. Returns the number of points stored. */
static int64_t store_real_rows(const struct tile *t, int half, const cvec *x, int64_t points,
                               struct mapping *m) {
    const struct gf_cpu_end *e = m->e;
    const bool imaginary = ends_swapped(t->pass) != (ends_real(t->pass) && half);
    char *base = outer_at(t, e, false);
    const vec factor = m->factor;
    vec largest = m->largest;
    int64_t k = 0;
    for (; k + LANES <= points; k += LANES) {
        vec v[LANES];
#pragma GCC unroll 16
        for (int j = 0; j < LANES; j++) {
            v[j] = (imaginary ? x[k + j].im : x[k + j].re) * factor;
            largest = vec_max(vec_abs(v[j]), largest);
        }
        vec_transpose(v);
        for (int l = 0; l < t->count[half]; l++)
            vec_storeu(base + axis_at(&e->lane, t->lane0 + half * LANES + l) +
                           k * (int64_t)sizeof(real),
                       v[l]);
    }
    m->largest = largest;
    return k;
}

/* Stores lines along the destination's rows, transposed block by block. */
static void store_rows(const struct tile *t, int half, const cvec *x, int64_t points,
                       struct mapping *m) {
    const struct gf_cpu_end *e = m->e;
    char *base = outer_at(t, e, false);
    int size = sample_size[e->type];
    const int64_t counted = points < e->line.counted ? points : e->line.counted;
    const enum gf_cpu_sample own = GF_REAL_BITS == 32 ? GF_CPU_F32 : GF_CPU_F64;
    const bool real_rows = e->value == GF_CPU_REAL && e->type == own;
    for (int64_t k = real_rows ? store_real_rows(t, half, x, points, m) : 0; k < points;
         k += LANES) {
        vec re[LANES], im[LANES];
        int width = points - k < LANES ? (int)(points - k) : LANES;
        for (int j = 0; j < LANES; j++) {
            cvec v = result_of(t, half, x[k + (j < width ? j : width - 1)]);
            if (e->value == GF_CPU_COMPLEX)
                re[j] = v.re * m->factor, im[j] = v.im * m->factor;
            else
                re[j] = sample_of(m, value_of(m, v), k + j < counted ? m->counted : (ivec){0});
        }
        vec_transpose(re);
        if (e->value == GF_CPU_COMPLEX)
            vec_transpose(im);
        for (int l = 0; l < t->count[half]; l++) {
            char *to = base + axis_at(&e->lane, t->lane0 + half * LANES + l) + k * size;
            char block[LANES * 16], *at = width == LANES ? to : block;
            if (e->value == GF_CPU_COMPLEX)
                write_complexes(e->type, at, (cvec){re[l], im[l]});
            else
                write_reals(e->type, at, re[l]);
            if (at == block)
                memcpy(to, block, (size_t)(width * size));
        }
    }
}

/* Also true on an axis that is not transformed. */
INLINE bool is_own_mirror(const struct gf_cpu_axis *axis, int64_t full, int64_t i) {
    return !axis->mirrored || i == 0 || 2 * i == full;
}

/* All ones in lanes whose index is its own mirror image on every axis except the line's. */
static ivec own_mirror_lanes(const struct tile *t, int half) {
    const struct gf_cpu_end *e = &t->pass->destination;
    const struct gf_cpu_axis folded = {.n = e->fold.n, .mirrored = e->fold.mirrored};
    int64_t lane = t->lane0 + half * LANES, row = 0, n = e->lane.n;
    ivec own = {0};
    bool outer = e->real_origin;
    for (int d = 0; d < 2 && outer; d++)
        outer = is_own_mirror(
            &e->outer[d], d == 0 && e->half_axis == GF_CPU_HALF_OUTER ? e->half_n : e->outer[d].n,
            t->outer[d]);
    if (!outer)
        return own;
    if (e->fold.row) {
        n = e->fold.row;
        row = lane / n;
        lane %= n;
    }
    for (int l = 0; l < t->count[half]; l++, lane++) {
        if (e->fold.row && lane == n) {
            lane = 0;
            row++;
        }
        own[l] = -((!e->fold.row || is_own_mirror(&folded, folded.n, row)) &&
                   is_own_mirror(&e->lane, e->half_axis == GF_CPU_HALF_LANE ? e->half_n : n, lane));
    }
    return own;
}

/* distance of prefetched rows */
enum { AHEAD = 8 };

INLINE void prefetch_placement(const struct placement *p, const char *base, int size, bool stream) {
    if (p->n_runs != 1 || p->run[0].count != LANES)
        return;
    const char *at = base + p->run[0].at - (p->run[0].step < 0 ? (LANES - 1) * size : 0);
    if (!stream || (uintptr_t)at % sizeof(vec))
        prefetch_for_writing(at, LANES * size);
}

/* Data shared by all rows, for lines across the destination's rows, with shift and mirror image. */
struct columns {
    struct mapping m;
    struct placement direct, mirror;
    char *base, *back; /* start of the row, and of its mirror image */
    ivec own;
    int64_t line_n;
    int size;
    bool odd;   /* the mirror image is the conjugate: phase and imaginary part change sign */
    bool plain; /* columns_are_plain() */
};

/* The most common case has its own loop: complex numbers of the kernels' precision, LANES
 * neighbours, none mirrored or forced to be real. */
static bool columns_are_plain(const struct columns *c) {
    const struct gf_cpu_end *e = c->m.e;
    bool own = false;
    for (int l = 0; l < LANES; l++)
        own |= c->own[l] != 0;
    return e->value == GF_CPU_COMPLEX && c->size == 2 * (int)sizeof(real) && !e->hermitian &&
           !own && c->direct.n_runs == 1 && c->direct.run[0].count == LANES &&
           c->direct.run[0].step > 0;
}

static void columns_begin(const struct tile *t, int half, struct columns *c) {
    const struct gf_cpu_end *e = &t->pass->destination;
    c->m = mapping_of(t, half);
    c->direct = place_lanes(t, half, false);
    c->base = outer_at(t, e, false);
    c->own = own_mirror_lanes(t, half);
    c->line_n = e->half_axis == GF_CPU_HALF_LINE ? e->half_n : e->line.n;
    c->size = sample_size[e->type];
    c->odd = e->value == GF_CPU_PHASE || e->value == GF_CPU_IMAG;
    c->plain = columns_are_plain(c);
    if (!e->hermitian)
        return;
    c->mirror = place_lanes(t, half, true);
    c->back = outer_at(t, e, true);
    for (int r = 0; r < c->mirror.n_runs; r++)
        for (int l = 0; l < c->mirror.run[r].count; l++)
            c->m.mirrors[c->mirror.run[r].first + l] = -1;
}

static void columns_store_plain(const struct tile *t, const struct columns *c, const cvec *x,
                                int64_t k, int64_t end, int64_t points) {
    const struct gf_cpu_end *e = c->m.e;
    char *base = c->base + c->direct.run[0].at;
    const vec factor = c->m.factor;
    for (; k < end; k++) {
        cvec v = swap_if(ends_swapped(t->pass), x[k]);
        char *to = base + axis_at(&e->line, k);
        vec low = vec_zip_low(v.re * factor, v.im * factor);
        vec high = vec_zip_high(v.re * factor, v.im * factor);
        const bool streams = e->stream && (uintptr_t)to % sizeof(vec) == 0;
        if (!streams && k + AHEAD < points)
            prefetch_for_writing(base + axis_at(&e->line, k + AHEAD), 2 * (int)sizeof(vec));
        vec_put(to, low, streams);
        vec_put(to + sizeof(vec), high, streams);
    }
}

/* Stores points k to end - 1 of a line of `points`, of any sample type. */
static void columns_store_any(const struct tile *t, int half, struct columns *c, const cvec *x,
                              int64_t k, int64_t end, int64_t points) {
    const struct gf_cpu_end *e = c->m.e;
    for (; k < end; k++) {
        cvec v = result_of(t, half, x[k]);
        if (e->real_origin && is_own_mirror(&e->line, c->line_n, k))
            v.im = vec_select(c->own, (vec){0}, v.im);
        char *to = c->base + axis_at(&e->line, k);
        bool mirrored =
            e->hermitian && (e->half_axis != GF_CPU_HALF_LINE || (k && 2 * k < e->half_n));
        char *also = mirrored ? c->back + axis_mirror(&e->line, k) : NULL;
        if (k + AHEAD < points) {
            prefetch_placement(&c->direct, c->base + axis_at(&e->line, k + AHEAD), c->size,
                               e->stream);
            if (mirrored)
                prefetch_placement(&c->mirror, c->back + axis_mirror(&e->line, k + AHEAD), c->size,
                                   false);
        }
        if (e->value == GF_CPU_COMPLEX) {
            v = (cvec){v.re * c->m.factor, v.im * c->m.factor};
            put_complexes(&c->direct, e->type, to, v, e->stream);
            if (mirrored)
                put_complexes(&c->mirror, e->type, also, (cvec){v.re, -v.im}, false);
            continue;
        }
        ivec clipped = c->m.clipped;
        vec s = sample_of(&c->m, value_of(&c->m, v), c->m.counted);
        if (e->discard)
            continue;
        put_reals(&c->direct, e->type, to, s);
        if (mirrored && c->odd)
            s = sample_of(&c->m, value_of(&c->m, (cvec){v.re, -v.im}), c->m.mirrors);
        else if (mirrored)
            c->m.clipped += (c->m.clipped - clipped) & c->m.mirrors; /* written twice */
        if (mirrored)
            put_reals(&c->mirror, e->type, also, s);
    }
}

/* Stores points k to end - 1; those below line.counted are counted. */
static void columns_store(const struct tile *t, int half, struct columns *c, const cvec *x,
                          int64_t k, int64_t end, int64_t points) {
    if (c->plain && !ends_real(t->pass)) {
        columns_store_plain(t, c, x, k, end, points);
        return;
    }
    const int64_t counted = c->m.e->line.counted, middle = counted < end ? counted : end;
    if (k < middle)
        columns_store_any(t, half, c, x, k, middle, points);
    if (middle == end)
        return;
    const ivec lanes = c->m.counted;
    c->m.counted = (ivec){0};
    columns_store_any(t, half, c, x, k < middle ? middle : k, end, points);
    c->m.counted = lanes;
}

INLINE void put_work(const struct gf_cpu_end *e, char *p, cvec x) {
    if (e->stream) {
        vec_stream(p, x.re);
        vec_stream(p + sizeof(vec), x.im);
    } else {
        *(cvec *)p = x;
    }
}

/* Stores points k to end - 1 of lines across the workspace's blocks: whole vectors. */
static void store_work_columns(const struct tile *t, const cvec *x, int64_t k, int64_t end,
                               bool swap) {
    const struct gf_cpu_end *e = &t->pass->destination;
    char *base = outer_at(t, e, false) + t->lane0 * e->lane.stride;
    for (; k < end; k++)
        put_work(e, base + k * e->line.stride, swap_if(swap, x[k]));
}

/* Stores lines along the workspace's blocks, transposed; pads a row's last block with zeros. */
static void store_work_rows(const struct tile *t, int half, cvec *x, int64_t points, bool swap) {
    const struct gf_cpu_end *e = &t->pass->destination;
    char *base = outer_at(t, e, false);
    int64_t first = t->lane0 + half * LANES;
    for (int64_t k = points; k % LANES; k++)
        x[k] = (cvec){{0}, {0}};
    for (int64_t k = 0; k < points; k += LANES) {
        vec re[LANES], im[LANES];
        for (int j = 0; j < LANES; j++) {
            cvec v = swap_if(swap, x[k + j]);
            re[j] = v.re;
            im[j] = v.im;
        }
        vec_transpose(re);
        vec_transpose(im);
        char *to = base + first * e->lane.stride + k * e->line.stride;
        ptrdiff_t step = e->lane.stride;
        if (e->band) {
            to = banded_at(e, e->lane.n, first, k / LANES);
            step = sizeof(cvec);
        }
        for (int l = 0; l < t->count[half]; l++)
            put_work(e, to + l * step, (cvec){re[l], im[l]});
    }
}

/* Splits the spectrum z of A + i B: A's half spectrum to a, B's to z. */
static void split_pairs(cvec *z, cvec *a, int64_t n) {
    for (int64_t k = 0; 2 * k <= n; k++) {
        cvec x = z[k], y = z[k ? n - k : 0];
        a[k] = (cvec){(x.re + y.re) * (real)0.5, (x.im - y.im) * (real)0.5};
        z[k] = (cvec){(x.im + y.im) * (real)0.5, (y.re - x.re) * (real)0.5};
    }
}

static void store_half(const struct tile *t, int half, cvec *x, int64_t points,
                       struct gf_cpu_stats *stats) {
    const struct gf_cpu_end *e = &t->pass->destination;
    bool swap = ends_swapped(t->pass);
    if (!t->count[half])
        return;
    if (e->type == GF_CPU_WORK && e->line_is_inner) {
        store_work_rows(t, half, x, points, swap);
    } else if (e->type == GF_CPU_WORK) {
        struct tile other = *t;
        other.lane0 += half * LANES;
        store_work_columns(&other, x, 0, points, swap);
    } else if (e->line.stride == sample_size[e->type] && e->lane.stride != e->line.stride &&
               !e->line.shift && !e->hermitian && !e->discard && !e->real_origin) {
        struct mapping m = mapping_of(t, half);
        do
            store_rows(t, half, x, points, &m);
        while (mapping_again(&m));
        mapping_report(&m, stats);
    } else {
        struct columns c = {0};
        columns_begin(t, half, &c);
        do
            columns_store(t, half, &c, x, 0, points, points);
        while (mapping_again(&c.m));
        mapping_report(&c.m, stats);
    }
}

/* x is the transformed tile, `other` the other buffer. */
static void store(const struct tile *t, cvec *x, cvec *other, struct gf_cpu_stats *stats) {
    const struct gf_cpu_pass_args *p = t->pass;
    switch (p->form) {
    case GF_CPU_C2C:
        store_half(t, 0, x, p->n, stats);
        break;
    case GF_CPU_R2C:
        split_pairs(x, other, p->n);
        if (p->packs) {
            other[0].im = other[p->n / 2].re;
            x[0].im = x[p->n / 2].re;
        }
        store_half(t, 0, other, p->n / 2 + !p->packs, stats);
        store_half(t, 1, x, p->n / 2 + !p->packs, stats);
        break;
    case GF_CPU_C2R:
    case GF_CPU_R2R:
        store_half(t, 0, x, p->n, stats);
        store_half(t, 1, x, p->n, stats);
        break;
    }
}

#endif
