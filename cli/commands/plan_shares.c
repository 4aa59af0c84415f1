/* Predicts runs of several processes: memory bounds the passes, the network's bandwidth or latency
 * the exchange. Cuts and deals the parts for several devices as a run does, and sizes them. */
#include "cli/commands/plan.h"

#include <stdlib.h>

#include "cli/commands/planes.h"
#include "core/base/host/bandwidth.h"

/* ---- processes ---- */

struct prediction {
    struct gf_slab_plan slabs;
    int64_t most, needed;         /* ranks with work; bytes of each */
    double alone;                 /* seconds of the passes in one process */
    double passes, exchange, all; /* seconds of a rank */
};

/* Parts of a wavelet transform and pages need no exchange. */
static int share(const struct gf_task *t, int ranks, struct prediction *p) {
    const struct gf_job *job = &t->op.job, volume = gf_job_volume(job);
    p->slabs = (struct gf_slab_plan){.members = ranks};
    p->most = job->op == GF_DWT ? gf_dwt_parts(&volume, INT_MAX / 16) : job->shape[0];
    p->needed = job->op == GF_DWT ? gf_dwt_planes_bytes(t, true) : t->op.need;
    struct gf_slab_wavelet w;
    if (job->op == GF_DWT && job->direction == GF_INVERSE && gf_idwt_planes_plan(t, &w)) {
        gf_slab_wavelet_part(&w, gf_dwt_parts(&volume, ranks), 0, &w);
        p->needed = w.memory_bytes;
    }
    if (job->op == GF_DWT || gf_task_at_once(t))
        return 0;
    int rc = gf_slab_plan_make(job, &(struct gf_slab_worker){0}, INT64_MAX / 2, ranks, &p->slabs);
    p->most = p->slabs.line ? p->slabs.pages : gf_min(p->slabs.pages, p->slabs.units);
    p->needed = p->slabs.memory_bytes;
    return rc;
}

static int predict(const struct gf_task *t, int ranks, struct prediction *p) {
    int rc = share(t, ranks, p);
    p->passes = p->alone / (double)gf_min(ranks, p->most);
    p->exchange = gf_slab_exchange_seconds(&p->slabs, t->s->link * 1e9);
    p->all = p->passes + p->exchange;
    return rc;
}

/* Returns the fewest ranks from which doubling saves less than a tenth of the time. */
static int64_t find_enough(const struct gf_task *t, const struct prediction *p) {
    struct prediction some = *p, more = *p;
    int64_t n = 1;
    const bool fits = !predict(t, 1, &some);
    for (; fits && 2 * n <= p->most && n < INT_MAX / 4; n *= 2, some = more)
        if (predict(t, (int)(2 * n), &more) || more.all > 0.9 * some.all)
            break;
    return n;
}

int gf_plan_ranks(const struct gf_task *t, int64_t moved, struct gf_slab_plan *slabs,
                  json_t **level) {
    const char *why = t->op.job.op != GF_DWT
                          ? gf_task_at_once(t) ? NULL : gf_slab_refuses(&t->op.job)
                      : t->op.job.direction == GF_FORWARD ? gf_dwt_planes_refuses(t, true)
                                                          : gf_idwt_planes_refuses(t);
    double copy = 0;
    if (!t->s->ranks)
        return 0;
    int rc = why ? gf_fail(GF_EUNSUPP, "not by several processes: %s", why)
                 : gf_bandwidth_copy(gf_settings_threads(t->s), &copy);
    struct prediction p = {.alone = (double)moved / copy};
    if (!rc)
        rc = predict(t, t->s->ranks, &p);
    if (rc)
        return rc;
    *slabs = p.slabs;
    *level = GF_REPORT(GF_KEY("ranks", t->s->ranks), GF_KEY("link_gb_s", t->s->link),
                       GF_KEY("copy_gb_s", copy * 1e-9), GF_KEY("alone_ms", p.alone * 1e3),
                       GF_KEY("passes_ms", p.passes * 1e3), GF_KEY("exchange_ms", p.exchange * 1e3),
                       GF_KEY("expected_ms", p.all * 1e3), GF_KEY("bytes_sent", p.slabs.sent_bytes),
                       GF_KEY("bytes_needed", p.needed), GF_KEY("most_ranks", p.most),
                       GF_KEY("enough_ranks", find_enough(t, &p)));
    return 0;
}

/* ---- several devices ---- */

/* The part that reads most planes, of which its share, and those beyond it. */
struct longest {
    int64_t planes, beside;
    struct gf_dwt_part forward;
    struct gf_slab_wavelet inverse;
};

