/* Sessions of several devices and their units. "Locked" functions need the deal's lock. */
#include "core/engine/deal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/host/clock.h"
#include "core/schedule/shares.h"
#include "core/engine/speeds.h"

/* A device's first unit finds no memory, kernels or threads ready; the next two show its speed. */
enum { WARM = 1, MEASURING = WARM + 2 };
/* Owner of units that any device may take. */
enum { NOBODY = 255 };
_Static_assert((int)GF_DEAL_MOST <= (int)NOBODY, "devices are numbered by bytes");

/* ---- devices ---- */

/* A device whose rate is unknown counts as the mean of the others. */
static void rates_of(const struct gf_deal *d, double *rate) {
    double sum = 0;
    int known = 0;
    for (int i = 0; i < d->n; i++)
        if (d->entry[i].rate > 0) {
            sum += d->entry[i].rate;
            known++;
        }
    for (int i = 0; i < d->n; i++) {
        const double own = d->entry[i].rate;
        rate[i] = !gf_deal_begins(d, i) ? 0 : own > 0 ? own : known ? sum / known : 1;
    }
}

/* Locked: the device that will finish first what it was given (before shares are fixed, what it has
 * begun), or -1. */
static int earliest_of_working(const struct gf_deal *d) {
    double rate[GF_DEAL_MOST];
    int64_t units[GF_DEAL_MOST];
    rates_of(d, rate);
    for (int i = 0; i < d->n; i++) {
        const struct gf_deal_entry *e = &d->entry[i];
        units[i] = d->dynamic || !d->fixed ? e->begun - e->done : e->assigned;
    }
    return gf_shares_earliest(rate, NULL, d->n, units);
}

/* Locked: the same, or a device that was left out if no other works any more. */
static int earliest(struct gf_deal *d) {
    int i = earliest_of_working(d);
    for (int k = 0; k < d->n && i < 0; k++)
        if (!d->entry[k].failed) {
            d->entry[k].begin = GF_DEAL_AT_ONCE;
            i = k;
        }
    return i;
}

/* Locked: deals the units that device i has not begun to others. */
static void hand_back(struct gf_deal *d, int i) {
    for (int64_t u = 0; u < d->units && d->owner; u++) {
        int to;
        if (d->owner[u] != i || d->taken[u])
            continue;
        to = earliest(d);
        if (to < 0)
            return;
        d->owner[u] = (unsigned char)to;
        d->entry[to].assigned++;
    }
}

/* Seconds until a device is ready: a context's, unless it is the CPU. */
static double lateness(const struct gf_session *s) {
    const struct gf_backend *b = s->asked < 0 ? NULL : gf_session_backend(s, s->asked);
    struct gf_gpu_props props;
    if (!b || !b->devices)
        return 0;
    return b->list && !gf_backend_device(b, s->options.open.device, &props) && props.is_cpu
               ? 0
               : gf_context_seconds;
}

struct gf_session *gf_deal_instead(struct gf_deal *d, const struct gf_session *failed) {
    struct gf_deal_entry *e = &d->entry[failed->options.which];
    pthread_mutex_lock(&d->lock);
    if (!e->failed) {
        e->failed = true;
        snprintf(e->message, sizeof e->message, "%s", gf_message());
        hand_back(d, failed->options.which);
    }
    const int next = earliest(d);
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    return next < 0 ? NULL : &d->entry[next].session;
}

/* A device's threads copy between buffers and arrays, as other devices' do; more threads than CPUs
 * would wait for each other. */
static int threads_of(int all, const struct gf_backend *b) {
    return b->devices && (all <= 0 || all > GF_DEAL_COPYING) ? GF_DEAL_COPYING : all;
}

