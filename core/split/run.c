/* Runs the walks of a job in slabs. */

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/filter/filter.h"
#include "core/split/state.h"

/* ---- a picture's slabs of rows ---- */

/* Runs a picture's walk over slabs of rows, as one over the blocks of gf_slab_rows_plan(). */
static int by_rows(struct gf_slab_state *r, int (*walk)(struct gf_slab_state *r)) {
    const struct gf_slab_plan rows = gf_slab_rows_plan(r->plan);
    r->columns = r->plan;
    r->plan = &rows;
    int rc = walk(r);
    r->plan = r->columns;
    r->columns = NULL;
    return rc;
}

/* Bytes of the piece of move_rows(); 0 for a volume. */
static int64_t row_piece(const struct gf_slab_state *r) {
    return r->columns ? gf_slab_largest_piece(r->columns, gf_slab_most_rows(r->plan)) : 0;
}

/* Copies such a block to or from the exchange, through `piece`. */
static int move_rows(struct gf_slab_state *r, const struct gf_slab_block *b, char *data,
                     void *piece, bool puts) {
    const struct gf_span low = {b->low, b->n_low}, high = {b->high, b->n_high};
    int rc = gf_slab_move_pages(r, r->columns, &low, data, piece, puts);
    return rc ? rc
              : gf_slab_move_pages(r, r->columns, &high,
                                   data + b->n_low * gf_slab_row_bytes(r->plan), piece, puts);
}

/* ---- forward ---- */

/* Buffers: the input of a slab, its spectrum, a piece of that, an inverse's outputs. */
struct slab {
    void *in, *pages, *piece, *out[GF_MAX_OUTPUTS];
};

static int forward_slab(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    const struct slab *s = user;
    const struct gf_span pages = gf_slab_pages(p, k);
    const struct gf_job job = gf_slab_pages_job(p, false, pages.count);
    struct gf_array in = gf_job_array(&job, -1, s->in);
    int rc = r->io->read(r->io->user, pages.first, &in);
    if (!rc) { /* the job may overwrite its input */
        gf_ranges_input(&r->range, pages.first, &in);
        rc = gf_slab_run_part(r, &job, s->in, &s->pages);
    }
    if (!rc) {
        const struct gf_array spectrum = gf_slab_spectrum(p, pages.count, s->pages);
        gf_ranges_spectrum(&r->range, (int64_t[]){pages.first, 0, 0}, &spectrum);
        rc = gf_slab_move_pages(r, p, &pages, s->pages, s->piece, true);
    }
    if (!rc)
        gf_slab_moved(r,
                      (p->walk[r->walk].bytes_read + p->exchange_bytes) / p->pages * pages.count);
    return rc;
}

static int forward_slabs(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = gf_slab_longest(p);
    const struct gf_job job = gf_slab_pages_job(p, false, longest);
    struct slab s = {.pages = NULL};
    const struct gf_slab_walk walk = {.part = forward_slab,
                                      .user = &s,
                                      .n = p->n_slabs,
                                      .room = {{&s.in, (int64_t)gf_job_array_bytes(&job, -1)},
                                               {&s.pages, longest * p->rows * gf_slab_row_bytes(p)},
                                               {&s.piece, gf_slab_largest_piece(p, longest)}}};
    return gf_slab_walk(r, &walk);
}

/* Buffers for a block and for a few of its pages. */
struct step {
    void *data, *piece, *numbers, *samples;
    int64_t first, count; /* pages */
};

