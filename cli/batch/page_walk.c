/* The threads of a walk over pages. Part i, a few pages, is in slot i % slots: it is read once the part
 * before it there, i - slots, was transformed, transformed once the results of that one were written,
 * and written once all parts before it were. */
#include "cli/batch/page_walk.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch/store.h"
#include "core/base/clock.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"

enum { MOST_READERS = 4, MOST_HANDS = 2 * GF_DEAL_MOST };

struct slot {
    struct gf_array in, out[GF_MAX_OUTPUTS];
    int64_t read, ran, written; /* the last part of which that is done */
    struct gf_report report;    /* of part `ran` */
    int64_t overflowed[GF_MAX_OUTPUTS];
};

struct walk {
    struct gf_task *t;
    int64_t parts, at_once, slots;
    struct slot *slot;
    struct gf_volume *const *volume; /* NULL: nothing is written */
    struct gf_nonfinite bad;         /* the earliest */
    double ms_read, ms_write, ms_run;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t next_read, next_run; /* parts */
    bool spoiled;                /* samples are to be refused: the others are only counted */
    struct gf_failure failed;
};

/* A thread that reads, or one that has a device run. */
struct hand {
    struct walk *w;
    int i; /* the reader or the device */
    bool started;
    pthread_t thread;
    struct gf_reader reader; /* of its own, but for the first one's */
    struct gf_runner *runner, own;
    int streams; /* threads that have the same device run */
};

static int64_t first_of(const struct walk *w, int64_t part) {
    return part * w->at_once;
}

static int64_t pages_of(const struct walk *w, int64_t part) {
    int64_t left = w->t->job.shape[0] - first_of(w, part);
    return left < w->at_once ? left : w->at_once;
}

static struct slot *slot_of(const struct walk *w, int64_t part) {
    return &w->slot[part % w->slots];
}

/* ---- the threads ---- */

static void fail(struct walk *w, int rc) {
    pthread_mutex_lock(&w->lock);
    gf_failure_keep(&w->failed, rc);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (w->t->deal)
        gf_deal_stop(w->t->deal);
}

/* Waits until the slot has come to this part; false where there is nothing more to do. */
static bool await(struct walk *w, const int64_t *done, int64_t part) {
    pthread_mutex_lock(&w->lock);
    while (*done != part && !w->failed.status && !w->spoiled)
        pthread_cond_wait(&w->changed, &w->lock);
    bool on = !w->failed.status && !w->spoiled;
    pthread_mutex_unlock(&w->lock);
    return on;
}

