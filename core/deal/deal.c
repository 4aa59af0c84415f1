/* Sessions for several devices, and the units that each of them runs. */
#include "core/deal/deal.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "core/deal/shares.h"
#include "core/session/record.h"

/* A device's first unit finds nothing ready (memory, kernels, threads); the next two tell its speed. */
enum { WARM = 1, MEASURING = WARM + 2 };

/* ---- devices ---- */

/* A device whose rate is not known yet counts as the mean of the others. */
static void rates_of(const struct gf_deal *d, double *rate) {
    double sum = 0;
    int known = 0;
    for (int i = 0; i < d->n; i++)
        if (d->entry[i].rate > 0) {
            sum += d->entry[i].rate;
            known++;
        }
    for (int i = 0; i < d->n; i++) {
        const struct gf_deal_entry *e = &d->entry[i];
        rate[i] = e->failed ? 0 : e->rate > 0 ? e->rate : known ? sum / known : 1;
    }
}

/* With the lock held: the survivor that is done earliest with what it was given; -1: none is left. */
static int earliest(const struct gf_deal *d) {
    double rate[GF_DEAL_MOST];
    int64_t units[GF_DEAL_MOST];
    rates_of(d, rate);
    for (int i = 0; i < d->n; i++)
        units[i] = d->dynamic ? d->entry[i].begun - d->entry[i].done : d->entry[i].assigned;
    return gf_shares_earliest(rate, d->n, units);
}

/* With the lock held: the units that device i was given and has not begun become others'. */
static void hand_back(struct gf_deal *d, int i) {
    for (int64_t u = 0; u < d->units && d->owner; u++) {
        int to;
        if (d->owner[u] != i || d->taken[u] || (!d->fixed && u >= d->first))
            continue;
        to = earliest(d);
        if (to < 0)
            return;
        d->owner[u] = (unsigned char)to;
        d->entry[to].assigned++;
    }
}

/* gf_session_options.instead: the session of a device that has failed hands its work to another. */
static struct gf_session *instead(void *user, struct gf_session *failed) {
    struct gf_deal *d = user;
    int next;
    pthread_mutex_lock(&d->lock);
    for (int i = 0; i < d->n; i++) {
        struct gf_deal_entry *e = &d->entry[i];
        if (&e->session != failed || e->failed)
            continue;
        e->failed = true;
        snprintf(e->message, sizeof e->message, "%s", gf_message());
        hand_back(d, i);
    }
    next = earliest(d);
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    return next < 0 ? NULL : &d->entry[next].session;
}

/* Those of a device copy between its buffers and the arrays, of which there are others meanwhile. More
 * threads than CPUs would wait for each other. */
static int threads_of(const struct gf_session_options *o, const struct gf_deal_device *device) {
    enum { COPYING = 4 };
    const struct gf_backend *b;
    if (gf_backend_find_in(o->backends ? o->backends : gf_backends, device->backend, &b) ||
        !b->devices)
        return o->threads;
    return o->threads > 0 && o->threads < COPYING ? o->threads : COPYING;
}

static int open_entry(struct gf_deal *d, int i, const struct gf_session_options *options,
                      bool several) {
    struct gf_deal_entry *e = &d->entry[i];
    struct gf_session_options own = *options;
    if (several) {
        own.backend = e->what.backend;
        own.instead = instead;
        own.deal = d;
        own.threads = threads_of(options, &e->what);
    }
    if (several && e->what.device[0]) {
        own.device = e->what.device;
        own.device_variable = NULL;
    }
    int rc = gf_session_open(&e->session, &own);
    if (!rc && several)
        gf_session_set_alone(&e->session, false);
    return rc;
}

