/* The two walks of a job in slabs. */
#include "core/slab/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/status.h"
#include "core/slab/block.h"
#include "core/slab/range.h"

struct run {
    const struct gf_slab_plan *plan;
    const struct gf_slab_io *io;
    struct gf_report *report;
    int64_t moved;
    struct gf_slab_range range; /* forward */
    double energy[2];           /* of a full spectrum's Hermitian part, and of the rest */
};

static void moved(struct run *r, int64_t bytes) {
    r->moved += bytes;
    if (r->io->moved)
        r->io->moved(r->io->user, r->moved);
}

static void expect(const struct run *r, int64_t at, int64_t bytes) {
    if (r->io->expect)
        r->io->expect(r->io->user, at, bytes);
}

static int take(void **memory, int64_t bytes) {
    *memory = gf_alloc((size_t)bytes);
    return *memory ? 0 : gf_fail(GF_ENOMEM, "no memory for a slab of %lld bytes", (long long)bytes);
}

static int64_t longest_slab(const struct gf_slab_plan *p) {
    int64_t first, count;
    gf_slab_pages(p, p->n_slabs - 1, &first, &count);
    return count > p->slab_pages ? count : p->slab_pages;
}

static int64_t row_bytes(const struct gf_slab_plan *p) {
    return p->width * p->number;
}

static enum gf_dtype number_type(const struct gf_slab_plan *p) {
    return p->number == 16 ? GF_C128 : GF_C64;
}

/* The part of the job that transforms all axes but the slowest of `count` pages. */
static struct gf_job page_job(const struct gf_slab_plan *p, int64_t count) {
    struct gf_job job = p->job;
    job.shape[0] = count;
    job.axes &= ~1u;
    job.elsewhere = p->job.shape[0];
    if (job.direction == GF_INVERSE) {
        job.in_half = p->real;
        return job;
    }
    job.norm = GF_NORM_BACKWARD;
    job.n_out = 1;
    job.out[0] = (struct gf_output){
        .kind = GF_COMPLEX, .dtype = number_type(p), .half = p->real, .packed = p->packed};
    return job;
}

/* The part that transforms the slowest axis of a block, in place and without the norm's factor. */
static struct gf_job block_job(const struct gf_slab_plan *p, int64_t rows, int64_t width) {
    const bool forward = p->job.direction == GF_FORWARD;
    return (struct gf_job){.direction = p->job.direction,
                           .ndim = 3,
                           .shape = {p->pages, rows, width},
                           .channels = 1,
                           .axes = 1,
                           .in_dtype = number_type(p),
                           .lean = true,
                           .precision = p->job.precision,
                           .norm = forward ? GF_NORM_BACKWARD : GF_NORM_FORWARD,
                           .elsewhere = 1,
                           .n_out = 1,
                           .out = {{.kind = GF_COMPLEX, .dtype = number_type(p)}}};
}

static int run_lines(struct run *r, const struct gf_array *lines) {
    const struct gf_job job = block_job(r->plan, lines->shape[1], lines->shape[2]);
    struct gf_report report;
    struct gf_array out = *lines;
    return r->io->run(r->io->user, &job, lines, &out, &report);
}

static int run_block(struct run *r, int64_t rows, void *data) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_array lines =
        gf_array_wrap(data, number_type(p), 4, (int64_t[]){p->pages, rows, p->width, 1});
    return run_lines(r, &lines);
}

/* ---------------------------------------------------------------- pieces */

/* Rows of a block, in pages of all rows, to or from a piece. */
static void copy_piece(const struct gf_slab_plan *p, const struct gf_slab_block *b, int64_t count,
                       char *pages, char *piece, bool to_piece) {
    const int64_t row = row_bytes(p), low = b->n_low * row, high = b->n_high * row;
    for (int64_t z = 0; z < count; z++, piece += low + high) {
        char *page = pages + z * p->rows * row;
        memcpy(to_piece ? piece : page + b->low * row, to_piece ? page + b->low * row : piece,
               (size_t)low);
        if (high)
            memcpy(to_piece ? piece + low : page + b->high * row,
                   to_piece ? page + b->high * row : piece + low, (size_t)high);
    }
}

