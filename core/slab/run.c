/* The two walks of a job in slabs. */
#include "core/slab/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "core/slab/block.h"
#include "core/slab/range.h"
#include "core/slab/state.h"

/* The part of the job that transforms all axes but the slowest of `count` pages. */
static struct gf_job forward_job(const struct gf_slab_plan *p, int64_t count) {
    struct gf_job job = gf_part_pages(&p->job, false, count);
    gf_part_numbers(&job, p->real);
    job.out[0].packed = p->packed;
    job.out[0].packed_within = p->packed_within;
    return job;
}

/* ---------------------------------------------------------------- forward */

static int forward_slab(struct gf_slab_state *r, int64_t slab, struct gf_array *in, void *pages,
                        void *piece) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_report report;
    int64_t first, count, shape[GF_MAX_RANK];
    gf_slab_pages(p, slab, &first, &count);
    const struct gf_job job = forward_job(p, count);
    gf_job_in_shape(&job, shape);
    *in = gf_array_wrap(in->data, job.in_dtype, 4, shape);
    gf_job_out_shape(&job, 0, shape);
    struct gf_array out = gf_array_wrap(pages, gf_slab_number(p), 4, shape);
    int rc = r->io->read(r->io->user, first, in);
    if (!rc) { /* before the job, which may spend its input */
        gf_slab_range_input(&r->range, first, in);
        rc = r->io->run(r->io->user, &job, in, &out, &report);
    }
    if (!rc) {
        gf_slab_range_pages(&r->range, first, count, pages);
        rc = gf_slab_move(r, slab, pages, piece, true);
    }
    if (!rc)
        gf_slab_moved(r, p->walk[p->looks].bytes_read / p->pages * count + gf_array_bytes(&out));
    return rc;
}

static int forward_slabs(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = gf_slab_longest(p);
    void *in = NULL, *pages = NULL, *piece = NULL;
    int64_t shape[GF_MAX_RANK];
    const struct gf_job job = forward_job(p, longest);
    gf_job_in_shape(&job, shape);
    struct gf_array a = gf_array_wrap(NULL, job.in_dtype, 4, shape);
    int rc = gf_slab_take(&in, gf_array_bytes(&a));
    if (!rc)
        rc = gf_slab_take(&pages, p->exchange_bytes / p->pages * longest);
    if (!rc)
        rc = gf_slab_take(&piece, gf_slab_largest_piece(p));
    a.data = in;
    const struct gf_span own = gf_slab_own(r, p->n_slabs);
    for (int64_t i = own.first; i < own.first + own.count && !rc; i++)
        rc = forward_slab(r, i, &a, pages, piece);
    gf_free(in);
    gf_free(pages);
    gf_free(piece);
    return rc;
}

static int write_rows(struct gf_slab_state *r, int i, const struct gf_slab_rows *rows,
                      const char *data, int64_t row) {
    struct gf_slab_rows run[2];
    int rc = 0;
    gf_slab_place_rows(&r->plan->job, r->plan->job.out[i].shift, rows, run);
    for (int k = 0; k < 2 && run[k].count && !rc; data += run[k++].count * row)
        rc = r->io->write(r->io->user, i, &run[k], data);
    return rc;
}

int gf_slab_write_pages(struct gf_slab_state *r, int i, const struct gf_slab_block *b,
                        int64_t first, int64_t count, const char *data) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_block_rows(b), row = gf_slab_out_row_bytes(p, i);
    int rc = 0;
    for (int64_t z = first; z < first + count && !rc; z++, data += rows * row) {
        rc = write_rows(r, i, &(struct gf_slab_rows){z, b->low, b->n_low}, data, row);
        if (!rc)
            rc = write_rows(r, i, &(struct gf_slab_rows){z, b->high, b->n_high},
                            data + b->n_low * row, row);
    }
    if (!rc)
        gf_slab_moved(r, count * rows * row);
    return rc;
}

/* Buffers for a few pages of a block. */
struct step {
    void *numbers, *samples, *piece;
    int64_t first, count; /* pages */
    bool scans;           /* for a display range: nothing is written */
};

/* To output i's samples, or where they are scanned to floats. */
static int convert(struct gf_slab_state *r, int i, int64_t rows, const struct step *s,
                   struct gf_array *out) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_job job = gf_slab_convert_job(p, i, rows, gf_slab_columns(p, i));
    gf_part_range(&job.out[0], r->range.of[i]);
    int64_t shape[GF_MAX_RANK];
    struct gf_report report;
    if (s->scans) {
        job.out[0].dtype = p->number == 16 ? GF_F64 : GF_F32;
        job.out[0].map = GF_MAP_NUMBER;
    }
    gf_job_in_shape(&job, shape);
    struct gf_array in = gf_array_wrap(s->numbers, gf_slab_number(p), 4, shape);
    *out = gf_array_wrap(s->samples, job.out[0].dtype, 4, shape);
    return r->io->run(r->io->user, &job, &in, out, &report);
}