/* Writes a step of output i, or during a scan finds its largest value. */
static int emit(struct gf_slab_state *r, const struct gf_slab_spectrum *s, int i,
                const struct step *step) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_block_rows(&s->block);
    const bool numbers = !r->scans && gf_slab_is_output(p, i);
    const bool same = numbers && !p->real && !p->job.out[i].shift;
    const struct gf_span pages = {step->first, step->count};
    void *data = step->numbers;
    int rc = 0;
    if (r->scans && !gf_output_scans_parts(&p->job, i))
        return 0;
    if (same)
        data = s->data + step->first * rows * s->row_bytes;
    else
        gf_slab_expand(s, i, step->first, step->count, step->numbers);
    if (!numbers) {
        data = step->samples;
        rc = gf_slab_convert(r, i, (int64_t[]){step->count * rows, gf_slab_columns(p, i)},
                             step->numbers, data);
    }
    return rc || r->scans ? rc : gf_slab_move_block(r, i, &s->block, pages, data);
}

static int forward_block(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    struct step *step = user;
    void *data = step->data;
    struct gf_slab_spectrum s = {p, gf_slab_block(p, k), data, gf_slab_row_bytes(p),
                                 r->io->threads};
    const int64_t bytes = p->pages * gf_slab_block_rows(&s.block) * gf_slab_row_bytes(p);
    int rc = r->columns ? move_rows(r, &s.block, data, step->piece, false)
                        : gf_slab_get_block(r, k, &s.block, &data);
    if (!rc && !r->columns) /* a volume's slowest axis */
        rc = gf_slab_run_block(r, gf_slab_block_rows(&s.block), data);
    s.data = data;
    if (!rc)
        gf_slab_moved(r, bytes);
    for (int64_t z = 0; z < p->pages && !rc; z += p->step_pages) {
        step->first = z;
        step->count = gf_min(p->pages - z, p->step_pages);
        for (int i = 0; i < p->job.n_out && !rc; i++)
            rc = emit(r, &s, i, step);
    }
    return rc;
}

static int write_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_most_rows(p), channels = gf_job_lanes(&p->job);
    int64_t numbers = 0, samples = 0;
    struct step step = {.data = NULL};
    for (int i = 0; i < p->job.n_out; i++) {
        int64_t n = p->step_pages * rows * gf_slab_columns(p, i) * channels;
        int64_t bytes =
            gf_slab_is_output(p, i) ? 0 : n * (int64_t)gf_dtype_size(p->job.out[i].dtype);
        if (gf_output_scans_parts(&p->job, i))
            bytes = n * p->number / 2;
        numbers = gf_max(numbers, n * p->number);
        samples = gf_max(samples, bytes);
    }
    const struct gf_slab_walk walk = {forward_block,
                                      &step,
                                      p->n_blocks,
                                      {{&step.data, p->pages * rows * gf_slab_row_bytes(p)},
                                       {&step.numbers, numbers},
                                       {&step.samples, samples},
                                       {&step.piece, row_piece(r)}}};
    return gf_slab_walk(r, &walk);
}

/* ---- direct blocks: transforming a packed half spectrum's blocks writes samples, as a backend's last
 * pass does in memory. The packed column is transformed as numbers, to be unpacked afterwards ---- */

/* Columns transformed along with the packed one: backends transform a single line differently. */
enum { TOGETHER = 2 };

/* Buffers of all pages of a block, [page][row of the block]…, and of a few pages of output. */
struct direct {
    char *data;    /* [column], numbers */
    char *halves;  /* [column], samples */
    char *packed;  /* [TOGETHER], numbers; then columns 0 and n/2 as samples */
    char *ends;    /* columns 0 and n/2, numbers */
    char *samples; /* [row][sample] of step_pages */
};

static int64_t sample_bytes(const struct gf_slab_plan *p) {
    return (int64_t)gf_dtype_size(p->job.out[0].dtype);
}

/* Makes samples of columns 0 and n/2 in d->packed. */
static int run_ends(struct gf_slab_state *r, const struct gf_slab_block *b, struct direct *d) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_block_rows(b), width = TOGETHER * gf_job_lanes(&p->job);
    const int64_t row = gf_slab_row_bytes(p), bytes = width * p->number;
    for (int64_t k = 0; k < p->pages * rows; k++)
        memcpy(d->packed + k * bytes, d->data + k * row, (size_t)bytes);
    int rc = gf_slab_run_lines(r, rows, width, d->packed);
    if (rc)
        return rc;
    const struct gf_slab_spectrum s = {p, *b, d->packed, bytes, r->io->threads};
    gf_slab_ends(&s, d->ends);
    return gf_slab_convert(r, 0, (int64_t[]){p->pages * rows, TOGETHER}, d->ends, d->packed);
}

