/* Two devices that write into each other's exchange. */
#include "core/gpu/slab_in_place.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/gpu/plan/elsewhere.h"
#include "core/gpu/slab_part.h"
#include "core/gpu/slab_resident.h"
#include "core/gpu/slab_walk.h"

/* Marks: a part of a walk is transformed; all that a part of the other's second walk needs is sent. */
enum { TRANSFORMED = 4, SENT = 64, PARTS = GF_GPU_MARKS - SENT };

/* One of the two. */
struct side {
    const struct gf_gpu_member *m;
    struct gf_gpu_buffer *exchange, *work[2];
    struct gf_gpu_buffer *input[PARTS]; /* by part of the first walk */
    struct gf_gpu_buffer
        *output[PARTS]; /* by part of the second one, or NULL: it is in the exchange */
    struct gf_gpu_buffer *view[2][PARTS];   /* of the exchange, by walk and part */
    struct gf_gpu_buffer *elsewhere[PARTS]; /* of the other one's, by part of the second walk */
};

struct gf_gpu_in_place {
    struct side side[2];
};

static struct gf_gpu_walk *walk_of(const struct side *d, int index) {
    return &d->m->s->walk[index];
}

/* Where a bin of a page is in the exchange. */
static int64_t place_of(const struct side *d, int64_t page, int64_t bin) {
    const struct gf_gpu_slabs *s = d->m->s;
    return (page * s->pitch + bin) * s->unit;
}

/* ---- memory ---- */

/* The first of the parts that are sent late. */
static int64_t first_late(const struct side *d) {
    const int64_t n = walk_of(d, 0)->n, late = d->m->s->late;
    return n > late ? n - late : 0;
}

/* The indices of these: pages, unless the first walk takes blocks. */
static struct gf_span late_indices(const struct side *d) {
    const struct gf_gpu_walk *w = walk_of(d, 0);
    const int64_t sent = first_late(d) * w->each, early = sent < w->extent ? sent : w->extent;
    return (struct gf_span){w->first + early, w->extent - early};
}

static int take_views(struct side *d, const struct side *other) {
    const struct gf_gpu *api = d->m->c->api;
    const int64_t pages = d->m->s->between.pages;
    int rc = 0;
    for (int index = 0; index < 2; index++)
        for (int64_t k = 0; k < walk_of(d, index)->n && !rc; k++) {
            const struct gf_span own = gf_gpu_part_span(walk_of(d, index), k);
            const bool blocks = walk_of(d, index)->blocks;
            const int64_t from = blocks ? place_of(d, 0, own.first) : place_of(d, own.first, 0);
            const int64_t end = blocks ? place_of(d, pages - 1, own.first + own.count)
                                       : place_of(d, own.first + own.count, 0);
            rc = api->view(d->m->c->gpu, d->exchange, from, end - from, &d->view[index][k]);
            if (!rc && walk_of(d, index)->reads_other)
                rc = api->view(d->m->c->gpu, other->exchange, from, end - from, &d->elsewhere[k]);
        }
    return rc;
}

static int take_workspace(struct side *d) {
    int64_t bytes[2] = {0, 0};
    int rc = 0;
    for (int k = 0; k < 4; k++) {
        const struct gf_gpu_plan *p = walk_of(d, k / 2)->run[k % 2].plan;
        for (int j = 0; p && j < 2; j++)
            bytes[j] = p->bytes[GF_GPU_A + j] > bytes[j] ? p->bytes[GF_GPU_A + j] : bytes[j];
    }
    for (int j = 0; j < 2 && !rc; j++)
        if (bytes[j])
            rc = d->m->c->api->alloc(d->m->c->gpu, bytes[j], &d->work[j]);
    return rc;
}

/* A part's buffers, for its next run. */
static struct gf_gpu_run *lend(const struct side *d, int index, int64_t part,
                               struct gf_gpu_buffer **lent) {
    struct gf_gpu_run *m = gf_gpu_part_run(walk_of(d, index), part);
    lent[GF_GPU_IN] = index ? d->view[1][part] : d->input[part];
    lent[GF_GPU_OUT] = index && d->output[part] ? d->output[part] : d->view[index][part];
    lent[GF_GPU_ELSEWHERE] = index ? d->elsewhere[part] : NULL;
    for (int j = 0; j < 2; j++)
        lent[GF_GPU_A + j] = m->plan->bytes[GF_GPU_A + j] ? d->work[j] : NULL;
    return m;
}

