/* Blocks that stay in the exchange between two walks over the pages: those of a filter, and of a picture. */
#include "core/slab/state.h"

#include <string.h>

#include "core/filter/filter.h"

/* A block along the slowest axis, times the filter, and back, in place. */
static int run_filter(struct gf_slab_state *r, struct gf_filter *filter,
                      const struct gf_slab_block *b, void *data) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t channels = gf_job_lanes(&p->job);
    const int64_t rows = p->picture ? 1 : b->n_low;
    const int64_t columns = p->picture ? b->n_low : p->width / channels;
    struct gf_job job = gf_slab_block_job(p, rows, columns);
    struct gf_report report;
    job.op = GF_FILTER;
    job.channels = channels;
    job.filter = filter;
    job.filter_serial = filter->serial;
    memcpy(job.whole.shape, p->job.shape, sizeof job.whole.shape);
    job.whole.axes = p->job.axes;
    job.whole.first[p->picture ? 2 : 1] = b->low;
    const struct gf_array lines =
        gf_array_wrap(data, gf_slab_number(p), 4, (int64_t[]){p->pages, rows, columns, channels});
    struct gf_array out = lines;
    gf_array_free(&filter->table);
    const bool tabulated = r->io->table && gf_filter_has_table(p->job.filter);
    int rc = tabulated ? r->io->table(r->io->user, &job, filter) : 0;
    return rc ? rc : r->io->run(r->io->user, &job, &lines, &out, &report);
}

static int run_block(struct gf_slab_state *r, struct gf_filter *filter, int64_t k, void *data) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_slab_block b = gf_slab_block(p, k);
    const int64_t bytes = p->pages * b.n_low * gf_slab_row_bytes(p);
    void *there = data;
    int rc = gf_slab_get_block(r, k, &b, &there);
    if (!rc)
        rc = filter ? run_filter(r, filter, &b, there) : gf_slab_run_block(r, b.n_low, there);
    if (!rc && there == data)
        rc = r->io->put(r->io->user, gf_slab_piece_at(p, 0, k), data, bytes);
    if (!rc)
        gf_slab_moved(r, 2 * bytes);
    return rc;
}

/* A picture's filter for the volume that it is taken as, whose axis 2 is its x; a line's own axis is the
 * only one of its parts. */
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

int gf_slab_kept_blocks(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_filter *filter = NULL;
    void *data = NULL;
    int rc = p->job.op == GF_FILTER ? gf_slab_filter_of(p, &filter) : 0;
    if (!rc)
        rc = gf_slab_take(&data, p->pages * p->block_units * gf_slab_row_bytes(p));
    const struct gf_span own = gf_slab_own(r, p->n_blocks);
    for (int64_t k = own.first; k < own.first + own.count && !rc; k++)
        rc = run_block(r, filter, k, data);
    gf_free(data);
    gf_filter_free(filter);
    return rc;
}
