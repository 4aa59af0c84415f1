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

/* A slab's input, its spectrum, a piece of that, and an inverse's outputs. */
enum { SLAB_IN, SLAB_PAGES, SLAB_PIECE, SLAB_OUT };

static int read_slab(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_span pages = gf_slab_pages(r->plan, part->index);
    const struct gf_job job = gf_slab_pages_job(r->plan, false, pages.count);
    struct gf_array in = gf_job_array(&job, -1, part->room[SLAB_IN]);
    return r->io->read(r->io->user, pages.first, &in);
}

static int forward_slab(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_span pages = gf_slab_pages(r->plan, part->index);
    const struct gf_job job = gf_slab_pages_job(r->plan, false, pages.count);
    const struct gf_array in = gf_job_array(&job, -1, part->room[SLAB_IN]);
    gf_ranges_input(&r->range, pages.first, &in); /* the job may overwrite its input */
    int rc = gf_slab_run_part(r, &job, in.data, &part->room[SLAB_PAGES]);
    const struct gf_array spectrum = gf_slab_spectrum(r->plan, pages.count, part->room[SLAB_PAGES]);
    if (!rc)
        gf_ranges_spectrum(&r->range, (int64_t[]){pages.first, 0, 0}, &spectrum);
    return rc;
}

static int put_slab(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_span pages = gf_slab_pages(p, part->index);
    int rc = gf_slab_move_pages(r, p, &pages, part->room[SLAB_PAGES], part->room[SLAB_PIECE], true);
    if (!rc)
        gf_slab_moved(r,
                      (p->walk[r->walk].bytes_read + p->exchange_bytes) / p->pages * pages.count);
    return rc;
}

static int forward_slabs(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = gf_slab_longest(p);
    const struct gf_job job = gf_slab_pages_job(p, false, longest);
    const struct gf_slab_walk walk = {
        .read = read_slab,
        .work = forward_slab,
        .write = put_slab,
        .n = p->n_slabs,
        .room = {[SLAB_IN] = {(int64_t)gf_job_array_bytes(&job, -1), GF_SLAB_READ},
                 [SLAB_PAGES] = {longest * p->rows * gf_slab_row_bytes(p), GF_SLAB_WRITTEN},
                 [SLAB_PIECE] = {gf_slab_largest_piece(p, longest), GF_SLAB_ALONE}}};
    return gf_slab_walk(r, &walk);
}

/* A block, a piece of it, and a few of its pages as numbers and samples. */
enum { BLOCK_DATA, BLOCK_PIECE, BLOCK_NUMBERS, BLOCK_SAMPLES };

/* Steps of a block: some pages, of one output after the other. */
static int64_t steps_of(const struct gf_slab_plan *p) {
    return gf_divide_up(p->pages, p->step_pages) * p->job.n_out;
}

static struct gf_span step_pages(const struct gf_slab_plan *p, int64_t step) {
    const int64_t first = step / p->job.n_out * p->step_pages;
    return (struct gf_span){first, gf_min(p->pages - first, p->step_pages)};
}

static struct gf_slab_spectrum spectrum_of(const struct gf_slab_state *r, int64_t block,
                                           void *data) {
    return (struct gf_slab_spectrum){r->plan, gf_slab_block(r->plan, block), data,
                                     gf_slab_row_bytes(r->plan), r->threads};
}

static int get_block(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, part->index);
    int rc = r->columns ? move_rows(r, &b, part->room[BLOCK_DATA], part->room[BLOCK_PIECE], false)
                        : gf_slab_get_block(r, part);
    if (!rc)
        gf_slab_moved(r, p->pages * gf_slab_block_rows(&b) * gf_slab_row_bytes(p));
    return rc;
}

