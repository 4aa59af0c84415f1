/* Blocks of a half spectrum to rows of the spectrum, number by number as a backend's last pass makes
 * them from its workspace. */
#include "core/slab/block.h"

#include <string.h>

/* A complex number of either precision, in double: what follows is exact or rounded once. */
struct number {
    double re, im;
};

static struct number get(const char *p, int64_t size) {
    if (size == 8) {
        float x[2];
        memcpy(x, p, sizeof x);
        return (struct number){(double)x[0], (double)x[1]};
    }
    struct number x;
    memcpy(&x, p, sizeof x);
    return x;
}

static void put(char *p, int64_t size, struct number x) {
    if (size == 8) {
        float y[2] = {(float)x.re, (float)x.im};
        memcpy(p, y, sizeof y);
    } else {
        memcpy(p, &x, sizeof x);
    }
}

int64_t gf_slab_row(const struct gf_slab_block *b, int64_t index) {
    return index < b->n_low ? b->low + index : b->high + index - b->n_low;
}

static bool on(const struct gf_slab_plan *p, int axis) {
    return p->job.axes >> axis & 1;
}

static int64_t negative(const struct gf_slab_plan *p, int axis, int64_t i) {
    return on(p, axis) && i ? p->job.shape[axis] - i : i;
}

/* The index in the block of the row that is the negative of the row at `index`. */
static int64_t negative_index(const struct gf_slab_spectrum *s, int64_t index) {
    const struct gf_slab_block *b = &s->block;
    int64_t row = negative(s->plan, 1, gf_slab_row(b, index));
    return row >= b->low && row < b->low + b->n_low ? row - b->low : row - b->high + b->n_low;
}

static const char *at(const struct gf_slab_spectrum *s, int64_t page, int64_t index) {
    return s->data + (page * gf_slab_block_rows(&s->block) + index) * s->row_bytes;
}

/* A row, and the one that is its mirror image. */
struct rows {
    const char *here, *there;
    int64_t page, row;
    bool own;   /* they are the same */
    bool first; /* of two packed rows the one whose mirror image takes the opposite sign */
};

/* As the CPU's passes take turns (kernels/cpu/tile.h), which only shows in the signs of zeros. */
static bool comes_first(const struct gf_slab_plan *p, int64_t page, int64_t row) {
    int64_t other = negative(p, 1, row), nearest = row < other ? row : other;
    if (row == other)
        return 2 * page <= p->pages;
    return (row == nearest) == (nearest % 2 == 1);
}

static struct rows rows_at(const struct gf_slab_spectrum *s, int64_t page, int64_t index) {
    const struct gf_slab_plan *p = s->plan;
    struct rows r = {.page = page, .row = gf_slab_row(&s->block, index)};
    int64_t mirror = negative(p, 0, page), other = p->paired ? negative_index(s, index) : index;
    r.here = at(s, page, index);
    r.there = at(s, mirror, other);
    r.own = mirror == page && negative(p, 1, r.row) == r.row;
    r.first = comes_first(p, page, r.row);
    return r;
}

/* (a + b) / 2, rounded as the numbers are. */
static struct number half_sum(struct number a, struct number b, int64_t size) {
    if (size == 8)
        return (struct number){(double)((float)a.re + (float)b.re) * 0.5,
                               (double)((float)a.im + (float)b.im) * 0.5};
    return (struct number){(a.re + b.re) * 0.5, (a.im + b.im) * 0.5};
}

/* The packed number A + i B, where A and B are spectra of real samples, to both. */
static void unpack(struct number here, struct number there, bool first, int64_t size,
                   struct number *a, struct number *b) {
    struct number x = first ? here : there, y = first ? there : here;
    *a = half_sum(x, (struct number){y.re, -y.im}, size);
    *b = half_sum((struct number){x.im, -x.re}, (struct number){y.im, y.re}, size);
    if (!first) {
        a->im = -a->im;
        b->im = -b->im;
    }
}

/* A row of the spectrum to be filled: column x is at (x + shift) mod n. */
struct target {
    char *row;
    int64_t n, shift, bytes; /* columns, and bytes of one: of all channels */
};

static char *column(const struct target *t, int64_t x) {
    x += t->shift;
    return t->row + (x < t->n ? x : x - t->n) * t->bytes;
}

/* Columns 0 and n/2 of a row from the packed column, or as they are, `c` bytes into the row. */
static void end_numbers(const struct gf_slab_plan *p, const struct rows *r, int64_t c,
                        struct number *a, struct number *b) {
    const int64_t size = p->number;
    if (p->packed)
        unpack(get(r->here + c, size), get(r->there + c, size), r->first, size, a, b);
    if (r->own) /* real: the rest is rounding */
        a->im = b->im = 0;
}