int gf_deal_open(struct gf_deal *d, const struct gf_session_options *options,
                 const struct gf_deal_request *request) {
    struct gf_deal_device device[GF_DEAL_MOST] = {{.name = ""}};
    struct gf_session_options one = *options;
    int n = 1, rc = 0;
    *d = (struct gf_deal){.dynamic = request->dynamic};
    const bool list = gf_deal_is_list(request->backend, request->device);
    if (list)
        rc = gf_deal_devices(options->backends ? options->backends : gf_backends, request->backend,
                             request->device, device, &n);
    if (rc)
        return rc;
    d->entry = calloc((size_t)n, sizeof *d->entry);
    if (!d->entry)
        return gf_fail(GF_ENOMEM, "out of memory");
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    for (; d->n < n && !rc; d->n += !rc) {
        d->entry[d->n].what = device[d->n];
        if (list && n == 1) { /* fails as a single device does */
            one.backend = d->entry[0].what.backend;
            if (device[0].device[0]) {
                one.device = d->entry[0].what.device;
                one.device_variable = NULL;
            }
        }
        rc = open_entry(d, d->n, &one, n > 1);
    }
    if (rc)
        gf_deal_close(d);
    return rc;
}

void gf_deal_close(struct gf_deal *d) {
    if (!d->entry)
        return;
    for (int i = 0; i < d->n; i++)
        gf_session_close(&d->entry[i].session);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d->owner);
    free(d->taken);
    free(d->entry);
    *d = (struct gf_deal){.n = 0};
}

bool gf_deal_own_contexts(const struct gf_deal *d, int i) {
    const struct gf_session *s = &d->entry[i].session;
    return s->asked >= 0 && gf_session_backend(s, s->asked)->per_thread;
}

/* ---- shares ---- */

void gf_deal_set_rates(struct gf_deal *d, const double *rate) {
    for (int i = 0; i < d->n; i++)
        d->entry[i].rate = rate[i];
    d->recorded = true;
}