static int scan_step(struct gf_slab_state *r, const struct gf_slab_spectrum *s, int i,
                     const struct step *step) {
    struct gf_array out;
    if (!gf_slab_range_scans(&r->plan->job, i))
        return 0;
    gf_slab_expand(s, i, step->first, step->count, step->numbers);
    int rc = convert(r, i, step->count * gf_slab_block_rows(&s->block), step, &out);
    if (!rc)
        r->range.of[i][1] = fmax(r->range.of[i][1], gf_slab_largest(&out));
    return rc;
}

static int write_step(struct gf_slab_state *r, const struct gf_slab_spectrum *s, int i,
                      const struct step *step) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block *b = &s->block;
    const int64_t rows = gf_slab_block_rows(b);
    const bool same = !p->real && gf_slab_is_output(p, i) && !p->job.out[i].shift;
    const char *data = same ? s->data + step->first * rows * s->row_bytes : step->numbers;
    struct gf_array out;
    if (!same)
        gf_slab_expand(s, i, step->first, step->count, step->numbers);
    int rc = 0;
    if (!gf_slab_is_output(p, i)) {
        rc = convert(r, i, step->count * rows, step, &out);
        data = step->samples;
    }
    return rc ? rc : gf_slab_write_pages(r, i, b, step->first, step->count, data);
}

int gf_slab_get_block(struct gf_slab_state *r, int64_t k, const struct gf_slab_block *b,
                      void **data) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t row = p->pages * gf_slab_row_bytes(p), at = gf_slab_piece_at(p, 0, k);
    void *there = r->scans ? NULL : gf_slab_lend(r, at, gf_slab_block_rows(b) * row);
    int rc = there ? 0 : r->io->get(r->io->user, at, *data, gf_slab_block_rows(b) * row);
    *data = there ? there : *data;
    if (!rc && k + 1 < p->n_blocks) {
        const struct gf_slab_block next = gf_slab_block(p, k + 1);
        gf_slab_expect(r, gf_slab_piece_at(p, 0, k + 1), gf_slab_block_rows(&next) * row);
    }
    return rc;
}

/* Block k of a volume, transformed along the slowest axis too. */
static int finish_block(struct gf_slab_state *r, int64_t k, const struct gf_slab_block *b,
                        void **data) {
    int rc = gf_slab_get_block(r, k, b, data);
    return rc ? rc : gf_slab_run_block(r, gf_slab_block_rows(b), *data);
}

static int forward_block(struct gf_slab_state *r, int64_t k, void *data, struct step *step) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_slab_spectrum s = {p, gf_slab_block(p, k), data, gf_slab_row_bytes(p),
                                 r->io->threads};
    const int64_t bytes = p->pages * gf_slab_block_rows(&s.block) * gf_slab_row_bytes(p);
    int rc = r->columns ? gf_slab_get_rows(r, &s.block, data, step->piece)
                        : finish_block(r, k, &s.block, &data);
    s.data = data;
    if (!rc)
        gf_slab_moved(r, bytes);
    for (int64_t z = 0; z < p->pages && !rc; z += p->step_pages) {
        step->first = z;
        step->count = p->pages - z < p->step_pages ? p->pages - z : p->step_pages;
        for (int i = 0; i < p->job.n_out && !rc; i++)
            rc = step->scans ? scan_step(r, &s, i, step) : write_step(r, &s, i, step);
    }
    return rc;
}

static int write_blocks(struct gf_slab_state *r, bool scans) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_most_rows(p), channels = gf_job_lanes(&p->job);
    int64_t numbers = 0, samples = 0;
    void *data = NULL;
    struct step step = {.scans = scans};
    for (int i = 0; i < p->job.n_out; i++) {
        int64_t n = p->step_pages * rows * gf_slab_columns(p, i) * channels;
        int64_t bytes =
            gf_slab_is_output(p, i) ? 0 : n * (int64_t)gf_dtype_size(p->job.out[i].dtype);
        if (gf_slab_range_scans(&p->job, i))
            bytes = n * p->number / 2;
        numbers = n * p->number > numbers ? n * p->number : numbers;
        samples = bytes > samples ? bytes : samples;
    }
    int rc = gf_slab_take(&data, p->pages * rows * gf_slab_row_bytes(p));
    if (!rc)
        rc = gf_slab_take(&step.numbers, numbers);
    if (!rc && samples)
        rc = gf_slab_take(&step.samples, samples);
    if (!rc && r->columns)
        rc = gf_slab_take(&step.piece, gf_slab_row_piece(r));
    const struct gf_span own = gf_slab_own(r, p->n_blocks);
    for (int64_t k = own.first; k < own.first + own.count && !rc; k++)
        rc = forward_block(r, k, data, &step);
    gf_free(data);
    gf_free(step.numbers);
    gf_free(step.samples);
    gf_free(step.piece);
    return rc;
}

