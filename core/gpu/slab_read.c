/* How much of an exchange in place the second walk reads in the other device's memory. */
#include "core/gpu/slab_read.h"

#include "core/gpu/plan/elsewhere.h"

/* Blocks of it. In natural order they are several, which are sent back one by one. */
bool gf_gpu_slabs_may_read(const struct gf_gpu_context *c, const struct gf_gpu_slabs *s) {
    return c->api->reads_others && s->walk[1].blocks && !s->seat.natural;
}

/* Of all parts, the first passes up to `most`; of a launch of two, both. */
static double walk_cost(const struct gf_gpu_walk *w, int most) {
    const struct gf_gpu_plan *p = w->n ? w->run[0].plan : NULL;
    double cost = 0;
    for (int i = 0; p && i < p->n_passes && (i < most || (i && p->pass[i - 1].chain)); i++)
        cost += p->pass[i].cost * (double)w->extent / (double)w->each;
    return cost;
}

/* Where kernels read the other device's memory, the second walk reads its last pages there: they are neither
 * sent, which is a read and a write more, nor waited for. The pages are sent during the first walk, or
 * read by the first launch of the second one, in proportion to the times of these. */
void gf_gpu_slabs_read(const struct gf_gpu_context *c, struct gf_gpu_slabs *s) {
    struct gf_gpu_walk *first = &s->walk[0], *w = &s->walk[1];
    w->reads_other = gf_gpu_slabs_may_read(c, s) && w->n;
    for (int k = 0; k < w->n_runs; k++)
        w->reads_other = w->reads_other && gf_gpu_plan_can_read_elsewhere(w->run[k].plan);
    for (int k = 0; k < w->n_runs && w->reads_other; k++)
        gf_gpu_plan_read_elsewhere(w->run[k].plan);
    const double sent = walk_cost(first, GF_MAX_PASSES), read = walk_cost(w, 1);
    if (w->reads_other && first->n)
        s->late = (int64_t)((double)first->n * read / (sent + read) + 0.5);
}
