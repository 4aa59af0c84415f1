/* Slabs of rows of a picture, which the exchange has in blocks of columns. */
#include "core/slab/state.h"

int64_t gf_slab_row_piece(const struct gf_slab_state *r) {
    return gf_slab_most_rows(r->plan) * r->columns->block_units * gf_slab_row_bytes(r->columns);
}

/* Rows first .. first + n - 1, which in the exchange follow one another in each block of columns. */
static int move_rows(struct gf_slab_state *r, int64_t first, int64_t n, char *data, void *piece,
                     bool puts) {
    const struct gf_slab_plan *p = r->columns;
    const int64_t column = gf_slab_row_bytes(p);
    int rc = 0;
    for (int64_t k = 0; k < p->n_blocks && n && !rc; k++) {
        const struct gf_slab_block b = gf_slab_block(p, k);
        const int64_t at = (b.before * p->pages + first * b.n_low) * column;
        if (puts)
            gf_slab_copy_piece(p, &b, n, data, piece, true);
        rc = puts ? r->io->put(r->io->user, at, piece, n * b.n_low * column)
                  : r->io->get(r->io->user, at, piece, n * b.n_low * column);
        if (!puts && !rc)
            gf_slab_copy_piece(p, &b, n, data, piece, false);
    }
    return rc;
}

static int move_both(struct gf_slab_state *r, const struct gf_slab_block *b, char *data,
                     void *piece, bool puts) {
    int rc = move_rows(r, b->low, b->n_low, data, piece, puts);
    return rc ? rc
              : move_rows(r, b->high, b->n_high, data + b->n_low * gf_slab_row_bytes(r->plan),
                          piece, puts);
}

int gf_slab_get_rows(struct gf_slab_state *r, const struct gf_slab_block *b, char *data,
                     void *piece) {
    return move_both(r, b, data, piece, false);
}

int gf_slab_put_rows(struct gf_slab_state *r, const struct gf_slab_block *b, char *data,
                     void *piece) {
    return move_both(r, b, data, piece, true);
}