/* Makes samples of the other columns in d->halves. */
static int run_halves(struct gf_slab_state *r, int64_t rows, struct direct *d) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_job job = gf_part_lines(&p->job, p->pages, rows, p->width);
    gf_part_outputs(&job, &p->job);
    gf_part_range(&job.out[0], r->range.of[0]);
    return gf_slab_run_part(r, &job, d->data, (void *[]){d->halves});
}

static int direct_block(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    struct direct *d = user;
    const struct gf_slab_spectrum s = {p, gf_slab_block(p, k), d->halves,
                                       p->width * sample_bytes(p), r->io->threads};
    const int64_t rows = gf_slab_block_rows(&s.block);
    void *own = d->data;
    int rc = gf_slab_get_block(r, k, &s.block, (void **)&d->data);
    if (!rc)
        rc = run_ends(r, &s.block, d);
    if (!rc)
        rc = run_halves(r, rows, d);
    if (!rc)
        gf_slab_moved(r, p->pages * rows * gf_slab_row_bytes(p));
    for (int64_t z = 0; z < p->pages && !rc; z += p->step_pages) {
        const struct gf_span pages = {z, gf_min(p->pages - z, p->step_pages)};
        gf_slab_join(&s, d->packed, z, pages.count, d->samples);
        rc = gf_slab_move_block(r, 0, &s.block, pages, d->samples);
    }
    d->data = own;
    return rc;
}

static int direct_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_most_rows(p), all = p->pages * rows;
    const int64_t two = all * TOGETHER * gf_job_lanes(&p->job) * p->number;
    struct direct d = {.data = NULL};
    return gf_slab_walk(
        r, &(struct gf_slab_walk){direct_block,
                                  &d,
                                  p->n_blocks,
                                  {{&d.data, all * gf_slab_row_bytes(p)},
                                   {&d.halves, all * p->width * sample_bytes(p)},
                                   {&d.packed, two},
                                   {&d.ends, two},
                                   {&d.samples, p->step_pages * rows * gf_slab_outer_row(p, 0)}}});
}

/* ---- within the exchange ---- */

/* Moves the filter's axes to those of the parts: a picture is a volume whose axis 2 is x, a part of
 * a line has one axis. */
static void move_axis(const struct gf_slab_plan *p, struct gf_lowpass *l) {
    const int from = p->line ? p->job.ndim - 1 : 1, to = p->line ? 0 : 2;
    l->centre[to] = l->centre[from];
    l->radius[to] = l->radius[from];
    if (p->picture) {
        l->centre[1] = 0;
        l->radius[1] = 1;
    }
}

/* Copies the plan's filter for parts. */
static int filter_of(const struct gf_slab_plan *p, struct gf_filter **out) {
    const int rc = gf_filter_new_for_parts(p->job.filter, out);
    for (int i = 0; !rc && i < (*out)->n_factors && (p->picture || p->line); i++) {
        move_axis(p, &(*out)->factor[i].a);
        move_axis(p, &(*out)->factor[i].b);
    }
    return rc;
}

/* Transforms a block along the slowest axis, filters it, and transforms it back, in place. */
static int filter_block(struct gf_slab_state *r, const struct gf_slab_block *b, void *data) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t channels = gf_job_lanes(&p->job);
    struct gf_job job = gf_part_lines(&p->job, p->pages, p->picture ? 1 : b->n_low,
                                      p->picture ? b->n_low : p->width / channels);
    job.op = GF_FILTER;
    job.channels = channels;
    job.filter = r->filter;
    job.filter_serial = r->filter->serial;
    memcpy(job.whole.shape, p->job.shape, sizeof job.whole.shape);
    job.whole.axes = p->job.axes;
    job.whole.first[p->picture ? 2 : 1] = b->low;
    int rc = gf_slab_filter_table(r, &job);
    return rc ? rc : gf_slab_run_part(r, &job, data, &data);
}