/* Returns the number of parts. */
static int cut(const struct gf_task *t, const struct gf_engine *engine, struct longest *longest) {
    const bool forward = t->op.job.direction == GF_FORWARD;
    struct gf_slab_wavelet all;
    const int n =
        forward ? gf_planes_count(&t->op.job, engine) : gf_idwt_planes_count(t, engine, &all);
    for (int i = 0; i < n; i++) {
        struct longest part;
        if (forward) {
            gf_dwt_part(&t->op.job, n, i, &part.forward);
            part.beside = gf_dwt_part_beside(&part.forward);
            part.planes = part.forward.job.shape[0] - part.beside;
        } else {
            gf_slab_wavelet_part(&all, n, i, &part.inverse);
            part.planes = 2 * part.inverse.own.count;
            part.beside = part.inverse.planes_read - part.planes;
        }
        if (part.planes + part.beside > longest->planes + longest->beside)
            *longest = part;
    }
    return n;
}

/* Finds the device's and the host's bytes for a stream of this part. */
static int weigh_stream(struct gf_runner *runner, const struct gf_job *job, int64_t room,
                        int64_t bytes[2]) {
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
    bytes[0] = info.device_bytes;
    bytes[1] = streamer->bytes(job, runner->threads, room);
    streamer->close(stream);
    return gf_runner_stream_end(runner, rc);
}

/* Finds those for this part's chunks; each device has two of them in host memory. */
static int weigh_chunks(struct gf_runner *runner, const struct gf_slab_wavelet *part,
                        int64_t bytes[2]) {
    const struct gf_job job = gf_slab_wavelet_chunk(part);
    struct gf_plan *plan = NULL;
    int rc = gf_runner_plan(runner, &job);
    if (!rc)
        rc = gf_runner_show(runner, &plan);
    bytes[0] = rc ? 0 : plan->device_bytes;
    free(plan);
    bytes[1] = gf_planes_hands(&part->job) * part->memory_bytes;
    return rc;
}

/* Appends a device with its parts, which are `known` if its speed is recorded or all parts measure it. */
static int add_device(const struct gf_task *t, struct gf_engine *engine, int i, bool known,
                      const struct longest *longest, json_t *devices) {
    struct gf_deal_work w;
    struct gf_runner runner;
    int64_t bytes[2] = {0};
    gf_runner_open(&runner, engine, i, gf_planes_threads(t, engine));
    const int rc = t->op.job.direction == GF_FORWARD
                       ? weigh_stream(&runner, &longest->forward.job,
                                      gf_dwt_planes_room(t, gf_engine_devices(engine)), bytes)
                       : weigh_chunks(&runner, &longest->inverse, bytes);
    gf_runner_close(&runner);
    gf_deal_work(engine, i, &w);
    GF_APPEND(devices, GF_KEY("device", w.name), GF_KEY_IF(known, "parts", w.assigned),
              GF_KEY(".known", known), GF_KEY("bytes_device", bytes[0]),
              GF_KEY("bytes_host", bytes[1]));
    return rc;
}

/* Appends all devices. */
static int add_devices(const struct gf_task *t, struct gf_engine *engine, int parts,
                       const struct longest *longest, json_t *devices) {
    struct gf_deal_work w;
    int64_t known = 0;
    int rc = gf_deal_start(engine, &t->op.job, parts, 1);
    for (int i = 0; i < gf_engine_devices(engine); i++) {
        gf_deal_work(engine, i, &w);
        known += w.assigned;
    }
    for (int i = 0; i < gf_engine_devices(engine) && !rc; i++)
        rc = add_device(t, engine, i, known == parts, longest, devices);
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

int gf_plan_dealt(const struct gf_task *t, json_t **level) {
    struct longest longest = {.planes = 0};
    struct gf_engine *engine = NULL;
    if (!has_parts(t))
        return 0;
    int rc = gf_settings_engine(t->s, GF_ENGINE_EACH, &engine);
    const int n = !rc && gf_engine_devices(engine) > 1 ? cut(t, engine, &longest) : 0;
    if (n > 1) {
        json_t *devices = json_array();
        rc = add_devices(t, engine, n, &longest, devices);
        *level = GF_REPORT(GF_KEY("parts", n), GF_KEY("planes", longest.planes),
                           GF_KEY("beside", longest.beside), GF_KEY("devices", devices));
    }
    gf_engine_close(engine);
    return rc;
}
