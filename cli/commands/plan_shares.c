/* Predicts runs of several processes: memory bounds the passes, the network's bandwidth or latency
 * the exchange. Cuts and deals the parts for several devices as a run does, and sizes them. */
#include "cli/commands/plan.h"
#include "cli/commands/planes.h"
#include "core/base/host/bandwidth.h"

/* Latency of a message: order of magnitude for a fast network. */
static const double message_seconds = 5e-6;

/* Returns the bytes that rank i puts in the first walk, and their number of pieces. */
static double put_by(const struct gf_slab_plan *p, int ranks, int i, double *pieces) {
    const struct gf_span slabs = gf_slab_share(p->n_slabs, ranks, i);
    const double pages =
        p->line ? (double)p->pages / ranks : (double)gf_slab_pages_of(p, slabs).count;
    *pieces = (double)slabs.count * (double)p->n_blocks;
    return pages * (double)(p->exchange_bytes / p->pages);
}

/* Finds the bytes and pieces of the busiest rank. */
static int share(const struct gf_job *job, int ranks, double *pieces, struct gf_ranks_plan *p) {
    struct gf_slab_plan plan;
    double most = 0;
    int rc = gf_slab_plan_make(job, &(struct gf_slab_worker){0}, INT64_MAX / 2, ranks, &plan);
    if (rc)
        return rc;
    *pieces = 0;
    for (int i = 0; i < ranks; i++) {
        double own, put = put_by(&plan, ranks, i, &own);
        const int64_t kept =
            gf_slab_owned_from(&plan, ranks, i + 1) - gf_slab_owned_from(&plan, ranks, i);
        put -= put * (double)kept / (double)plan.exchange_bytes;
        most = put > most ? put : most;
        *pieces = own > *pieces ? own : *pieces;
    }
    const int64_t units = plan.line ? plan.pages : plan.units;
    p->most = plan.pages < units ? plan.pages : units;
    p->bytes_sent = (int64_t)(most + 0.5);
    p->bytes_needed = plan.memory_bytes;
    p->slabs = plan;
    /* Filters, pictures and lines exchange once more. */
    p->exchanges = plan.n_walks > 2 ? 2 : 1;
    return 0;
}

/* Parts of a wavelet transform and pages need no exchange. */
static int share_planes(const struct gf_task *t, int ranks, struct gf_ranks_plan *p) {
    const struct gf_job job = gf_slab_volume(&t->op.job);
    struct gf_slab_wavelet w = {.memory_bytes = gf_dwt_planes_bytes(t, true)};
    p->most = gf_dwt_parts(&job, INT_MAX / 16);
    if (job.direction == GF_INVERSE && gf_idwt_planes_plan(t, &w))
        gf_slab_wavelet_part(&w, gf_dwt_parts(&job, ranks), 0, &w);
    p->bytes_needed = w.memory_bytes;
    return 0;
}

static int share_pages(const struct gf_task *t, struct gf_ranks_plan *p) {
    p->most = t->op.job.shape[0];
    p->bytes_needed = t->op.need;
    return 0;
}

static int predict(const struct gf_task *t, int64_t moved, int ranks, struct gf_ranks_plan *p) {
    double pieces = 0;
    int rc = t->op.job.op == GF_DWT ? share_planes(t, ranks, p)
             : gf_task_at_once(t)   ? share_pages(t, p)
                                    : share(&t->op.job, ranks, &pieces, p);
    p->ranks = ranks;
    p->alone = (double)moved / p->copy;
    p->passes = p->alone / (double)(ranks < p->most ? ranks : p->most);
    p->exchange = ((double)p->bytes_sent / p->link + pieces * message_seconds) * p->exchanges;
    p->together = p->passes + p->exchange;
    return rc;
}

/* Returns the fewest ranks from which doubling saves less than a tenth of the time. */
static int64_t find_enough(const struct gf_task *t, int64_t moved, const struct gf_ranks_plan *p) {
    struct gf_ranks_plan some = *p, more = *p;
    int64_t n = 1;
    const bool fits = !predict(t, moved, 1, &some);
    for (; fits && 2 * n <= p->most && n < INT_MAX / 4; n *= 2, some = more)
        if (predict(t, moved, (int)(2 * n), &more) || more.together > 0.9 * some.together)
            break;
    return n;
}

int gf_ranks_plan(const struct gf_task *t, int64_t moved, struct gf_ranks_plan *out) {
    const char *why = t->op.job.op != GF_DWT
                          ? gf_task_at_once(t) ? NULL : gf_slab_refuses(&t->op.job)
                      : t->op.job.direction == GF_FORWARD ? gf_dwt_planes_refuses(t, true)
                                                          : gf_idwt_planes_refuses(t);
    *out = (struct gf_ranks_plan){.link = t->s->link * 1e9};
    int rc = why ? gf_fail(GF_EUNSUPP, "not by several processes: %s", why)
                 : gf_bandwidth_copy(gf_settings_threads(t->s), &out->copy);
    if (!rc)
        rc = predict(t, moved, t->s->ranks, out);
    if (!rc)
        out->enough = find_enough(t, moved, out);
    return rc;
}

/* ---- several devices ---- */

/* The longest part. */
struct longest {
    struct gf_dwt_part forward;
    struct gf_slab_wavelet inverse;
};

