/* Cuts and deals parts as a run does, and sizes them on each device. */
#include "cli/commands/plan.h"

#include "cli/commands/planes.h"
#include "core/wavelet/stream.h"

/* The longest part. */
struct longest {
    struct gf_dwt_part forward;
    struct gf_slab_wavelet inverse;
};

/* Cuts the job, and keeps its longest part. */
static void cut(const struct gf_task *t, const struct gf_deal *deal, struct gf_plan_parts *p,
                struct longest *longest) {
    const bool forward = t->job.direction == GF_FORWARD;
    struct gf_slab_wavelet all;
    p->n = forward ? gf_planes_count(&t->job, deal) : gf_idwt_planes_count(t, deal, &all);
    for (int i = 0; i < p->n; i++) {
        struct longest part = *longest;
        int64_t planes, beside;
        if (forward) {
            gf_dwt_part(&t->job, p->n, i, &part.forward);
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
    const struct gf_session *session = runner->session;
    int rc = gf_runner_plan(runner, &job);
    if (!rc && runner->session != session) /* it would run on another device */
        rc = gf_fail(GF_ENOMEM, "%s", gf_message());
    d->bytes = gf_planes_hands(&part->job) * part->memory_bytes;
    d->bytes_device = rc ? 0 : runner->plan->device_bytes;
    return rc;
}

static int weigh(struct gf_deal *deal, const struct gf_task *t, const struct longest *longest,
                 struct gf_plan_parts *p) {
    const bool forward = t->job.direction == GF_FORWARD;
    const int threads = gf_planes_threads(t, deal);
    int rc = 0;
    for (int i = 0; i < p->n_devices && !rc; i++) {
        struct gf_runner runner;
        gf_deal_session(deal, i)->alone = true; /* makes it plan now */
        gf_runner_open(&runner, gf_deal_session(deal, i), threads);
        rc = forward ? weigh_stream(&runner, &longest->forward.job,
                                    gf_dwt_planes_room(t, p->n_devices), &p->device[i])
                     : weigh_chunks(&runner, &longest->inverse, &p->device[i]);
        gf_runner_close(&runner);
    }
    return rc;
}

/* A device's parts are known if its speed is recorded or all parts measure it. */
static int deal_parts(struct gf_deal *deal, const struct gf_task *t, struct gf_plan_parts *p) {
    if (t->s->tune)
        gf_deal_use_record(deal, &t->job);
    int rc = gf_deal_start(deal, p->n, 1);
    int64_t known = 0;
    for (int i = 0; i < deal->n; i++)
        known += deal->entry[i].assigned;
    p->n_devices = deal->n;
    for (int i = 0; i < deal->n; i++) {
        snprintf(p->device[i].name, sizeof p->device[i].name, "%s", deal->entry[i].what.name);
        p->device[i].parts = known == p->n ? deal->entry[i].assigned : -1;
    }
    return rc;
}

/* True if the job's planes may be cut into parts. */
static bool has_parts(const struct gf_task *t) {
    const struct gf_job *job = &t->job;
    if (job->op != GF_DWT || t->s->assume || !t->s->wish.list)
        return false;
    return job->direction == GF_INVERSE ||
           (job->n_out == 1 && job->out[0].map == GF_MAP_NUMBER && !gf_dwt_refuses_planes(job));
}

int gf_plan_parts(const struct gf_task *t, struct gf_plan_parts *p) {
    struct longest longest = {.inverse = {.pairs = 0}};
    struct gf_deal deal = {.n = 0};
    *p = (struct gf_plan_parts){.n = 0};
    if (!has_parts(t))
        return 0;
    int rc = gf_deal_open_for(t->s, false, &deal);
    if (!rc && deal.n > 1)
        cut(t, &deal, p, &longest);
    if (p->n < 2)
        p->n = 0;
    if (!rc && p->n)
        rc = deal_parts(&deal, t, p);
    if (!rc)
        rc = weigh(&deal, t, &longest, p);
    gf_deal_close(&deal);
    return rc;
}