static int take_runs(struct side *d) {
    int rc = 0;
    for (int index = 0; index < 2; index++)
        for (int64_t k = 0; k < walk_of(d, index)->n && !rc; k++) {
            struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {NULL};
            struct gf_gpu_run *m = lend(d, index, k, lent);
            rc = gf_gpu_run_take(d->m->c, m, lent);
        }
    return rc;
}

static int take_exchange(struct side *d) {
    const struct gf_gpu_context *c = d->m->c;
    int rc = c->api->use(c->gpu, 0);
    return rc ? rc : c->api->alloc(c->gpu, place_of(d, d->m->s->between.pages, 0), &d->exchange);
}

static int take_memory(struct side *d, const struct side *other) {
    const struct gf_gpu_context *c = d->m->c;
    int rc = c->api->use(c->gpu, 0);
    for (int k = 0; k < walk_of(d, 1)->n_runs && walk_of(d, 1)->reads_other; k++)
        gf_gpu_plan_set_elsewhere(walk_of(d, 1)->run[k].plan, late_indices(other));
    for (int64_t k = 0; k < walk_of(d, 0)->n && !rc; k++)
        rc = c->api->alloc(c->gpu, gf_gpu_part_run(walk_of(d, 0), k)->plan->bytes[GF_GPU_IN],
                           &d->input[k]);
    for (int64_t k = 0; k < walk_of(d, 1)->n && gf_gpu_walk_leaves(walk_of(d, 1)) && !rc; k++)
        rc = c->api->alloc(c->gpu, gf_gpu_part_run(walk_of(d, 1), k)->plan->bytes[GF_GPU_OUT],
                           &d->output[k]);
    if (!rc)
        rc = take_views(d, other);
    if (!rc)
        rc = take_workspace(d);
    if (!rc)
        rc = take_runs(d);
    return rc ? rc : c->api->sync(c->gpu); /* the other queues see the tables */
}

static void give_back(struct side *d) {
    const struct gf_gpu_context *c = d->m->c;
    for (int k = 0; k < 4; k++)
        gf_gpu_run_give_back(c, &walk_of(d, k / 2)->run[k % 2]);
    for (int k = 0; k < PARTS; k++) {
        c->api->free(c->gpu, d->input[k]);
        c->api->free(c->gpu, d->output[k]);
        c->api->free(c->gpu, d->view[0][k]);
        c->api->free(c->gpu, d->view[1][k]);
    }
    for (int j = 0; j < 2; j++)
        c->api->free(c->gpu, d->work[j]);
    c->api->free(c->gpu, d->exchange);
}

static int open_both(struct gf_gpu_in_place **out, const struct gf_gpu_member *member) {
    struct gf_gpu_in_place *p = calloc(1, sizeof *p);
    int rc = 0;
    if (!p)
        return gf_fail(GF_ENOMEM, "no memory for a transform");
    p->side[0].m = &member[0];
    p->side[1].m = &member[1];
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_gpu_member_name(&member[i], take_exchange(&p->side[i]));
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_gpu_member_name(&member[i], take_memory(&p->side[i], &p->side[1 - i]));
    if (rc)
        gf_gpu_in_place_drop(p);
    else
        *out = p;
    return rc;
}

void gf_gpu_in_place_drop(struct gf_gpu_in_place *p) {
    if (!p)
        return;
    gf_gpu_resident_wait(p->side[0].m, 2);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < PARTS; k++) /* before what they are views of */
            p->side[i].m->c->api->free(p->side[i].m->c->gpu, p->side[i].elsewhere[k]);
    for (int i = 0; i < 2; i++)
        give_back(&p->side[i]);
    free(p);
}

/* ---- copies ---- */

static int upload_parts(void *user, struct gf_array *in) {
    struct gf_gpu_in_place *p = user;
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        const struct side *d = &p->side[i];
        const struct gf_gpu_context *c = d->m->c;
        rc = c->api->use(c->gpu, 0);
        for (int64_t k = 0; k < walk_of(d, 0)->n && !rc; k++) {
            const struct gf_array own = gf_gpu_resident_part(walk_of(d, 0), in, k);
            rc = gf_gpu_stage_upload(c->stage, d->input[k], &own);
        }
        rc = gf_gpu_member_name(d->m, rc ? rc : c->api->sync(c->gpu));
    }
    return rc;
}

