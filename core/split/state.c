/* Shared by the walks: buffers, pieces, lines, conversions, rows of files. */
#include "core/split/state.h"

#include <float.h>
#include <math.h>

#include "core/base/host/conveyor.h"
#include "core/filter/filter.h"

void gf_slab_moved(struct gf_slab_state *r, int64_t bytes) {
    pthread_mutex_lock(&r->lock);
    r->moved += bytes;
    if (r->io->moved)
        r->io->moved(r->io->user, r->moved);
    pthread_mutex_unlock(&r->lock);
}

void gf_slab_expect(const struct gf_slab_state *r, int64_t at, int64_t bytes) {
    if (r->io->expect)
        r->io->expect(r->io->user, at, bytes);
}

/* A pointer into the exchange, or NULL. */
static void *lend(const struct gf_slab_state *r, int64_t at, int64_t bytes) {
    return r->io->lend ? r->io->lend(r->io->user, at, bytes) : NULL;
}

/* A running walk; memory by room and slot. */
struct walk {
    struct gf_slab_state *r;
    const struct gf_slab_walk *w;
    struct gf_span own; /* parts */
    int64_t steps, slots;
    void *memory[GF_SLAB_ROOMS][GF_SLAB_MOST_SLOTS];
    void *
        lent[GF_SLAB_MOST_SLOTS]; /* room[0] of a part that read() found in the exchange, or NULL */
};

/* The part of an item: parts are counted from this rank's first. */
static struct gf_slab_part part_of(const struct walk *a, int64_t item) {
    const int64_t k = item / a->steps;
    struct gf_slab_part part = {
        .index = a->own.first + k, .step = item % a->steps, .user = a->w->user};
    for (int i = 0; i < GF_SLAB_ROOMS; i++)
        part.room[i] = a->memory[i][a->w->room[i].of == GF_SLAB_READ      ? k % a->slots
                                    : a->w->room[i].of == GF_SLAB_WRITTEN ? item % a->slots
                                                                          : 0];
    part.lent = a->lent[k % a->slots];
    part.room[0] = part.lent ? a->lent[k % a->slots] : part.room[0];
    return part;
}

static int run_item(void *user, gf_slab_part_fn *step, int64_t item) {
    const struct walk *a = user;
    struct gf_slab_part part = part_of(a, item);
    return step(a->r, &part);
}

static int read_item(void *user, int reader, int64_t item) {
    struct walk *a = user;
    void **lent = &a->lent[item / a->steps % a->slots];
    (void)reader;
    if (item % a->steps)
        return 0;
    *lent = NULL;
    struct gf_slab_part part = part_of(a, item);
    const int rc = a->w->read(a->r, &part);
    *lent = part.lent ? part.room[0] : NULL;
    return rc;
}

static int work_item(void *user, int hand, int64_t item) {
    (void)hand;
    return run_item(user, ((const struct walk *)user)->w->work, item);
}

static int write_item(void *user, int64_t item) {
    return run_item(user, ((const struct walk *)user)->w->write, item);
}

/* A part of several steps may be read as soon as the last but one is done. */
static int run_overlapped(struct walk *a) {
    struct gf_conveyor c = {.items = a->own.count * a->steps,
                            .slots = (a->slots - 1) * a->steps + 1,
                            .outputs = a->slots,
                            .readers = 1,
                            .hands = 1,
                            .read = read_item,
                            .work = work_item,
                            .write = a->w->write ? write_item : NULL,
                            .input_is_written = a->w->writes_input,
                            .user = a};
    return gf_conveyor_run(&c);
}

static int run_in_turn(const struct walk *a) {
    const struct gf_slab_walk *w = a->w;
    int rc = 0;
    for (int64_t k = 0; k < a->own.count && !rc; k++) {
        struct gf_slab_part part = part_of(a, k * a->steps);
        rc = w->read ? w->read(a->r, &part) : 0;
        for (; part.step < a->steps && !rc; part.step++) {
            rc = w->work(a->r, &part);
            if (!rc && w->write)
                rc = w->write(a->r, &part);
        }
    }
    return rc;
}

