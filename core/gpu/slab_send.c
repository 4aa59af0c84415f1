/* Sends parts in pieces, directly or through host memory. */
#include "core/gpu/slab_walk.h"

#include <stdlib.h>

/* From device to device, or through host memory. */
enum way { ACROSS, DOWN, UP };

/* ---- memory ---- */

static struct gf_gpu_region in_place(const struct gf_gpu_slabs *s) {
    return (struct gf_gpu_region){0, 0, s->pitch};
}

/* The offset of a bin in the exchange in place. */
static int64_t offset_of(const struct gf_gpu_slabs *s, int64_t page, int64_t bin) {
    return gf_gpu_region_at(in_place(s), page, bin) * s->unit;
}

int gf_gpu_slab_view(const struct gf_gpu_context *c, const struct gf_gpu_slabs *owner,
                     const struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer **view) {
    const struct gf_span own = gf_gpu_part_span(w, part);
    const int64_t end = own.first + own.count, last = owner->plan.pages - 1;
    const int64_t from =
        gf_gpu_blocks(w) ? offset_of(owner, 0, own.first) : offset_of(owner, own.first, 0);
    const int64_t to = gf_gpu_blocks(w) ? offset_of(owner, last, end) : offset_of(owner, end, 0);
    return c->api->view(c->gpu, owner->whole, from, to - from, view);
}

int gf_gpu_slab_hold(struct gf_gpu_walk *w) {
    const struct gf_gpu *api = w->c->api;
    struct gf_gpu_slabs *s = w->s;
    int rc = 0;
    if (!s->role.members || gf_gpu_from_input(w) || w->inbox)
        return 0;
    if (gf_gpu_scans(w)) { /* the next walk reads the same */
        rc = gf_gpu_slab_hold(w + 1);
        w->inbox = w[1].inbox;
        return rc;
    }
    if (!(w->inbox = calloc((size_t)w->n + 1, sizeof *w->inbox)))
        return gf_no_memory();
    if (s->role.in_place)
        rc = api->alloc(w->c->gpu, offset_of(s, s->plan.pages, 0), &s->whole);
    for (int64_t k = 0; k < w->n && !rc; k++)
        rc = s->role.in_place
                 ? gf_gpu_slab_view(w->c, s, w, k, &w->inbox[k])
                 : api->alloc(w->c->gpu, gf_gpu_part_run(w, k)->program.plan->bytes[GF_GPU_IN],
                              &w->inbox[k]);
    return rc;
}

void gf_gpu_slab_let_go(struct gf_gpu_walk *w) {
    const bool owns = w->inbox && !gf_gpu_scans(w);
    for (int64_t k = 0; owns && k < w->n; k++)
        w->c->api->free(w->c->gpu, w->inbox[k]);
    if (owns)
        free(w->inbox);
    w->inbox = NULL;
}

/* ---- pieces ---- */

static bool reaches(struct gf_gpu_walk *w, int member) {
    return w->all->reaches[w->s->role.member] >> member & 1;
}

bool gf_gpu_slab_stages(struct gf_gpu_walk *w) {
    for (int i = 0; i < w->all->n; i++)
        if (!reaches(w, i))
            return true;
    return false;
}

/* Member `to`'s next walk. */
static struct gf_gpu_walk *next_of(struct gf_gpu_walk *w, int to) {
    return w + 1 - w->s->walk + w->all->member[to].s->walk;
}

static struct gf_span all_of(const struct gf_gpu_walk *w) {
    return (struct gf_span){w->first, w->extent};
}

/* The region of a walk's indices, packed. */
static struct gf_gpu_region packed(const struct gf_gpu_slabs *s, bool blocks, struct gf_span own) {
    return blocks ? (struct gf_gpu_region){0, own.first, own.count}
                  : (struct gf_gpu_region){own.first, 0, s->bins};
}

/* The move of the piece that some indices of a walk and of an adjacent walk share. */
static struct gf_gpu_move piece_of(const struct gf_gpu_slabs *s, bool blocks, struct gf_span own,
                                   struct gf_span other, struct gf_gpu_region from,
                                   struct gf_gpu_region to) {
    return blocks ? gf_gpu_piece(s->unit, other, own, from, to)
                  : gf_gpu_piece(s->unit, own, other, from, to);
}

