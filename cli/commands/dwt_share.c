/* A thread for each device, which takes part after part. */
#include "cli/commands/dwt_share.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/status.h"

/* For shares by measured speed: as many parts as tell the speed, and as many more. */
enum { PARTS_A_DEVICE = 4 };

struct share {
    struct gf_task *t;
    int parts;
    struct gf_volume *volume;
    pthread_mutex_t turn; /* to write; and for what follows */
    int rc;               /* of the failure at the first plane, and its message */
    int64_t at;
    char message[512];
};

struct hand {
    struct share *share;
    int i; /* the device */
    bool started;
    pthread_t thread;
    struct gf_reader reader;
    struct gf_dwt_run run;
};

int gf_dwt_share_parts(const struct gf_task *t) {
    /* A record's checksum would be verified by each reader. */
    if (!t->deal || t->deal->n < 2 || t->image.record || !gf_task_is_read_again(t))
        return 0;
    return gf_dwt_share_count(&t->job, t->deal);
}

int gf_dwt_share_count(const struct gf_job *job, const struct gf_deal *d) {
    for (int i = 0; i < d->n; i++)
        if (!gf_session_streaming(gf_deal_session(d, i)))
            return 0;
    const int parts = gf_dwt_parts(job, PARTS_A_DEVICE * d->n);
    return parts > d->n ? parts - parts % d->n : parts; /* as many for each of equal devices */
}

int gf_dwt_share_threads(const struct gf_settings *s, const struct gf_deal *d) {
    const int all = gf_settings_threads(s);
    int on_cpu = 0;
    for (int i = 0; i < d->n; i++)
        on_cpu += gf_deal_own_contexts(d, i);
    const int left = all - 1 - (d->n - on_cpu) * GF_DEAL_COPYING;
    const int some = left > all / 2 ? left : all / 2;
    return on_cpu && some / on_cpu > 1 ? some / on_cpu : 1;
}

int64_t gf_dwt_share_bytes(const struct gf_task *t, int parts) {
    struct gf_dwt_part part;
    int64_t bytes = 0;
    gf_dwt_part(&t->job, parts, 0, &part);
    for (int i = 0; i < t->deal->n; i++)
        bytes +=
            gf_dwt_run_bytes(t, &t->runners[i], &part.job, gf_dwt_share_threads(t->s, t->deal));
    return bytes;
}

static void fail(struct hand *h, int rc) {
    struct share *s = h->share;
    pthread_mutex_lock(&s->turn);
    if (!s->rc || h->run.at < s->at) {
        s->rc = rc;
        s->at = h->run.at;
        snprintf(s->message, sizeof s->message, "%s", gf_message());
    }
    pthread_mutex_unlock(&s->turn);
    gf_deal_stop(s->t->deal);
}

/* Another device does the part again where this one fails. */
static int run_part(struct hand *h, int64_t unit) {
    struct share *s = h->share;
    struct gf_dwt_part part;
    int rc;
    gf_dwt_part(&s->t->job, s->parts, (int)unit, &part);
    do
        rc = gf_dwt_run_part(&h->run, &part, s->volume);
    while (rc && h->run.on_device && gf_runner_stream_moves(h->run.runner, rc));
    return rc;
}

static void *run_parts(void *user) {
    struct hand *h = user;
    struct gf_deal *d = h->share->t->deal;
    for (int64_t unit; (unit = gf_deal_take(d, h->i)) >= 0;) {
        const double start = gf_now_ms();
        int rc = run_part(h, unit);
        if (rc) {
            fail(h, rc);
            break;
        }
        gf_deal_end(d, h->i, (gf_now_ms() - start) * 1e-3);
    }
    return NULL;
}

/* Frames are opened one by one; a file by each device, the first of which has it open. */
static int open_hands(struct share *s, struct hand *hand) {
    struct gf_task *t = s->t;
    int rc = 0;
    for (int i = 0; i < t->deal->n; i++) {
        hand[i] = (struct hand){.share = s, .i = i};
        hand[i].run = (struct gf_dwt_run){.t = t,
                                          .reader = i ? &hand[i].reader : &t->reader,
                                          .runner = &t->runners[i],
                                          .threads = gf_dwt_share_threads(t->s, t->deal),
                                          .turn = &s->turn};
        struct gf_image image = {0};
        if (i && !t->s->frames && !rc)
            rc = gf_reader_open(&hand[i].reader, t->s, t->read, t->n_read, &image);
        gf_image_free(&image);
    }
    return rc;
}

static void close_hands(struct share *s, struct hand *hand, struct gf_dwt_run *sum) {
    struct gf_task *t = s->t;
    for (int i = 0; i < t->deal->n; i++) {
        const struct gf_dwt_run *r = &hand[i].run;
        t->ms_decode += r->ms_read;
        t->ms_transform = r->ms_transform > t->ms_transform ? r->ms_transform : t->ms_transform;
        t->ms_encode += r->ms_write;
        t->overflowed[0] += r->overflowed;
        sum->ms_waited += r->ms_waited;
        sum->peak += r->peak;
        gf_reader_close(&hand[i].reader);
    }
}

/* Devices come to damaged frames in any order: the first one is named, as by a device alone. */
static int name_first(const struct share *s) {
    const struct gf_task *t = s->t;
    struct gf_reader reader = {0};
    int rc = 0;
    for (int64_t i = 0; i < s->at && !rc && t->s->frames; i++) {
        struct gf_image plane = {0};
        rc = gf_reader_frame(&reader, t->s, t->read, i, &t->image, &plane);
        gf_image_free(&plane);
    }
    gf_reader_close(&reader);
    return rc ? rc : gf_fail((enum gf_status)s->rc, "%s", s->message);
}

/* The calling thread works with the first device. */
static int run_hands(struct share *s, struct hand *hand) {
    const int n = s->t->deal->n;
    for (int i = 1; i < n; i++)
        hand[i].started = !pthread_create(&hand[i].thread, NULL, run_parts, &hand[i]);
    run_parts(&hand[0]);
    for (int i = 1; i < n; i++) /* what a thread that could not be started owns is done here */
        if (hand[i].started)
            pthread_join(hand[i].thread, NULL);
        else
            run_parts(&hand[i]);
    return s->rc ? name_first(s) : 0;
}

int gf_dwt_share_run(struct gf_task *t, int parts, struct gf_volume *volume,
                     struct gf_dwt_run *sum) {
    struct share s = {.t = t, .parts = parts, .volume = volume};
    struct hand *hand = calloc((size_t)t->deal->n, sizeof *hand);
    if (!hand)
        return gf_fail(GF_ENOMEM, "out of memory");
    pthread_mutex_init(&s.turn, NULL);
    if (t->s->tune)
        gf_deal_use_record(t->deal, &t->job);
    int rc = open_hands(&s, hand);
    if (!rc)
        rc = gf_deal_start(t->deal, parts, 1);
    if (!rc)
        rc = run_hands(&s, hand);
    close_hands(&s, hand, sum);
    gf_task_choose_reported(t);
    t->dealt = true;
    pthread_mutex_destroy(&s.turn);
    free(hand);
    return rc;
}