static int block_in_place(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, k);
    const int64_t rows = gf_slab_block_rows(&b), bytes = p->pages * rows * gf_slab_row_bytes(p);
    void *own = *(void **)user, *data = own;
    int rc = gf_slab_get_block(r, k, &b, &data);
    if (!rc)
        rc = r->filter ? filter_block(r, &b, data) : gf_slab_run_block(r, rows, data);
    if (!rc && data == own)
        rc = r->io->put(r->io->user, gf_slab_piece_at(p, 0, k), data, bytes);
    if (!rc)
        gf_slab_moved(r, 2 * bytes);
    return rc;
}

/* The second walk of a filter or picture, which puts blocks back in place. */
static int blocks_in_place(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t bytes = p->pages * gf_slab_most_rows(p) * gf_slab_row_bytes(p);
    void *data = NULL;
    const struct gf_slab_walk walk = {block_in_place, &data, p->n_blocks, {{&data, bytes}}};
    return gf_slab_walk(r, &walk);
}

/* ---- inverse ---- */

/* Moves column 0 from the centre of each row to its beginning. */
static int unshift_columns(const struct gf_slab_plan *p, int64_t rows, int threads, char *data) {
    const bool halved = p->real && p->job.in_half;
    const int64_t row = gf_slab_outer_row(p, -1), n = p->job.shape[2];
    const int64_t before = n / 2 * (row / n);
    struct gf_failure failed = {0};
    if (!p->job.in_shift || halved || !(p->job.axes >> 2 & 1))
        return 0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        char *whole = malloc((size_t)row);
        gf_failure_keep(&failed, whole ? 0 : gf_no_memory());
#pragma omp for
        for (int64_t i = 0; i < rows; i++)
            if (whole) {
                memcpy(whole, data + i * row, (size_t)row);
                memcpy(data + i * row, whole + before, (size_t)(row - before));
                memcpy(data + i * row + row - before, whole, (size_t)before);
            }
        free(whole);
    }
    return gf_failure_return(&failed);
}

static int read_block(struct gf_slab_state *r, const struct gf_slab_block *b, char *data) {
    const struct gf_slab_plan *p = r->plan;
    int rc = gf_slab_move_block(r, -1, b, (struct gf_span){0, p->pages}, data);
    return rc ? rc : unshift_columns(p, p->pages * gf_slab_block_rows(b), r->io->threads, data);
}

/* Transforms a volume's block along the slowest axis and writes it in pieces. */
static int put_block(struct gf_slab_state *r, int64_t k, int64_t rows, char *data) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t page = rows * gf_slab_row_bytes(p);
    int rc = gf_slab_run_block(r, rows, data);
    for (int64_t i = 0; i < p->n_slabs && !rc; i++) {
        const struct gf_span pages = gf_slab_pages(p, i);
        rc = r->io->put(r->io->user, gf_slab_place(p, &pages, k), data + pages.first * page,
                        pages.count * page);
    }
    return rc;
}

/* Buffers: a block of the spectrum, its full rows (NULL if the input is a half spectrum), a
 * picture's piece. */
struct room {
    void *data, *full, *piece;
};

static int inverse_block(struct gf_slab_state *r, int64_t k, void *user) {
    const struct room *room = user;
    char *data = room->data, *full = room->full;
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, k);
    const int64_t rows = gf_slab_block_rows(&b), page = rows * gf_slab_row_bytes(p);
    int rc = read_block(r, &b, full ? full : data);
    if (!rc && full) {
        const struct gf_slab_spectrum s = {p, b, full, gf_slab_outer_row(p, -1), r->io->threads};
        gf_slab_hermitian(&s, data, r->energy);
    }
    if (!rc)
        rc = r->columns ? move_rows(r, &b, data, room->piece, true) : put_block(r, k, rows, data);
    if (!rc)
        gf_slab_moved(r, p->pages * page);
    return rc;
}

