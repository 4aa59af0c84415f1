/* Blocks of a packed half spectrum straight to samples: the transform along the slowest axis writes those
 * of its columns, as the last pass of a backend does in memory. The packed column is transformed by
 * itself, as numbers, as its two columns are told apart afterwards. */
#include <string.h>

#include "core/slab/state.h"

/* Columns beside each other that are transformed for the packed one's sake: two, as backends
 * transform a single line another way. Its two columns take as much. */
enum { TOGETHER = 2 };

/* All pages of a block, [page][row of the block]…, and a few pages of the output. */
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

/* Columns 0 and n/2 as samples, to d->packed. */
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

/* The other columns as samples, to d->halves. */
static int run_halves(struct gf_slab_state *r, int64_t rows, struct direct *d) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_job job = gf_slab_block_job(p, rows, p->width);
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
        const int64_t count = p->pages - z < p->step_pages ? p->pages - z : p->step_pages;
        gf_slab_join(&s, d->packed, z, count, d->samples);
        rc = gf_slab_write_pages(r, 0, &s.block, z, count, d->samples);
    }
    d->data = own;
    return rc;
}

int gf_slab_direct_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t rows = gf_slab_most_rows(p), all = p->pages * rows;
    const int64_t two = all * TOGETHER * gf_job_lanes(&p->job) * p->number;
    struct direct d = {.data = NULL};
    return gf_slab_walk(r, &(struct gf_slab_walk){
                               direct_block,
                               &d,
                               p->n_blocks,
                               {{&d.data, all * gf_slab_row_bytes(p)},
                                {&d.halves, all * p->width * sample_bytes(p)},
                                {&d.packed, two},
                                {&d.ends, two},
                                {&d.samples, p->step_pages * rows * gf_slab_out_row_bytes(p, 0)}}});
}
