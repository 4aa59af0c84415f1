/* The two walks of several devices, over arrays in their memory. */
#include "core/gpu/slab_resident.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/gpu/slab_send.h"
#include "core/gpu/slab_walk.h"

/* No more parts than are in flight at once, so that each part has buffers of its own (fit_resident() of
 * core/gpu/slab_plan.c): those of the first walk have the input, those of the last one the output. */
struct gf_gpu_resident {
    struct gf_gpu_walkers all;
    struct gf_gpu_transit first[GF_GPU_MEMBERS], last[GF_GPU_MEMBERS];
    struct gf_report found; /* nothing */
};

/* ---- memory ---- */

/* The second walk reads what the first one sends: both know the same buffers. */
static void share_held(const struct gf_gpu_resident *r, bool shared) {
    for (int i = 0; i < r->all.n; i++) {
        struct gf_gpu_slabs *s = r->all.member[i].s;
        s->held = shared ? s->next : (struct gf_gpu_held){.n = 0};
    }
}

static int take_memory(struct gf_gpu_resident *r) {
    int rc = gf_gpu_slab_hold(&r->all, 0);
    share_held(r, true);
    for (int i = 0; i < r->all.n && !rc; i++)
        rc = gf_gpu_transit_take(&r->first[i]);
    for (int i = 0; i < r->all.n && !rc; i++)
        rc = gf_gpu_transit_take(&r->last[i]);
    return rc;
}

static struct gf_gpu_transit transit(struct gf_gpu_resident *r, int i, int index) {
    const struct gf_gpu_member *m = &r->all.member[i];
    return (struct gf_gpu_transit){
        .c = m->c, .s = m->s, .w = &m->s->walk[index], .all = &r->all, .found = &r->found};
}

static int open_resident(struct gf_gpu_resident **resident, const struct gf_gpu_member *member,
                         int n, const unsigned *reaches) {
    struct gf_gpu_resident *r = calloc(1, sizeof *r);
    if (!r)
        return gf_fail(GF_ENOMEM, "no memory for a transform");
    r->all = (struct gf_gpu_walkers){.member = member, .n = n, .reaches = reaches};
    for (int i = 0; i < n; i++) {
        r->first[i] = transit(r, i, 0);
        r->last[i] = transit(r, i, 1);
    }
    int rc = take_memory(r);
    if (rc)
        gf_gpu_resident_drop(r);
    else
        *resident = r;
    return rc;
}

/* Queued commands may still use the memory of another device. */
void gf_gpu_resident_wait(const struct gf_gpu_member *member, int n) {
    char message[512];
    snprintf(message, sizeof message, "%s", gf_message());
    for (int i = 0; i < n; i++) {
        const struct gf_gpu_context *c = member[i].c;
        c->api->use(c->gpu, 0);
        c->api->sync(c->gpu);
    }
    gf_message_restore(message); /* a failure's before this, if there is one */
}

void gf_gpu_resident_drop(struct gf_gpu_resident *r) {
    if (!r)
        return;
    gf_gpu_resident_wait(r->all.member, r->all.n);
    for (int i = 0; i < r->all.n; i++) {
        gf_gpu_transit_give_back(&r->first[i]);
        gf_gpu_transit_give_back(&r->last[i]);
    }
    share_held(r, false);
    gf_gpu_slab_let_go(&r->all);
    free(r);
}

/* ---- copies ---- */

struct gf_array gf_gpu_resident_part(const struct gf_gpu_walk *w, const struct gf_array *array,
                                     int64_t part) {
    const struct gf_span own = gf_gpu_part_span(w, part);
    const struct gf_array a = gf_gpu_slab_volume(array);
    if (!w->blocks)
        return gf_array_slice(&a, 0, own.first, own.count);
    const struct gf_array bins = gf_array_wrap(
        a.data, a.dtype, 3, (int64_t[]){a.shape[0], a.shape[1] * a.shape[2], a.shape[3]});
    return gf_array_slice(&bins, 1, own.first, own.count);
}

static int copy_part(struct gf_gpu_transit *t, struct gf_array *array, int64_t part, bool up) {
    struct gf_array own = gf_gpu_resident_part(t->w, array, part);
    return up ? gf_gpu_stage_upload(t->c->stage, t->in[part], &own)
              : gf_gpu_stage_download(t->c->stage, &own, t->out[part][0]);
}

/* All parts of a walk's input, or of its output. */
static int copy_parts(struct gf_gpu_transit *all, int n, struct gf_array *array, bool up) {
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        struct gf_gpu_transit *t = &all[i];
        rc = t->c->api->use(t->c->gpu, 0);
        for (int64_t k = 0; k < t->w->n && !rc; k++)
            rc = copy_part(t, array, k, up);
        if (!rc)
            rc = t->c->api->sync(t->c->gpu);
        rc = gf_gpu_transit_name(t, rc);
    }
    return rc;
}

