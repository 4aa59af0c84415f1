/* A filter of long lines: rows in pairs. Row k1 has the points k1 + n1 k2, whose negatives are in row
 * n1 - k1, so that of these two the spectrum of the samples is made, multiplied, and made points again. */
#include <string.h>

#include "core/base/status.h"
#include "core/filter/compose.h"
#include "core/filter/line.h"
#include "core/slab/line.h"
#include "core/slab/line_walks.h"

enum { CHUNK = 1024 };

/* Two rows, low and high; of a row that has its own negatives the first one alone. */
struct pair {
    struct gf_lines *l;
    struct gf_job job; /* the transform of a row */
    int64_t row[2];
    int rows;
    char *data[2];
    struct gf_filter *filter[2]; /* each with the row's table */
    char *last;                  /* the spectrum's last number, which row 0 has no place for */
};

static int64_t row_bytes(const struct gf_lines *l) {
    return l->p->rows * l->point;
}

/* The values of row i, and of row 0 that of the last number too. */
static struct gf_job part_of(const struct pair *t, int i) {
    const struct gf_slab_plan *p = t->l->p;
    const struct gf_filter *filter = t->filter[i];
    return (struct gf_job){
        .op = GF_FILTER,
        .ndim = 1,
        .shape = {p->rows + (t->row[i] == 0)},
        .channels = 1,
        .axes = 1,
        .precision = p->job.precision,
        .whole = {.shape = {2 * t->l->n}, .first = {t->row[i]}, .axes = 1, .step = p->pages},
        .filter = filter,
        .filter_serial = filter->serial};
}

static int make_tables(struct pair *t) {
    const struct gf_slab_io *io = t->l->r->io;
    int rc = 0;
    for (int i = 0; i < t->rows && !rc; i++) {
        const struct gf_job part = part_of(t, i);
        gf_array_free(&t->filter[i]->table);
        if (io->table && gf_filter_has_table(t->l->p->job.filter))
            rc = io->table(io->user, &part, t->filter[i]);
    }
    return rc;
}

/* ---- between points and the spectrum ---- */

static void pair_points(const struct pair *t, bool inverse, int64_t first, int64_t count, char *low,
                        char *high) {
    const struct gf_lines *l = t->l;
    const struct gf_line_pairs pairs = {
        &l->samples,      l->n, first, l->p->pages, count, l->p->width, inverse, gf_lines_wide(l),
        l->r->io->threads};
    if (count > 0)
        gf_line_pairs(&pairs, low, high);
}

/* Point n / 2 is its own mirror image. */
static void pair_middle(const struct pair *t, bool inverse, char *low) {
    char middle[16 * GF_SLAB_CHANNELS];
    memcpy(middle, low, (size_t)t->l->point);
    pair_points(t, inverse, t->l->n / 2, 1, low, middle);
}

static void pair_rows(const struct pair *t, bool inverse) {
    const struct gf_lines *l = t->l;
    const int64_t n2 = l->p->rows, point = l->point, first = t->row[0] == 0;
    char *row = t->data[0];
    if (t->rows > 1) {
        pair_points(t, inverse, t->row[0], n2, row, t->data[1]);
        return;
    }
    if (first)
        pair_points(t, inverse, 0, 1, row, t->last);
    const int64_t count = (n2 - first) / 2, middle = first + count;
    pair_points(t, inverse, t->row[0] + first * l->p->pages, count, row + first * point,
                row + (n2 - count) * point);
    if (2 * count < n2 - first)
        pair_middle(t, inverse, row + middle * point);
}

/* ---- the product ---- */

static int multiply_chunk(const struct pair *t, const struct gf_job *part, int64_t at,
                          int64_t count, void *numbers) {
    double value[2 * CHUNK];
    int rc = gf_filter_line_values(part, at, count, value);
    if (!rc)
        gf_line_times(value, count, t->l->p->width, gf_lines_wide(t->l), numbers);
    return rc;
}