int gf_slab_walk(struct gf_slab_state *r, const struct gf_slab_walk *w) {
    struct walk a = {r,        w,     gf_ranks_own(r->io->ranks, w->n), gf_max(w->steps, 1), 1,
                     {{NULL}}, {NULL}};
    const int slots = r->io->serial ? 1 : w->slots ? w->slots : r->plan->slots;
    const bool overlaps = slots > 1 && w->read && a.own.count * a.steps > 1;
    int rc = 0;
    if (overlaps)
        a.slots = slots;
    for (int i = 0; i < GF_SLAB_ROOMS; i++)
        for (int64_t k = 0; k < (w->room[i].of ? a.slots : 1) && w->room[i].bytes && !rc; k++)
            if (!(a.memory[i][k] = gf_alloc((size_t)w->room[i].bytes)))
                rc = gf_fail(GF_ENOMEM, "no memory for a slab of %lld bytes",
                             (long long)w->room[i].bytes);
    if (!rc)
        rc = overlaps ? run_overlapped(&a) : run_in_turn(&a);
    for (int i = 0; i < GF_SLAB_ROOMS; i++)
        for (int64_t k = 0; k < a.slots; k++)
            gf_free(a.memory[i][k]);
    return rc;
}

int gf_slab_filter_table(struct gf_slab_state *r, const struct gf_job *part) {
    const struct gf_filter *whole = r->plan->job.filter;
    gf_array_free(&r->filter->table);
    return whole->make_part ? whole->make_part(whole->maker, part, r->io->threads, r->filter) : 0;
}

int gf_slab_run_job(const struct gf_slab_io *io, const struct gf_job *job, void *in,
                    void *const *out, struct gf_report *report) {
    struct gf_array to[GF_MAX_OUTPUTS];
    for (int i = 0; i < job->n_out; i++)
        to[i] = gf_job_array(job, i, out[i]);
    const struct gf_array from = gf_job_array(job, -1, in);
    return io->run(io->user, job, &from, to, report);
}

int gf_slab_run_part(struct gf_slab_state *r, const struct gf_job *job, void *in,
                     void *const *out) {
    struct gf_report report;
    int rc = gf_slab_run_job(r->io, job, in, out, &report);
    for (int i = 0; i < job->n_out && !rc; i++) {
        r->report->clipped[i] += report.clipped[i];
        r->report->low[i] = report.low[i];
        r->report->high[i] = report.high[i];
    }
    return rc;
}

int gf_slab_run_lines(struct gf_slab_state *r, int64_t rows, int64_t width, void *lines) {
    const struct gf_job job = gf_part_lines(&r->plan->job, r->plan->pages, rows, width);
    return gf_slab_run_part(r, &job, lines, &lines);
}

int gf_slab_run_block(struct gf_slab_state *r, int64_t rows, void *data) {
    const int64_t width = r->plan->width;
    return r->plan->picture ? gf_slab_run_lines(r, 1, rows * width, data)
                            : gf_slab_run_lines(r, rows, width, data);
}

/* Copies a block's rows of some pages to or from a piece. */
static void copy_piece(const struct gf_slab_plan *p, const struct gf_slab_block *b, int64_t count,
                       char *pages, char *piece, bool to_piece) {
    const int64_t row = gf_slab_row_bytes(p), low = b->n_low * row, high = b->n_high * row;
    for (int64_t z = 0; z < count; z++, piece += low + high) {
        char *page = pages + z * p->rows * row;
        memcpy(to_piece ? piece : page + b->low * row, to_piece ? page + b->low * row : piece,
               (size_t)low);
        if (high)
            memcpy(to_piece ? piece + low : page + b->high * row,
                   to_piece ? page + b->high * row : piece + low, (size_t)high);
    }
}

int gf_slab_move_pages(struct gf_slab_state *r, const struct gf_slab_plan *p,
                       const struct gf_span *pages, char *data, char *piece, bool puts) {
    const struct gf_slab_io *io = r->io;
    int rc = 0;
    for (int64_t k = 0; k < p->n_blocks && pages->count && !rc; k++) {
        const struct gf_slab_block b = gf_slab_block(p, k);
        const int64_t at = gf_slab_place(p, pages, k);
        const int64_t bytes = pages->count * gf_slab_block_rows(&b) * gf_slab_row_bytes(p);
        char *there = lend(r, at, bytes), *to = there ? there : piece;
        if (puts)
            copy_piece(p, &b, pages->count, data, to, true);
        if (!there)
            rc = puts ? io->put(io->user, at, to, bytes) : io->get(io->user, at, to, bytes);
        if (!rc && !puts)
            copy_piece(p, &b, pages->count, data, to, false);
    }
    return rc;
}

