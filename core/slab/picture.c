/* Blocks that stay in their place, a picture's and a filter's; and a picture's slabs of rows. */
#include "core/slab/state.h"

#include "core/filter/filter.h"

struct blocks {
    void *data;
    struct gf_filter *filter; /* or NULL */
};

static int block_in_place(struct gf_slab_state *r, int64_t k, void *user) {
    const struct gf_slab_plan *p = r->plan;
    const struct blocks *s = user;
    const struct gf_slab_block b = gf_slab_block(p, k);
    const int64_t rows = gf_slab_block_rows(&b), bytes = p->pages * rows * gf_slab_row_bytes(p);
    void *there = s->data;
    int rc = gf_slab_get_block(r, k, &b, &there);
    if (!rc)
        rc = s->filter ? gf_slab_filter_block(r, s->filter, &b, there)
                       : gf_slab_run_block(r, rows, there);
    if (!rc && there == s->data)
        rc = r->io->put(r->io->user, gf_slab_piece_at(p, 0, k), there, bytes);
    if (!rc)
        gf_slab_moved(r, 2 * bytes);
    return rc;
}

int gf_slab_blocks_in_place(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    struct blocks s = {NULL, NULL};
    int rc = p->job.op == GF_FILTER ? gf_slab_filter_of(p, &s.filter) : 0;
    if (!rc)
        rc = gf_slab_walk(r, &(struct gf_slab_walk){block_in_place,
                                                    &s,
                                                    p->n_blocks,
                                                    {{&s.data, p->pages * gf_slab_most_rows(p) *
                                                                   gf_slab_row_bytes(p)}}});
    gf_filter_free(s.filter);
    return rc;
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