static void set(struct walk *w, int64_t *done, int64_t part) {
    pthread_mutex_lock(&w->lock);
    *done = part;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* ---- reading ---- */

int gf_page_walk_read(const struct gf_task *t, struct gf_reader *reader, int64_t from,
                      struct gf_array *to, struct gf_nonfinite *bad) {
    int64_t first[GF_MAX_RANK];
    int rc = gf_reader_pages(reader, t->s, t->read, &t->image, from, to);
    int64_t count = rc ? 0 : gf_array_nonfinite(to, first);
    if (count && t->s->nan != GF_NAN_REFUSE) {
        gf_samples_mend(to, false);
    } else if (count) {
        first[0] += from;
        if (!bad->count || first[0] < bad->first[0])
            memcpy(bad->first, first, sizeof first);
        bad->count += count;
    }
    return rc;
}

/* Where libgomp's threads wait for each other they spin for milliseconds, which takes the CPUs from the
 * threads that read and write; but not while there are more of them than CPUs. A team of the reading
 * thread's own makes them more than those that transform. */
static void outnumber_cpus(const struct walk *w) {
    enum { WORTH_A_TEAM = 1 << 20 /* bytes of all slots */ };
    int threads = 0;
    if (gf_settings_threads(w->t->s) < 2 ||
        gf_task_in_bytes(w->t) + gf_task_out_bytes(w->t) < WORTH_A_TEAM)
        return;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
}

/* The next part to read, once its slot is free; -1: there is none. *spoiled: it is to be counted only,
 * and its slot may be in use. */
static int64_t next_to_read(struct walk *w, bool *spoiled) {
    pthread_mutex_lock(&w->lock);
    int64_t part = w->next_read < w->parts ? w->next_read++ : -1;
    while (part >= 0 && slot_of(w, part)->ran != part - w->slots && !w->failed.status &&
           !w->spoiled)
        pthread_cond_wait(&w->changed, &w->lock);
    *spoiled = w->spoiled;
    if (w->failed.status)
        part = -1;
    pthread_mutex_unlock(&w->lock);
    return part;
}

static void add_bad(struct walk *w, const struct gf_nonfinite *bad, double ms) {
    pthread_mutex_lock(&w->lock);
    if (bad->count && (!w->bad.count || bad->first[0] < w->bad.first[0]))
        memcpy(w->bad.first, bad->first, sizeof bad->first);
    w->bad.count += bad->count;
    w->spoiled = w->bad.count > 0;
    w->ms_read += ms;
    if (w->spoiled)
        pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (bad->count && w->t->deal)
        gf_deal_stop(w->t->deal);
}

static int read_part(struct walk *w, struct gf_reader *reader, int64_t part, bool spoiled) {
    struct gf_array spare = {0}, *px = &slot_of(w, part)->in;
    struct gf_nonfinite bad = {0};
    double start = gf_now_ms();
    int rc = spoiled ? gf_array_alloc(&spare, px->dtype, px->rank, px->shape) : 0;
    struct gf_array to = gf_array_slice(spoiled ? &spare : px, 0, 0, pages_of(w, part));
    if (!rc)
        rc = gf_page_walk_read(w->t, reader, first_of(w, part), &to, &bad);
    gf_array_free(&spare);
    add_bad(w, &bad, gf_now_ms() - start);
    return rc;
}

static void *read_all(void *user) {
    struct hand *h = user;
    struct walk *w = h->w;
    bool spoiled;
    if (!h->i)
        outnumber_cpus(w);
    for (int64_t part; (part = next_to_read(w, &spoiled)) >= 0;) {
        int rc = read_part(w, h->i ? &h->reader : &w->t->reader, part, spoiled);
        if (rc) {
            fail(w, rc);
            return NULL;
        }
        if (!spoiled)
            set(w, &slot_of(w, part)->read, part);
    }
    return NULL;
}

/* ---- writing ---- */

/* Pages of output i as they are written: without what the command added beyond their edges. */
static struct gf_array finished(const struct gf_task *t, int i, const struct gf_array *out,
                                int64_t n) {
    struct gf_array pages = gf_array_slice(out, 0, 0, n);
    for (int axis = 1; axis < t->job.ndim; axis++)
        pages = gf_array_slice(&pages, axis, 0, t->product[i].shape[axis]);
    return pages;
}

static int write_pages(struct walk *w, int64_t part) {
    const struct gf_task *t = w->t;
    int rc = 0;
    for (int i = 0; i < t->job.n_out && !rc && w->volume; i++) {
        struct gf_array pages = finished(t, i, &slot_of(w, part)->out[i], pages_of(w, part));
        rc = gf_product_put(t->s, &t->product[i], &t->image.metadata, w->volume[i],
                            first_of(w, part), &pages);
    }
    return rc;
}

/* In the order of the parts, so that sums round alike however they were dealt. */
static void add_report(struct gf_task *t, const struct slot *slot) {
    struct gf_report *sum = &t->report;
    const struct gf_report *one = &slot->report;
    for (int i = 0; i < t->job.n_out; i++) {
        sum->clipped[i] += one->clipped[i];
        sum->low[i] = one->low[i];
        sum->high[i] = one->high[i] > sum->high[i] ? one->high[i] : sum->high[i];
        t->overflowed[i] += slot->overflowed[i];
    }
    sum->kept += one->kept;
    sum->lost += one->lost;
    sum->imag_ratio = sum->lost > 0 ? sqrt(sum->lost / sum->kept) : 0;
}

static void *write_all(void *user) {
    struct walk *w = user;
    for (int64_t i = 0; i < w->parts; i++) {
        struct slot *slot = slot_of(w, i);
        if (!await(w, &slot->ran, i))
            return NULL;
        double start = gf_now_ms();
        int rc = write_pages(w, i);
        w->ms_write += gf_now_ms() - start;
        add_report(w->t, slot);
        if (rc) {
            fail(w, rc);
            return NULL;
        }
        set(w, &slot->written, i);
        if (w->t->deal) /* a part that is taken has its slot: devices wait for no other device */
            gf_deal_allow(w->t->deal, i + 1 + w->slots);
    }
    return NULL;
}

/* ---- transforming ---- */

void gf_page_walk_split(const struct gf_task *t, const struct gf_array *px, struct gf_array *in,
                        struct gf_array *alpha) {
    const int axis = t->job.ndim;
    *in = t->in;
    in->data = px->data;
    in->shape[0] = px->shape[0];
    *alpha = *in;
    alpha->shape[axis] = 1;
    alpha->data = t->has_alpha ? (char *)in->data + in->shape[axis] * in->stride[axis] : NULL;
}

static int transform(struct gf_task *part, struct gf_array *out) {
    int rc = part->hooks->begin_part ? part->hooks->begin_part(part) : 0;
    if (!rc)
        rc = gf_runner_plan(part->runner, &part->job);
    if (!rc)
        rc = gf_runner_run(part->runner, &part->in, out, &part->report);
    if (part->hooks->end_part)
        part->hooks->end_part(part);
    return rc;
}

static int run_part(struct walk *w, int64_t i, struct gf_runner *runner) {
    const struct gf_task *t = w->t;
    struct gf_task part = {.s = t->s,
                           .hooks = t->hooks,
                           .runner = runner,
                           .image = t->image,
                           .job = t->pages.job,
                           .filtering = t->filtering};
    struct slot *slot = slot_of(w, i);
    struct gf_array alpha, plain[GF_MAX_OUTPUTS];
    const int64_t n = part.job.shape[0] = pages_of(w, i);
    struct gf_array px = gf_array_slice(&slot->in, 0, 0, n);
    gf_page_walk_split(t, &px, &part.in, &alpha);
    for (int k = 0; k < t->job.n_out; k++) {
        struct gf_array pages = gf_array_slice(&slot->out[k], 0, 0, n);
        plain[k] = gf_task_without_alpha(t, k, &pages);
    }
    int rc = transform(&part, plain);
    memcpy(part.product, t->product, sizeof part.product);
    for (int k = 0; k < t->job.n_out && !rc && w->volume; k++) {
        struct gf_array pages = finished(t, k, &slot->out[k], n);
        gf_task_complete(&part, k, &pages, &alpha);
    }
    slot->report = part.report;
    memcpy(slot->overflowed, part.overflowed, sizeof slot->overflowed);
    return rc;
}

/* The next part for device i. */
static int64_t take(struct walk *w, int i) {
    if (w->t->deal)
        return gf_deal_take(w->t->deal, i);
    return w->next_run < w->parts ? w->next_run++ : -1;
}

/* How long a unit kept the device busy: its own turn, or its share of what all its threads take. */
static double unit_seconds(const struct hand *h, double turn_ms, double ms) {
    return fmax(turn_ms, ms / h->streams) * 1e-3;
}

static void *run_all(void *user) {
    const struct hand *h = user;
    struct walk *w = h->w;
    struct gf_runner *runner = h->runner;
    double sum = 0;
    for (int64_t part; (part = take(w, h->i)) >= 0;) {
        struct slot *slot = slot_of(w, part);
        if (!await(w, &slot->read, part) || !await(w, &slot->written, part - w->slots))
            break;
        double start = gf_now_ms(), turn = runner->ms.turn;
        int rc = run_part(w, part, runner);
        const double ms = gf_now_ms() - start;
        sum += ms;
        if (rc) {
            fail(w, rc);
            break;
        }
        set(w, &slot->ran, part);
        if (w->t->deal)
            gf_deal_end(w->t->deal, h->i, unit_seconds(h, runner->ms.turn - turn, ms));
    }
    pthread_mutex_lock(&w->lock);
    w->ms_run = sum > w->ms_run ? sum : w->ms_run;
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- a walk ---- */

static int take_slots(struct walk *w) {
    const struct gf_task *t = w->t;
    int rc = 0;
    w->slot = calloc((size_t)w->slots, sizeof *w->slot);
    if (!w->slot)
        return gf_fail(GF_ENOMEM, "out of memory");
    for (int64_t i = 0; i < w->slots && !rc; i++) {
        struct gf_array like = t->image.px;
        like.shape[0] = w->at_once;
        w->slot[i].read = w->slot[i].ran = w->slot[i].written = i - w->slots;
        rc = gf_array_alloc(&w->slot[i].in, like.dtype, like.rank, like.shape);
        for (int k = 0; k < t->job.n_out && !rc; k++) {
            like = t->product[k].image.px;
            like.shape[0] = w->at_once;
            rc = gf_array_alloc(&w->slot[i].out[k], like.dtype, like.rank, like.shape);
        }
    }
    return rc;
}

static void drop_slots(struct walk *w) {
    for (int64_t i = 0; i < w->slots && w->slot; i++) {
        gf_array_free(&w->slot[i].in);
        for (int k = 0; k < GF_MAX_OUTPUTS; k++)
            gf_array_free(&w->slot[i].out[k]);
    }
    free(w->slot);
}

/* A thread each, for i from `first` on; as many as can be had. Returns how many there are then. */
static int start(struct hand *hand, int first, int n, void *(*body)(void *)) {
    int i = first;
    while (i < n && !pthread_create(&hand[i].thread, NULL, body, &hand[i]))
        hand[i++].started = true;
    return i;
}

static void join(struct hand *hand, int n) {
    for (int i = 0; i < n; i++)
        if (hand[i].started)
            pthread_join(hand[i].thread, NULL);
}

/* Several readers where several devices wait for pages, of files that can be opened again. A record's
 * checksum would be verified by each. */
static int open_readers(struct walk *w, struct hand *hand) {
    const struct gf_task *t = w->t;
    int n = 1, most = gf_settings_threads(t->s);
    most = most < MOST_READERS ? most : MOST_READERS;
    for (int i = 0; i < MOST_READERS; i++)
        hand[i] = (struct hand){.w = w, .i = i};
    if (!t->deal || t->deal->n < 2 || t->image.record || !gf_task_is_read_again(t))
        return n;
    while (n < most) {
        struct gf_image image;
        int rc = gf_reader_open(&hand[n].reader, t->s, t->read, t->n_read, &image);
        gf_image_free(&image);
        if (rc)
            break;
        n++;
    }
    return n;
}

/* The CPU's own threads where it works beside other devices: those that copy for these, read and write
 * would wait for it else, and it for them. */
static int own_threads(const struct gf_task *t) {
    const int all = gf_settings_threads(t->s);
    int left = all, others = 0;
    for (int i = 0; i < t->deal->n; i++)
        if (!gf_deal_own_contexts(t->deal, i))
            others += gf_task_streams(t, i) * GF_DEAL_COPYING;
    left -= others ? others + MOST_READERS + 1 : 0;
    return left > all / 2 ? left : all > 1 ? all / 2 : 1;
}

/* The threads for all devices: two each, so that one checks its results while the device runs the other's
 * pages; for the CPU as many as share its threads in small teams, which wait less for each other. */
static int open_runners(struct walk *w, struct hand *hand) {
    struct gf_task *t = w->t;
    int n = 0;
    hand[n++] = (struct hand){.w = w, .runner = t->runner, .streams = 1};
    if (!t->deal || t->deal->n < 2)
        return n;
    n = 0;
    for (int i = 0; i < t->deal->n; i++) {
        struct gf_session *session = gf_deal_session(t->deal, i);
        const int streams = gf_task_streams(t, i);
        const int team = own_threads(t) / streams;
        const int threads = gf_deal_own_contexts(t->deal, i) ? (team > 0 ? team : 1) : 0;
        for (int k = 0; k < streams && n < MOST_HANDS; k++, n++) {
            hand[n] = (struct hand){.w = w, .i = i, .streams = streams};
            hand[n].runner = k ? &hand[n].own : &t->runners[i];
            if (!k) /* with other threads than it has for work in one piece */
                gf_runner_close(hand[n].runner);
            gf_runner_open(hand[n].runner, session, threads);
        }
    }
    return n;
}

/* The calling thread transforms too, with the first device. */
static int run_threads(struct walk *w) {
    struct hand *reader = calloc(MOST_READERS + MOST_HANDS, sizeof *reader);
    struct hand *runner = reader + MOST_READERS;
    if (!reader)
        return gf_fail(GF_ENOMEM, "out of memory");
    const int hands = open_runners(w, runner), readers = open_readers(w, reader);
    pthread_t writer;
    bool writes = !pthread_create(&writer, NULL, write_all, w);
    if (!writes || start(reader, 0, readers, read_all) < readers ||
        start(runner, 1, hands, run_all) < hands)
        fail(w, gf_fail(GF_ENOMEM, "cannot start a thread"));
    else
        run_all(&runner[0]);
    join(runner, hands);
    join(reader, readers);
    if (writes)
        pthread_join(writer, NULL);
    for (int i = 0; i < hands; i++)
        if (runner[i].runner == &runner[i].own)
            gf_runner_close(&runner[i].own);
    for (int i = 1; i < readers; i++)
        gf_reader_close(&reader[i].reader);
    free(reader);
    if (w->failed.status)
        return gf_failure_return(&w->failed);
    return w->bad.count ? gf_load_refuse(&w->t->image, w->bad.count, w->bad.first) : 0;
}

int gf_page_walk(struct gf_task *t, struct gf_volume *const *volume) {
    struct walk w = {.t = t,
                     .volume = volume,
                     .at_once = t->pages.at_once,
                     .slots = t->pages.slots,
                     .parts = (t->job.shape[0] + t->pages.at_once - 1) / t->pages.at_once};
    t->report = (struct gf_report){.imag_ratio = 0};
    int rc = take_slots(&w);
    if (!rc && t->deal && t->s->tune)
        gf_deal_use_record(t->deal, &t->pages.job);
    if (!rc && t->deal)
        rc = gf_deal_start(t->deal, w.parts, 1);
    if (!rc && t->deal)
        gf_deal_allow(t->deal, w.slots);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.changed, NULL);
    if (!rc)
        rc = run_threads(&w);
    gf_task_choose_reported(t);
    pthread_cond_destroy(&w.changed);
    pthread_mutex_destroy(&w.lock);
    drop_slots(&w);
    t->ms_decode += w.ms_read;
    t->ms_transform += w.ms_run;
    t->ms_encode += w.ms_write;
    return rc;
}
