/* The two walks of a job in slabs. */
#include "core/slab/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "core/slab/range.h"
#include "core/slab/state.h"

/* ---------------------------------------------------------------- forward */

/* The input of a slab, its spectrum, and room for a piece of that. */
struct slab {
    void *in, *pages, *piece;
};

static int forward_slab(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    const struct slab *s = user;
    const struct gf_span pages = gf_slab_pages(p, k);
    const struct gf_job job = gf_slab_pages_job(p, false, pages.count);
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(&job, shape);
    struct gf_array in = gf_array_wrap(s->in, job.in_dtype, 4, shape);
    int rc = r->io->read(r->io->user, pages.first, &in);
    if (!rc) { /* before the job, which may spend its input */
        gf_slab_range_input(&r->range, pages.first, &in);
        rc = gf_slab_run_part(r, &job, s->in, &s->pages);
    }
    if (!rc) {
        gf_slab_range_pages(&r->range, pages.first, pages.count, s->pages);
        rc = gf_slab_move_pages(r, p, &pages, s->pages, s->piece, true);
    }
    if (!rc)
        gf_slab_moved(r,
                      (p->walk[p->looks].bytes_read + p->exchange_bytes) / p->pages * pages.count);
    return rc;
}

static int forward_slabs(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = gf_slab_longest(p);
    const struct gf_job job = gf_slab_pages_job(p, false, longest);
    struct slab s = {NULL};
    return gf_slab_walk(r,
                        &(struct gf_slab_walk){forward_slab,
                                               &s,
                                               p->n_slabs,
                                               {{&s.in, (int64_t)gf_job_array_bytes(&job, -1)},
                                                {&s.pages, p->exchange_bytes / p->pages * longest},
                                                {&s.piece, gf_slab_largest_piece(p, longest)}}});
}

/* Buffers for a block, and for a few of its pages. */
struct step {
    void *data, *piece, *numbers, *samples;
    int64_t first, count; /* pages */
};

static int convert(struct gf_slab_state *r, const struct gf_slab_spectrum *s, int i,
                   const struct step *step) {
    const int64_t shape[] = {step->count * gf_slab_block_rows(&s->block),
                             gf_slab_columns(r->plan, i)};
    return gf_slab_convert(r, i, shape, step->numbers, step->samples);
}

static int scan_step(struct gf_slab_state *r, const struct gf_slab_spectrum *s, int i,
                     const struct step *step) {
    if (!gf_slab_range_scans(&r->plan->job, i))
        return 0;
    gf_slab_expand(s, i, step->first, step->count, step->numbers);
    return convert(r, s, i, step);
}

static int write_step(struct gf_slab_state *r, const struct gf_slab_spectrum *s, int i,
                      const struct step *step) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block *b = &s->block;
    const int64_t rows = gf_slab_block_rows(b);
    const bool same = !p->real && gf_slab_is_output(p, i) && !p->job.out[i].shift;
    const char *data = same ? s->data + step->first * rows * s->row_bytes : step->numbers;
    if (!same)
        gf_slab_expand(s, i, step->first, step->count, step->numbers);
    int rc = 0;
    if (!gf_slab_is_output(p, i)) {
        rc = convert(r, s, i, step);
        data = step->samples;
    }
    return rc ? rc : gf_slab_write_pages(r, i, b, step->first, step->count, data);
}

/* Block k of a volume, transformed along the slowest axis too. */
static int finish_block(struct gf_slab_state *r, int64_t k, const struct gf_slab_block *b,
                        void **data) {
    int rc = gf_slab_get_block(r, k, b, data);
    return rc ? rc : gf_slab_run_block(r, gf_slab_block_rows(b), *data);
}

