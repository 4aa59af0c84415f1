/* Sends parts in pieces, directly or through host memory. */
#include "core/gpu/slab_walk.h"

#include <stdlib.h>

#include "core/base/status.h"

/* ---- memory ---- */

/* Returns the offset of a bin of a page in the exchange in place. */
static int64_t place_of(const struct gf_gpu_slabs *s, int64_t page, int64_t bin) {
    return (page * s->pitch + bin) * s->unit;
}

int gf_gpu_slab_view(const struct gf_gpu_context *c, const struct gf_gpu_slabs *owner,
                     const struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer **view) {
    const struct gf_span own = gf_gpu_part_span(w, part);
    const int64_t end = own.first + own.count, last = owner->between.pages - 1;
    const int64_t from = w->blocks ? place_of(owner, 0, own.first) : place_of(owner, own.first, 0);
    const int64_t to = w->blocks ? place_of(owner, last, end) : place_of(owner, end, 0);
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
        rc = m->c->api->alloc(m->c->gpu, place_of(s, s->between.pages, 0), &s->whole);
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

/* The piece that a part of this walk and some indices of the next one have in common. */
static struct gf_gpu_piece piece_of(const struct gf_gpu_walk_state *t, int64_t part,
                                    struct gf_span next) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    return t->w->blocks ? gf_gpu_piece(&t->s->between, false, next, own)
                        : gf_gpu_piece(&t->s->between, true, own, next);
}

static int send_directly(const struct gf_gpu_walk_state *t, int64_t part, int to) {
    const struct gf_gpu_walk_state *next = next_of(t, to);
    int rc = 0;
    for (int64_t k = 0; k < next->w->n && !rc; k++) {
        const struct gf_gpu_piece p = piece_of(t, part, gf_gpu_part_span(next->w, k));
        const struct gf_gpu_send rows = {.from = t->out[gf_gpu_part_slot(t, part)][0],
                                         .to = next->inbox[k],
                                         .from_offset = p.from_offset,
                                         .from_pitch = p.from_pitch,
                                         .to_offset = p.to_offset,
                                         .to_pitch = p.to_pitch,
                                         .bytes = p.bytes,
                                         .count = p.count};
        rc = t->c->api->send(t->c->gpu, next->c->gpu, &rows);
    }
    return rc;
}

/* A member's share of a part in host memory, packed: all shares are behind each other. */
static char *sent_to(const struct gf_gpu_walk_state *t, int64_t part, int to) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    return t->s->staging[GF_GPU_SLAB_SENT][gf_gpu_part_slot(t, part)] +
           own.count * next_of(t, to)->w->first * t->s->between.unit;
}

static int delivered(const struct gf_gpu_walk_state *t, int64_t part) {
    return GF_GPU_DELIVERED + t->s->role.member * GF_GPU_SLAB_DEPTH + gf_gpu_part_slot(t, part);
}

/* Into host memory, once the receiver has uploaded the part before it there. */
static int stage(const struct gf_gpu_walk_state *t, int64_t part, int to) {
    const struct gf_gpu_walk_state *next = next_of(t, to);
    const struct gf_gpu_piece p = piece_of(t, part, all_of(next->w));
    const struct gf_gpu_rows rows = {.host = sent_to(t, part, to),
                                     .bytes = p.bytes,
                                     .pitch = p.bytes,
                                     .count = p.count,
                                     .offset = p.from_offset,
                                     .device_pitch = p.from_pitch};
    if (!next->w->n)
        return 0;
    int rc = t->c->api->follow_other(t->c->gpu, next->c->gpu, delivered(t, part));
    return rc ? rc
              : t->c->api->download_rows(t->c->gpu, t->out[gf_gpu_part_slot(t, part)][0], &rows);
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

/* Sends what some indices of the first walk and some of the second one have in common to the same place, or packed. */
static int send_common(const struct gf_gpu_walk_state *t, const struct gf_gpu_walk_state *to,
                       struct gf_gpu_buffer *packed, struct gf_span first, struct gf_span second) {
    const struct gf_gpu_slabs *s = t->s;
    const bool blocks = s->walk[0].blocks;
    const struct gf_span pages = blocks ? second : first, bins = blocks ? first : second;
    const int64_t at = place_of(s, pages.first, bins.first), pitch = s->pitch * s->unit;
    const struct gf_gpu_send rows = {.from = s->whole,
                                     .to = packed ? packed : to->s->whole,
                                     .from_offset = at,
                                     .from_pitch = pitch,
                                     .to_offset = packed ? 0 : at,
                                     .to_pitch = packed ? bins.count * s->unit : pitch,
                                     .bytes = bins.count * s->unit,
                                     .count = pages.count};
    if (!first.count || !second.count)
        return 0;
    return t->c->api->send(t->c->gpu, to->c->gpu, &rows);
}

/* A part of the first walk, unless it is sent late; of the second one, in natural order, the other device's
 * pages of it, which that one has sent before the part could be transformed. */
static int send_in_place(const struct gf_gpu_walk_state *t, int64_t part) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    if (t->w->to_output)
        return send_common(t, other_of(t, 0), NULL, all_of(other_of(t, 0)->w), own);
    return part < first_late(t->s)
               ? send_common(t, other_of(t, 1), NULL, own, all_of(other_of(t, 1)->w))
               : 0;
}

int gf_gpu_slab_send_late(struct gf_gpu_walk_state *t, int64_t part) {
    const struct gf_gpu_walk_state *next = other_of(t, 1);
    int rc = 0;
    if (!t->w->n || part >= next->w->n)
        return 0;
    if (!next->w->reads_other)
        rc = send_common(t, next, NULL, gf_gpu_slab_late(t->s), gf_gpu_part_span(next->w, part));
    return rc ? rc : t->c->api->mark(t->c->gpu, GF_GPU_DOWNLOADED + (int)part);
}

int gf_gpu_slab_pack(const struct gf_gpu_walk_state *t, int64_t part,
                     struct gf_gpu_buffer *packed) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    const bool second = t->w != t->s->walk;
    const struct gf_span all = {0, t->w->blocks ? t->s->between.pages : t->s->between.bins};
    return send_common(t, t, packed, second ? all : own, second ? own : all);
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
        rc = reaches(t, to) ? send_directly(t, part, to) : stage(t, part, to);
    }
    return rc ? rc : api->mark(t->c->gpu, GF_GPU_DOWNLOADED + slot);
}

/* From host memory into the parts of the next walk that a member has. */
static int upload_share(const struct gf_gpu_walk_state *t, int64_t part,
                        const struct gf_gpu_walk_state *next) {
    const struct gf_gpu_walk *w = next->w;
    const int64_t unit = t->s->between.unit, count = gf_gpu_part_span(t->w, part).count;
    const int64_t step = (t->w->blocks ? count : 1) * unit;
    char *packed = sent_to(t, part, next->s->role.member);
    int rc = 0;
    for (int64_t k = 0; k < w->n && !rc; k++) {
        const struct gf_span own = gf_gpu_part_span(w, k);
        const struct gf_gpu_piece p = piece_of(t, part, own);
        const struct gf_gpu_rows rows = {.host = packed + (own.first - w->first) * step,
                                         .bytes = p.bytes,
                                         .pitch = (t->w->blocks ? count : w->extent) * unit,
                                         .count = p.count,
                                         .offset = p.to_offset,
                                         .device_pitch = p.to_pitch};
        rc = next->c->api->upload_rows(next->c->gpu, next->inbox[k], &rows);
    }
    return rc;
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
            rc = upload_share(t, part, next_of(t, to));
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
