/* Transforms of several devices whose arrays stay in their memory: the first walk's buffers hold
 * the input, the last one's the output, so each part has its own slot (core/gpu/slab_fit.c). */
#include "core/base/host/clock.h"
#include "core/gpu/slab_walk.h"

static int n_walks(const struct gf_gpu_shared *p) {
    return p->member->s->plan.n_walks;
}

/* The walk that holds the input or the output. */
static struct gf_gpu_walk *owner(const struct gf_gpu_shared *p, int i, bool up) {
    const bool first = up || p->member->s->role.natural;
    return &p->member[i].s->walk[first ? 0 : n_walks(p) - 1];
}

/* A part of the input or output, which is contiguous. */
static struct gf_array part_of(const struct gf_gpu_walk *w, const struct gf_array *array,
                               int64_t part) {
    const struct gf_span own = gf_gpu_part_span(w, part);
    const struct gf_array a = gf_gpu_slab_volume(array);
    if (!gf_gpu_blocks(w))
        return gf_array_slice(&a, 0, own.first, own.count);
    const struct gf_array bins = gf_array_wrap(
        a.data, a.dtype, 3, (int64_t[]){a.shape[0], a.shape[1] * a.shape[2], a.shape[3]});
    return gf_array_slice(&bins, 1, own.first, own.count);
}

static int copy_part(struct gf_gpu_walk *w, const struct gf_array *array, int64_t part, bool up) {
    const struct gf_gpu *api = w->c->api;
    struct gf_array own = part_of(w, array, part);
    struct gf_gpu_buffer *packed = NULL;
    const bool in_exchange = w->s->role.in_place && !gf_gpu_walk_leaves(&w->s->walk[1]);
    if (up)
        return gf_gpu_stage_upload(w->c->stage, w->slot[part][GF_GPU_IN], &own);
    int rc = in_exchange ? api->alloc(w->c->gpu, gf_array_bytes(&own), &packed) : 0;
    if (!rc && packed)
        rc = gf_gpu_slab_pack(w, part, packed);
    if (!rc)
        rc = gf_gpu_stage_download(w->c->stage, &own, packed ? packed : w->slot[part][GF_GPU_OUT]);
    api->free(w->c->gpu, packed);
    return rc;
}

static int copy_parts(struct gf_gpu_shared *p, const struct gf_array *array, bool up) {
    int rc = 0;
    for (int i = 0; i < p->n && !rc; i++) {
        struct gf_gpu_walk *w = owner(p, i, up);
        rc = w->c->api->use(w->c->gpu, 0);
        for (int64_t k = 0; k < w->n && !rc; k++)
            rc = copy_part(w, array, k, up);
        if (!rc)
            rc = w->c->api->sync(w->c->gpu);
        rc = gf_gpu_member_name(&p->member[i], rc);
    }
    return rc;
}

/* Packs an array with gaps first, or unpacks it. */
static int copy_array(struct gf_gpu_shared *p, struct gf_array *array, bool up) {
    struct gf_array packed = {0};
    if (gf_array_is_contiguous(array))
        return copy_parts(p, array, up);
    int rc = gf_array_alloc(&packed, array->dtype, array->rank, array->shape);
    if (!rc && up)
        gf_array_copy(&packed, array);
    if (!rc)
        rc = copy_parts(p, &packed, up);
    if (!rc && !up)
        gf_array_copy(array, &packed);
    gf_array_free(&packed);
    return rc;
}

int gf_gpu_shared_upload(struct gf_plan *plan, const struct gf_array *in) {
    struct gf_gpu_shared *p = plan->impl;
    struct gf_array from = *in;
    int rc = p->uploaded ? 0 : gf_gpu_slab_take(p, 0, n_walks(p));
    if (rc) {
        gf_gpu_slab_settle(p, rc);
        gf_gpu_slab_give_back(p, 0, n_walks(p));
        return rc;
    }
    p->uploaded = true;
    return copy_array(p, &from, true);
}

int gf_gpu_shared_run(struct gf_plan *plan, int times, double *seconds) {
    struct gf_gpu_shared *p = plan->impl;
    const double start = gf_now_ms();
    int rc = 0;
    for (int i = 0; i < times && !rc; i++)
        rc = gf_gpu_slab_walk(p, 0, n_walks(p));
    if (seconds)
        *seconds = (gf_now_ms() - start) * 1e-3;
    return rc;
}

int gf_gpu_shared_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    struct gf_gpu_shared *p = plan->impl;
    int rc = copy_array(p, out, false);
    if (report)
        *report = (struct gf_report){.devices = p->n};
    if (!rc)
        gf_gpu_slabs_make_real(p->member->s, out);
    return rc;
}
