/* The units that several devices share. */
#include "core/engine/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/schedule/shares.h"
#include "core/engine/speeds.h"

/* A device's first unit finds no memory, kernels or threads ready; the next two show its speed. */
enum { WARM = 1, MEASURING = WARM + 2 };
/* Owner of units that any device may take. */
enum { NOBODY = 255 };
_Static_assert((int)GF_REQUEST_MOST <= (int)NOBODY, "devices are numbered by bytes");

/* ---- devices ---- */

/* A device whose rate is unknown counts as the mean of the others. */
static void rates_of(const struct gf_engine *e, double *rate) {
    double sum = 0;
    int known = 0;
    for (int i = 0; i < e->n; i++)
        if (e->device[i].rate > 0) {
            sum += e->device[i].rate;
            known++;
        }
    for (int i = 0; i < e->n; i++) {
        const double own = e->device[i].rate;
        rate[i] = !gf_deal_begins(e, i) ? 0 : own > 0 ? own : known ? sum / known : 1;
    }
}

/* Locked: the device that will finish first what it was given (before shares are fixed, what it has
 * begun), or -1. */
static int earliest_of_working(const struct gf_engine *e) {
    double rate[GF_REQUEST_MOST];
    int64_t units[GF_REQUEST_MOST];
    rates_of(e, rate);
    for (int i = 0; i < e->n; i++) {
        const struct gf_engine_device *d = &e->device[i];
        units[i] = e->options.dynamic || !e->fixed ? d->begun - d->done : d->assigned;
    }
    return gf_shares_earliest(rate, NULL, e->n, units);
}

/* Locked: the same, or a device that was left out if no other works any more. */
static int earliest(struct gf_engine *e) {
    int i = earliest_of_working(e);
    for (int k = 0; k < e->n && i < 0; k++)
        if (!e->device[k].failed) {
            e->device[k].begin = GF_DEAL_AT_ONCE;
            i = k;
        }
    return i;
}

/* Locked: deals the units that device i has not begun to others. */
static void hand_back(struct gf_engine *e, int i) {
    for (int64_t u = 0; u < e->units && e->owner; u++) {
        int to;
        if (e->owner[u] != i || e->taken[u])
            continue;
        to = earliest(e);
        if (to < 0)
            return;
        e->owner[u] = (unsigned char)to;
        e->device[to].assigned++;
    }
}

int gf_deal_instead(struct gf_engine *e, int i) {
    struct gf_engine_device *d = &e->device[i];
    pthread_mutex_lock(&e->lock);
    if (!d->failed) {
        d->failed = true;
        snprintf(d->message, sizeof d->message, "%s", gf_message());
        hand_back(e, i);
    }
    const int next = earliest(e);
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
    return next;
}

/* ---- shares ---- */

void gf_deal_set_rates(struct gf_engine *e, const double *rate) {
    for (int i = 0; i < e->n; i++)
        e->device[i].rate = rate[i];
    e->recorded = true;
}

