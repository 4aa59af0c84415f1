/* Transforms the rows of long lines; a filter multiplies them and transforms them back. */
#include "core/base/value/status.h"
#include "core/filter/compose.h"
#include "core/filter/filter.h"
#include "core/split/state.h"

/* A row's points; for the real row also its half spectrum, whose last number is the imaginary part
 * of the first when stored. */
struct row {
    struct gf_slab_state *r;
    char *data, *half;
    int64_t row; /* the row that the filter's table is for */
};

static int transform(struct row *w, bool is_real, bool inverse) {
    const struct gf_job job = gf_slab_line_row_job(w->r->plan, is_real, inverse);
    return gf_slab_run_part(w->r, &job, is_real && inverse ? w->half : w->data,
                            (void *[]){is_real && !inverse ? w->half : w->data});
}

static void pack(const struct row *w, bool back) {
    const int64_t width = w->r->plan->width, last = w->r->plan->rows * width;
    for (int64_t c = 0; c < width; c++) {
        const struct gf_number a = gf_number_get(w->half, c, gf_slab_is_double(w->r->plan));
        const struct gf_number b = gf_number_get(w->half, last + c, gf_slab_is_double(w->r->plan));
        gf_number_put(w->half, c, gf_slab_is_double(w->r->plan),
                      (struct gf_number){a.re, back ? 0 : b.re});
        if (back)
            gf_number_put(w->half, last + c, gf_slab_is_double(w->r->plan),
                          (struct gf_number){a.im, 0});
    }
}

/* ---- filters ---- */

/* numbers[i][width] times value[i], in double. */
static void times(const struct row *w, const double *value, int64_t count, char *numbers) {
    const int64_t width = w->r->plan->width;
    for (int64_t i = 0; i < count * width; i++) {
        const struct gf_number v = gf_number_get(numbers, i, gf_slab_is_double(w->r->plan));
        const double *h = value + 2 * (i / width);
        gf_number_put(numbers, i, gf_slab_is_double(w->r->plan),
                      (struct gf_number){v.re * h[0] - v.im * h[1], v.re * h[1] + v.im * h[0]});
    }
}

static void conjugate(const struct row *w, int64_t count) {
    gf_filter_conjugate(w->data, count, gf_slab_is_double(w->r->plan), w->r->threads);
}

/* Multiplies a row by the filter and adds the filter's offset. */
static int multiply(struct row *w, const struct gf_job *part, char *numbers) {
    enum { AT_ONCE = 1024 };
    const struct gf_slab_plan *p = w->r->plan;
    const int64_t count = part->shape[0];
    struct gf_failure failed = {0};
#pragma omp parallel for num_threads(w->r->threads)
    for (int64_t at = 0; at < count; at += AT_ONCE) {
        double value[2 * AT_ONCE];
        const int64_t some = gf_min(count - at, AT_ONCE);
        int rc = gf_filter_line_values(part, at, some, value);
        gf_failure_keep(&failed, rc);
        if (!rc)
            times(w, value, some, numbers + at * p->width * p->number);
    }
    const double zero = gf_filter_zero(&p->job);
    for (int64_t c = 0; c < p->width && w->row == 0; c++) {
        struct gf_number v = gf_number_get(numbers, c, gf_slab_is_double(w->r->plan));
        v.re += zero;
        gf_number_put(numbers, c, gf_slab_is_double(w->r->plan), v);
    }
    return gf_failure_return(&failed);
}

static int filter_row(struct row *w, int64_t row, bool is_real) {
    const struct gf_slab_plan *p = w->r->plan;
    const int64_t step = gf_slab_line_rows(p), count = is_real ? 0 : p->rows * p->width;
    const struct gf_job part = {.op = GF_FILTER,
                                .ndim = 1,
                                .shape = {p->rows + is_real},
                                .channels = 1,
                                .axes = 1,
                                .precision = p->job.precision,
                                .whole = {.shape = {step * p->rows},
                                          .first = {row},
                                          .axes = 1,
                                          .step = is_real ? p->pages : step},
                                .filter = w->r->filter,
                                .filter_serial = w->r->filter->serial};
    int rc = w->row == row ? 0 : gf_slab_filter_table(w->r, &part);
    w->row = row;
    if (!rc)
        rc = transform(w, is_real, false);
    if (!rc)
        rc = multiply(w, &part, is_real ? w->half : w->data);
    conjugate(w, count); /* inverse by the forward plan */
    if (!rc)
        rc = transform(w, is_real, true);
    conjugate(w, count);
    return rc;
}

/* ---- the walk ---- */

/* A row of the exchange, line by line, or for a filter row by row, so that each table is made once. */
struct place {
    int64_t row, at, bytes;
    bool is_real, from_half, to_half; /* of half spectra */
};

static struct place place_of(const struct gf_slab_plan *p, int64_t k) {
    const bool filter = p->job.op == GF_FILTER, inverse = p->job.direction == GF_INVERSE;
    const int64_t row = filter ? k / p->lines : k % p->pages;
    const int64_t bytes = p->rows * p->width * p->number;
    const bool is_real = p->real && row == 0;
    return (struct place){.row = row,
                          .at = (filter ? k % p->lines * p->pages + row : k) * bytes,
                          .bytes = bytes,
                          .is_real = is_real,
                          .from_half = is_real && inverse,
                          .to_half = is_real && !inverse && !filter};
}

static int read_row(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct place at = place_of(p, part->index);
    int rc = r->io->get(r->io->user, at.at, part->room[at.from_half], at.bytes);
    if (!rc && p->job.op != GF_FILTER && part->index + 1 < p->lines * p->pages)
        gf_slab_expect(r, at.at + at.bytes, at.bytes);
    if (!rc)
        gf_slab_moved(r, at.bytes);
    return rc;
}

static int run_row(struct gf_slab_state *r, struct gf_slab_part *part) {
    struct row *w = part->user;
    const struct place at = place_of(r->plan, part->index);
    w->data = part->room[0];
    w->half = part->room[1];
    if (at.from_half)
        pack(w, true);
    int rc = r->plan->job.op == GF_FILTER ? filter_row(w, at.row, at.is_real)
                                          : transform(w, at.is_real, at.from_half);
    if (at.to_half && !rc)
        pack(w, false);
    return rc;
}

static int write_row(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct place at = place_of(r->plan, part->index);
    int rc = r->io->put(r->io->user, at.at, part->room[at.to_half], at.bytes);
    if (!rc)
        gf_slab_moved(r, at.bytes);
    return rc;
}

int gf_slab_line_transform_rows(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t point = p->width * p->number;
    struct row w = {.r = r, .row = -1};
    const struct gf_slab_walk walk = {
        .read = read_row,
        .work = run_row,
        .write = write_row,
        .user = &w,
        .n = p->lines * p->pages,
        .slots = p->row_slots,
        .writes_input = true,
        .room = {{p->rows * point, GF_SLAB_READ},
                 {p->real ? (p->rows + 1) * point : 0, GF_SLAB_READ}}};
    return gf_slab_walk(r, &walk);
}
