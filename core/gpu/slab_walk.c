/* One walk of a job in slabs: each part is uploaded, transformed and downloaded. Three parts are in
 * flight on each device, and a device copies in both directions while it runs passes. Arrays that are
 * page-locked are copied by the device alone; others, and outputs that are shifted or mirrored, are packed
 * and unpacked by the host's threads in page-locked buffers. Parts that other devices go on with are sent
 * to them. Nothing is uploaded and downloaded where the arrays stay on the devices. */
#include "core/gpu/slab_walk.h"

#include "core/base/status.h"
#include "core/gpu/plan/elsewhere.h"

enum { DEPTH = GF_GPU_SLAB_DEPTH, LAG = DEPTH - 1 };

/* More threads than that copy no faster, and a machine that lends a share of its CPUs counts them all. */
enum { MOST_THREADS = 16 };

int gf_gpu_slab_threads(const struct gf_gpu_context *c) {
    return c->props.is_cpu ? 1 : c->threads < MOST_THREADS ? c->threads : MOST_THREADS;
}

int gf_gpu_member_name(const struct gf_gpu_member *m, int rc) {
    return rc && m->s->role.members
               ? gf_fail((enum gf_status)rc, "device %s: %s", m->name, gf_message())
               : rc;
}

int gf_gpu_slab_settle(const struct gf_gpu_shared *p, int rc) {
    struct gf_failure failed = {0};
    gf_failure_keep(&failed, rc);
    for (int i = 0; i < p->n; i++) {
        const struct gf_gpu_context *c = p->member[i].c;
        const int back = c->api->use(c->gpu, 0), last = c->api->sync(c->gpu);
        gf_failure_keep(&failed, gf_gpu_member_name(&p->member[i], back ? back : last));
    }
    return gf_failure_return(&failed);
}

/* ---- memory ---- */