static int forward_block(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    struct step *step = user;
    void *data = step->data;
    struct gf_slab_spectrum s = {p, gf_slab_block(p, k), data, gf_slab_row_bytes(p),
                                 r->io->threads};
    const int64_t bytes = p->pages * gf_slab_block_rows(&s.block) * gf_slab_row_bytes(p);
    int rc = r->columns ? gf_slab_move_rows(r, &s.block, data, step->piece, false)
                        : finish_block(r, k, &s.block, &data);
    s.data = data;
    if (!rc)
        gf_slab_moved(r, bytes);
    for (int64_t z = 0; z < p->pages && !rc; z += p->step_pages) {
        step->first = z;
        step->count = p->pages - z < p->step_pages ? p->pages - z : p->step_pages;
        for (int i = 0; i < p->job.n_out && !rc; i++)
            rc = r->scans ? scan_step(r, &s, i, step) : write_step(r, &s, i, step);
    }
    return rc;
}

static int write_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_most_rows(p), channels = gf_job_lanes(&p->job);
    int64_t numbers = 0, samples = 0;
    struct step step = {NULL};
    for (int i = 0; i < p->job.n_out; i++) {
        int64_t n = p->step_pages * rows * gf_slab_columns(p, i) * channels;
        int64_t bytes =
            gf_slab_is_output(p, i) ? 0 : n * (int64_t)gf_dtype_size(p->job.out[i].dtype);
        if (gf_slab_range_scans(&p->job, i))
            bytes = n * p->number / 2;
        numbers = n * p->number > numbers ? n * p->number : numbers;
        samples = bytes > samples ? bytes : samples;
    }
    return gf_slab_walk(
        r, &(struct gf_slab_walk){forward_block,
                                  &step,
                                  p->n_blocks,
                                  {{&step.data, p->pages * rows * gf_slab_row_bytes(p)},
                                   {&step.numbers, numbers},
                                   {&step.samples, samples},
                                   {&step.piece, gf_slab_row_piece(r)}}});
}

/* The last walk, or for the display range the one before it. */
static int forward_blocks(struct gf_slab_state *r) {
    return r->plan->direct    ? gf_slab_direct_blocks(r)
           : r->plan->picture ? gf_slab_by_rows(r, write_blocks)
                              : write_blocks(r);
}

/* The largest values of all members. */
static int scan_blocks(struct gf_slab_state *r) {
    r->scans = true;
    int rc = gf_slab_turn(r, forward_blocks(r));
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
        rc = gf_slab_run_lines(r, lines.shape[1], lines.shape[2], lines.data);
    if (!rc)
        gf_slab_range_find(&r->range);
    for (int i = 0; i < p->job.n_out; i++)
        scans |= gf_slab_range_scans(&p->job, i);
    rc = gf_slab_turn(r, rc);
    return !rc && scans ? scan_blocks(r) : rc;
}

static int look(struct gf_slab_state *r) {
    int rc = r->io->look(r->io->user);
    if (!rc)
        gf_slab_moved(r, r->plan->walk[0].bytes_read);
    return rc;
}

static int run_volume(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const bool filter = p->job.op == GF_FILTER, inverse = p->job.direction == GF_INVERSE;
    const bool spectrum = !filter && !inverse;
    int rc = p->looks ? look(r) : spectrum ? gf_slab_range_open(p, &r->range) : 0;
    if (!rc)
        rc = inverse ? gf_slab_inverse_blocks(r) : forward_slabs(r);
    rc = gf_slab_turn(r, rc);
    if (!rc && (filter || p->picture))
        rc = gf_slab_turn(r, gf_slab_blocks_in_place(r));
    if (!rc && spectrum)
        rc = find_ranges(r);
    if (!rc)
        rc = gf_slab_turn(r, spectrum ? forward_blocks(r) : gf_slab_inverse_slabs(r));
    for (int i = 0; i < p->job.n_out && spectrum; i++)
        gf_report_range(&p->job, i, r->range.of[i][0], r->range.of[i][1], r->report);
    gf_slab_range_close(&r->range);
    return rc;
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
    gf_report_energy(energy[0], energy[1], report);
    return rc;
}

int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report) {
    struct gf_slab_state r = {.plan = plan, .io = io, .report = report, .range = {.plan = plan}};
    *report = (struct gf_report){0};
    int rc = plan->line ? gf_slab_line_run(&r) : run_volume(&r);
    return rc ? rc : join_reports(&r);
}