static int read_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = p->pages * gf_slab_most_rows(p);
    struct room s = {NULL, NULL, NULL};
    const int64_t full = p->real && !p->job.in_half ? rows * gf_slab_outer_row(p, -1) : 0;
    const struct gf_slab_walk walk = {
        inverse_block,
        &s,
        p->n_blocks,
        {{&s.data, rows * gf_slab_row_bytes(p)}, {&s.full, full}, {&s.piece, row_piece(r)}}};
    return gf_slab_walk(r, &walk);
}

static int inverse_blocks(struct gf_slab_state *r) {
    return r->plan->picture ? by_rows(r, read_blocks) : read_blocks(r);
}

/* Moves the counted rows and columns of a page together. */
static void crop(const struct gf_job *job, const struct gf_array *out, char *page) {
    const int64_t rows = gf_job_counted(job, 1), bytes = gf_job_counted(job, 2) * out->stride[2];
    for (int64_t y = 1; y < rows && bytes < out->stride[1]; y++)
        memmove(page + y * bytes, page + y * out->stride[1], (size_t)bytes);
}

static int write_slab(struct gf_slab_state *r, const struct gf_job *job, int i, int64_t first,
                      void *data) {
    const int64_t rows = gf_job_counted(job, 1), pages = gf_job_counted(job, 0);
    const struct gf_array out = gf_job_array(job, i, data);
    int rc = 0;
    for (int64_t z = 0; z < pages && !rc; z++) {
        char *page = (char *)data + z * out.stride[0];
        crop(job, &out, page);
        const struct gf_slab_rows at = {first + z, 0, rows}, row = {0, first + z, 1};
        rc = r->io->write(r->io->user, i, r->plan->picture ? &row : &at, page);
    }
    if (!rc)
        gf_slab_moved(r, pages * rows * gf_job_counted(job, 2) * out.stride[2]);
    return rc;
}

static int inverse_slab(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    const struct slab *s = user;
    const struct gf_span pages = gf_slab_pages(p, k);
    const int64_t left = p->kept_pages - pages.first, page = p->rows * gf_slab_row_bytes(p);
    if (left <= 0)
        return 0;
    struct gf_job job = gf_slab_pages_job(p, true, pages.count);
    job.counted[0] = left < pages.count ? left : 0;
    int rc = gf_slab_move_pages(r, p, &pages, s->pages, s->piece, false);
    if (!rc && k + 1 < p->n_slabs && p->job.direction == GF_INVERSE)
        gf_slab_expect(r, gf_slab_piece_at(p, k + 1, 0), gf_slab_pages(p, k + 1).count * page);
    if (!rc) {
        gf_slab_moved(r, pages.count * page);
        rc = gf_slab_run_part(r, &job, s->pages, s->out);
    }
    for (int i = 0; i < job.n_out && !rc; i++)
        rc = write_slab(r, &job, i, pages.first, s->out[i]);
    return rc;
}

/* Also a filter's last walk. */
static int inverse_slabs(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = gf_slab_longest(p);
    const struct gf_job job = gf_slab_pages_job(p, true, longest);
    struct slab s = {.pages = NULL};
    struct gf_slab_walk walk = {inverse_slab,
                                &s,
                                p->n_slabs,
                                {{&s.pages, longest * p->rows * gf_slab_row_bytes(p)},
                                 {&s.piece, gf_slab_largest_piece(p, longest)}}};
    for (int i = 0; i < p->job.n_out; i++) {
        walk.room[i + 2].memory = &s.out[i];
        walk.room[i + 2].bytes = (int64_t)gf_job_array_bytes(&job, i);
    }
    return gf_slab_walk(r, &walk);
}

