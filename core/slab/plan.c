/* Which pages a slab has, which rows a block, and where their piece is. */
#include "core/slab/plan.h"

void gf_slab_pages(const struct gf_slab_plan *p, int64_t i, int64_t *first, int64_t *count) {
    *first = i * p->slab_pages;
    *count = i + 1 < p->n_slabs ? p->slab_pages : p->pages - *first;
}

struct gf_slab_block gf_slab_block(const struct gf_slab_plan *p, int64_t i) {
    int64_t first = i * p->block_units, end = first + p->block_units;
    end = end < p->units ? end : p->units;
    struct gf_slab_block b = {.low = first, .n_low = end - first, .before = first};
    if (!p->paired)
        return b;
    /* The rows from -(end - 1) to -first, but for those that are their own negatives. */
    int64_t least = first ? first : 1, most = 2 * (end - 1) == p->rows ? end - 2 : end - 1;
    b.n_high = most >= least ? most - least + 1 : 0;
    b.high = p->rows - most;
    b.before = first ? 2 * first - 1 : 0;
    return b;
}

int64_t gf_slab_piece_bytes(const struct gf_slab_plan *p, int64_t slab, int64_t block) {
    int64_t first, count;
    const struct gf_slab_block b = gf_slab_block(p, block);
    gf_slab_pages(p, slab, &first, &count);
    return count * gf_slab_block_rows(&b) * p->width * p->number;
}

int64_t gf_slab_piece_at(const struct gf_slab_plan *p, int64_t slab, int64_t block) {
    int64_t first, count, row = p->width * p->number;
    const struct gf_slab_block b = gf_slab_block(p, block);
    gf_slab_pages(p, slab, &first, &count);
    return p->job.direction == GF_FORWARD
               ? (b.before * p->pages + first * gf_slab_block_rows(&b)) * row
               : (first * p->rows + b.before * count) * row;
}

int64_t gf_slab_bytes_moved(const struct gf_slab_plan *p) {
    int64_t sum = 0;
    for (int i = 0; i < p->n_walks; i++)
        sum += p->walk[i].bytes_read + p->walk[i].bytes_written;
    return sum;
}