/* Sets the devices' rates from recorded speeds for units like this job, if all are recorded. */
static void use_record(struct gf_engine *e, const struct gf_job *job) {
    static const struct gf_job usual = {.ndim = 2,
                                        .shape = {1024, 1024},
                                        .axes = 3,
                                        .channels = 1,
                                        .in_dtype = GF_F32,
                                        .n_out = 1,
                                        .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
    double rate[GF_REQUEST_MOST] = {0}, late[GF_REQUEST_MOST];
    for (int i = 0; i < e->n; i++) {
        const struct gf_engine_device *d = &e->device[i];
        struct gf_speeds r;
        if (!d->what || !gf_speeds_of_device(d->open.environment, d->what->backend,
                                             d->what->device[0] ? d->what->device : NULL, &r))
            return;
        double seconds = gf_speeds_seconds(&r, job ? job : &usual, d->open.threads);
        if (!(seconds > 0))
            return;
        rate[i] = 1 / seconds;
        late[i] = r.open;
    }
    gf_deal_set_rates(e, rate);
    for (int i = 0; i < e->n; i++)
        e->device[i].late = late[i];
}

/* Locked: deals the units from `from` on that nobody has taken, by the current rates; some devices
 * may be late. */
static void own_rest(struct gf_engine *e, int64_t from, bool late) {
    double rate[GF_REQUEST_MOST], lateness[GF_REQUEST_MOST];
    int64_t units[GF_REQUEST_MOST];
    rates_of(e, rate);
    for (int i = 0; i < e->n; i++) {
        units[i] = e->device[i].assigned;
        lateness[i] = late ? gf_engine_late(&e->device[i]) : 0;
    }
    gf_shares_own(rate, lateness, e->n, units, e->owner + from, e->taken + from, e->units - from);
    for (int i = 0; i < e->n; i++)
        e->device[i].assigned = units[i];
    e->fixed = true;
    pthread_cond_broadcast(&e->changed);
}

/* Before the first unit: leaves out late devices that got none. */
static void leave_late(struct gf_engine *e) {
    double others = 0;
    for (int i = 0; i < e->n; i++) {
        const struct gf_engine_device *d = &e->device[i];
        if (d->assigned)
            others = fmax(others, gf_engine_late(d) + (double)d->assigned / d->rate);
    }
    for (int i = 0; i < e->n; i++) {
        struct gf_engine_device *d = &e->device[i];
        if (!(gf_engine_late(d) > 0) || d->assigned || !e->units)
            continue;
        d->begin = GF_DEAL_NEVER;
        d->others = others;
    }
}

/* Locked: makes late devices wait while others work; returns how many do not wait. */
static int hold_late(struct gf_engine *e) {
    int ready = 0;
    for (int i = 0; i < e->n; i++)
        ready += !(gf_engine_late(&e->device[i]) > 0);
    for (int i = 0; i < e->n; i++)
        e->device[i].begin =
            ready && gf_engine_late(&e->device[i]) > 0 && (e->options.dynamic || !e->recorded)
                ? GF_DEAL_UNDECIDED
                : GF_DEAL_AT_ONCE;
    return ready ? ready : e->n;
}

int gf_deal_start(struct gf_engine *e, const struct gf_job *job, int64_t units, int at_once) {
    free(e->owner);
    free(e->taken);
    e->owner = calloc((size_t)units + 1, 1);
    e->taken = calloc((size_t)units + 1, 1);
    if (!e->owner || !e->taken)
        return gf_no_memory();
    e->units = e->limit = units;
    e->at_once = at_once;
    e->ended = e->begun = e->low = 0;
    e->fixed = e->stopped = false;
    for (int i = 0; i < e->n; i++) {
        struct gf_engine_device *d = &e->device[i];
        d->assigned = d->begun = d->done = d->timed = 0;
        d->others = 0;
    }
    if (!e->options.untuned)
        use_record(e, job);
    const int ready = hold_late(e);
    e->start = gf_now_ms();
    const int64_t first = e->recorded || e->options.dynamic ? 0 : (int64_t)MEASURING * ready;
    memset(e->owner, NOBODY, (size_t)units + 1);
    for (int64_t u = 0, i = -1; u < first && u < units; u++) {
        do
            i = (i + 1) % e->n;
        while (e->device[i].begin != GF_DEAL_AT_ONCE);
        e->owner[u] = (unsigned char)i;
        e->device[i].assigned++;
    }
    if (e->recorded && !e->options.dynamic) {
        own_rest(e, 0, true);
        leave_late(e);
    }
    e->fixed |= e->options.dynamic; /* no unit has an owner */
    return 0;
}

bool gf_deal_begins(const struct gf_engine *e, int i) {
    return !e->device[i].failed && e->device[i].begin == GF_DEAL_AT_ONCE;
}

/* ---- devices that begin later ---- */

/* Locked: true if each device's speed is known or will not become known. */
static bool all_measured(const struct gf_engine *e) {
    bool measured = true;
    for (int i = 0; i < e->n; i++)
        measured = measured && (!gf_deal_begins(e, i) || e->device[i].done >= MEASURING);
    return measured;
}

/* Locked: once the others' speed is known, opens a waiting device's context if that pays, else
 * leaves it out. */
static void weigh_waiting(struct gf_engine *e) {
    const double seconds = (gf_now_ms() - e->start) * 1e-3;
    const double rest = seconds * (double)(e->units - e->begun) / (double)(e->begun ? e->begun : 1);
    for (int i = 0; i < e->n; i++) {
        struct gf_engine_device *d = &e->device[i];
        if (d->begin != GF_DEAL_UNDECIDED)
            continue;
        d->others = rest;
        d->begin = rest <= gf_engine_late(d)      ? GF_DEAL_NEVER
                   : gf_engine_ahead(d, d->asked) ? GF_DEAL_OPENING
                                                  : GF_DEAL_AT_ONCE;
    }
}

/* Locked: starts devices whose context is open; true if any still waits. */
static bool any_waits(struct gf_engine *e) {
    bool any = false;
    for (int i = 0; i < e->n; i++) {
        struct gf_engine_device *d = &e->device[i];
        if (d->begin == GF_DEAL_OPENING && gf_engine_is_up(d))
            d->begin = GF_DEAL_AT_ONCE;
        any |= d->begin == GF_DEAL_OPENING || d->begin == GF_DEAL_UNDECIDED;
    }
    return any;
}

/* Locked, after a unit: proceeds towards fixed shares. */
static void settle(struct gf_engine *e) {
    bool any = false;
    for (int i = 0; i < e->n; i++)
        any |= e->device[i].done >= (e->options.dynamic ? 1 : MEASURING);
    if (any && all_measured(e))
        weigh_waiting(e);
    if (!any_waits(e) && !e->fixed && all_measured(e))
        own_rest(e, e->low, false);
}

void gf_deal_work(struct gf_engine *e, int i, struct gf_deal_work *work) {
    const struct gf_engine_device *d = &e->device[i];
    double rate[GF_REQUEST_MOST], share[GF_REQUEST_MOST];
    pthread_mutex_lock(&e->lock);
    rates_of(e, rate);
    gf_shares_of(rate, e->n, share);
    *work = (struct gf_deal_work){.name = d->what ? d->what->name : "",
                                  .share = share[i],
                                  .assigned = d->assigned,
                                  .done = d->done,
                                  .failed = d->failed ? d->message : NULL,
                                  .left_out = d->begin != GF_DEAL_AT_ONCE,
                                  .late = gf_engine_late(d),
                                  .others = d->others,
                                  .dynamic = e->options.dynamic,
                                  .recorded = e->recorded};
    pthread_mutex_unlock(&e->lock);
}

/* ---- units ---- */

/* Locked: the first unit that device i may begin now, or -1. Until shares are fixed only the first
 * units have owners; the others go to whoever asks. */
static int64_t find_unit(struct gf_engine *e, int i) {
    const int64_t end = gf_min(e->units, e->limit);
    double rate[GF_REQUEST_MOST];
    int64_t u = e->low;
    if (!gf_deal_begins(e, i))
        return -1;
    while (u < end && (e->taken[u] || (e->owner[u] != NOBODY && e->owner[u] != i)))
        u++;
    if (u >= end || !e->options.dynamic)
        return u < end ? u : -1;
    rates_of(e, rate);
    return gf_shares_leave(rate, e->n, i, e->units - e->begun) ? -1 : u;
}

static void begin(struct gf_engine *e, int i, int64_t unit) {
    e->taken[unit] = 1;
    e->device[i].begun++;
    e->begun++;
    while (e->low < e->units && e->taken[e->low])
        e->low++;
}

int64_t gf_deal_take(struct gf_engine *e, int i) {
    struct gf_engine_device *d = &e->device[i];
    int64_t u = -1;
    pthread_mutex_lock(&e->lock);
    while (!e->stopped && !d->failed && e->ended < e->units) {
        any_waits(e); /* its context may have opened before */
        u = find_unit(e, i);
        if (u >= 0)
            break;
        pthread_cond_wait(&e->changed, &e->lock);
    }
    if (u >= 0)
        begin(e, i, u);
    pthread_mutex_unlock(&e->lock);
    return u;
}

/* Locked: the device for a unit without owner: one that must be measured, or the one that finishes
 * first. */
static int choose(struct gf_engine *e) {
    for (int i = 0; i < e->n; i++) {
        const struct gf_engine_device *d = &e->device[i];
        if (!e->options.dynamic && !d->assigned && gf_deal_begins(e, i) && d->begun < MEASURING)
            return i;
    }
    return earliest(e);
}

int gf_deal_assign(struct gf_engine *e, int64_t unit) {
    int i;
    if (e->n == 1)
        return 0;
    pthread_mutex_lock(&e->lock);
    any_waits(e);
    i = e->owner[unit] != NOBODY ? e->owner[unit] : choose(e);
    if (i < 0)
        i = 0; /* all failed: the unit will fail too */
    begin(e, i, unit);
    pthread_mutex_unlock(&e->lock);
    return i;
}

/* Locked: updates a device's rate by a unit's time. */
static void measure(struct gf_engine *e, struct gf_engine_device *d, double seconds) {
    const bool several = d->what->backend->per_thread;
    if (d->done <= WARM || (e->fixed && !e->options.dynamic))
        return;
    /* The mean of all measured units; in a dynamic deal the newest counts an eighth, to follow
     * changes but not single units. */
    const bool newest = d->timed && e->options.dynamic;
    d->seconds = newest ? 0.875 * d->seconds + 0.125 * seconds
                        : (d->seconds * d->timed + seconds) / (d->timed + 1);
    d->timed++;
    d->rate = (several ? e->at_once : 1) / d->seconds;
}

void gf_deal_end(struct gf_engine *e, int i, double seconds) {
    if (e->n == 1)
        return;
    pthread_mutex_lock(&e->lock);
    struct gf_engine_device *d = &e->device[i];
    d->done++;
    e->ended++;
    if (seconds > 0 && !d->failed)
        measure(e, d, seconds);
    settle(e);
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

void gf_deal_allow(struct gf_engine *e, int64_t limit) {
    pthread_mutex_lock(&e->lock);
    e->limit = limit;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

void gf_deal_stop(struct gf_engine *e) {
    pthread_mutex_lock(&e->lock);
    e->stopped = true;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
}