static int64_t largest_piece(const struct gf_slab_plan *p) {
    int64_t largest = 0;
    for (int64_t k = 0; k < p->n_blocks; k++) {
        struct gf_slab_block b = gf_slab_block(p, k);
        int64_t bytes = longest_slab(p) * gf_slab_block_rows(&b) * row_bytes(p);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

/* ---------------------------------------------------------------- forward */

static int put_slab(struct run *r, int64_t slab, int64_t count, void *pages, void *piece) {
    const struct gf_slab_plan *p = r->plan;
    int rc = 0;
    for (int64_t k = 0; k < p->n_blocks && !rc; k++) {
        struct gf_slab_block b = gf_slab_block(p, k);
        copy_piece(p, &b, count, pages, piece, true);
        rc = r->io->put(r->io->user, gf_slab_piece_at(p, slab, k), piece,
                        gf_slab_piece_bytes(p, slab, k));
    }
    return rc;
}

static int forward_slab(struct run *r, int64_t slab, struct gf_array *in, void *pages,
                        void *piece) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_report report;
    int64_t first, count, shape[GF_MAX_RANK];
    gf_slab_pages(p, slab, &first, &count);
    const struct gf_job job = page_job(p, count);
    gf_job_in_shape(&job, shape);
    *in = gf_array_wrap(in->data, job.in_dtype, 4, shape);
    gf_job_out_shape(&job, 0, shape);
    struct gf_array out = gf_array_wrap(pages, number_type(p), 4, shape);
    int rc = r->io->read(r->io->user, first, in);
    if (!rc) { /* before the job, which may spend its input */
        gf_slab_range_input(&r->range, first, in);
        rc = r->io->run(r->io->user, &job, in, &out, &report);
    }
    if (!rc) {
        gf_slab_range_pages(&r->range, first, count, pages);
        rc = put_slab(r, slab, count, pages, piece);
    }
    if (!rc)
        moved(r, gf_array_bytes(in) + gf_array_bytes(&out));
    return rc;
}

static int forward_slabs(struct run *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = longest_slab(p);
    void *in = NULL, *pages = NULL, *piece = NULL;
    int rc = take(&in, p->walk[0].bytes_read / p->pages * longest);
    if (!rc)
        rc = take(&pages, p->exchange_bytes / p->pages * longest);
    if (!rc)
        rc = take(&piece, largest_piece(p));
    struct gf_array a = {.data = in};
    for (int64_t i = 0; i < p->n_slabs && !rc; i++)
        rc = forward_slab(r, i, &a, pages, piece);
    gf_free(in);
    gf_free(pages);
    gf_free(piece);
    return rc;
}

/* From complex numbers to output i: the norm, the kind and the type, all of them number by number.
 * A transform along an axis of one point does nothing else. */
static struct gf_job convert_job(const struct run *r, int i, int64_t rows) {
    const struct gf_slab_plan *p = r->plan;
    const double *range = r->range.of[i];
    struct gf_job job = {.ndim = 3,
                         .shape = {1, rows, gf_slab_columns(p, i)},
                         .channels = p->job.luma ? 1 : p->job.channels,
                         .axes = 1,
                         .in_dtype = number_type(p),
                         .precision = p->job.precision,
                         .norm = p->job.norm,
                         .elsewhere = gf_job_points(&p->job),
                         .n_out = 1,
                         .out = {p->job.out[i]}};
    job.out[0].shift = job.out[0].half = false;
    job.out[0].range = GF_RANGE_GIVEN;
    job.out[0].low = range[1] > 0 ? range[0] : 0;
    job.out[0].high = range[1] > 0 ? range[1] : 1; /* all is zero */
    return job;
}

/* True when the expanded numbers are the output. */
static bool is_output(const struct gf_slab_plan *p, int i) {
    const struct gf_output *o = &p->job.out[i];
    return o->kind == GF_COMPLEX && o->dtype == number_type(p) && gf_job_scale(&p->job) == 1;
}

/* Rows of one page, which the shift may cut in two. */
static int write_rows(struct run *r, int i, struct gf_slab_rows rows, const char *data,
                      int64_t row) {
    const struct gf_job *job = &r->plan->job;
    const bool shift = job->out[i].shift;
    if (shift)
        rows.page = (rows.page + job->shape[0] / 2) % job->shape[0];
    if (shift && job->axes >> 1 & 1)
        rows.row = (rows.row + job->shape[1] / 2) % job->shape[1];
    const int64_t all = rows.count, fits = job->shape[1] - rows.row;
    rows.count = all < fits ? all : fits;
    int rc = all ? r->io->write(r->io->user, i, &rows, data) : 0;
    if (rc || rows.count == all)
        return rc;
    const struct gf_slab_rows rest = {rows.page, 0, all - rows.count};
    return r->io->write(r->io->user, i, &rest, data + rows.count * row);
}

/* Buffers for a few pages of a block. */
struct step {
    void *numbers, *samples;
    int64_t first, count; /* pages */
    bool scans;           /* for a display range: nothing is written */
};

/* To output i's samples, or where they are scanned to floats. */
static int convert(struct run *r, int i, int64_t rows, const struct step *s, struct gf_array *out) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_job job = convert_job(r, i, rows);
    int64_t shape[GF_MAX_RANK];
    struct gf_report report;
    if (s->scans) {
        job.out[0].dtype = p->number == 16 ? GF_F64 : GF_F32;
        job.out[0].map = GF_MAP_NUMBER;
    }
    gf_job_in_shape(&job, shape);
    struct gf_array in = gf_array_wrap(s->numbers, number_type(p), 4, shape);
    *out = gf_array_wrap(s->samples, job.out[0].dtype, 4, shape);
    return r->io->run(r->io->user, &job, &in, out, &report);
}