bool gf_deal_use_record(struct gf_deal *d, const struct gf_job *job) {
    static const struct gf_job usual = {.ndim = 2,
                                        .shape = {1024, 1024},
                                        .axes = 3,
                                        .channels = 1,
                                        .in_dtype = GF_F32,
                                        .n_out = 1,
                                        .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
    double rate[GF_DEAL_MOST];
    for (int i = 0; i < d->n; i++) {
        const struct gf_session *s = &d->entry[i].session;
        const char *device = d->entry[i].what.device;
        struct gf_speed_record r;
        if (s->asked < 0 ||
            !gf_record_of_device(gf_session_backend(s, s->asked), *device ? device : NULL, &r))
            return false;
        double seconds = gf_record_seconds(&r, job ? job : &usual, s->options.threads);
        if (!(seconds > 0))
            return false;
        rate[i] = 1 / seconds;
    }
    gf_deal_set_rates(d, rate);
    return true;
}

/* With the lock held: the units from `from` on are dealt by the rates there are. */
static void own_rest(struct gf_deal *d, int64_t from) {
    double rate[GF_DEAL_MOST];
    int64_t units[GF_DEAL_MOST];
    rates_of(d, rate);
    for (int i = 0; i < d->n; i++)
        units[i] = d->entry[i].assigned;
    gf_shares_own(rate, d->n, units, d->owner + from, d->units - from);
    for (int i = 0; i < d->n; i++)
        d->entry[i].assigned = units[i];
    d->fixed = true;
    pthread_cond_broadcast(&d->changed);
}

int gf_deal_start(struct gf_deal *d, int64_t units, int at_once) {
    free(d->owner);
    free(d->taken);
    d->owner = calloc((size_t)units + 1, 1);
    d->taken = calloc((size_t)units + 1, 1);
    if (!d->owner || !d->taken)
        return gf_fail(GF_ENOMEM, "out of memory");
    d->units = d->limit = units;
    d->at_once = at_once;
    d->ended = d->begun = d->low = 0;
    d->fixed = d->stopped = false;
    for (int i = 0; i < d->n; i++)
        d->entry[i].assigned = d->entry[i].begun = d->entry[i].done = d->entry[i].measured = 0;
    d->first = d->recorded || d->dynamic ? 0 : (int64_t)MEASURING * d->n;
    if (d->first > units)
        d->first = units;
    for (int64_t u = 0; u < d->first; u++) {
        d->owner[u] = (unsigned char)(u % d->n);
        d->entry[u % d->n].assigned++;
    }
    if (!d->first)
        own_rest(d, 0);
    return 0;
}

int gf_deal_find(const struct gf_deal *d, const struct gf_session *session) {
    int i = 0;
    while (i < d->n - 1 && session != &d->entry[i].session)
        i++;
    return i;
}

void gf_deal_shares(struct gf_deal *d, double *share) {
    double rate[GF_DEAL_MOST];
    pthread_mutex_lock(&d->lock);
    rates_of(d, rate);
    pthread_mutex_unlock(&d->lock);
    gf_shares_of(rate, d->n, share);
}

/* ---- units ---- */

/* With the lock held: the first unit that device i may begin now; -1: none. */
static int64_t find_unit(const struct gf_deal *d, int i) {
    const int64_t known = d->fixed ? d->units : d->first, end = known < d->limit ? known : d->limit;
    double rate[GF_DEAL_MOST];
    int64_t u = d->low;
    while (u < end && (d->taken[u] || (!d->dynamic && d->owner[u] != i)))
        u++;
    if (u >= end || !d->dynamic)
        return u < end ? u : -1;
    rates_of(d, rate);
    return gf_shares_leave(rate, d->n, i, d->units - d->begun) ? -1 : u;
}

static void begin(struct gf_deal *d, int i, int64_t unit) {
    d->taken[unit] = 1;
    d->entry[i].begun++;
    d->begun++;
    while (d->low < d->units && d->taken[d->low])
        d->low++;
}

int64_t gf_deal_take(struct gf_deal *d, int i) {
    int64_t u = -1;
    pthread_mutex_lock(&d->lock);
    while (!d->stopped && !d->entry[i].failed && d->ended < d->units && (u = find_unit(d, i)) < 0)
        pthread_cond_wait(&d->changed, &d->lock);
    if (d->stopped || d->entry[i].failed)
        u = -1;
    if (u >= 0)
        begin(d, i, u);
    pthread_mutex_unlock(&d->lock);
    return u;
}

int gf_deal_assign(struct gf_deal *d, int64_t unit) {
    int i;
    if (d->n == 1)
        return 0;
    pthread_mutex_lock(&d->lock);
    while (!d->stopped && !d->fixed && unit >= d->first)
        pthread_cond_wait(&d->changed, &d->lock);
    i = d->dynamic ? earliest(d) : d->owner[unit];
    if (i < 0)
        i = 0; /* all have failed: the unit fails as well */
    begin(d, i, unit);
    pthread_mutex_unlock(&d->lock);
    return i;
}

/* With the lock held: what a unit's time says about its device. */
static void measure(struct gf_deal *d, struct gf_deal_entry *e, double seconds) {
    const bool several = gf_deal_own_contexts(d, (int)(e - d->entry));
    if (e->done <= WARM || (d->fixed && !d->dynamic))
        return;
    /* The mean of those that measure; in a dynamic deal an eighth is the newest unit's, which follows
     * what changes, and no single unit. */
    const bool newest = e->measured && d->dynamic;
    e->seconds = newest ? 0.875 * e->seconds + 0.125 * seconds
                        : (e->seconds * e->measured + seconds) / (e->measured + 1);
    e->measured++;
    e->rate = (several ? d->at_once : 1) / e->seconds;
}

void gf_deal_end(struct gf_deal *d, int i, double seconds) {
    if (d->n == 1)
        return;
    pthread_mutex_lock(&d->lock);
    struct gf_deal_entry *e = &d->entry[i];
    e->done++;
    d->ended++;
    if (seconds > 0 && !e->failed)
        measure(d, e, seconds);
    if (!d->fixed && d->ended == d->first)
        own_rest(d, d->first);
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

void gf_deal_allow(struct gf_deal *d, int64_t limit) {
    pthread_mutex_lock(&d->lock);
    d->limit = limit;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

void gf_deal_stop(struct gf_deal *d) {
    pthread_mutex_lock(&d->lock);
    d->stopped = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}