/* The room that a step writes of an output: numbers as the exchange has them, numbers, or samples. */
static int room_written(const struct gf_slab_state *r, int i) {
    const struct gf_slab_plan *p = r->plan;
    if (r->scans || !gf_slab_is_output(p, i))
        return BLOCK_SAMPLES;
    return p->real || p->job.out[i].shift ? BLOCK_NUMBERS : BLOCK_DATA;
}

static bool writes(const struct gf_slab_state *r, int room) {
    bool any = false;
    for (int i = 0; i < r->plan->job.n_out; i++)
        any |= room_written(r, i) == room;
    return any;
}

/* Makes a step of an output; during a scan finds its largest value. */
static int forward_block(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const int i = (int)(part->step % p->job.n_out), to = room_written(r, i);
    const struct gf_slab_spectrum s = spectrum_of(r, part->index, part->room[BLOCK_DATA]);
    const struct gf_span pages = step_pages(p, part->step);
    const int64_t rows = gf_slab_block_rows(&s.block);
    void *numbers = part->room[BLOCK_NUMBERS];
    int rc = 0;
    if (part->step == 0 && !r->columns) /* a volume's slowest axis */
        rc = gf_slab_run_block(r, rows, s.data);
    if (rc || to == BLOCK_DATA || (r->scans && !gf_output_scans_parts(&p->job, i)))
        return rc;
    gf_slab_expand(&s, i, pages.first, pages.count, numbers);
    return to == BLOCK_NUMBERS
               ? 0
               : gf_slab_convert(r, i, (int64_t[]){pages.count * rows, gf_slab_columns(p, i)},
                                 numbers, part->room[BLOCK_SAMPLES]);
}

static int write_step(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const int i = (int)(part->step % p->job.n_out), from = room_written(r, i);
    struct gf_slab_spectrum s = spectrum_of(r, part->index, part->room[from]);
    const struct gf_span pages = step_pages(p, part->step);
    if (from == BLOCK_DATA)
        s.data += pages.first * gf_slab_block_rows(&s.block) * s.row_bytes;
    return gf_slab_move_block(r, i, &s.block, pages, s.data);
}

static int write_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_most_rows(p), channels = gf_job_lanes(&p->job);
    int64_t numbers = 0, samples = 0;
    for (int i = 0; i < p->job.n_out; i++) {
        int64_t n = p->step_pages * rows * gf_slab_columns(p, i) * channels;
        int64_t bytes =
            gf_slab_is_output(p, i) ? 0 : n * (int64_t)gf_dtype_size(p->job.out[i].dtype);
        if (gf_output_scans_parts(&p->job, i))
            bytes = n * p->number / 2;
        numbers = gf_max(numbers, n * p->number);
        samples = gf_max(samples, bytes);
    }
    const struct gf_slab_walk walk = {
        .read = get_block,
        .work = forward_block,
        .write = r->scans ? NULL : write_step,
        .n = p->n_blocks,
        .steps = steps_of(p),
        .writes_input = !r->scans && writes(r, BLOCK_DATA),
        .room = {
            [BLOCK_DATA] = {p->pages * rows * gf_slab_row_bytes(p), GF_SLAB_READ},
            [BLOCK_PIECE] = {row_piece(r), GF_SLAB_ALONE},
            [BLOCK_NUMBERS] = {numbers, writes(r, BLOCK_NUMBERS) ? GF_SLAB_WRITTEN : GF_SLAB_ALONE},
            [BLOCK_SAMPLES] = {samples, GF_SLAB_WRITTEN}}};
    return gf_slab_walk(r, &walk);
}

/* ---- direct blocks: transforming a packed half spectrum's blocks writes samples, as a backend's last
 * pass does in memory. The packed column is transformed as numbers, to be unpacked afterwards ---- */

/* Columns transformed along with the packed one: backends transform a single line differently. */
enum { TOGETHER = 2 };

/* All pages of a block, [page][row of the block]…, and a few pages of output: after BLOCK_DATA the
 * columns' samples; [TOGETHER] numbers, then columns 0 and n/2 as samples; those as numbers. */
