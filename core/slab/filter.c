/* Blocks that stay in the exchange between two walks over the pages: those of a filter, and of a picture. */
#include "core/slab/state.h"

#include <string.h>

#include "core/filter/filter.h"

int gf_slab_filter_block(struct gf_slab_state *r, struct gf_filter *filter,
                         const struct gf_slab_block *b, void *data) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t channels = gf_job_lanes(&p->job);
    struct gf_job job = gf_slab_block_job(p, p->picture ? 1 : b->n_low,
                                          p->picture ? b->n_low : p->width / channels);
    job.op = GF_FILTER;
    job.channels = channels;
    job.filter = filter;
    job.filter_serial = filter->serial;
    memcpy(job.whole.shape, p->job.shape, sizeof job.whole.shape);
    job.whole.axes = p->job.axes;
    job.whole.first[p->picture ? 2 : 1] = b->low;
    int rc = gf_slab_filter_table(r, &job, filter);
    return rc ? rc : gf_slab_run_part(r, &job, data, &data);
}

int gf_slab_filter_table(struct gf_slab_state *r, const struct gf_job *part,
                         struct gf_filter *filter) {
    gf_array_free(&filter->table);
    const struct gf_filter *whole = r->plan->job.filter;
    return whole->make_part ? whole->make_part(whole->maker, part, filter) : 0;
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