static double largest_of(const struct gf_array *a) {
    const int64_t n = gf_array_count(a);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double v =
            a->dtype == GF_F64 ? ((const double *)a->data)[i] : (double)((const float *)a->data)[i];
        largest = fmax(largest, fabs(v));
    }
    return fmin(largest, a->dtype == GF_F64 ? DBL_MAX : (double)FLT_MAX);
}

static int scan_step(struct run *r, const struct gf_slab_spectrum *s, int i,
                     const struct step *step) {
    struct gf_array out;
    if (!gf_slab_range_scans(&r->plan->job, i))
        return 0;
    gf_slab_expand(s, i, step->first, step->count, step->numbers);
    int rc = convert(r, i, step->count * gf_slab_block_rows(&s->block), step, &out);
    if (!rc)
        r->range.of[i][1] = fmax(r->range.of[i][1], largest_of(&out));
    return rc;
}

static int write_step(struct run *r, const struct gf_slab_spectrum *s, int i,
                      const struct step *step) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block *b = &s->block;
    const int64_t rows = gf_slab_block_rows(b);
    const int64_t row = gf_slab_columns(p, i) * (p->job.luma ? 1 : p->job.channels) *
                        (int64_t)gf_dtype_size(p->job.out[i].dtype);
    const char *data = step->numbers;
    struct gf_array out;
    gf_slab_expand(s, i, step->first, step->count, step->numbers);
    int rc = 0;
    if (!is_output(p, i)) {
        rc = convert(r, i, step->count * rows, step, &out);
        data = step->samples;
    }
    for (int64_t z = step->first; z < step->first + step->count && !rc; z++, data += rows * row) {
        rc = write_rows(r, i, (struct gf_slab_rows){z, b->low, b->n_low}, data, row);
        if (!rc)
            rc = write_rows(r, i, (struct gf_slab_rows){z, b->high, b->n_high},
                            data + b->n_low * row, row);
    }
    if (!rc)
        moved(r, step->count * rows * row);
    return rc;
}

static int forward_block(struct run *r, int64_t k, void *data, struct step *step) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_spectrum s = {p, gf_slab_block(p, k), data, row_bytes(p), r->io->threads};
    const int64_t rows = gf_slab_block_rows(&s.block), bytes = p->pages * rows * row_bytes(p);
    int rc = r->io->get(r->io->user, gf_slab_piece_at(p, 0, k), data, bytes);
    if (!rc && k + 1 < p->n_blocks) {
        const struct gf_slab_block next = gf_slab_block(p, k + 1);
        expect(r, gf_slab_piece_at(p, 0, k + 1),
               p->pages * gf_slab_block_rows(&next) * row_bytes(p));
    }
    if (!rc)
        rc = run_block(r, rows, data);
    if (!rc)
        moved(r, bytes);
    for (int64_t z = 0; z < p->pages && !rc; z += p->step_pages) {
        step->first = z;
        step->count = p->pages - z < p->step_pages ? p->pages - z : p->step_pages;
        for (int i = 0; i < p->job.n_out && !rc; i++)
            rc = step->scans ? scan_step(r, &s, i, step) : write_step(r, &s, i, step);
    }
    return rc;
}

