/* Sends parts in pieces, directly or through host memory. */
#include "core/gpu/slab_send.h"

#include <stdlib.h>

#include "core/base/status.h"

/* ---- memory ---- */

static void give_back(const struct gf_gpu_context *c, struct gf_gpu_held *h) {
    for (int64_t k = 0; k < h->n; k++)
        c->api->free(c->gpu, h->part[k]);
    free(h->part);
    *h = (struct gf_gpu_held){.n = 0};
}

static int hold(const struct gf_gpu_member *m, struct gf_gpu_walk *w) {
    struct gf_gpu_held *h = &m->s->next;
    int rc = 0;
    h->part = calloc((size_t)w->n + 1, sizeof *h->part);
    if (!h->part)
        return gf_fail(GF_ENOMEM, "no memory for a list of parts");
    for (; h->n < w->n && !rc; h->n += !rc)
        rc = m->c->api->alloc(m->c->gpu, gf_gpu_part_run(w, h->n)->plan->bytes[GF_GPU_IN],
                              &h->part[h->n]);
    return rc;
}

int gf_gpu_slab_hold(const struct gf_gpu_walkers *all, int index) {
    int rc = 0;
    for (int i = 0; i < all->n && !rc; i++)
        if (!all->member[i].s->walk[index].to_output)
            rc = hold(&all->member[i], &all->member[i].s->walk[index + 1]);
    return rc;
}

void gf_gpu_slab_pass_on(const struct gf_gpu_walkers *all, int index) {
    for (int i = 0; i < all->n; i++) {
        struct gf_gpu_slabs *s = all->member[i].s;
        if (s->walk[index].to_output)
            continue;
        give_back(all->member[i].c, &s->held);
        s->held = s->next;
        s->next = (struct gf_gpu_held){.n = 0};
    }
}

void gf_gpu_slab_let_go(const struct gf_gpu_walkers *all) {
    for (int i = 0; i < all->n; i++) {
        give_back(all->member[i].c, &all->member[i].s->held);
        give_back(all->member[i].c, &all->member[i].s->next);
    }
}

/* ---- pieces ---- */

static bool reaches(const struct gf_gpu_transit *t, int member) {
    return t->all->reaches[t->s->seat.member] >> member & 1;
}

bool gf_gpu_slab_stages(const struct gf_gpu_transit *t) {
    for (int i = 0; i < t->all->n; i++)
        if (!reaches(t, i))
            return true;
    return false;
}

/* The walk that member `to` goes on with. */
static struct gf_gpu_walk *next_walk(const struct gf_gpu_transit *t, int to) {
    return t->w + 1 - t->s->walk + t->all->member[to].s->walk;
}

/* What a part of this walk and some indices of the next one have in common. */
static struct gf_gpu_piece piece_of(const struct gf_gpu_transit *t, int64_t part,
                                    struct gf_span next) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    return t->w->blocks ? gf_gpu_piece(&t->s->between, false, next, own)
                        : gf_gpu_piece(&t->s->between, true, own, next);
}

static int send_directly(const struct gf_gpu_transit *t, int64_t part, int to) {
    const struct gf_gpu_member *m = &t->all->member[to];
    const struct gf_gpu_walk *w = next_walk(t, to);
    int rc = 0;
    for (int64_t k = 0; k < w->n && !rc; k++) {
        const struct gf_gpu_piece p = piece_of(t, part, gf_gpu_part_span(w, k));
        const struct gf_gpu_send rows = {.from = t->out[part % GF_GPU_SLAB_DEPTH][0],
                                         .to = m->s->next.part[k],
                                         .from_offset = p.from_offset,
                                         .from_pitch = p.from_pitch,
                                         .to_offset = p.to_offset,
                                         .to_pitch = p.to_pitch,
                                         .bytes = p.bytes,
                                         .count = p.count};
        rc = t->c->api->send(t->c->gpu, m->c->gpu, &rows);
    }
    return rc;
}

