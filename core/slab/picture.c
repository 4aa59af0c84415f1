/* Walks that put blocks back in place, for pictures and filters, and a picture's slabs of rows. */
#include "core/slab/state.h"

#include "core/filter/filter.h"

int gf_slab_filter_table(struct gf_slab_state *r, const struct gf_job *part) {
    const struct gf_filter *whole = r->plan->job.filter;
    gf_array_free(&r->filter->table);
    return whole->make_part ? whole->make_part(whole->maker, part, r->filter) : 0;
}

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

int gf_slab_filter_of(const struct gf_slab_plan *p, struct gf_filter **out) {
    int rc = gf_filter_new(out);
    if (rc)
        return rc;
    const int64_t serial = (*out)->serial;
    **out = *p->job.filter;
    (*out)->serial = serial;
    (*out)->table = (struct gf_array){.data = NULL}; /* each part has its own */
    for (int i = 0; i < (*out)->n_factors && (p->picture || p->line); i++) {
        move_axis(p, &(*out)->factor[i].a);
        move_axis(p, &(*out)->factor[i].b);
    }
    return 0;
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

int gf_slab_blocks_in_place(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t bytes = p->pages * gf_slab_most_rows(p) * gf_slab_row_bytes(p);
    void *data = NULL;
    const struct gf_slab_walk walk = {block_in_place, &data, p->n_blocks, {{&data, bytes}}};
    return gf_slab_walk(r, &walk);
}

int gf_slab_by_rows(struct gf_slab_state *r, int (*walk)(struct gf_slab_state *r)) {
    const struct gf_slab_plan rows = gf_slab_rows_plan(r->plan);
    r->columns = r->plan;
    r->plan = &rows;
    int rc = walk(r);
    r->plan = r->columns;
    r->columns = NULL;
    return rc;
}

int64_t gf_slab_row_piece(const struct gf_slab_state *r) {
    return r->columns ? gf_slab_largest_piece(r->columns, gf_slab_most_rows(r->plan)) : 0;
}

int gf_slab_move_rows(struct gf_slab_state *r, const struct gf_slab_block *b, char *data,
                      void *piece, bool puts) {
    const struct gf_span low = {b->low, b->n_low}, high = {b->high, b->n_high};
    int rc = gf_slab_move_pages(r, r->columns, &low, data, piece, puts);
    return rc ? rc
              : gf_slab_move_pages(r, r->columns, &high,
                                   data + b->n_low * gf_slab_row_bytes(r->plan), piece, puts);
}
