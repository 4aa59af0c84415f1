/* Sends parts in pieces, directly or through host memory. */
#include "core/gpu/slab_walk.h"

#include <stdlib.h>

#include "core/base/status.h"

/* From device to device, or by way of host memory. */
enum way { ACROSS, DOWN, UP };

/* ---- memory ---- */

static struct gf_gpu_place in_place(const struct gf_gpu_slabs *s) {
    return (struct gf_gpu_place){0, 0, s->pitch};
}

/* The offset of a bin of a page in the exchange in place. */
static int64_t offset_of(const struct gf_gpu_slabs *s, int64_t page, int64_t bin) {
    return gf_gpu_place_of(in_place(s), page, bin) * s->unit;
}

int gf_gpu_slab_view(const struct gf_gpu_context *c, const struct gf_gpu_slabs *owner,
                     const struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer **view) {
    const struct gf_span own = gf_gpu_part_span(w, part);
    const int64_t end = own.first + own.count, last = owner->between.pages - 1;
    const int64_t from = w->blocks ? offset_of(owner, 0, own.first) : offset_of(owner, own.first, 0);
    const int64_t to = w->blocks ? offset_of(owner, last, end) : offset_of(owner, end, 0);
    return c->api->view(c->gpu, owner->whole, from, to - from, view);
}

int gf_gpu_slab_hold(const struct gf_gpu_member *m, int index) {
    struct gf_gpu_slabs *s = m->s;
    struct gf_gpu_walk *w = &s->walk[index];
    struct gf_gpu_walk_state *t = &s->state[index];
    int rc = 0;
    if (!s->role.members || w->from_input || t->inbox)
        return 0;
    if (w->scans) { /* what the next walk reads too */
        rc = gf_gpu_slab_hold(m, index + 1);
        t->inbox = t[1].inbox;
        return rc;
    }
    if (!(t->inbox = calloc((size_t)w->n + 1, sizeof *t->inbox)))
        return gf_fail(GF_ENOMEM, "no memory for a list of parts");
    if (s->role.in_place)
        rc = m->c->api->alloc(m->c->gpu, offset_of(s, s->between.pages, 0), &s->whole);
    for (int64_t k = 0; k < w->n && !rc; k++)
        rc = s->role.in_place
                 ? gf_gpu_slab_view(m->c, s, w, k, &t->inbox[k])
                 : m->c->api->alloc(m->c->gpu, gf_gpu_part_run(w, k)->plan->bytes[GF_GPU_IN],
                                    &t->inbox[k]);
    return rc;
}

void gf_gpu_slab_let_go(const struct gf_gpu_member *m, int index) {
    struct gf_gpu_walk_state *t = &m->s->state[index];
    const bool owns = t->inbox && !t->w->scans;
    for (int64_t k = 0; owns && k < t->w->n; k++)
        m->c->api->free(m->c->gpu, t->inbox[k]);
    if (owns)
        free(t->inbox);
    t->inbox = NULL;
}

/* ---- pieces ---- */

static bool reaches(const struct gf_gpu_walk_state *t, int member) {
    return t->all->reaches[t->s->role.member] >> member & 1;
}

bool gf_gpu_slab_stages(const struct gf_gpu_walk_state *t) {
    for (int i = 0; i < t->all->n; i++)
        if (!reaches(t, i))
            return true;
    return false;
}

/* The walk that member `to` goes on with. */
static const struct gf_gpu_walk_state *next_of(const struct gf_gpu_walk_state *t, int to) {
    return t->w + 1 - t->s->walk + t->all->member[to].s->state;
}

static struct gf_span all_of(const struct gf_gpu_walk *w) {
    return (struct gf_span){w->first, w->extent};
}

/* Where these indices of a walk are together: packed. */
static struct gf_gpu_place packed(const struct gf_gpu_slabs *s, bool blocks, struct gf_span own) {
    return blocks ? (struct gf_gpu_place){0, own.first, own.count}
                  : (struct gf_gpu_place){own.first, 0, s->between.bins};
}

/* The piece that some indices of a walk and some of the one after it, or before it, have in common. */
static struct gf_gpu_move piece_of(const struct gf_gpu_slabs *s, bool blocks, struct gf_span own,
                                   struct gf_span other, struct gf_gpu_place from,
                                   struct gf_gpu_place to) {
    return blocks ? gf_gpu_piece(s->unit, other, own, from, to)
                  : gf_gpu_piece(s->unit, own, other, from, to);
}

