/* A thread or two for each device, which take part after part. */
#include "cli/commands/part_share.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/status.h"

struct hand;

struct share {
    struct gf_task *t;
    const struct gf_part_work *work;
    int n_hands;
    struct hand *hand;
    pthread_mutex_t lock;
    int rc; /* of the failure at the first plane, and its message */
    int64_t at;
    char message[512];
};

struct hand {
    struct share *share;
    int device;
    bool started;
    pthread_t thread;
    struct gf_reader reader; /* of all hands but the first, which has the task's */
    struct gf_runner runner; /* of all of a device but its first, which has the task's */
    struct gf_part_hand own;
};

bool gf_part_may_share(const struct gf_task *t) {
    return t->deal && t->deal->n > 1 && gf_task_is_read_again(t);
}

bool gf_part_streams(const struct gf_deal *d) {
    bool all = true;
    for (int i = 0; i < d->n; i++)
        all = all && gf_session_streaming(gf_deal_session(d, i));
    return all;
}

int gf_part_count(int most, const struct gf_deal *d) {
    return most > d->n ? most - most % d->n : most;
}

int gf_part_threads(const struct gf_settings *s, const struct gf_deal *d, int streams) {
    const int all = gf_settings_threads(s);
    int on_cpu = 0;
    for (int i = 0; i < d->n; i++)
        on_cpu += gf_deal_own_contexts(d, i) ? streams : 0;
    const int left = all - 1 - (d->n * streams - on_cpu) * GF_DEAL_COPYING;
    const int some = left > all / 2 ? left : all / 2;
    return on_cpu && some / on_cpu > 1 ? some / on_cpu : 1;
}

/* ---- a hand ---- */

static void fail(struct hand *h, int rc) {
    struct share *s = h->share;
    pthread_mutex_lock(&s->lock);
    if (!s->rc || h->own.at < s->at) {
        s->rc = rc;
        s->at = h->own.at;
        snprintf(s->message, sizeof s->message, "%s", gf_message());
    }
    pthread_mutex_unlock(&s->lock);
    gf_deal_stop(s->t->deal);
}

static void *run_parts(void *user) {
    struct hand *h = user;
    const struct gf_part_work *work = h->share->work;
    struct gf_deal *d = h->share->t->deal;
    for (int64_t unit; (unit = gf_deal_take(d, h->device)) >= 0;) {
        const double start = gf_now_ms();
        int rc = work->run(work->user, &h->own, (int)unit);
        if (rc) {
            fail(h, rc);
            break;
        }
        gf_deal_end(d, h->device, (gf_now_ms() - start) * 1e-3 / work->streams);
    }
    return NULL;
}

/* ---- all of them ---- */

static int open_hand(struct share *s, int k, int threads) {
    struct gf_task *t = s->t;
    struct hand *h = &s->hand[k];
    const int device = k / s->work->streams;
    const bool first = !(k % s->work->streams);
    *h = (struct hand){.share = s, .device = device};
    h->own = (struct gf_part_hand){.t = t,
                                   .reader = k ? &h->reader : &t->reader,
                                   .runner = first ? &t->runners[device] : &h->runner,
                                   .threads = threads};
    gf_runner_close(h->own.runner); /* it may have other threads, for work in one piece */
    gf_runner_open(h->own.runner, gf_deal_session(t->deal, device), threads);
    return k ? gf_reader_again(&t->reader, t->s, &h->reader) : 0;
}

/* A record's checksum is verified once for all. */
static int open_hands(struct share *s) {
    const struct gf_task *t = s->t;
    const int threads = gf_part_threads(t->s, t->deal, s->work->streams);
    int rc = t->s->frames ? 0 : gf_file_check(t->reader.file[0]);
    while (s->n_hands < t->deal->n * s->work->streams && !rc)
        rc = open_hand(s, s->n_hands++, threads);
    return rc;
}

static void add(struct gf_part_sum *sum, const struct gf_part_sum *one) {
    sum->ms_read += one->ms_read;
    sum->ms_transform =
        one->ms_transform > sum->ms_transform ? one->ms_transform : sum->ms_transform;
    sum->ms_write += one->ms_write;
    sum->ms_waited += one->ms_waited;
    sum->peak += one->peak;
    for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
        sum->overflowed[i] += one->overflowed[i];
        sum->clipped[i] += one->clipped[i];
    }
}

static void close_hands(struct share *s, struct gf_part_sum *sum) {
    for (int k = 0; k < s->n_hands; k++) {
        struct hand *h = &s->hand[k];
        add(sum, &h->own.sum);
        gf_reader_close(&h->reader);
        if (h->own.runner == &h->runner)
            gf_runner_close(&h->runner);
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
static int run_hands(struct share *s) {
    for (int k = 1; k < s->n_hands; k++)
        s->hand[k].started = !pthread_create(&s->hand[k].thread, NULL, run_parts, &s->hand[k]);
    run_parts(&s->hand[0]);
    for (int k = 1; k < s->n_hands;
         k++) /* what a thread that could not be started owns is done here */
        if (s->hand[k].started)
            pthread_join(s->hand[k].thread, NULL);
        else
            run_parts(&s->hand[k]);
    return s->rc ? name_first(s) : 0;
}

int gf_part_share(struct gf_task *t, const struct gf_part_work *work, struct gf_part_sum *sum) {
    struct share s = {.t = t, .work = work};
    s.hand = calloc((size_t)t->deal->n * (size_t)work->streams, sizeof *s.hand);
    if (!s.hand)
        return gf_fail(GF_ENOMEM, "out of memory");
    pthread_mutex_init(&s.lock, NULL);
    if (t->s->tune)
        gf_deal_use_record(t->deal, &t->job);
    int rc = open_hands(&s);
    if (!rc)
        rc = gf_deal_start(t->deal, work->parts, 1);
    if (!rc)
        rc = run_hands(&s);
    close_hands(&s, sum);
    gf_task_choose_reported(t);
    t->streamed = t->dealt = true;
    t->ms_decode += sum->ms_read;
    t->ms_transform = sum->ms_transform;
    t->ms_encode += sum->ms_write;
    for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
        t->overflowed[i] += sum->overflowed[i];
        t->report.clipped[i] += sum->clipped[i];
    }
    pthread_mutex_destroy(&s.lock);
    free(s.hand);
    return rc;
}