enum { DIRECT_HALVES = 1, DIRECT_PACKED, DIRECT_SAMPLES, DIRECT_ENDS };

static int64_t sample_bytes(const struct gf_slab_plan *p) {
    return (int64_t)gf_dtype_size(p->job.out[0].dtype);
}

/* Makes samples of columns 0 and n/2 in DIRECT_PACKED. */
static int run_ends(struct gf_slab_state *r, const struct gf_slab_block *b, void *const *room) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_block_rows(b), width = TOGETHER * gf_job_lanes(&p->job);
    const int64_t row = gf_slab_row_bytes(p), bytes = width * p->number;
    char *packed = room[DIRECT_PACKED];
    for (int64_t k = 0; k < p->pages * rows; k++)
        memcpy(packed + k * bytes, (char *)room[BLOCK_DATA] + k * row, (size_t)bytes);
    int rc = gf_slab_run_lines(r, rows, width, packed);
    if (rc)
        return rc;
    const struct gf_slab_spectrum s = {p, *b, packed, bytes, r->threads};
    gf_slab_ends(&s, room[DIRECT_ENDS]);
    return gf_slab_convert(r, 0, (int64_t[]){p->pages * rows, TOGETHER}, room[DIRECT_ENDS], packed);
}

/* Makes samples of the other columns in DIRECT_HALVES. */
static int run_halves(struct gf_slab_state *r, int64_t rows, void *const *room) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_job job = gf_part_lines(&p->job, p->pages, rows, p->width);
    gf_part_outputs(&job, &p->job);
    gf_part_range(&job.out[0], r->range.of[0]);
    return gf_slab_run_part(r, &job, room[BLOCK_DATA], &room[DIRECT_HALVES]);
}

static int direct_block(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_spectrum s = {p, gf_slab_block(p, part->index), part->room[DIRECT_HALVES],
                                       p->width * sample_bytes(p), r->threads};
    const struct gf_span pages = step_pages(p, part->step);
    int rc = part->step ? 0 : run_ends(r, &s.block, part->room);
    if (!rc && part->step == 0)
        rc = run_halves(r, gf_slab_block_rows(&s.block), part->room);
    if (!rc)
        gf_slab_join(&s, part->room[DIRECT_PACKED], pages.first, pages.count,
                     part->room[DIRECT_SAMPLES]);
    return rc;
}

static int direct_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_most_rows(p), all = p->pages * rows;
    const int64_t two = all * TOGETHER * gf_job_lanes(&p->job) * p->number;
    const struct gf_slab_walk walk = {
        .read = get_block,
        .work = direct_block,
        .write = write_step,
        .n = p->n_blocks,
        .steps = steps_of(p),
        .room = {
            [BLOCK_DATA] = {all * gf_slab_row_bytes(p), GF_SLAB_READ},
            [DIRECT_HALVES] = {all * p->width * sample_bytes(p), GF_SLAB_ALONE},
            [DIRECT_PACKED] = {two, GF_SLAB_ALONE},
            [DIRECT_ENDS] = {two, GF_SLAB_ALONE},
            [DIRECT_SAMPLES] = {p->step_pages * rows * gf_slab_outer_row(p, 0), GF_SLAB_WRITTEN}}};
    return gf_slab_walk(r, &walk);
}

_Static_assert((int)DIRECT_SAMPLES == (int)BLOCK_SAMPLES, "write_step() serves both");

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

static int block_in_place(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_block b = gf_slab_block(r->plan, part->index);
    void *data = part->room[BLOCK_DATA];
    return r->filter ? filter_block(r, &b, data)
                     : gf_slab_run_block(r, gf_slab_block_rows(&b), data);
}