/* A part's share that some indices of the next walk have of a member: to the device, or by way of host memory,
 * where the shares of all members are packed behind each other. */
static struct gf_gpu_move share_of(const struct gf_gpu_walk_state *t, int64_t part,
                                   const struct gf_gpu_walk *next, struct gf_span there,
                                   enum way way) {
    const bool blocks = t->w->blocks;
    const int slot = gf_gpu_part_slot(t, part);
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    const struct gf_gpu_place host = blocks
                                         ? (struct gf_gpu_place){next->first, own.first, own.count}
                                         : (struct gf_gpu_place){own.first, next->first, next->extent};
    const struct gf_gpu_place from = way == UP ? host : packed(t->s, blocks, own);
    const struct gf_gpu_place to = way == DOWN ? host : packed(t->s, !blocks, there);
    char *staged = t->s->staging[GF_GPU_SLAB_SENT][slot];
    struct gf_gpu_move m = piece_of(t->s, blocks, own, there, from, to);
    staged += way == ACROSS ? 0 : own.count * next->first * t->s->unit;
    if (way == UP)
        m.from.host = staged;
    else
        m.from.buffer = t->slot[slot][GF_GPU_OUT];
    m.to.host = way == DOWN ? staged : NULL;
    return m;
}

/* To the parts of the next walk that a member has, from the device or from host memory. */
static int send_share(const struct gf_gpu_walk_state *t, int64_t part, int to, enum way way) {
    const struct gf_gpu_walk_state *next = next_of(t, to);
    const struct gf_gpu_context *c = way == UP ? next->c : t->c;
    int rc = 0;
    for (int64_t k = 0; k < next->w->n && !rc; k++) {
        struct gf_gpu_move rows = share_of(t, part, next->w, gf_gpu_part_span(next->w, k), way);
        rows.to.buffer = next->inbox[k];
        rc = c->api->rows(c->gpu, next->c->gpu, &rows);
    }
    return rc;
}

static int delivered(const struct gf_gpu_walk_state *t, int64_t part) {
    return GF_GPU_DELIVERED + t->s->role.member * GF_GPU_SLAB_DEPTH + gf_gpu_part_slot(t, part);
}

/* Into host memory, once the receiver has uploaded the part before it there. */
static int stage(const struct gf_gpu_walk_state *t, int64_t part, int to) {
    const struct gf_gpu_walk_state *next = next_of(t, to);
    const struct gf_gpu_move rows = share_of(t, part, next->w, all_of(next->w), DOWN);
    if (!next->w->n)
        return 0;
    int rc = t->c->api->follow_other(t->c->gpu, next->c->gpu, delivered(t, part));
    return rc ? rc : t->c->api->rows(t->c->gpu, t->c->gpu, &rows);
}

/* ---- in place ---- */

static const struct gf_gpu_walk_state *other_of(const struct gf_gpu_walk_state *t, int index) {
    return &t->all->member[1 - t->s->role.member].s->state[index];
}

/* The first of the parts that are sent late. */
static int64_t first_late(const struct gf_gpu_slabs *s) {
    return s->walk[0].n > s->late ? s->walk[0].n - s->late : 0;
}

struct gf_span gf_gpu_slab_late(const struct gf_gpu_slabs *s) {
    const struct gf_gpu_walk *w = &s->walk[0];
    const int64_t sent = first_late(s) * w->each, early = sent < w->extent ? sent : w->extent;
    return (struct gf_span){w->first + early, w->extent - early};
}

/* Sends what some indices of walk `index` and some of the other one have in common to the same place, or packed. */
static int send_common(const struct gf_gpu_walk_state *t, int index, struct gf_span own,
                       struct gf_span other, struct gf_gpu_buffer *to_packed) {
    const struct gf_gpu_slabs *s = t->s;
    const struct gf_gpu_walk_state *to = to_packed ? t : other_of(t, index);
    const bool blocks = s->walk[index].blocks;
    struct gf_gpu_move rows = piece_of(s, blocks, own, other, in_place(s),
                                       to_packed ? packed(s, blocks, own) : in_place(s));
    rows.from.buffer = s->whole;
    rows.to.buffer = to_packed ? to_packed : to->s->whole;
    return own.count && other.count ? t->c->api->rows(t->c->gpu, to->c->gpu, &rows) : 0;
}