/* The largest absolute value. */
static double find_largest(enum gf_dtype t, int64_t n, const void *samples) {
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(gf_real_get(samples, i, t == GF_F64)));
    }
    return fmin(largest, t == GF_F64 ? DBL_MAX : (double)FLT_MAX);
}

int gf_slab_convert(struct gf_slab_state *r, int i, const int64_t rows_columns[2], void *numbers,
                    void *samples) {
    const struct gf_job *whole = &r->plan->job;
    /* transforming an axis of one point only converts */
    struct gf_job job = gf_part_lines(whole, 1, rows_columns[0], rows_columns[1]);
    job.direction = GF_FORWARD;
    job.channels = gf_job_lanes(whole);
    gf_part_outputs(&job, whole);
    job.n_out = 1;
    job.out[0] = job.out[i];
    gf_part_range(&job.out[0], r->range.of[i]);
    if (r->scans) {
        job.out[0].dtype = gf_dtype_real(job.in_dtype);
        job.out[0].map = GF_MAP_NUMBER;
    }
    int rc = gf_slab_run_part(r, &job, numbers, &samples);
    const int64_t n = rows_columns[0] * rows_columns[1] * job.channels;
    double *high = &r->range.of[i][1];
    if (!rc && r->scans)
        *high = fmax(*high, find_largest(job.out[0].dtype, n, samples));
    return rc;
}

/* Moves rows of one page, in two runs if a shifted array's end cuts them. */
static int move_rows(struct gf_slab_state *r, int i, struct gf_slab_rows rows, char *data) {
    const struct gf_job *job = &r->plan->job;
    const bool shift = i < 0 ? job->in_shift : job->out[i].shift;
    struct gf_span run[2];
    int rc = 0;
    if (shift && job->axes & 1)
        rows.page = (rows.page + job->shape[0] / 2) % job->shape[0];
    gf_span_shift(shift && job->axes >> 1 & 1, job->shape[1],
                  (struct gf_span){rows.row, rows.count}, run);
    for (int k = 0; k < 2 && run[k].count && !rc; k++) {
        const struct gf_slab_rows at = {rows.page, run[k].first, run[k].count};
        rc = i < 0 ? r->io->read_rows(r->io->user, &at, data)
                   : r->io->write(r->io->user, i, &at, data);
        data += run[k].count * gf_slab_outer_row(r->plan, i);
    }
    return rc;
}

int gf_slab_move_block(struct gf_slab_state *r, int i, const struct gf_slab_block *b,
                       struct gf_span pages, char *data) {
    const int64_t row = gf_slab_outer_row(r->plan, i), page = gf_slab_block_rows(b) * row;
    int rc = 0;
    for (int64_t z = 0; z < pages.count && !rc; z++) {
        char *at = data + z * page;
        rc = move_rows(r, i, (struct gf_slab_rows){pages.first + z, b->low, b->n_low}, at);
        at += b->n_low * row;
        if (!rc)
            rc = move_rows(r, i, (struct gf_slab_rows){pages.first + z, b->high, b->n_high}, at);
    }
    if (!rc)
        gf_slab_moved(r, pages.count * page);
    return rc;
}

int gf_slab_get_block(struct gf_slab_state *r, struct gf_slab_part *part) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, part->index);
    const int64_t row = p->pages * gf_slab_row_bytes(p), bytes = gf_slab_block_rows(&b) * row;
    const int64_t at = gf_slab_piece_at(p, 0, part->index);
    void *there = r->scans ? NULL : lend(r, at, bytes);
    int rc = there ? 0 : r->io->get(r->io->user, at, part->room[0], bytes);
    part->lent = there;
    part->room[0] = there ? there : part->room[0];
    if (!rc && part->index + 1 < p->n_blocks) {
        const struct gf_slab_block next = gf_slab_block(p, part->index + 1);
        gf_slab_expect(r, gf_slab_piece_at(p, 0, part->index + 1), gf_slab_block_rows(&next) * row);
    }
    return rc;
}
