/* One walk of a job in slabs: each part is uploaded, transformed and downloaded. Three parts are in
 * flight on each device, and a device copies in both directions while it runs passes. Arrays that are
 * page-locked are copied by the device alone; others, and outputs that are shifted or mirrored, are packed
 * and unpacked by the host's threads in page-locked buffers. Parts that other devices go on with are sent
 * to them. */
#include "core/gpu/slab_walk.h"

#include <stdio.h>

#include "core/base/status.h"
#include "core/gpu/slab_part.h"
#include "core/gpu/slab_send.h"

enum { DEPTH = GF_GPU_SLAB_DEPTH, LAG = DEPTH - 1 };

/* More threads than that copy no faster, and a machine that lends a share of its CPUs counts them all. */
enum { MOST_THREADS = 16 };

int gf_gpu_slab_threads(const struct gf_gpu_context *c) {
    return c->props.is_cpu ? 1 : c->threads < MOST_THREADS ? c->threads : MOST_THREADS;
}

int gf_gpu_member_name(const struct gf_gpu_member *m, int rc) {
    char message[512];
    if (!rc || !m->s->seat.members)
        return rc;
    snprintf(message, sizeof message, "%s", gf_message());
    return gf_fail((enum gf_status)rc, "device %s: %s", m->name, message);
}

int gf_gpu_transit_name(const struct gf_gpu_transit *t, int rc) {
    return gf_gpu_member_name(&t->all->member[t->s->seat.member], rc);
}

/* ---- memory ---- */

/* Page-locked buffers stay until the plan is dropped, for locking takes as long as filling them. */
static int take_stage(const struct gf_gpu_transit *t, int stage) {
    const struct gf_gpu *api = t->c->api;
    int rc = 0;
    for (int i = 0; i < DEPTH && !rc; i++) {
        void *host = t->s->staging[stage][i];
        if (!host)
            rc = api->pin(t->c->gpu, t->s->staging_bytes[stage], &host);
        t->s->staging[stage][i] = host;
    }
    return rc;
}

static int take_staging(const struct gf_gpu_transit *t) {
    bool down = false;
    for (int k = 0; k < t->w->run[0].plan->job.n_out && !t->w->scans; k++)
        down |= t->to_staged[k] && (!gf_gpu_transit_sends(t) || gf_gpu_transit_shows(t));
    int rc = take_stage(t, GF_GPU_SLAB_REPORT);
    if (!rc && t->from_staged)
        rc = take_stage(t, GF_GPU_SLAB_UP);
    if (!rc && gf_gpu_transit_sends(t) && gf_gpu_slab_stages(t))
        rc = take_stage(t, GF_GPU_SLAB_SENT);
    if (!rc && down)
        rc = take_stage(t, GF_GPU_SLAB_DOWN);
    if (!rc && gf_gpu_transit_has_table(t))
        rc = take_stage(t, GF_GPU_SLAB_TABLE);
    return rc;
}

static int take_buffers(struct gf_gpu_transit *t) {
    const struct gf_gpu *api = t->c->api;
    const struct gf_gpu_plan *p = t->w->run[0].plan;
    void *gpu = t->c->gpu;
    int rc = 0;
    for (int i = 0; i < gf_gpu_walk_depth(t->w) && !rc; i++) {
        if (!gf_gpu_transit_holds(t))
            rc = api->alloc(gpu, p->bytes[GF_GPU_IN], &t->in[i]);
        for (int k = 0; k < p->job.n_out && !rc; k++)
            rc = api->alloc(gpu, p->bytes[GF_GPU_OUT + k], &t->out[i][k]);
        if (!rc && p->gaps) /* which no pass writes */
            rc = api->clear(gpu, t->out[i][0], 0, p->bytes[GF_GPU_OUT]);
        if (!rc)
            rc = api->alloc(gpu, gf_gpu_run_report_bytes(&t->w->run[0]), &t->report[i]);
        if (!rc && gf_gpu_transit_has_table(t))
            rc = api->alloc(gpu, p->bytes[GF_GPU_FILTER], &t->table[i]);
    }
    for (int i = 0; i < 2 && !rc; i++)
        if (p->bytes[GF_GPU_A + i])
            rc = api->alloc(gpu, p->bytes[GF_GPU_A + i], &t->work[i]);
    for (int i = 0; i < t->w->n_runs && !rc; i++) {
        struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {
            [GF_GPU_IN] = gf_gpu_transit_holds(t) ? t->s->held.part[0] : t->in[0],
            [GF_GPU_FILTER] = t->table[0]};
        const struct gf_gpu_plan *own = t->w->run[i].plan;
        for (int k = 0; k < 2; k++)
            if (own->bytes[GF_GPU_A + k] <= p->bytes[GF_GPU_A + k])
                lent[GF_GPU_A + k] = t->work[k];
        for (int k = 0; k < p->job.n_out; k++)
            lent[GF_GPU_OUT + k] = t->out[0][k];
        rc = gf_gpu_run_take(t->c, &t->w->run[i], lent);
    }
    return rc ? rc : api->sync(gpu); /* the other queues see the tables */
}