static int64_t most_rows(const struct gf_slab_plan *p) {
    return (p->paired ? 2 : 1) * p->block_units;
}

static int forward_blocks(struct run *r, bool scans) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = most_rows(p), channels = p->job.luma ? 1 : p->job.channels;
    int64_t numbers = 0, samples = 0;
    void *data = NULL;
    struct step step = {.scans = scans};
    for (int i = 0; i < p->job.n_out; i++) {
        int64_t n = p->step_pages * rows * gf_slab_columns(p, i) * channels;
        int64_t bytes = is_output(p, i) ? 0 : n * (int64_t)gf_dtype_size(p->job.out[i].dtype);
        if (gf_slab_range_scans(&p->job, i))
            bytes = n * p->number / 2;
        numbers = n * p->number > numbers ? n * p->number : numbers;
        samples = bytes > samples ? bytes : samples;
    }
    int rc = take(&data, p->pages * rows * row_bytes(p));
    if (!rc)
        rc = take(&step.numbers, numbers);
    if (!rc && samples)
        rc = take(&step.samples, samples);
    for (int64_t k = 0; k < p->n_blocks && !rc; k++)
        rc = forward_block(r, k, data, &step);
    gf_free(data);
    gf_free(step.numbers);
    gf_free(step.samples);
    return rc;
}

/* ---------------------------------------------------------------- inverse */

/* Bytes of a row of the input. */
static int64_t input_row(const struct gf_slab_plan *p) {
    return p->walk[0].bytes_read / (p->pages * p->rows);
}

static int read_block(struct run *r, const struct gf_slab_block *b, char *data) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t row = input_row(p);
    int rc = 0;
    for (int64_t z = 0; z < p->pages && !rc; z++) {
        rc = r->io->read_rows(r->io->user, &(struct gf_slab_rows){z, b->low, b->n_low}, data);
        data += b->n_low * row;
        if (!rc && b->n_high)
            rc = r->io->read_rows(r->io->user, &(struct gf_slab_rows){z, b->high, b->n_high}, data);
        data += b->n_high * row;
    }
    return rc;
}

/* full: room for a block of full rows, NULL where the input has what is transformed. */
static int inverse_block(struct run *r, int64_t k, char *data, char *full) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, k);
    const int64_t rows = gf_slab_block_rows(&b), page = rows * row_bytes(p);
    int rc = read_block(r, &b, full ? full : data);
    if (!rc && full) {
        const struct gf_slab_spectrum s = {p, b, full, input_row(p), r->io->threads};
        gf_slab_hermitian(&s, data, r->energy);
    }
    if (!rc)
        rc = run_block(r, rows, data);
    for (int64_t i = 0; i < p->n_slabs && !rc; i++) {
        int64_t first, count;
        gf_slab_pages(p, i, &first, &count);
        rc = r->io->put(r->io->user, gf_slab_piece_at(p, i, k), data + first * page, count * page);
    }
    if (!rc)
        moved(r, p->pages * (page + rows * input_row(p)));
    return rc;
}

static int inverse_blocks(struct run *r) {
    const struct gf_slab_plan *p = r->plan;
    void *data = NULL, *full = NULL;
    int rc = take(&data, p->pages * most_rows(p) * row_bytes(p));
    if (!rc && input_row(p) != row_bytes(p))
        rc = take(&full, p->pages * most_rows(p) * input_row(p));
    for (int64_t k = 0; k < p->n_blocks && !rc; k++)
        rc = inverse_block(r, k, data, full);
    if (r->energy[0] > 0 || r->energy[1] > 0)
        r->report->imag_ratio =
            r->energy[0] > 0 ? sqrt(r->energy[1] / r->energy[0]) : (double)INFINITY;
    gf_free(data);
    gf_free(full);
    return rc;
}

static int get_slab(struct run *r, int64_t slab, int64_t count, void *pages, void *piece) {
    const struct gf_slab_plan *p = r->plan;
    int rc = 0;
    for (int64_t k = 0; k < p->n_blocks && !rc; k++) {
        struct gf_slab_block b = gf_slab_block(p, k);
        rc = r->io->get(r->io->user, gf_slab_piece_at(p, slab, k), piece,
                        gf_slab_piece_bytes(p, slab, k));
        if (!rc)
            copy_piece(p, &b, count, pages, piece, false);
    }
    return rc;
}

