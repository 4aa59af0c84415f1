/* Parts are cut and dealt as for a run, and a stream is opened on each device to see what it takes. */
#include "cli/commands/plan_parts.h"

#include <stdio.h>

#include "cli/backend_options.h"
#include "cli/batch/report.h"
#include "cli/commands/dwt_share.h"
#include "core/base/memory.h"

/* The longest part, and how many planes it reads beside its share. */
static void measure(const struct gf_job *job, struct gf_plan_parts *p,
                    struct gf_dwt_part *longest) {
    for (int i = 0; i < p->n; i++) {
        struct gf_dwt_part part;
        gf_dwt_part(job, p->n, i, &part);
        const int64_t beside = gf_dwt_part_beside(&part), own = part.job.shape[0] - beside;
        if (own > p->most)
            *longest = part;
        p->most = own > p->most ? own : p->most;
        p->beside = beside > p->beside ? beside : p->beside;
    }
}

/* What a stream of this part takes of a device. */
static int weigh(struct gf_session *session, const struct gf_job *job, int threads,
                 struct gf_plan_parts_device *d) {
    const struct gf_dwt_taker none = {.emit = NULL};
    const struct gf_dwt_streamer *streamer = NULL;
    struct gf_dwt_stream *stream = NULL;
    struct gf_runner runner;
    void *context;
    gf_runner_open(&runner, session, threads);
    int rc = gf_runner_stream_begin(&runner, &streamer, &context);
    if (!rc) {
        rc = streamer->open(context, job, threads, &none, &stream);
        d->bytes = streamer->bytes(job, threads);
        d->bytes_device = !rc && streamer->device_bytes ? streamer->device_bytes(stream) : 0;
        streamer->close(stream);
        gf_runner_stream_end(&runner);
    }
    gf_runner_close(&runner);
    return rc;
}

/* The parts of each device are known where its speed is recorded, or all parts measure it. */
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

int gf_plan_parts(const struct gf_task *t, struct gf_plan_parts *p) {
    struct gf_dwt_part longest;
    struct gf_deal deal = {.n = 0};
    *p = (struct gf_plan_parts){.n = 0};
    const struct gf_settings *s = t->s;
    if (s->assume || !gf_deal_is_list(s->backend, s->device) || t->job.n_out != 1 ||
        t->job.out[0].map != GF_MAP_NUMBER || gf_dwt_stream_refuses(&t->job))
        return 0;
    int rc = gf_deal_open_for(s, false, &deal);
    if (!rc && deal.n > 1)
        p->n = gf_dwt_share_count(&t->job, &deal);
    if (p->n < 2)
        p->n = 0;
    if (!rc && p->n) {
        measure(&t->job, p, &longest);
        rc = deal_parts(&deal, t, p);
    }
    for (int i = 0; i < p->n_devices && !rc; i++)
        rc = weigh(gf_deal_session(&deal, i), &longest.job, gf_dwt_share_threads(s, &deal),
                   &p->device[i]);
    gf_deal_close(&deal);
    return rc;
}

void gf_plan_parts_print(const struct gf_plan_parts *p) {
    char a[GF_SIZE_TEXT], b[GF_SIZE_TEXT];
    if (!p->n)
        return;
    printf("  shared    %d parts of up to %lld planes, and %lld beside, which others read too\n",
           p->n, (long long)p->most, (long long)p->beside);
    for (int i = 0; i < p->n_devices; i++) {
        const struct gf_plan_parts_device *d = &p->device[i];
        printf("  device %s  ", d->name);
        if (d->parts < 0)
            printf("as many parts as its first ones tell");
        else
            printf("%lld part%s", (long long)d->parts, d->parts == 1 ? "" : "s");
        if (d->bytes_device)
            printf("; %s of its memory", gf_memory_text(d->bytes_device, a));
        printf("; %s of the host's\n", gf_memory_text(d->bytes, b));
    }
}

void gf_plan_parts_add(const struct gf_plan_parts *p, json_t *plan) {
    if (!p->n)
        return;
    json_t *devices = json_array();
    for (int i = 0; i < p->n_devices; i++) {
        const struct gf_plan_parts_device *d = &p->device[i];
        json_t *o = json_object();
        json_object_set_new(o, "device", gf_json_text(d->name));
        if (d->parts >= 0)
            json_object_set_new(o, "parts", json_integer(d->parts));
        json_object_set_new(o, "bytes_device", json_integer(d->bytes_device));
        json_object_set_new(o, "bytes_host", json_integer(d->bytes));
        json_array_append_new(devices, o);
    }
    json_object_set_new(plan, "dealt",
                        json_pack("{s:i,s:I,s:I,s:o}", "parts", p->n, "planes", (json_int_t)p->most,
                                  "beside", (json_int_t)p->beside, "devices", devices));
}