int gf_gpu_transit_take(struct gf_gpu_transit *t) {
    int rc = t->w->n ? take_staging(t) : 0;
    if (!rc && t->w->n)
        rc = take_buffers(t);
    return gf_gpu_transit_name(t, rc);
}

void gf_gpu_transit_give_back(struct gf_gpu_transit *t) {
    const struct gf_gpu *api = t->c->api;
    for (int i = 0; i < t->w->n_runs; i++)
        gf_gpu_run_give_back(t->c, &t->w->run[i]);
    for (int i = 0; i < DEPTH; i++) {
        api->free(t->c->gpu, t->in[i]);
        api->free(t->c->gpu, t->report[i]);
        api->free(t->c->gpu, t->table[i]);
        for (int k = 0; k < GF_MAX_OUTPUTS; k++)
            api->free(t->c->gpu, t->out[i][k]);
    }
    for (int i = 0; i < 2; i++)
        api->free(t->c->gpu, t->work[i]);
}

/* ---- all parts ---- */

/* Packs the part that comes next and unpacks the one that is back, on all threads at once. */
static int copy_parts(struct gf_gpu_transit *t, int64_t next, int64_t back) {
    struct gf_gpu_slab_copy copy[GF_MAX_OUTPUTS + 2];
    int n = 0, rc = gf_gpu_part_pack(t, next, copy, &n);
    if (!rc)
        rc = gf_gpu_part_unpack(t, back, copy, &n);
    if (!rc)
        gf_gpu_slab_copy(copy, n, gf_gpu_slab_threads(t->c));
    return rc;
}

/* Step k of a device: part k begins, and part k - LAG is back. */
static int step(struct gf_gpu_transit *t, int64_t k) {
    int rc = copy_parts(t, k, k - LAG);
    if (k >= t->w->n || rc)
        return rc;
    rc = gf_gpu_part_begin(t, k);
    return !rc && gf_gpu_transit_sends(t) ? gf_gpu_slab_send(t, k) : rc;
}

/* What reports failures. */
static int end(struct gf_gpu_transit *t) {
    int back = t->c->api->use(t->c->gpu, 0), last = t->c->api->sync(t->c->gpu);
    return back ? back : last;
}

static int walk(struct gf_gpu_transit *t, int n) {
    int64_t most = 0;
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        most = t[i].w->n > most ? t[i].w->n : most;
        rc = gf_gpu_transit_take(&t[i]);
    }
    for (int64_t k = 0; k < most + LAG && !rc; k++) {
        for (int i = 0; i < n && !rc; i++)
            rc = gf_gpu_transit_name(&t[i], step(&t[i], k));
        /* The part before: the others need not wait for this one. */
        for (int i = 0; i < n && !rc && k; i++)
            if (k - 1 < t[i].w->n && gf_gpu_transit_sends(&t[i]))
                rc = gf_gpu_transit_name(&t[i], gf_gpu_slab_deliver(&t[i], k - 1));
    }
    for (int i = 0; i < n; i++) {
        char message[512];
        snprintf(message, sizeof message, "%s", rc ? gf_message() : "");
        const int last = end(&t[i]);
        rc = rc ? gf_fail((enum gf_status)rc, "%s", message) : gf_gpu_transit_name(&t[i], last);
    }
    for (int i = 0; i < n; i++)
        gf_gpu_transit_give_back(&t[i]);
    return rc;
}

int gf_gpu_slab_walk(const struct gf_gpu_walkers *all, int index,
                     const struct gf_gpu_slab_ends *ends, struct gf_report *found, double *high) {
    struct gf_gpu_transit t[GF_GPU_MEMBERS];
    for (int i = 0; i < all->n; i++) {
        t[i] = (struct gf_gpu_transit){.c = all->member[i].c,
                                       .s = all->member[i].s,
                                       .w = &all->member[i].s->walk[index],
                                       .all = all,
                                       .found = found,
                                       .high = high};
        if (t[i].w->n)
            gf_gpu_transit_choose(&t[i], ends);
    }
    return walk(t, all->n);
}