/* The last walk, or for the display range the one before it. */
static int forward_blocks(struct gf_slab_state *r, bool scans) {
    if (r->plan->direct)
        return gf_slab_direct_blocks(r);
    if (!r->plan->picture)
        return write_blocks(r, scans);
    const struct gf_slab_plan rows = gf_slab_rows_plan(r->plan);
    r->columns = r->plan;
    r->plan = &rows;
    int rc = write_blocks(r, scans);
    r->plan = r->columns;
    r->columns = NULL;
    return rc;
}

/* The largest values of all members. */
static int scan_blocks(struct gf_slab_state *r) {
    r->scans = true;
    int rc = gf_slab_turn(r, forward_blocks(r, true));
    r->scans = false;
    return rc ? rc : gf_slab_join_largest(r);
}

/* All members' pages, which each of them has the sample of. */
static int join_range(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int n = r->io->members.n;
    struct gf_span *pages = n ? malloc((size_t)n * sizeof *pages) : NULL;
    int rc = gf_slab_turn(r, n && !pages ? gf_fail(GF_ENOMEM, "out of memory") : 0);
    for (int i = 0; i < n && !rc; i++)
        pages[i] = gf_slab_pages_of(p, gf_slab_share(p->n_slabs, n, i));
    if (!rc && n)
        rc = gf_slab_range_join(&r->range, r->io, pages);
    free(pages);
    return rc;
}

/* The display ranges, between the two walks. */
static int find_ranges(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    bool scans = false;
    int rc = join_range(r);
    struct gf_array lines = gf_slab_range_lines(&r->range);
    if (!rc && lines.data)
        rc = gf_slab_run_lines(r, &lines);
    if (!rc)
        gf_slab_range_find(&r->range);
    for (int i = 0; i < p->job.n_out; i++)
        scans |= gf_slab_range_scans(&p->job, i);
    rc = gf_slab_turn(r, rc);
    return !rc && scans ? scan_blocks(r) : rc;
}

static int run_forward(struct gf_slab_state *r) {
    int rc = gf_slab_range_open(r->plan, &r->range);
    if (!rc)
        rc = forward_slabs(r);
    rc = gf_slab_turn(r, rc);
    if (!rc && r->plan->picture)
        rc = gf_slab_turn(r, gf_slab_kept_blocks(r));
    if (!rc)
        rc = find_ranges(r);
    if (!rc)
        rc = gf_slab_turn(r, forward_blocks(r, false));
    for (int i = 0; i < r->plan->job.n_out; i++)
        gf_report_range(&r->plan->job, i, r->range.of[i][0], r->range.of[i][1], r->report);
    gf_slab_range_close(&r->range);
    return rc;
}

static int run_inverse(struct gf_slab_state *r) {
    int rc = gf_slab_turn(r, gf_slab_inverse_blocks(r));
    if (!rc && r->plan->picture)
        rc = gf_slab_turn(r, gf_slab_kept_blocks(r));
    return rc ? rc : gf_slab_turn(r, gf_slab_inverse_slabs(r));
}

static int run_filter(struct gf_slab_state *r) {
    int rc = r->plan->looks ? r->io->look(r->io->user) : 0;
    if (!rc && r->plan->looks)
        gf_slab_moved(r, r->plan->walk[0].bytes_read);
    if (!rc)
        rc = forward_slabs(r);
    rc = gf_slab_turn(r, rc);
    if (!rc)
        rc = gf_slab_turn(r, gf_slab_kept_blocks(r));
    return rc ? rc : gf_slab_turn(r, gf_slab_inverse_slabs(r));
}

/* Joins what the members' parts reported. Outputs' ranges are the same for all that have a part of the
 * last walk, as the last member has. */
static int join_reports(struct gf_slab_state *r) {
    const struct gf_slab_members *m = &r->io->members;
    struct gf_report *report = r->report;
    double sum[GF_MAX_OUTPUTS + 2];
    int rc = 0;
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        sum[i] = (double)report->clipped[i];
    memcpy(sum + GF_MAX_OUTPUTS, r->energy, sizeof r->energy);
    if (m->n)
        rc = m->sum(m->user, sum, GF_MAX_OUTPUTS + 2);
    if (!rc && m->n)
        rc = m->share(m->user, report->low, sizeof report->low, m->n - 1);
    if (!rc && m->n)
        rc = m->share(m->user, report->high, sizeof report->high, m->n - 1);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        report->clipped[i] = (int64_t)sum[i];
    const double *energy = sum + GF_MAX_OUTPUTS;
    if (energy[0] > 0 || energy[1] > 0)
        report->imag_ratio = energy[0] > 0 ? sqrt(energy[1] / energy[0]) : (double)INFINITY;
    return rc;
}

int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report) {
    struct gf_slab_state r = {.plan = plan, .io = io, .report = report, .range = {.plan = plan}};
    *report = (struct gf_report){0};
    int rc = plan->line                          ? gf_slab_line_run(&r)
             : plan->job.op == GF_FILTER         ? run_filter(&r)
             : plan->job.direction == GF_FORWARD ? run_forward(&r)
                                                 : run_inverse(&r);
    return rc ? rc : join_reports(&r);
}