/* Where a member's share of a part is in host memory, packed: all shares are behind each other. */
static char *sent_to(const struct gf_gpu_transit *t, int64_t part, int to) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    return t->s->staging[GF_GPU_SLAB_SENT][part % GF_GPU_SLAB_DEPTH] +
           own.count * next_walk(t, to)->first * t->s->between.unit;
}

static int delivered(const struct gf_gpu_transit *t, int64_t part) {
    return GF_GPU_DELIVERED + t->s->seat.member * GF_GPU_SLAB_DEPTH +
           (int)(part % GF_GPU_SLAB_DEPTH);
}

/* Into host memory, once the receiver has uploaded the part before it there. */
static int stage(const struct gf_gpu_transit *t, int64_t part, int to) {
    const struct gf_gpu_walk *w = next_walk(t, to);
    const struct gf_gpu_piece p = piece_of(t, part, (struct gf_span){w->first, w->extent});
    const struct gf_gpu_rows rows = {.host = sent_to(t, part, to),
                                     .bytes = p.bytes,
                                     .pitch = p.bytes,
                                     .count = p.count,
                                     .offset = p.from_offset,
                                     .device_pitch = p.from_pitch};
    if (!w->n)
        return 0;
    int rc = t->c->api->follow_other(t->c->gpu, t->all->member[to].c->gpu, delivered(t, part));
    return rc ? rc
              : t->c->api->download_rows(t->c->gpu, t->out[part % GF_GPU_SLAB_DEPTH][0], &rows);
}

int gf_gpu_slab_send(struct gf_gpu_transit *t, int64_t part) {
    const struct gf_gpu *api = t->c->api;
    const int n = t->all->n, slot = (int)(part % GF_GPU_SLAB_DEPTH);
    int rc = api->use(t->c->gpu, GF_GPU_DOWNLOADS);
    for (int i = 1; i <= n && !rc; i++) { /* the own share last; no two begin with the same one */
        const int to = (t->s->seat.member + i) % n;
        rc = reaches(t, to) ? send_directly(t, part, to) : stage(t, part, to);
    }
    return rc ? rc : api->mark(t->c->gpu, GF_GPU_DOWNLOADED + slot);
}

/* From host memory into the parts of the next walk that a member has. */
static int upload_share(const struct gf_gpu_transit *t, int64_t part, int to) {
    const struct gf_gpu_member *m = &t->all->member[to];
    const struct gf_gpu_walk *w = next_walk(t, to);
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    const int64_t unit = t->s->between.unit;
    int rc = 0;
    for (int64_t k = 0; k < w->n && !rc; k++) {
        const struct gf_span next = gf_gpu_part_span(w, k);
        const struct gf_gpu_piece p = piece_of(t, part, next);
        const int64_t step = (t->w->blocks ? own.count : 1) * unit;
        const struct gf_gpu_rows rows = {.host =
                                             sent_to(t, part, to) + (next.first - w->first) * step,
                                         .bytes = p.bytes,
                                         .pitch = (t->w->blocks ? own.count : w->extent) * unit,
                                         .count = p.count,
                                         .offset = p.to_offset,
                                         .device_pitch = p.to_pitch};
        rc = m->c->api->upload_rows(m->c->gpu, m->s->next.part[k], &rows);
    }
    return rc;
}

int gf_gpu_slab_deliver(const struct gf_gpu_transit *t, int64_t part) {
    int rc = 0;
    for (int to = 0; to < t->all->n && !rc; to++) {
        const struct gf_gpu_context *c = t->all->member[to].c;
        if (reaches(t, to) || !next_walk(t, to)->n)
            continue;
        rc = c->api->use(c->gpu, GF_GPU_UPLOADS);
        if (!rc)
            rc = c->api->follow_other(c->gpu, t->c->gpu,
                                      GF_GPU_DOWNLOADED + (int)(part % GF_GPU_SLAB_DEPTH));
        if (!rc)
            rc = upload_share(t, part, to);
        if (!rc)
            rc = c->api->mark(c->gpu, delivered(t, part));
    }
    return rc;
}