/* Cuts the job, and keeps its longest part. */
static void cut(const struct gf_task *t, const struct gf_engine *engine, struct gf_plan_parts *p,
                struct longest *longest) {
    const bool forward = t->op.job.direction == GF_FORWARD;
    struct gf_slab_wavelet all;
    p->n = forward ? gf_planes_count(&t->op.job, engine) : gf_idwt_planes_count(t, engine, &all);
    for (int i = 0; i < p->n; i++) {
        struct longest part = *longest;
        int64_t planes, beside;
        if (forward) {
            gf_dwt_part(&t->op.job, p->n, i, &part.forward);
            beside = gf_dwt_part_beside(&part.forward);
            planes = part.forward.job.shape[0] - beside;
        } else {
            gf_slab_wavelet_part(&all, p->n, i, &part.inverse);
            planes = 2 * part.inverse.own.count;
            beside = part.inverse.planes_read - planes;
        }
        *longest = planes > p->most ? part : *longest;
        p->most = planes > p->most ? planes : p->most;
        p->beside = beside > p->beside ? beside : p->beside;
    }
}

/* Finds the memory of a stream of this part. */
static int weigh_stream(struct gf_runner *runner, const struct gf_job *job, int64_t room,
                        struct gf_plan_parts_device *d) {
    const struct gf_dwt_taker none = {.emit = NULL};
    const struct gf_dwt_streamer *streamer = NULL;
    struct gf_dwt_stream *stream = NULL;
    struct gf_dwt_stream_info info = {.device_bytes = 0};
    void *context;
    int rc = gf_runner_stream_begin(runner, &streamer, &context);
    if (rc)
        return rc;
    rc = streamer->open(context, job, runner->threads, room, &none, &stream);
    if (!rc)
        streamer->info(stream, &info);
    d->bytes = streamer->bytes(job, runner->threads, room);
    d->bytes_device = info.device_bytes;
    streamer->close(stream);
    gf_runner_stream_end(runner);
    return rc;
}

/* Finds the memory of this part's chunks; each device has two of them in host memory. */
static int weigh_chunks(struct gf_runner *runner, const struct gf_slab_wavelet *part,
                        struct gf_plan_parts_device *d) {
    const struct gf_job job = gf_slab_wavelet_chunk(part);
    int rc = gf_runner_plan(runner, &job);
    d->bytes = gf_planes_hands(&part->job) * part->memory_bytes;
    d->bytes_device = rc ? 0 : runner->plan->device_bytes;
    return rc;
}

static int weigh(struct gf_engine *engine, const struct gf_task *t, const struct longest *longest,
                 struct gf_plan_parts *p) {
    const bool forward = t->op.job.direction == GF_FORWARD;
    const int threads = gf_planes_threads(t, engine);
    struct gf_settings s = *t->s; /* of one device, which gives the job to no other */
    int rc = 0;
    s.request.n = 1;
    for (int i = 0; i < p->n_devices && !rc; i++) {
        struct gf_engine *own;
        struct gf_runner runner;
        s.request.device[0] = t->s->request.device[i];
        rc = gf_settings_engine(&s, GF_ENGINE_ONE, &own);
        if (rc)
            return rc;
        gf_runner_open(&runner, own, 0, threads);
        rc = forward ? weigh_stream(&runner, &longest->forward.job,
                                    gf_dwt_planes_room(t, p->n_devices), &p->device[i])
                     : weigh_chunks(&runner, &longest->inverse, &p->device[i]);
        gf_runner_close(&runner);
        gf_engine_close(own);
    }
    return rc;
}

/* A device's parts are known if its speed is recorded or all parts measure it. */
static int deal_parts(struct gf_engine *engine, const struct gf_task *t, struct gf_plan_parts *p) {
    struct gf_deal_work w;
    int64_t known = 0;
    int rc = gf_deal_start(engine, &t->op.job, p->n, 1);
    p->n_devices = gf_engine_devices(engine);
    for (int i = 0; i < p->n_devices; i++) {
        gf_deal_work(engine, i, &w);
        snprintf(p->device[i].name, sizeof p->device[i].name, "%s", w.name);
        p->device[i].parts = w.assigned;
        known += w.assigned;
    }
    for (int i = 0; i < p->n_devices && known != p->n; i++)
        p->device[i].parts = -1;
    return rc;
}

/* True if the job's planes may be cut into parts. */
static bool has_parts(const struct gf_task *t) {
    const struct gf_job *job = &t->op.job;
    if (job->op != GF_DWT || t->s->assume || !t->s->request.list)
        return false;
    return job->direction == GF_INVERSE ||
           (job->n_out == 1 && !gf_dwt_refuses_planes(job) && !gf_dwt_refuses_parts(job));
}

int gf_plan_parts(const struct gf_task *t, struct gf_plan_parts *p) {
    struct longest longest = {.inverse = {.pairs = 0}};
    struct gf_engine *engine = NULL;
    *p = (struct gf_plan_parts){.n = 0};
    if (!has_parts(t))
        return 0;
    int rc = gf_settings_engine(t->s, GF_ENGINE_EACH, &engine);
    if (!rc && gf_engine_devices(engine) > 1)
        cut(t, engine, p, &longest);
    if (p->n < 2)
        p->n = 0;
    if (!rc && p->n)
        rc = deal_parts(engine, t, p);
    if (!rc)
        rc = weigh(engine, t, &longest, p);
    gf_engine_close(engine);
    return rc;
}