int gf_gpu_in_place_upload(struct gf_gpu_in_place **p, const struct gf_gpu_member *member,
                           const struct gf_array *in) {
    struct gf_array from = *in;
    int rc = *p ? 0 : open_both(p, member);
    return rc ? rc : gf_gpu_resident_copy(&from, true, upload_parts, *p);
}

/* The walk whose parts the output is in. */
static struct gf_gpu_walk *output_walk(const struct side *d) {
    return walk_of(d, d->m->s->seat.natural ? 0 : 1);
}

/* A part's bins of all pages, or all bins of its pages, packed on the device first. */
static int download_part(const struct side *d, int64_t part, struct gf_gpu_buffer *packed,
                         struct gf_array *out) {
    const struct gf_gpu_context *c = d->m->c;
    const struct gf_gpu_slabs *s = d->m->s;
    const struct gf_gpu_walk *w = output_walk(d);
    const struct gf_span own_span = gf_gpu_part_span(w, part);
    const struct gf_span pages = w->blocks ? (struct gf_span){0, s->between.pages} : own_span;
    const struct gf_span bins = w->blocks ? own_span : (struct gf_span){0, s->between.bins};
    struct gf_array own = gf_gpu_resident_part(w, out, part);
    if (d->output[part])
        return gf_gpu_stage_download(c->stage, &own, d->output[part]);
    int rc = c->api->send(c->gpu, c->gpu,
                          &(struct gf_gpu_send){.from = d->exchange,
                                                .to = packed,
                                                .from_offset = place_of(d, pages.first, bins.first),
                                                .from_pitch = s->pitch * s->unit,
                                                .to_pitch = bins.count * s->unit,
                                                .bytes = bins.count * s->unit,
                                                .count = pages.count});
    if (!rc)
        rc = gf_gpu_stage_download(c->stage, &own, packed);
    return rc ? rc : c->api->sync(c->gpu);
}

static int download_parts(void *user, struct gf_array *out) {
    struct gf_gpu_in_place *p = user;
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        const struct side *d = &p->side[i];
        const struct gf_gpu_context *c = d->m->c;
        const struct gf_gpu_walk *w = output_walk(d);
        const struct gf_gpu_exchange *e = &d->m->s->between;
        struct gf_gpu_buffer *packed = NULL;
        if (!w->n)
            continue;
        rc = c->api->use(c->gpu, 0);
        if (!rc && !d->output[0])
            rc = c->api->alloc(c->gpu, w->each * (w->blocks ? e->pages : e->bins) * e->unit,
                               &packed);
        for (int64_t k = 0; k < w->n && !rc; k++)
            rc = download_part(d, k, packed, out);
        if (!rc)
            rc = c->api->sync(c->gpu);
        c->api->free(c->gpu, packed);
        rc = gf_gpu_member_name(d->m, rc);
    }
    return rc;
}

int gf_gpu_in_place_download(struct gf_gpu_in_place *p, struct gf_array *out) {
    int rc = gf_gpu_resident_copy(out, false, download_parts, p);
    if (!rc)
        gf_gpu_slabs_make_real(p->side[0].m->s, out);
    return rc;
}

/* ---- run ---- */

static int transform(const struct side *d, int index, int64_t part) {
    struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {NULL};
    struct gf_gpu_run *m = lend(d, index, part, lent);
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        if (lent[i])
            m->buffer[i] = lent[i];
    return gf_gpu_run_launch(d->m->c, m, 0, m->plan->n_passes);
}

/* What some indices of the first walk and some of the second one have in common, to the same place. */
static int send(const struct side *d, const struct side *to, struct gf_span first,
                struct gf_span second) {
    const struct gf_gpu_slabs *s = d->m->s;
    const bool blocks = walk_of(d, 0)->blocks;
    const struct gf_span pages = blocks ? second : first, bins = blocks ? first : second;
    if (!first.count || !second.count)
        return 0;
    const int64_t at = place_of(d, pages.first, bins.first), pitch = s->pitch * s->unit;
    const struct gf_gpu_send rows = {.from = d->exchange,
                                     .to = to->exchange,
                                     .from_offset = at,
                                     .from_pitch = pitch,
                                     .to_offset = at,
                                     .to_pitch = pitch,
                                     .bytes = bins.count * s->unit,
                                     .count = pages.count};
    return d->m->c->api->send(d->m->c->gpu, to->m->c->gpu, &rows);
}