static int inverse_slab(struct run *r, int64_t slab, void *pages, void *piece,
                        void *const out[GF_MAX_OUTPUTS]) {
    const struct gf_slab_plan *p = r->plan;
    int64_t first, count, shape[GF_MAX_RANK], bytes = 0;
    struct gf_report report;
    struct gf_array to[GF_MAX_OUTPUTS];
    gf_slab_pages(p, slab, &first, &count);
    const struct gf_job job = page_job(p, count);
    gf_job_in_shape(&job, shape);
    struct gf_array in = gf_array_wrap(pages, number_type(p), 4, shape);
    for (int i = 0; i < job.n_out; i++) {
        gf_job_out_shape(&job, i, shape);
        to[i] = gf_array_wrap(out[i], job.out[i].dtype, 4, shape);
        bytes += gf_array_bytes(&to[i]);
    }
    int rc = get_slab(r, slab, count, pages, piece);
    if (!rc && slab + 1 < p->n_slabs) {
        int64_t next, more;
        gf_slab_pages(p, slab + 1, &next, &more);
        expect(r, gf_slab_piece_at(p, slab + 1, 0), more * p->rows * row_bytes(p));
    }
    if (!rc)
        rc = r->io->run(r->io->user, &job, &in, to, &report);
    for (int i = 0; i < job.n_out && !rc; i++) {
        r->report->clipped[i] += report.clipped[i];
        r->report->low[i] = report.low[i];
        r->report->high[i] = report.high[i];
        const char *page = out[i];
        for (int64_t z = 0; z < count && !rc; z++, page += to[i].stride[0])
            rc = r->io->write(r->io->user, i, &(struct gf_slab_rows){first + z, 0, p->rows}, page);
    }
    if (!rc)
        moved(r, gf_array_bytes(&in) + bytes);
    return rc;
}

static int inverse_slabs(struct run *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = longest_slab(p);
    void *pages = NULL, *piece = NULL, *out[GF_MAX_OUTPUTS] = {NULL};
    int rc = take(&pages, p->exchange_bytes / p->pages * longest);
    if (!rc)
        rc = take(&piece, largest_piece(p));
    for (int i = 0; i < p->job.n_out && !rc; i++) {
        int64_t shape[GF_MAX_RANK];
        struct gf_job job = page_job(p, longest);
        gf_job_out_shape(&job, i, shape);
        struct gf_array a = gf_array_wrap(NULL, job.out[i].dtype, 4, shape);
        rc = take(&out[i], gf_array_bytes(&a));
    }
    for (int64_t i = 0; i < p->n_slabs && !rc; i++)
        rc = inverse_slab(r, i, pages, piece, out);
    gf_free(pages);
    gf_free(piece);
    for (int i = 0; i < p->job.n_out; i++)
        gf_free(out[i]);
    return rc;
}

/* The display ranges, between the two walks. */
static int find_ranges(struct run *r) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_array lines = gf_slab_range_lines(&r->range);
    bool scans = false;
    int rc = lines.data ? run_lines(r, &lines) : 0;
    if (!rc)
        gf_slab_range_find(&r->range);
    for (int i = 0; i < p->job.n_out; i++)
        scans |= gf_slab_range_scans(&p->job, i);
    return !rc && scans ? forward_blocks(r, true) : rc;
}

static int run_forward(struct run *r) {
    int rc = gf_slab_range_open(r->plan, &r->range);
    if (!rc)
        rc = forward_slabs(r);
    if (!rc)
        rc = find_ranges(r);
    if (!rc)
        rc = forward_blocks(r, false);
    for (int i = 0; i < r->plan->job.n_out; i++)
        gf_report_range(&r->plan->job, i, r->range.of[i][0], r->range.of[i][1], r->report);
    gf_slab_range_close(&r->range);
    return rc;
}

static int run_inverse(struct run *r) {
    int rc = inverse_blocks(r);
    return rc ? rc : inverse_slabs(r);
}

int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report) {
    struct run r = {.plan = plan, .io = io, .report = report};
    *report = (struct gf_report){0};
    return plan->job.direction == GF_FORWARD ? run_forward(&r) : run_inverse(&r);
}
