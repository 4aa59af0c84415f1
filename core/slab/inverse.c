/* The walks of an inverse: blocks along the slowest axis, then slabs of pages. */
#include <stdlib.h>

#include "core/base/status.h"
#include "core/slab/state.h"

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
        rc = r->columns ? gf_slab_move_rows(r, &b, data, room->piece, true)
                        : put_block(r, k, rows, data);
    if (!rc)
        gf_slab_moved(r, p->pages * page);
    return rc;
}

static int read_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = p->pages * gf_slab_most_rows(p);
    struct room s = {NULL, NULL, NULL};
    const int64_t full = p->real && !p->job.in_half ? rows * gf_slab_outer_row(p, -1) : 0;
    const struct gf_slab_walk walk = {inverse_block,
                                      &s,
                                      p->n_blocks,
                                      {{&s.data, rows * gf_slab_row_bytes(p)},
                                       {&s.full, full},
                                       {&s.piece, gf_slab_row_piece(r)}}};
    return gf_slab_walk(r, &walk);
}

int gf_slab_inverse_blocks(struct gf_slab_state *r) {
    return r->plan->picture ? gf_slab_by_rows(r, read_blocks) : read_blocks(r);
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

/* Buffers: the spectrum of a slab, a piece of it, its outputs. */
struct slab {
    void *pages, *piece, *out[GF_MAX_OUTPUTS];
};

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

int gf_slab_inverse_slabs(struct gf_slab_state *r) {
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