static int multiply(const struct pair *t, int i) {
    const struct gf_lines *l = t->l;
    const struct gf_job part = part_of(t, i);
    const int64_t n2 = l->p->rows;
    struct gf_failure failed = {0};
#pragma omp parallel for num_threads(l->r->io->threads)
    for (int64_t at = 0; at < n2; at += CHUNK)
        gf_failure_keep(&failed, multiply_chunk(t, &part, at, gf_lines_least(CHUNK, n2 - at),
                                                t->data[i] + at * l->point));
    const int rc = gf_failure_return(&failed);
    return rc || t->row[i] ? rc : multiply_chunk(t, &part, n2, 1, t->last);
}

/* The filter's offset, to the zero frequency. */
static void add_offset(const struct pair *t) {
    const double zero = gf_filter_zero(&t->l->p->job);
    for (int64_t c = 0; c < t->l->p->width && t->row[0] == 0; c++)
        if (gf_lines_wide(t->l))
            ((double *)t->data[0])[2 * c] += zero;
        else
            ((float *)t->data[0])[2 * c] += (float)zero;
}

/* ---- the walk ---- */

static int transform(struct pair *t, int i) {
    const struct gf_slab_io *io = t->l->r->io;
    const struct gf_slab_plan *p = t->l->p;
    struct gf_array a =
        gf_array_wrap(t->data[i], t->job.in_dtype, 2, (int64_t[]){p->rows, p->width});
    struct gf_array out = a;
    struct gf_report report;
    return io->run(io->user, &t->job, &a, &out, &report);
}

/* Back by the same plan. */
static int transform_back(struct pair *t, int i) {
    const struct gf_slab_plan *p = t->l->p;
    const int64_t count = p->rows * p->width;
    gf_line_conjugate(count, gf_lines_wide(t->l), t->l->r->io->threads, t->data[i]);
    int rc = transform(t, i);
    gf_line_conjugate(count, gf_lines_wide(t->l), t->l->r->io->threads, t->data[i]);
    return rc;
}

static int filter_pair(struct pair *t, int64_t line) {
    const struct gf_slab_io *io = t->l->r->io;
    const int64_t bytes = row_bytes(t->l);
    int rc = line ? 0 : make_tables(t);
    for (int i = 0; i < t->rows && !rc; i++)
        rc = io->get(io->user, gf_lines_place(t->l, line, t->row[i], 0), t->data[i], bytes);
    for (int i = 0; i < t->rows && !rc; i++)
        rc = transform(t, i);
    if (!rc)
        pair_rows(t, false);
    for (int i = 0; i < t->rows && !rc; i++)
        rc = multiply(t, i);
    if (!rc) {
        add_offset(t);
        pair_rows(t, true);
    }
    for (int i = 0; i < t->rows && !rc; i++)
        rc = transform_back(t, i);
    for (int i = 0; i < t->rows && !rc; i++)
        rc = io->put(io->user, gf_lines_place(t->l, line, t->row[i], 0), t->data[i], bytes);
    if (!rc)
        gf_slab_moved(t->l->r, 2 * t->rows * bytes);
    return rc;
}

int gf_lines_filter_rows(struct gf_lines *l) {
    const struct gf_slab_plan *p = l->p;
    char last[16 * GF_SLAB_CHANNELS];
    struct pair t = {.l = l, .job = gf_lines_row_job(p), .last = last};
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        rc = gf_slab_filter_of(p, &t.filter[i]);
        if (!rc)
            rc = gf_slab_take((void **)&t.data[i], row_bytes(l));
    }
    const struct gf_span own = gf_slab_own(l->r, p->pages / 2 + 1);
    for (int64_t k = own.first; k < own.first + own.count && !rc; k++)
        for (int64_t line = 0; line < p->lines && !rc; line++) {
            t.row[0] = k;
            t.row[1] = (p->pages - k) % p->pages;
            t.rows = t.row[0] == t.row[1] ? 1 : 2;
            rc = filter_pair(&t, line);
        }
    for (int i = 0; i < 2; i++) {
        gf_free(t.data[i]);
        gf_filter_free(t.filter[i]);
    }
    return gf_slab_turn(l->r, rc);
}