/* The move of the share that `there`, some indices of a member's next walk, has of a part. In host
 * memory the shares of all members follow each other; each member's begins at the same place for
 * the last part, too, so that it never overwrites a share that another member has yet to upload. */
static struct gf_gpu_move share_of(struct gf_gpu_walk *w, int64_t part,
                                   const struct gf_gpu_walk *next, struct gf_span there,
                                   enum way way) {
    const bool blocks = gf_gpu_blocks(w);
    const int slot = gf_gpu_part_slot(w, part);
    const struct gf_span own = gf_gpu_part_span(w, part);
    const struct gf_gpu_region host =
        blocks ? (struct gf_gpu_region){next->first, own.first, own.count}
               : (struct gf_gpu_region){own.first, next->first, next->extent};
    const struct gf_gpu_region from = way == UP ? host : packed(w->s, blocks, own);
    const struct gf_gpu_region to = way == DOWN ? host : packed(w->s, !blocks, there);
    char *staged = w->s->staging[GF_GPU_SLAB_SENT][slot];
    struct gf_gpu_move m = piece_of(w->s, blocks, own, there, from, to);
    staged += way == ACROSS ? 0 : w->each * next->first * w->s->unit;
    if (way == UP)
        m.from.host = staged;
    else
        m.from.buffer = w->slot[slot][GF_GPU_OUT];
    m.to.host = way == DOWN ? staged : NULL;
    return m;
}

/* Sends a part's shares to the parts of member `to`'s next walk, from the device or from host
 * memory. */
static int send_share(struct gf_gpu_walk *w, int64_t part, int to, enum way way) {
    struct gf_gpu_walk *next = next_of(w, to);
    const struct gf_gpu_context *c = way == UP ? next->c : w->c;
    int rc = 0;
    for (int64_t k = 0; k < next->n && !rc; k++) {
        struct gf_gpu_move rows = share_of(w, part, next, gf_gpu_part_span(next, k), way);
        rows.to.buffer = next->inbox[k];
        rc = c->api->rows(c->gpu, next->c->gpu, &rows);
    }
    return rc;
}

static int delivered(struct gf_gpu_walk *w, int64_t part) {
    return GF_GPU_DELIVERED + w->s->role.member * GF_GPU_SLAB_DEPTH + gf_gpu_part_slot(w, part);
}

/* Copies a share into host memory, once the receiver has uploaded the one before it. */
static int stage(struct gf_gpu_walk *w, int64_t part, int to) {
    struct gf_gpu_walk *next = next_of(w, to);
    const struct gf_gpu_move rows = share_of(w, part, next, all_of(next), DOWN);
    if (!next->n)
        return 0;
    int rc = w->c->api->follow_other(w->c->gpu, next->c->gpu, delivered(w, part));
    return rc ? rc : w->c->api->rows(w->c->gpu, w->c->gpu, &rows);
}

/* ---- in place ---- */

static struct gf_gpu_walk *other_of(struct gf_gpu_walk *w, int index) {
    return &w->all->member[1 - w->s->role.member].s->walk[index];
}

static int64_t first_late(const struct gf_gpu_slabs *s) {
    return gf_max(s->walk[0].n - s->late, 0);
}

struct gf_span gf_gpu_slab_late(const struct gf_gpu_slabs *s) {
    const struct gf_gpu_walk *w = &s->walk[0];
    const int64_t early = gf_min(first_late(s) * w->each, w->extent);
    return (struct gf_span){w->first + early, w->extent - early};
}

/* Sends what indices of walk `index` and of the other walk share, to the same place of the other
 * device, or to a packed buffer. */
static int send_common(struct gf_gpu_walk *w, int index, struct gf_span own, struct gf_span other,
                       struct gf_gpu_buffer *to_packed) {
    const struct gf_gpu_slabs *s = w->s;
    struct gf_gpu_walk *to = to_packed ? w : other_of(w, index);
    const bool blocks = gf_gpu_blocks(&s->walk[index]);
    struct gf_gpu_move rows = piece_of(s, blocks, own, other, in_place(s),
                                       to_packed ? packed(s, blocks, own) : in_place(s));
    rows.from.buffer = s->whole;
    rows.to.buffer = to_packed ? to_packed : to->s->whole;
    return own.count && other.count ? w->c->api->rows(w->c->gpu, to->c->gpu, &rows) : 0;
}