static int begin_part(const struct side *d, const struct side *to, int64_t part) {
    const struct gf_gpu *api = d->m->c->api;
    void *gpu = d->m->c->gpu;
    if (part >= walk_of(d, 0)->n)
        return 0;
    int rc = api->use(gpu, GF_GPU_PASSES);
    if (!rc)
        rc = transform(d, 0, part);
    if (!rc)
        rc = api->mark(gpu, TRANSFORMED + (int)part);
    if (!rc)
        rc = api->use(gpu, GF_GPU_DOWNLOADS);
    if (!rc)
        rc = api->follow(gpu, TRANSFORMED + (int)part);
    if (rc || part >= first_late(d))
        return rc;
    const struct gf_span all = {walk_of(to, 1)->first, walk_of(to, 1)->extent};
    return send(d, to, gf_gpu_part_span(walk_of(d, 0), part), all);
}

/* What a part of the other one's second walk lacks, or reads here. */
static int send_late(const struct side *d, const struct side *to, int64_t part) {
    const struct gf_gpu *api = d->m->c->api;
    const struct gf_gpu_walk *next = walk_of(to, 1);
    int rc = 0;
    if (!walk_of(d, 0)->n || part >= next->n)
        return 0;
    if (!next->reads_other)
        rc = send(d, to, late_indices(d), gf_gpu_part_span(next, part));
    return rc ? rc : api->mark(d->m->c->gpu, SENT + (int)part);
}

/* The other one's pages of a block, which it has sent before the block could be transformed. */
static int send_back(const struct side *d, const struct side *other, int64_t block) {
    const struct gf_gpu *api = d->m->c->api;
    void *gpu = d->m->c->gpu;
    const struct gf_gpu_walk *pages = walk_of(other, 0);
    int rc = api->mark(gpu, TRANSFORMED + (int)block);
    if (!rc)
        rc = api->use(gpu, GF_GPU_DOWNLOADS);
    if (!rc)
        rc = api->follow(gpu, TRANSFORMED + (int)block);
    return rc ? rc
              : send(d, other, (struct gf_span){pages->first, pages->extent},
                     gf_gpu_part_span(walk_of(d, 1), block));
}

static int finish_part(const struct side *d, const struct side *other, int64_t part) {
    const struct gf_gpu *api = d->m->c->api;
    if (part >= walk_of(d, 1)->n)
        return 0;
    int rc = api->use(d->m->c->gpu, GF_GPU_PASSES);
    if (!rc && walk_of(other, 0)->n)
        rc = api->follow_other(d->m->c->gpu, other->m->c->gpu, SENT + (int)part);
    if (!rc)
        rc = transform(d, 1, part);
    return rc || !d->m->s->seat.natural ? rc : send_back(d, other, part);
}

/* One step of both. */
static int step(const struct gf_gpu_in_place *p, int64_t k,
                int (*one)(const struct side *, const struct side *, int64_t)) {
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_gpu_member_name(p->side[i].m, one(&p->side[i], &p->side[1 - i], k));
    return rc;
}

static int run_once(const struct gf_gpu_in_place *p) {
    int rc = 0;
    for (int64_t k = 0; k < PARTS && !rc; k++)
        rc = step(p, k, begin_part);
    for (int64_t k = 0; k < PARTS && !rc; k++)
        rc = step(p, k, send_late);
    for (int64_t k = 0; k < PARTS && !rc; k++)
        rc = step(p, k, finish_part);
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_gpu_member_name(p->side[i].m, p->side[i].m->c->api->sync(p->side[i].m->c->gpu));
    return rc;
}

int gf_gpu_in_place_run(struct gf_gpu_in_place *p, int times, double *seconds) {
    const double start = gf_now_ms();
    int rc = 0;
    for (int i = 0; i < times && !rc; i++)
        rc = run_once(p);
    if (seconds)
        *seconds = (gf_now_ms() - start) * 1e-3;
    if (rc)
        gf_gpu_resident_wait(p->side[0].m, 2);
    return rc;
}