/* Page-locked buffers stay until the plan is dropped, for locking takes as long as filling them. */
static int take_stage(const struct gf_gpu_walk_state *t, int stage) {
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

static int take_staging(const struct gf_gpu_walk_state *t) {
    bool down = false;
    for (int k = 0; k < t->w->run[0].plan->job.n_out && !t->w->scans; k++)
        down |= t->to_staged[k] && (!gf_gpu_walk_sends(t) || gf_gpu_walk_shows(t));
    int rc = t->s->role.resident ? 0 : take_stage(t, GF_GPU_SLAB_REPORT);
    if (!rc && t->from_staged)
        rc = take_stage(t, GF_GPU_SLAB_UP);
    if (!rc && gf_gpu_walk_sends(t) && gf_gpu_slab_stages(t))
        rc = take_stage(t, GF_GPU_SLAB_SENT);
    if (!rc && down)
        rc = take_stage(t, GF_GPU_SLAB_DOWN);
    if (!rc && gf_gpu_walk_has_table(t))
        rc = take_stage(t, GF_GPU_SLAB_TABLE);
    return rc;
}

/* Workspace, which the walks that are taken together use in turn. */
static int take_work(const struct gf_gpu_member *m, int first, int end) {
    int rc = 0;
    for (int j = 0; j < 2; j++) {
        int64_t bytes = 0;
        for (int k = 2 * first; k < 2 * end; k++) {
            const struct gf_gpu_plan *p = m->s->walk[k / 2].run[k % 2].plan;
            bytes = p && p->bytes[GF_GPU_A + j] > bytes ? p->bytes[GF_GPU_A + j] : bytes;
        }
        if (!rc && bytes)
            rc = m->c->api->alloc(m->c->gpu, bytes, &m->s->work[j]);
    }
    return rc;
}

/* In place a part's output is where its input was, or in its place of the exchange. */
static int take_output(struct gf_gpu_walk_state *t, int part, const struct gf_gpu_plan *p) {
    const struct gf_gpu *api = t->c->api;
    struct gf_gpu_buffer **out = &t->slot[part][GF_GPU_OUT];
    int rc = 0;
    if (t->s->role.in_place && !gf_gpu_walk_leaves(t->w))
        return t->w->from_input ? gf_gpu_slab_view(t->c, t->s, t->w, part, out) : 0;
    for (int k = 0; k < p->job.n_out && !rc; k++)
        rc = api->alloc(t->c->gpu, p->bytes[GF_GPU_OUT + k], &out[k]);
    if (!rc && p->gaps) /* which no pass writes */
        rc = api->clear(t->c->gpu, out[0], 0, p->bytes[GF_GPU_OUT]);
    return rc;
}

/* Takes the buffers of as many parts as are in flight at once: the first ones. */
static int take_buffers(struct gf_gpu_walk_state *t) {
    const struct gf_gpu *api = t->c->api;
    const struct gf_gpu_role *role = &t->s->role;
    const int64_t slots = role->in_place ? t->w->n : gf_gpu_walk_depth(t->w);
    void *gpu = t->c->gpu;
    int rc = 0;
    for (int i = 0; i < slots && !rc; i++) {
        const struct gf_gpu_run *m = gf_gpu_part_run(t->w, i);
        struct gf_gpu_buffer **slot = t->slot[i];
        if (!gf_gpu_walk_has_inbox(t))
            rc = api->alloc(gpu, m->plan->bytes[GF_GPU_IN], &slot[GF_GPU_IN]);
        if (!rc)
            rc = take_output(t, i, m->plan);
        if (!rc && !role->resident)
            rc = api->alloc(gpu, gf_gpu_run_report_bytes(m), &slot[GF_GPU_SLAB_REPORTED]);
        if (!rc && gf_gpu_walk_has_table(t))
            rc = api->alloc(gpu, m->plan->bytes[GF_GPU_FILTER], &slot[GF_GPU_FILTER]);
        if (!rc && t->w->reads_other)
            rc = gf_gpu_slab_view(t->c, t->all->member[1 - role->member].s, t->w, i,
                                  &slot[GF_GPU_ELSEWHERE]);
    }
    return rc;
}

/* Takes tables and the like, beside the buffers that a part is given before its launches. */
static int take_runs(struct gf_gpu_walk_state *t) {
    struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {[GF_GPU_A] = t->s->work[0],
                                                    [GF_GPU_B] = t->s->work[1]};
    int rc = 0;
    gf_gpu_part_lend(t, 0, lent);
    for (int64_t i = 0; i < t->w->n && !rc; i++) {
        struct gf_gpu_run *m = gf_gpu_part_run(t->w, i);
        if (t->w->reads_other)
            gf_gpu_plan_set_elsewhere(m->plan,
                                      gf_gpu_slab_late(t->all->member[1 - t->s->role.member].s));
        rc = gf_gpu_run_take(t->c, m, lent);
    }
    return rc;
}

static int take_walks(const struct gf_gpu_member *m, int first, int end) {
    int rc = m->c->api->use(m->c->gpu, 0);
    for (int k = first; k < end && !rc; k++) {
        struct gf_gpu_walk_state *t = &m->s->state[k];
        if (t->w->n)
            rc = take_staging(t);
        if (!rc && t->w->n)
            rc = take_buffers(t);
    }
    if (!rc)
        rc = take_work(m, first, end);
    for (int k = first; k < end && !rc; k++)
        if (m->s->walk[k].n)
            rc = take_runs(&m->s->state[k]);
    return rc ? rc : m->c->api->sync(m->c->gpu); /* the other queues see the tables */
}

int gf_gpu_slab_take(struct gf_gpu_shared *p, int first, int end) {
    int rc = 0;
    for (int i = 0; i < p->n; i++)
        for (int k = first + 1; k <= end && k < p->member[i].s->n_walks && !rc; k++)
            rc = gf_gpu_member_name(&p->member[i], gf_gpu_slab_hold(&p->member[i], k));
    for (int i = 0; i < p->n && !rc; i++)
        rc = gf_gpu_member_name(&p->member[i], take_walks(&p->member[i], first, end));
    return rc;
}

static void drop(const struct gf_gpu_context *c, struct gf_gpu_buffer **b) {
    c->api->free(c->gpu, *b);
    *b = NULL;
}

static void give_back(struct gf_gpu_walk_state *t) {
    for (int i = 0; i < t->w->n_runs; i++)
        gf_gpu_run_give_back(t->c, &t->w->run[i]);
    for (int i = 0; i < GF_GPU_SLAB_SLOTS; i++)
        for (int k = 0; k < GF_GPU_SLAB_BUFFERS; k++)
            drop(t->c, &t->slot[i][k]);
}

/* Views first, also those of another device's memory. */
void gf_gpu_slab_give_back(struct gf_gpu_shared *p, int first, int end) {
    for (int i = 0; i < p->n; i++)
        for (int k = first; k < end; k++) {
            give_back(&p->member[i].s->state[k]);
            gf_gpu_slab_let_go(&p->member[i], k);
        }
    for (int i = 0; i < p->n; i++) {
        drop(p->member[i].c, &p->member[i].s->work[0]);
        drop(p->member[i].c, &p->member[i].s->work[1]);
        drop(p->member[i].c, &p->member[i].s->whole);
    }
}

/* ---- all parts ---- */

/* Packs the part that comes next and unpacks the one that is back, on all threads at once. */
static int copy_parts(struct gf_gpu_walk_state *t, int64_t next, int64_t back) {
    struct gf_gpu_slab_copy copy[GF_MAX_OUTPUTS + 2];
    int n = 0, rc = gf_gpu_part_pack(t, next, copy, &n);
    if (!rc)
        rc = gf_gpu_part_unpack(t, back, copy, &n);
    if (!rc)
        gf_gpu_slab_copy(copy, n, gf_gpu_slab_threads(t->c));
    return rc;
}

/* Step k of a device: part k begins, and part k - LAG is back. */
static int step(struct gf_gpu_walk_state *t, int64_t k) {
    int rc = copy_parts(t, k, k - LAG);
    if (k >= t->w->n || rc)
        return rc;
    if (t->s->role.resident)
        rc = gf_gpu_slab_await(t, k);
    if (!rc)
        rc = gf_gpu_part_begin(t, k);
    return !rc && gf_gpu_walk_sends(t) ? gf_gpu_slab_send(t, k) : rc;
}

/* Has the others upload what the part before handed over in host memory: they need not wait for this one. */
static int step_after(struct gf_gpu_walk_state *t, int64_t k) {
    const bool sends = k && k - 1 < t->w->n && gf_gpu_walk_sends(t);
    return sends && !t->s->role.in_place ? gf_gpu_slab_deliver(t, k - 1) : 0;
}

/* One step of all devices. */
static int step_all(struct gf_gpu_shared *p, int index, int64_t k,
                    int (*one)(struct gf_gpu_walk_state *, int64_t)) {
    int rc = 0;
    for (int i = 0; i < p->n && !rc; i++)
        rc = gf_gpu_member_name(&p->member[i], one(&p->member[i].s->state[index], k));
    return rc;
}

static int walk_parts(struct gf_gpu_shared *p, int index) {
    const bool sends_late = p->member->s->role.in_place && !index;
    int64_t most = 0;
    int rc = 0;
    for (int i = 0; i < p->n; i++) {
        const int64_t n = p->member[i].s->walk[index].n;
        most = n > most ? n : most;
    }
    for (int64_t k = 0; k < most + LAG && !rc; k++) {
        rc = step_all(p, index, k, step);
        if (!rc)
            rc = step_all(p, index, k, step_after);
    }
    for (int64_t k = 0; k < GF_GPU_SLAB_SLOTS && sends_late && !rc; k++)
        rc = step_all(p, index, k, gf_gpu_slab_send_late);
    return rc;
}

int gf_gpu_slab_walk(struct gf_gpu_shared *p, int first, int end) {
    int rc = 0;
    for (int index = first; index < end && !rc; index++)
        rc = walk_parts(p, index);
    return gf_gpu_slab_settle(p, rc);
}
