/* Makes rows of the spectrum from blocks of a half spectrum, number by number, rounded as a
 * backend's last pass rounds. */
#include "core/split/state.h"

#include "core/base/value/halves.h"

/* The row of a block at an index. */
static int64_t row_at(const struct gf_slab_block *b, int64_t index) {
    return index < b->n_low ? b->low + index : b->high + index - b->n_low;
}

static bool on(const struct gf_slab_plan *p, int axis) {
    return p->job.axes >> axis & 1;
}

static int64_t negative(const struct gf_slab_plan *p, int axis, int64_t i) {
    return on(p, axis) ? gf_half_negative(i, p->job.shape[axis]) : i;
}

/* The index in the block of the negative of the row at `index`. */
static int64_t negative_index(const struct gf_slab_spectrum *s, int64_t index) {
    const struct gf_slab_block *b = &s->block;
    int64_t row = negative(s->plan, 1, row_at(b, index));
    return row >= b->low && row < b->low + b->n_low ? row - b->low : row - b->high + b->n_low;
}

static const char *at(const struct gf_slab_spectrum *s, int64_t page, int64_t index) {
    return s->data + (page * gf_slab_block_rows(&s->block) + index) * s->row_bytes;
}

/* A row and its mirror image. */
struct rows {
    const char *here, *there;
    int64_t page, row;
    bool own;   /* both are the same row */
    bool first; /* gf_half_leads() */
};

static struct rows rows_at(const struct gf_slab_spectrum *s, int64_t page, int64_t index) {
    const struct gf_slab_plan *p = s->plan;
    struct rows r = {.page = page, .row = row_at(&s->block, index)};
    int64_t mirror = negative(p, 0, page), other = p->paired ? negative_index(s, index) : index;
    r.here = at(s, page, index);
    r.there = at(s, mirror, other);
    r.own = mirror == page && negative(p, 1, r.row) == r.row;
    r.first = gf_half_leads(page, p->pages, r.row, negative(p, 1, r.row));
    return r;
}

/* Unpacks the packed column's number at a row, through the one of the pair that the kernels
 * unpack. */
static void unpack(struct gf_number here, struct gf_number there, bool first, bool is_double,
                   struct gf_number *a, struct gf_number *b) {
    if (first) {
        gf_half_unpack(here, there, is_double, a, b);
        return;
    }
    gf_half_unpack(there, here, is_double, a, b);
    *a = gf_number_conjugate(*a);
    *b = gf_number_conjugate(*b);
}

/* A row of the spectrum to fill, whose column x is at (x + shift) mod n. */
struct target {
    char *row;
    int64_t n, shift, bytes; /* columns; bytes of a column, all channels */
};

static char *column(const struct target *t, int64_t x) {
    x += t->shift;
    return t->row + (x < t->n ? x : x - t->n) * t->bytes;
}

/* Unpacks columns 0 and n/2, `c` bytes into a row; a real number loses its rounding errors. */
static void end_numbers(const struct gf_slab_plan *p, const struct rows *r, int64_t c,
                        struct gf_number *a, struct gf_number *b) {
    const bool is_double = gf_slab_is_double(p);
    if (p->packed)
        unpack(gf_number_get(r->here + c, 0, is_double), gf_number_get(r->there + c, 0, is_double),
               r->first, is_double, a, b);
    if (r->own)
        a->im = b->im = 0;
}

/* Columns 0 .. n/2. */
static void half_row(const struct gf_slab_plan *p, const struct rows *r, const struct target *t) {
    const int64_t n = p->job.shape[2], half = n / 2;
    const bool is_double = gf_slab_is_double(p);
    memcpy(column(t, 0), r->here, (size_t)(half * t->bytes));
    if (!p->packed)
        memcpy(column(t, half), r->here + half * t->bytes, (size_t)t->bytes);
    for (int64_t c = 0; c < t->bytes && (p->packed || r->own); c += p->number) {
        struct gf_number a = gf_number_get(column(t, 0) + c, 0, is_double);
        struct gf_number b = gf_number_get(column(t, half) + c, 0, is_double);
        end_numbers(p, r, c, &a, &b);
        gf_number_put(column(t, 0) + c, 0, is_double, a);
        if (n % 2 == 0)
            gf_number_put(column(t, half) + c, 0, is_double, b);
    }
}

/* Mirrors columns 1 .. (n - 1) / 2 to those after n/2, which are contiguous whether shifted or not.
 * `there` begins with column 0. */
static void mirror_row(enum gf_kind kind, enum gf_dtype dtype, const char *there,
                       const struct target *t) {
    const int64_t behind = (t->n - 1) / 2, channels = t->bytes / (int64_t)gf_dtype_size(dtype);
    gf_half_mirror_columns(kind, dtype, channels, there + t->bytes, behind,
                           column(t, t->n - behind));
}