int gf_gpu_resident_copy(struct gf_array *array, bool up,
                         int (*copy)(void *user, struct gf_array *array), void *user) {
    struct gf_array packed = {0};
    if (gf_array_is_contiguous(array))
        return copy(user, array);
    int rc = gf_array_alloc(&packed, array->dtype, array->rank, array->shape);
    if (!rc && up)
        gf_array_copy(&packed, array);
    if (!rc)
        rc = copy(user, &packed);
    if (!rc && !up)
        gf_array_copy(array, &packed);
    gf_array_free(&packed);
    return rc;
}

static int upload_parts(void *user, struct gf_array *in) {
    struct gf_gpu_resident *r = user;
    return copy_parts(r->first, r->all.n, in, true);
}

static int download_parts(void *user, struct gf_array *out) {
    struct gf_gpu_resident *r = user;
    return copy_parts(r->last, r->all.n, out, false);
}

int gf_gpu_resident_upload(struct gf_gpu_resident **resident, const struct gf_gpu_member *member,
                           int n, const unsigned *reaches, const struct gf_array *in) {
    struct gf_array from = *in;
    int rc = *resident ? 0 : open_resident(resident, member, n, reaches);
    return rc ? rc : gf_gpu_resident_copy(&from, true, upload_parts, *resident);
}

int gf_gpu_resident_download(struct gf_gpu_resident *r, struct gf_array *out) {
    int rc = gf_gpu_resident_copy(out, false, download_parts, r);
    if (!rc)
        gf_gpu_slabs_make_real(r->all.member->s, out);
    return rc;
}

/* ---- run ---- */

/* A part of the first walk, and its pieces to those in reach, and into host memory for the others. */
static int begin_part(struct gf_gpu_transit *t, int64_t part) {
    const struct gf_gpu *api = t->c->api;
    const int mark = GF_GPU_TRANSFORMED + (int)part;
    if (part >= t->w->n)
        return 0;
    int rc = gf_gpu_part_transform(t, part);
    if (!rc)
        rc = api->mark(t->c->gpu, mark);
    if (!rc)
        rc = api->use(t->c->gpu, GF_GPU_DOWNLOADS);
    if (!rc)
        rc = api->follow(t->c->gpu, mark);
    return rc ? rc : gf_gpu_slab_send(t, part);
}

/* The parts of the second walk, for when all that is sent to this device is there. */
static int finish_parts(struct gf_gpu_resident *r, int i) {
    struct gf_gpu_transit *t = &r->last[i];
    const struct gf_gpu *api = t->c->api;
    /* What others handed over in host memory is in this device's queue of uploads. */
    int rc = api->use(t->c->gpu, GF_GPU_UPLOADS);
    if (!rc)
        rc = api->mark(t->c->gpu, GF_GPU_UPLOADED);
    if (!rc)
        rc = api->use(t->c->gpu, GF_GPU_PASSES);
    if (!rc)
        rc = api->follow(t->c->gpu, GF_GPU_UPLOADED);
    for (int k = 0; k < r->all.n && !rc; k++) {
        const struct gf_gpu_transit *from = &r->first[k];
        if (from->w->n) /* a queue's last mark comes after all that it sends */
            rc = api->follow_other(t->c->gpu, from->c->gpu,
                                   GF_GPU_DOWNLOADED + (int)(from->w->n - 1));
    }
    for (int64_t k = 0; k < t->w->n && !rc; k++)
        rc = gf_gpu_part_transform(t, k);
    return rc;
}

/* Step k: part k begins on every device, and of the part before, what was handed over in host memory is
 * uploaded: the others need not wait for this one. */
static int step(struct gf_gpu_resident *r, int64_t k) {
    int rc = 0;
    for (int i = 0; i < r->all.n && !rc; i++)
        rc = gf_gpu_transit_name(&r->first[i], begin_part(&r->first[i], k));
    for (int i = 0; i < r->all.n && !rc && k; i++)
        if (k - 1 < r->first[i].w->n)
            rc = gf_gpu_transit_name(&r->first[i], gf_gpu_slab_deliver(&r->first[i], k - 1));
    return rc;
}

static int run_once(struct gf_gpu_resident *r) {
    int rc = 0;
    for (int64_t k = 0; k <= GF_GPU_SLAB_DEPTH && !rc; k++)
        rc = step(r, k);
    for (int i = 0; i < r->all.n && !rc; i++)
        rc = gf_gpu_transit_name(&r->last[i], finish_parts(r, i));
    for (int i = 0; i < r->all.n && !rc; i++)
        rc = gf_gpu_transit_name(&r->last[i], r->last[i].c->api->sync(r->last[i].c->gpu));
    return rc;
}

int gf_gpu_resident_run(struct gf_gpu_resident *r, int times, double *seconds) {
    const double start = gf_now_ms();
    int rc = 0;
    for (int i = 0; i < times && !rc; i++)
        rc = run_once(r);
    if (seconds)
        *seconds = (gf_now_ms() - start) * 1e-3;
    if (rc)
        gf_gpu_resident_wait(r->all.member, r->all.n);
    return rc;
}