/* Does nothing for a block that read() found in the exchange's own memory. */
static int put_back(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, part->index);
    const int64_t bytes = p->pages * gf_slab_block_rows(&b) * gf_slab_row_bytes(p);
    int rc = part->lent ? 0
                        : r->io->put(r->io->user, gf_slab_piece_at(p, 0, part->index),
                                     part->room[BLOCK_DATA], bytes);
    if (!rc)
        gf_slab_moved(r, bytes);
    return rc;
}

/* The second walk of a filter or picture, which puts blocks back in place. */
static int blocks_in_place(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t bytes = p->pages * gf_slab_most_rows(p) * gf_slab_row_bytes(p);
    const struct gf_slab_walk walk = {.read = get_block,
                                      .work = block_in_place,
                                      .write = put_back,
                                      .n = p->n_blocks,
                                      .writes_input = true,
                                      .room = {[BLOCK_DATA] = {bytes, GF_SLAB_READ}}};
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

/* A block of the spectrum, its full rows (none if the input is a half spectrum), a picture's
 * piece. */
enum { INVERSE_DATA, INVERSE_FULL, INVERSE_PIECE };

static int read_block(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_block b = gf_slab_block(r->plan, part->index);
    void *full = part->room[INVERSE_FULL];
    return gf_slab_move_block(r, -1, &b, (struct gf_span){0, r->plan->pages},
                              full ? full : part->room[INVERSE_DATA]);
}

static int inverse_block(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, part->index);
    char *data = part->room[INVERSE_DATA], *full = part->room[INVERSE_FULL];
    const int64_t rows = gf_slab_block_rows(&b);
    int rc = unshift_columns(p, p->pages * rows, r->threads, full ? full : data);
    if (!rc && full) {
        const struct gf_slab_spectrum s = {p, b, full, gf_slab_outer_row(p, -1), r->threads};
        gf_slab_hermitian(&s, data, r->energy);
    }
    if (!rc && !r->columns) /* a volume's slowest axis */
        rc = gf_slab_run_block(r, rows, data);
    return rc;
}

/* Puts a block into the exchange, a volume's in pieces. */
static int put_block(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, part->index);
    const int64_t page = gf_slab_block_rows(&b) * gf_slab_row_bytes(p);
    char *data = part->room[INVERSE_DATA];
    int rc = r->columns ? move_rows(r, &b, data, part->room[INVERSE_PIECE], true) : 0;
    for (int64_t i = 0; i < p->n_slabs && !r->columns && !rc; i++) {
        const struct gf_span pages = gf_slab_pages(p, i);
        rc = r->io->put(r->io->user, gf_slab_place(p, &pages, part->index),
                        data + pages.first * page, pages.count * page);
    }
    if (!rc)
        gf_slab_moved(r, p->pages * page);
    return rc;
}

static int read_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = p->pages * gf_slab_most_rows(p);
    const bool full = p->real && !p->job.in_half;
    const struct gf_slab_walk walk = {
        .read = read_block,
        .work = inverse_block,
        .write = put_block,
        .n = p->n_blocks,
        .writes_input = !full,
        .room = {[INVERSE_DATA] = {rows * gf_slab_row_bytes(p), GF_SLAB_READ},
                 [INVERSE_FULL] = {full ? rows * gf_slab_outer_row(p, -1) : 0, GF_SLAB_READ},
                 [INVERSE_PIECE] = {row_piece(r), GF_SLAB_ALONE}}};
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

/* The job of slab k, without pages that are not kept. */
static struct gf_job kept_job(const struct gf_slab_plan *p, int64_t k) {
    const struct gf_span pages = gf_slab_pages(p, k);
    const int64_t left = p->kept_pages - pages.first;
    struct gf_job job = gf_slab_pages_job(p, true, pages.count);
    job.counted[0] = left < pages.count ? left : 0;
    return job;
}