static void full_row(const struct rows *r, const struct target *t) {
    memcpy(column(t, 0), r->here, (size_t)((t->n - t->shift) * t->bytes));
    memcpy(t->row, r->here + (t->n - t->shift) * t->bytes, (size_t)(t->shift * t->bytes));
}

void gf_slab_expand(const struct gf_slab_spectrum *s, int i, int64_t first, int64_t count,
                    void *to) {
    const struct gf_slab_plan *p = s->plan;
    const struct gf_output *o = &p->job.out[i];
    const int64_t rows = gf_slab_block_rows(&s->block), columns = gf_slab_columns(p, i);
    const int64_t bytes = gf_job_lanes(&p->job) * p->number;
    const bool full = !(p->real && o->half), shifted = full && o->shift && on(p, 2);
#pragma omp parallel for num_threads(s->threads) if (s->threads > 1)
    for (int64_t k = 0; k < count * rows; k++) {
        const struct rows pair = rows_at(s, first + k / rows, k % rows);
        const struct target t = {.row = (char *)to + k * columns * bytes,
                                 .n = columns,
                                 .shift = shifted ? columns / 2 : 0,
                                 .bytes = bytes};
        if (p->real)
            half_row(p, &pair, &t);
        else
            full_row(&pair, &t);
        if (p->real && full)
            mirror_row(GF_COMPLEX, gf_job_number(&p->job), pair.there, &t);
    }
}

void gf_slab_ends(const struct gf_slab_spectrum *s, void *to) {
    const struct gf_slab_plan *p = s->plan;
    const int64_t rows = gf_slab_block_rows(&s->block), size = p->number;
    const int64_t bytes = gf_job_lanes(&p->job) * size;
#pragma omp parallel for num_threads(s->threads) if (s->threads > 1)
    for (int64_t k = 0; k < p->pages * rows; k++) {
        const struct rows pair = rows_at(s, k / rows, k % rows);
        char *ends = (char *)to + 2 * k * bytes;
        for (int64_t c = 0; c < bytes; c += size) {
            struct gf_number a, b;
            end_numbers(p, &pair, c, &a, &b);
            gf_number_put(ends + c, 0, gf_slab_is_double(p), a);
            gf_number_put(ends + bytes + c, 0, gf_slab_is_double(p), b);
        }
    }
}

void gf_slab_join(const struct gf_slab_spectrum *s, const char *ends, int64_t first, int64_t count,
                  void *to) {
    const struct gf_slab_plan *p = s->plan;
    const struct gf_output *o = &p->job.out[0];
    const int64_t rows = gf_slab_block_rows(&s->block), columns = gf_slab_columns(p, 0);
    const int64_t half = p->job.shape[2] / 2, bytes = s->row_bytes / half;
#pragma omp parallel for num_threads(s->threads) if (s->threads > 1)
    for (int64_t k = 0; k < count * rows; k++) {
        const struct rows pair = rows_at(s, first + k / rows, k % rows);
        const char *end = ends + 2 * (first * rows + k) * bytes;
        const struct target t = {.row = (char *)to + k * columns * bytes,
                                 .n = columns,
                                 .shift = o->shift && !o->half ? half : 0,
                                 .bytes = bytes};
        memcpy(column(&t, 0), end, (size_t)bytes);
        memcpy(column(&t, 1), pair.here + bytes, (size_t)((half - 1) * bytes));
        memcpy(column(&t, half), end + bytes, (size_t)bytes);
        if (!o->half)
            mirror_row(o->kind, o->dtype, pair.there, &t);
    }
}

static void hermitian_row(const struct gf_slab_plan *p, const struct rows *r, char *to,
                          double energy[2]) {
    const int64_t n = p->job.shape[2], channels = p->job.channels;
    const bool is_double = gf_slab_is_double(p);
    for (int64_t x = 0; x <= n / 2; x++) {
        const int64_t mirror = gf_half_negative(x, n);
        const double weight = x == 0 || 2 * x == n ? 1 : 2;
        for (int64_t c = 0; c < channels; c++) {
            const struct gf_number f = gf_number_get(r->here, x * channels + c, is_double);
            const struct gf_number g = gf_number_get(r->there, mirror * channels + c, is_double);
            gf_number_put(to, x * channels + c, is_double,
                          gf_half_hermitian(f, g, is_double, weight, energy));
        }
    }
}

void gf_slab_hermitian(const struct gf_slab_spectrum *full, void *half, double energy[2]) {
    const struct gf_slab_plan *p = full->plan;
    const int64_t rows = gf_slab_block_rows(&full->block), row = p->width * p->number;
    double even = 0, odd = 0;
#pragma omp parallel for num_threads(full->threads) if (full->threads > 1) reduction(+ : even, odd)
    for (int64_t k = 0; k < p->pages * rows; k++) {
        const struct rows pair = rows_at(full, k / rows, k % rows);
        double e[2] = {0, 0};
        hermitian_row(p, &pair, (char *)half + k * row, e);
        even += e[0];
        odd += e[1];
    }
    energy[0] += even;
    energy[1] += odd;
}