/* Columns 0 .. n/2. */
static void half_row(const struct gf_slab_plan *p, const struct rows *r, const struct target *t) {
    const int64_t n = p->job.shape[2], half = n / 2, size = p->number;
    memcpy(column(t, 0), r->here, (size_t)(half * t->bytes));
    if (!p->packed)
        memcpy(column(t, half), r->here + half * t->bytes, (size_t)t->bytes);
    for (int64_t c = 0; c < t->bytes && (p->packed || r->own); c += size) {
        struct number a = get(column(t, 0) + c, size), b = get(column(t, half) + c, size);
        end_numbers(p, r, c, &a, &b);
        put(column(t, 0) + c, size, a);
        if (n % 2 == 0)
            put(column(t, half) + c, size, b);
    }
}

/* Of one channel in single precision. */
static void mirror_singles(const struct rows *r, const struct target *t) {
    for (int64_t x = t->n / 2 + 1; x < t->n; x++) {
        float f[2];
        memcpy(f, r->there + (t->n - x) * 8, sizeof f);
        f[1] = -f[1];
        memcpy(column(t, x), f, sizeof f);
    }
}

/* The columns behind the half: conjugates of the mirror image's, in reverse order. */
static void mirror_row(const struct gf_slab_plan *p, const struct rows *r, const struct target *t) {
    const int64_t n = p->job.shape[2], size = p->number;
    if (t->bytes == 8) {
        mirror_singles(r, t);
        return;
    }
    for (int64_t x = n / 2 + 1; x < n; x++)
        for (int64_t c = 0; c < t->bytes; c += size) {
            struct number f = get(r->there + (n - x) * t->bytes + c, size);
            f.im = -f.im;
            put(column(t, x) + c, size, f);
        }
}

static void full_row(const struct rows *r, const struct target *t) {
    memcpy(column(t, 0), r->here, (size_t)((t->n - t->shift) * t->bytes));
    memcpy(t->row, r->here + (t->n - t->shift) * t->bytes, (size_t)(t->shift * t->bytes));
}

int64_t gf_slab_columns(const struct gf_slab_plan *p, int i) {
    return p->real && p->job.out[i].half ? p->job.shape[2] / 2 + 1 : p->job.shape[2];
}

void gf_slab_expand(const struct gf_slab_spectrum *s, int i, int64_t first, int64_t count,
                    void *to) {
    const struct gf_slab_plan *p = s->plan;
    const struct gf_output *o = &p->job.out[i];
    const int64_t rows = gf_slab_block_rows(&s->block), columns = gf_slab_columns(p, i);
    const int64_t bytes = (p->job.luma ? 1 : p->job.channels) * p->number;
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
            mirror_row(p, &pair, &t);
    }
}

void gf_slab_ends(const struct gf_slab_spectrum *s, void *to) {
    const struct gf_slab_plan *p = s->plan;
    const int64_t rows = gf_slab_block_rows(&s->block), size = p->number;
    const int64_t bytes = (p->job.luma ? 1 : p->job.channels) * size;
#pragma omp parallel for num_threads(s->threads) if (s->threads > 1)
    for (int64_t k = 0; k < p->pages * rows; k++) {
        const struct rows pair = rows_at(s, k / rows, k % rows);
        char *ends = (char *)to + 2 * k * bytes;
        for (int64_t c = 0; c < bytes; c += size) {
            struct number a, b;
            end_numbers(p, &pair, c, &a, &b);
            put(ends + c, size, a);
            put(ends + bytes + c, size, b);
        }
    }
}

/* n columns of `bytes` bytes from the last one to the first one. */
static void reverse(char *to, const char *from, int64_t n, int64_t bytes) {
    if (bytes == 1)
        for (int64_t x = 0; x < n; x++)
            to[x] = from[n - 1 - x];
    else
        for (int64_t x = 0; x < n; x++)
            memcpy(to + x * bytes, from + (n - 1 - x) * bytes, (size_t)bytes);
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
            reverse(column(&t, half + 1), pair.there + bytes, half - 1, bytes);
    }
}

static void hermitian_row(const struct gf_slab_plan *p, const struct rows *r, char *to,
                          double energy[2]) {
    const int64_t n = p->job.shape[2], size = p->number, bytes = p->job.channels * size;
    for (int64_t x = 0; x <= n / 2; x++) {
        const int64_t mirror = x ? n - x : 0;
        const double weight = x == 0 || 2 * x == n ? 1 : 2;
        for (int64_t c = 0; c < bytes; c += size) {
            const struct number f = get(r->here + x * bytes + c, size);
            const struct number g = get(r->there + mirror * bytes + c, size);
            const struct number even = half_sum(f, (struct number){g.re, -g.im}, size);
            const struct number odd = half_sum(f, (struct number){-g.re, g.im}, size);
            energy[0] += weight * (even.re * even.re + even.im * even.im);
            energy[1] += weight * (odd.re * odd.re + odd.im * odd.im);
            put(to + x * bytes + c, size, even);
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
