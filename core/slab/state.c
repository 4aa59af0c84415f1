/* Pieces and lines that the walks share. */
#include "core/slab/state.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/status.h"
#include "core/slab/block.h"

void gf_slab_moved(struct gf_slab_state *r, int64_t bytes) {
    r->moved += bytes;
    if (r->io->moved)
        r->io->moved(r->io->user, r->moved);
}

void gf_slab_expect(const struct gf_slab_state *r, int64_t at, int64_t bytes) {
    if (r->io->expect)
        r->io->expect(r->io->user, at, bytes);
}

int gf_slab_take(void **memory, int64_t bytes) {
    *memory = gf_alloc((size_t)bytes);
    return *memory ? 0 : gf_fail(GF_ENOMEM, "no memory for a slab of %lld bytes", (long long)bytes);
}

int64_t gf_slab_out_row_bytes(const struct gf_slab_plan *p, int i) {
    return gf_slab_columns(p, i) * gf_job_lanes(&p->job) *
           (int64_t)gf_dtype_size(p->job.out[i].dtype);
}

int64_t gf_slab_longest(const struct gf_slab_plan *p) {
    int64_t first, count;
    gf_slab_pages(p, p->n_slabs - 1, &first, &count);
    return count > p->slab_pages ? count : p->slab_pages;
}

struct gf_job gf_slab_block_job(const struct gf_slab_plan *p, int64_t rows, int64_t width) {
    return gf_part_lines(&p->job, p->pages, rows, width);
}

int gf_slab_run_lines(struct gf_slab_state *r, const struct gf_array *lines) {
    const struct gf_job job = gf_slab_block_job(r->plan, lines->shape[1], lines->shape[2]);
    struct gf_report report;
    struct gf_array out = *lines;
    return r->io->run(r->io->user, &job, lines, &out, &report);
}

int gf_slab_run_block(struct gf_slab_state *r, int64_t rows, void *data) {
    const struct gf_slab_plan *p = r->plan;
    int64_t shape[] = {p->pages, rows, p->width, 1};
    if (p->picture) {
        shape[1] = 1;
        shape[2] = rows * p->width;
    }
    struct gf_array lines = gf_array_wrap(data, gf_slab_number(p), 4, shape);
    return gf_slab_run_lines(r, &lines);
}

void gf_slab_copy_piece(const struct gf_slab_plan *p, const struct gf_slab_block *b, int64_t count,
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

int gf_slab_move(struct gf_slab_state *r, int64_t slab, char *pages, char *piece, bool puts) {
    const struct gf_slab_plan *p = r->plan;
    int64_t first, count;
    int rc = 0;
    gf_slab_pages(p, slab, &first, &count);
    for (int64_t k = 0; k < p->n_blocks && !rc; k++) {
        const struct gf_slab_block b = gf_slab_block(p, k);
        const int64_t at = gf_slab_piece_at(p, slab, k), bytes = gf_slab_piece_bytes(p, slab, k);
        char *const there = gf_slab_lend(r, at, bytes);
        rc = there || puts ? 0 : r->io->get(r->io->user, at, piece, bytes);
        if (!rc)
            gf_slab_copy_piece(p, &b, count, pages, there ? there : piece, puts);
        if (!rc && !there && puts)
            rc = r->io->put(r->io->user, at, piece, bytes);
    }
    return rc;
}

int64_t gf_slab_largest_piece(const struct gf_slab_plan *p) {
    int64_t largest = 0;
    for (int64_t k = 0; k < p->n_blocks; k++) {
        struct gf_slab_block b = gf_slab_block(p, k);
        int64_t bytes = gf_slab_longest(p) * gf_slab_block_rows(&b) * gf_slab_row_bytes(p);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

int gf_slab_join_largest(struct gf_slab_state *r) {
    const struct gf_slab_members *m = &r->io->members;
    double high[GF_MAX_OUTPUTS];
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        high[i] = r->range.of[i][1];
    int rc = m->n ? m->most(m->user, high, GF_MAX_OUTPUTS) : 0;
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        r->range.of[i][1] = high[i];
    return rc;
}

void gf_slab_place_rows(const struct gf_job *job, bool shift, const struct gf_slab_rows *rows,
                        struct gf_slab_rows run[2]) {
    const int64_t pages = job->shape[0], all = job->shape[1];
    run[0] = *rows;
    if (shift && job->axes & 1)
        run[0].page = (rows->page + pages / 2) % pages;
    if (shift && job->axes >> 1 & 1)
        run[0].row = (rows->row + all / 2) % all;
    const int64_t fits = all - run[0].row;
    run[0].count = rows->count < fits ? rows->count : fits;
    run[1] = (struct gf_slab_rows){run[0].page, 0, rows->count - run[0].count};
}

struct gf_job gf_slab_convert_job(const struct gf_slab_plan *p, int i, int64_t rows,
                                  int64_t columns) {
    struct gf_job job = gf_part_lines(&p->job, 1, rows, columns);
    job.direction = GF_FORWARD;
    job.channels = gf_job_lanes(&p->job);
    gf_part_outputs(&job, &p->job);
    job.n_out = 1;
    job.out[0] = job.out[i];
    return job;
}

bool gf_slab_is_output(const struct gf_slab_plan *p, int i) {
    const struct gf_output *o = &p->job.out[i];
    return o->kind == GF_COMPLEX && o->dtype == gf_slab_number(p) && gf_job_scale(&p->job) == 1;
}

double gf_slab_largest(const struct gf_array *a) {
    const int64_t n = gf_array_count(a);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double v =
            a->dtype == GF_F64 ? ((const double *)a->data)[i] : (double)((const float *)a->data)[i];
        largest = fmax(largest, fabs(v));
    }
    return fmin(largest, a->dtype == GF_F64 ? DBL_MAX : (double)FLT_MAX);
}