int gf_deal_open(struct gf_deal *d, const struct gf_session_options *options, bool dynamic) {
    const struct gf_request *w = options->request;
    *d = (struct gf_deal){.n = w && w->n ? w->n : 1, .dynamic = dynamic};
    d->entry = calloc((size_t)d->n, sizeof *d->entry);
    if (!d->entry)
        return gf_no_memory();
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    for (int i = 0; i < d->n; i++) {
        struct gf_deal_entry *e = &d->entry[i];
        struct gf_session_options own = *options;
        own.which = i;
        own.together = options->together && !i && d->n > 1 && gf_request_shares(w);
        if (w && w->n)
            e->what = w->device[i];
        if (d->n > 1 && !own.together)
            own.open.threads = threads_of(options->open.threads, e->what.backend);
        gf_session_open(&e->session, &own);
        e->session.deal = d->n > 1 ? d : NULL;
        e->late = d->n > 1 ? lateness(&e->session) : 0;
    }
    return 0;
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

int gf_deal_prompt(const struct gf_deal *d) {
    for (int i = 0; i < d->n; i++)
        if (!(d->entry[i].late > 0))
            return i;
    return 0;
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
    double rate[GF_DEAL_MOST], late[GF_DEAL_MOST];
    for (int i = 0; i < d->n; i++) {
        const struct gf_session *s = &d->entry[i].session;
        const char *device = d->entry[i].what.device;
        struct gf_speeds r;
        if (s->asked < 0 ||
            !gf_speeds_of_device(gf_session_backend(s, s->asked), *device ? device : NULL, &r))
            return false;
        double seconds = gf_speeds_seconds(&r, job ? job : &usual, s->options.open.threads);
        if (!(seconds > 0))
            return false;
        rate[i] = 1 / seconds;
        late[i] = r.open;
    }
    gf_deal_set_rates(d, rate);
    for (int i = 0; i < d->n; i++)
        d->entry[i].late = late[i];
    return true;
}

/* Locked: deals the units from `from` on that nobody has taken, by the current rates; some devices
 * may be late. */
static void own_rest(struct gf_deal *d, int64_t from, bool late) {
    double rate[GF_DEAL_MOST], lateness[GF_DEAL_MOST];
    int64_t units[GF_DEAL_MOST];
    rates_of(d, rate);
    for (int i = 0; i < d->n; i++) {
        units[i] = d->entry[i].assigned;
        lateness[i] = late ? d->entry[i].late : 0;
    }
    gf_shares_own(rate, lateness, d->n, units, d->owner + from, d->taken + from, d->units - from);
    for (int i = 0; i < d->n; i++)
        d->entry[i].assigned = units[i];
    d->fixed = true;
    pthread_cond_broadcast(&d->changed);
}

/* Before the first unit: leaves out late devices that got none. */
static void leave_late(struct gf_deal *d) {
    double others = 0;
    for (int i = 0; i < d->n; i++) {
        const struct gf_deal_entry *e = &d->entry[i];
        if (e->assigned)
            others = fmax(others, e->late + (double)e->assigned / e->rate);
    }
    for (int i = 0; i < d->n; i++) {
        struct gf_deal_entry *e = &d->entry[i];
        if (!(e->late > 0) || e->assigned || !d->units)
            continue;
        e->begin = GF_DEAL_NEVER;
        e->others = others;
    }
}

/* Locked: makes late devices wait while others work; returns how many do not wait. */
static int hold_late(struct gf_deal *d) {
    int ready = 0;
    for (int i = 0; i < d->n; i++)
        ready += !(d->entry[i].late > 0);
    for (int i = 0; i < d->n; i++)
        d->entry[i].begin = ready && d->entry[i].late > 0 && (d->dynamic || !d->recorded)
                                ? GF_DEAL_UNDECIDED
                                : GF_DEAL_AT_ONCE;
    return ready ? ready : d->n;
}

int gf_deal_start(struct gf_deal *d, int64_t units, int at_once) {
    free(d->owner);
    free(d->taken);
    d->owner = calloc((size_t)units + 1, 1);
    d->taken = calloc((size_t)units + 1, 1);
    if (!d->owner || !d->taken)
        return gf_no_memory();
    d->units = d->limit = units;
    d->at_once = at_once;
    d->ended = d->begun = d->low = 0;
    d->fixed = d->stopped = false;
    for (int i = 0; i < d->n; i++) {
        struct gf_deal_entry *e = &d->entry[i];
        e->assigned = e->begun = e->done = e->measured = 0;
        e->others = 0;
    }
    const int ready = hold_late(d);
    d->start = gf_now_ms();
    const int64_t first = d->recorded || d->dynamic ? 0 : (int64_t)MEASURING * ready;
    memset(d->owner, NOBODY, (size_t)units + 1);
    for (int64_t u = 0, i = -1; u < first && u < units; u++) {
        do
            i = (i + 1) % d->n;
        while (d->entry[i].begin != GF_DEAL_AT_ONCE);
        d->owner[u] = (unsigned char)i;
        d->entry[i].assigned++;
    }
    if (d->recorded && !d->dynamic) {
        own_rest(d, 0, true);
        leave_late(d);
    }
    d->fixed |= d->dynamic; /* no unit has an owner */
    return 0;
}

bool gf_deal_begins(const struct gf_deal *d, int i) {
    return !d->entry[i].failed && d->entry[i].begin == GF_DEAL_AT_ONCE;
}

/* ---- devices that begin later ---- */

/* Locked: true if each device's speed is known or will not become known. */
static bool all_measured(const struct gf_deal *d) {
    bool measured = true;
    for (int i = 0; i < d->n; i++)
        measured = measured && (!gf_deal_begins(d, i) || d->entry[i].done >= MEASURING);
    return measured;
}

/* Locked: once the others' speed is known, opens a waiting device's context if that pays, else
 * leaves it out. */
static void weigh_waiting(struct gf_deal *d) {
    const double seconds = (gf_now_ms() - d->start) * 1e-3;
    const double rest = seconds * (double)(d->units - d->begun) / (double)(d->begun ? d->begun : 1);
    for (int i = 0; i < d->n; i++) {
        struct gf_deal_entry *e = &d->entry[i];
        if (e->begin != GF_DEAL_UNDECIDED)
            continue;
        e->others = rest;
        e->begin = rest <= e->late                                   ? GF_DEAL_NEVER
                   : gf_session_ahead(&e->session, e->session.asked) ? GF_DEAL_OPENING
                                                                     : GF_DEAL_AT_ONCE;
    }
}

/* Locked: starts devices whose context is open; true if any still waits. */
static bool any_waits(struct gf_deal *d) {
    bool any = false;
    for (int i = 0; i < d->n; i++) {
        struct gf_deal_entry *e = &d->entry[i];
        if (e->begin == GF_DEAL_OPENING && gf_session_is_up(&e->session))
            e->begin = GF_DEAL_AT_ONCE;
        any |= e->begin == GF_DEAL_OPENING || e->begin == GF_DEAL_UNDECIDED;
    }
    return any;
}

/* Locked, after a unit: proceeds towards fixed shares. */
static void settle(struct gf_deal *d) {
    bool any = false;
    for (int i = 0; i < d->n; i++)
        any |= d->entry[i].done >= (d->dynamic ? 1 : MEASURING);
    if (any && all_measured(d))
        weigh_waiting(d);
    if (!any_waits(d) && !d->fixed && all_measured(d))
        own_rest(d, d->low, false);
}

bool gf_deal_leaves_out(struct gf_deal *d, int i) {
    pthread_mutex_lock(&d->lock);
    const bool left_out = d->entry[i].begin != GF_DEAL_AT_ONCE;
    pthread_mutex_unlock(&d->lock);
    return left_out;
}

void gf_deal_shares(struct gf_deal *d, double *share) {
    double rate[GF_DEAL_MOST];
    pthread_mutex_lock(&d->lock);
    rates_of(d, rate);
    pthread_mutex_unlock(&d->lock);
    gf_shares_of(rate, d->n, share);
}

/* ---- units ---- */

/* Locked: the first unit that device i may begin now, or -1. Until shares are fixed only the first
 * units have owners; the others go to whoever asks. */
static int64_t find_unit(struct gf_deal *d, int i) {
    const int64_t end = gf_min(d->units, d->limit);
    double rate[GF_DEAL_MOST];
    int64_t u = d->low;
    if (!gf_deal_begins(d, i))
        return -1;
    while (u < end && (d->taken[u] || (d->owner[u] != NOBODY && d->owner[u] != i)))
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

/* Locked, unlocks while waiting: for a change, or for a context to open. */
static void wait_change(struct gf_deal *d, bool for_context) {
    struct timespec until;
    if (!for_context) {
        pthread_cond_wait(&d->changed, &d->lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 2000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&d->changed, &d->lock, &until);
}

int64_t gf_deal_take(struct gf_deal *d, int i) {
    struct gf_deal_entry *e = &d->entry[i];
    int64_t u = -1;
    pthread_mutex_lock(&d->lock);
    while (!d->stopped && !e->failed && d->ended < d->units && (u = find_unit(d, i)) < 0) {
        wait_change(d, e->begin == GF_DEAL_OPENING);
        any_waits(d);
    }
    if (d->stopped || e->failed)
        u = -1;
    if (u >= 0)
        begin(d, i, u);
    pthread_mutex_unlock(&d->lock);
    return u;
}

/* Locked: the device for a unit without owner: one that must be measured, or the one that finishes
 * first. */
static int choose(struct gf_deal *d) {
    for (int i = 0; i < d->n; i++) {
        const struct gf_deal_entry *e = &d->entry[i];
        if (!d->dynamic && !e->assigned && gf_deal_begins(d, i) && e->begun < MEASURING)
            return i;
    }
    return earliest(d);
}

int gf_deal_assign(struct gf_deal *d, int64_t unit) {
    int i;
    if (d->n == 1)
        return 0;
    pthread_mutex_lock(&d->lock);
    any_waits(d);
    i = d->owner[unit] != NOBODY ? d->owner[unit] : choose(d);
    if (i < 0)
        i = 0; /* all failed: the unit will fail too */
    begin(d, i, unit);
    pthread_mutex_unlock(&d->lock);
    return i;
}

/* Locked: updates a device's rate by a unit's time. */
static void measure(struct gf_deal *d, struct gf_deal_entry *e, double seconds) {
    const bool several = gf_deal_own_contexts(d, (int)(e - d->entry));
    if (e->done <= WARM || (d->fixed && !d->dynamic))
        return;
    /* The mean of all measured units; in a dynamic deal the newest counts an eighth, to follow
     * changes but not single units. */
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
    settle(d);
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