/* ---- all walks ---- */

/* Ends a walk: returns the status of all ranks. */
static int turn(struct gf_slab_state *r, int rc) {
    return r->io->ranks ? r->io->turn(r->io->user, rc) : rc;
}

static int output(struct gf_slab_state *r) {
    return r->plan->direct    ? direct_blocks(r)
           : r->plan->picture ? by_rows(r, write_blocks)
                              : write_blocks(r);
}

static int look(struct gf_slab_state *r) {
    int rc = r->io->look(r->io->user);
    if (!rc)
        gf_slab_moved(r, r->plan->walk[0].bytes_read);
    return rc;
}

static int (*const walk_of[])(struct gf_slab_state *r) = {[GF_SLAB_LOOK] = look,
                                                          [GF_SLAB_FORTH] = forward_slabs,
                                                          [GF_SLAB_INPUT] = inverse_blocks,
                                                          [GF_SLAB_WITHIN] = blocks_in_place,
                                                          [GF_SLAB_SCAN] = output,
                                                          [GF_SLAB_OUTPUT] = output,
                                                          [GF_SLAB_BACK] = inverse_slabs};

/* Finds the display ranges that the walks before the output have sampled. */
static int find_ranges(struct gf_slab_state *r) {
    struct gf_ranks *ranks = r->io->ranks;
    const struct gf_slab_plan *p = r->plan;
    const struct gf_array *lines = &r->range.kept;
    int rc = gf_ranges_sum(&r->range, ranks);
    for (int i = 0; ranks && i < ranks->size && !rc; i++)
        rc = gf_ranges_share(&r->range, ranks, i,
                             gf_slab_pages_of(p, gf_slab_share(p->n_slabs, ranks->size, i)));
    if (!rc && lines->data)
        rc = gf_slab_run_lines(r, lines->shape[1], lines->shape[2] * lines->shape[3], lines->data);
    if (!rc)
        gf_ranges_settle(&r->range);
    return rc;
}

static int run_walk(struct gf_slab_state *r) {
    const enum gf_slab_step step = r->plan->walk[r->walk].step;
    int rc = step == GF_SLAB_OUTPUT ? turn(r, find_ranges(r)) : 0;
    r->scans = step == GF_SLAB_SCAN;
    if (!rc)
        rc = turn(r, r->plan->line ? gf_slab_line_walk(r, step) : walk_of[step](r));
    return rc || !r->scans ? rc : gf_ranks_most(r->io->ranks, r->range.of[0], 2 * GF_MAX_OUTPUTS);
}

int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report) {
    struct gf_slab_state r = {.plan = plan, .io = io, .report = report};
    const bool spectrum = plan->job.op == GF_FFT && plan->job.direction == GF_FORWARD;
    *report = (struct gf_report){0};
    int rc = spectrum ? gf_ranges_open(&plan->job, gf_slab_ranges(plan), &r.range) : 0;
    if (plan->job.op == GF_FILTER)
        rc = filter_of(plan, &r.filter);
    const uint64_t points = plan->line ? (uint64_t)(gf_slab_line_rows(plan) * plan->rows) : 0;
    if (!rc && points && !gf_roots_make(&r.roots, points))
        rc = gf_no_memory();
    rc = turn(&r, rc);
    for (; r.walk < plan->n_walks && !rc; r.walk++)
        rc = run_walk(&r);
    for (int i = 0; i < plan->job.n_out && spectrum; i++)
        gf_report_range(&plan->job, i, r.range.of[i][0], r.range.of[i][1], report);
    gf_ranges_close(&r.range);
    gf_filter_free(r.filter);
    gf_roots_free(&r.roots);
    gf_report_energy(r.energy[0], r.energy[1], report);
    return rc ? rc : gf_ranks_join_report(io->ranks, report);
}