/* A part of the first walk, unless it is sent late; of the second one, in natural order, the other device's
 * pages of it, which that one has sent before the part could be transformed. */
static int send_in_place(const struct gf_gpu_walk_state *t, int64_t part) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    const int index = t->w->to_output;
    if (!index && part >= first_late(t->s))
        return 0;
    return send_common(t, index, own, all_of(other_of(t, !index)->w), NULL);
}

int gf_gpu_slab_send_late(struct gf_gpu_walk_state *t, int64_t part) {
    const struct gf_gpu_walk_state *next = other_of(t, 1);
    int rc = 0;
    if (!t->w->n || part >= next->w->n)
        return 0;
    if (!next->w->reads_other)
        rc = send_common(t, 0, gf_gpu_slab_late(t->s), gf_gpu_part_span(next->w, part), NULL);
    return rc ? rc : t->c->api->mark(t->c->gpu, GF_GPU_DOWNLOADED + (int)part);
}

int gf_gpu_slab_pack(const struct gf_gpu_walk_state *t, int64_t part,
                     struct gf_gpu_buffer *to) {
    const struct gf_span all = {0, t->w->blocks ? t->s->between.pages : t->s->between.bins};
    return send_common(t, t->w != t->s->walk, gf_gpu_part_span(t->w, part), all, to);
}

/* ---- all ---- */

int gf_gpu_slab_send(struct gf_gpu_walk_state *t, int64_t part) {
    const struct gf_gpu *api = t->c->api;
    const int n = t->all->n, slot = gf_gpu_part_slot(t, part);
    int rc = api->use(t->c->gpu, GF_GPU_DOWNLOADS);
    if (t->s->role.in_place)
        return rc ? rc : send_in_place(t, part);
    for (int i = 1; i <= n && !rc; i++) { /* the own share last; no two begin with the same one */
        const int to = (t->s->role.member + i) % n;
        rc = reaches(t, to) ? send_share(t, part, to, ACROSS) : stage(t, part, to);
    }
    return rc ? rc : api->mark(t->c->gpu, GF_GPU_DOWNLOADED + slot);
}

int gf_gpu_slab_deliver(const struct gf_gpu_walk_state *t, int64_t part) {
    const int sent = GF_GPU_DOWNLOADED + gf_gpu_part_slot(t, part);
    int rc = 0;
    for (int to = 0; to < t->all->n && !rc; to++) {
        const struct gf_gpu_context *c = t->all->member[to].c;
        if (reaches(t, to) || !next_of(t, to)->w->n)
            continue;
        rc = c->api->use(c->gpu, GF_GPU_UPLOADS);
        if (!rc)
            rc = c->api->follow_other(c->gpu, t->c->gpu, sent);
        if (!rc)
            rc = send_share(t, part, to, UP);
        if (!rc)
            rc = c->api->mark(c->gpu, delivered(t, part));
    }
    return rc;
}

int gf_gpu_slab_await(const struct gf_gpu_walk_state *t, int64_t part) {
    const struct gf_gpu *api = t->c->api;
    const bool in_place = t->s->role.in_place;
    int rc = 0;
    if (t->w->from_input || (part && !in_place))
        return 0;
    if (!in_place) { /* what others handed over in host memory */
        rc = api->use(t->c->gpu, GF_GPU_UPLOADS);
        if (!rc)
            rc = api->mark(t->c->gpu, GF_GPU_UPLOADED);
    }
    if (!rc)
        rc = api->use(t->c->gpu, GF_GPU_PASSES);
    if (!rc && !in_place)
        rc = api->follow(t->c->gpu, GF_GPU_UPLOADED);
    for (int k = 0; k < t->all->n && !rc; k++) {
        const struct gf_gpu_walk_state *from = &t->all->member[k].s->state[0];
        /* In place the other device's mark for this part; else a queue's last mark, after all that it sends. */
        const int64_t mark = in_place ? part : from->w->n - 1;
        if (from->w->n && !(in_place && from->s == t->s))
            rc = api->follow_other(t->c->gpu, from->c->gpu, GF_GPU_DOWNLOADED + (int)mark);
    }
    return rc;
}