static int get_slab(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t k = part->index, page = p->rows * gf_slab_row_bytes(p);
    const struct gf_span pages = gf_slab_pages(p, k);
    int rc =
        gf_slab_move_pages(r, p, &pages, part->room[SLAB_PAGES], part->room[SLAB_PIECE], false);
    if (!rc && k + 1 < p->n_slabs && p->job.direction == GF_INVERSE)
        gf_slab_expect(r, gf_slab_piece_at(p, k + 1, 0), gf_slab_pages(p, k + 1).count * page);
    if (!rc)
        gf_slab_moved(r, pages.count * page);
    return rc;
}

static int inverse_slab(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_job job = kept_job(r->plan, part->index);
    return gf_slab_run_part(r, &job, part->room[SLAB_PAGES], &part->room[SLAB_OUT]);
}

static int write_slabs(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_job job = kept_job(r->plan, part->index);
    int rc = 0;
    for (int i = 0; i < job.n_out && !rc; i++)
        rc = write_slab(r, &job, i, gf_slab_pages(r->plan, part->index).first,
                        part->room[SLAB_OUT + i]);
    return rc;
}

/* Slabs with pages that are kept. */
static int64_t kept_slabs(const struct gf_slab_plan *p) {
    int64_t n = p->n_slabs;
    while (n > 1 && gf_slab_pages(p, n - 1).first >= p->kept_pages)
        n--;
    return n;
}

/* Also a filter's last walk. */
static int inverse_slabs(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t longest = gf_slab_longest(p);
    const struct gf_job job = gf_slab_pages_job(p, true, longest);
    struct gf_slab_walk walk = {
        .read = get_slab,
        .work = inverse_slab,
        .write = write_slabs,
        .n = kept_slabs(p),
        .room = {[SLAB_PAGES] = {longest * p->rows * gf_slab_row_bytes(p), GF_SLAB_READ},
                 [SLAB_PIECE] = {gf_slab_largest_piece(p, longest), GF_SLAB_ALONE}}};
    for (int i = 0; i < p->job.n_out; i++) {
        walk.room[SLAB_OUT + i].bytes = (int64_t)gf_job_array_bytes(&job, i);
        walk.room[SLAB_OUT + i].of = GF_SLAB_WRITTEN;
    }
    return gf_slab_walk(r, &walk);
}

/* ---- all walks ---- */

/* Ends a walk: returns the status, of all ranks. */
static int turn(const struct gf_slab_state *r, int rc) {
    return r->io->turn ? r->io->turn(r->io->user, rc) : rc;
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
                             gf_slab_pages_of(p, gf_span_share(p->n_slabs, ranks->size, i)));
    if (!rc && lines->data)
        rc = gf_slab_run_lines(r, lines->shape[1], lines->shape[2] * lines->shape[3], lines->data);
    if (!rc)
        gf_ranges_settle(&r->range);
    return rc;
}

static int run_walk(struct gf_slab_state *r) {
    const unsigned step = r->plan->walk[r->walk].step;
    int rc = step == GF_SLAB_OUTPUT ? turn(r, find_ranges(r)) : 0;
    r->scans = step == GF_SLAB_SCAN;
    if (!rc)
        rc = turn(r, r->plan->line ? gf_slab_line_walk(r, step) : walk_of[step](r));
    return rc || !r->scans ? rc : gf_ranks_most(r->io->ranks, r->range.of[0], 2 * GF_MAX_OUTPUTS);
}

int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report) {
    struct gf_slab_state r = {.plan = plan, .io = io, .report = report};
    r.threads = (int)gf_max(io->threads - (plan->slots > 1 && !io->serial ? 2 : 0), 1);
    const bool spectrum = plan->job.op == GF_FFT && plan->job.direction == GF_FORWARD;
    *report = (struct gf_report){0};
    pthread_mutex_init(&r.lock, NULL);
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
    pthread_mutex_destroy(&r.lock);
    gf_report_energy(r.energy[0], r.energy[1], report);
    return rc ? rc : gf_ranks_join_report(io->ranks, report);
}