/* Sends a part of the first walk unless it is sent late. In natural order, sends back the other
 * device's pages of a part of the second walk; that device had sent them before the part could
 * start. */
static int send_in_place(struct gf_gpu_walk *w, int64_t part) {
    const struct gf_span own = gf_gpu_part_span(w, part);
    const int index = gf_gpu_to_output(w);
    if (!index && part >= first_late(w->s))
        return 0;
    return send_common(w, index, own, all_of(other_of(w, !index)), NULL);
}

int gf_gpu_slab_send_late(struct gf_gpu_walk *w, int64_t part) {
    struct gf_gpu_walk *next = other_of(w, 1);
    int rc = 0;
    if (!w->n || part >= next->n)
        return 0;
    if (!next->reads_other)
        rc = send_common(w, 0, gf_gpu_slab_late(w->s), gf_gpu_part_span(next, part), NULL);
    return rc ? rc : w->c->api->mark(w->c->gpu, GF_GPU_DOWNLOADED + (int)part);
}

int gf_gpu_slab_pack(struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer *to) {
    const struct gf_span all = {0, gf_gpu_blocks(w) ? w->s->plan.pages : w->s->bins};
    return send_common(w, w != w->s->walk, gf_gpu_part_span(w, part), all, to);
}

/* ---- all ---- */

int gf_gpu_slab_send(struct gf_gpu_walk *w, int64_t part) {
    const struct gf_gpu *api = w->c->api;
    const int n = w->all->n, slot = gf_gpu_part_slot(w, part);
    int rc = api->use(w->c->gpu, GF_GPU_DOWNLOADS);
    if (w->s->role.in_place)
        return rc ? rc : send_in_place(w, part);
    for (int i = 1; i <= n && !rc; i++) { /* its own share last; each begins with another member */
        const int to = (w->s->role.member + i) % n;
        rc = reaches(w, to) ? send_share(w, part, to, ACROSS) : stage(w, part, to);
    }
    return rc ? rc : api->mark(w->c->gpu, GF_GPU_DOWNLOADED + slot);
}

int gf_gpu_slab_receive(struct gf_gpu_walk *w, int64_t part) {
    const struct gf_gpu_slabs *s = w->s;
    const struct gf_gpu *api = w->c->api;
    int rc = 0;
    for (int i = 0; i < w->all->n && !rc && w[1].n; i++) {
        struct gf_gpu_walk *from = w - s->walk + w->all->member[i].s->walk;
        if (part >= from->n || reaches(from, s->role.member))
            continue;
        rc = api->use(w->c->gpu, GF_GPU_UPLOADS);
        if (!rc)
            rc = api->follow_other(w->c->gpu, from->c->gpu,
                                   GF_GPU_DOWNLOADED + gf_gpu_part_slot(from, part));
        if (!rc)
            rc = send_share(from, part, s->role.member, UP);
        if (!rc)
            rc = api->mark(w->c->gpu, delivered(from, part));
    }
    return rc;
}

int gf_gpu_slab_await(struct gf_gpu_walk *w, int64_t part) {
    const struct gf_gpu *api = w->c->api;
    const bool in_place = w->s->role.in_place;
    int rc = 0;
    if (gf_gpu_from_input(w) || (part && !in_place))
        return 0;
    if (!in_place) { /* uploads from host memory */
        rc = api->use(w->c->gpu, GF_GPU_UPLOADS);
        if (!rc)
            rc = api->mark(w->c->gpu, GF_GPU_UPLOADED);
    }
    if (!rc)
        rc = api->use(w->c->gpu, GF_GPU_PASSES);
    if (!rc && !in_place)
        rc = api->follow(w->c->gpu, GF_GPU_UPLOADED);
    for (int k = 0; k < w->all->n && !rc; k++) {
        struct gf_gpu_walk *from = &w->all->member[k].s->walk[0];
        /* In place the other device's mark for this part, else the last mark of its queue. */
        const int64_t mark = in_place ? part : from->n - 1;
        if (from->n && !(in_place && from->s == w->s))
            rc = api->follow_other(w->c->gpu, from->c->gpu, GF_GPU_DOWNLOADED + (int)mark);
    }
    return rc;
}
