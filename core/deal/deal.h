/* Several devices at work on one run: a session for each, and who takes which unit (a picture, or a few
 * pages of a volume). Shares follow the devices' rates, which a record of earlier measurements tells or
 * else the first units of the run; they are fixed before the rest begins, so that the same rates
 * give the same result. A dynamic deal takes the rates of the units done so far instead.
 *
 *     struct gf_deal deal;
 *     int rc = gf_deal_open(&deal, &options, false);                 options.wish names cuda:0,openmp
 *     if (!rc) rc = gf_deal_start(&deal, pictures, 1);
 *     for (int64_t u; (u = gf_deal_take(&deal, i)) >= 0;) {            in device i's thread
 *         start = now;
 *         run unit u in gf_deal_session(&deal, i);
 *         gf_deal_end(&deal, i, now - start);
 *     }
 *     gf_deal_close(&deal);
 *
 * A context on a GPU takes as long to open as the CPU needs for many pictures. With recorded speeds such
 * a device gets units from the time on at which it is open; if the others are done by then it is left
 * out. Else the others begin, and tell how long all will take: the device is opened while they work on,
 * if that is more than its context takes, and left out if not.
 *
 * A device that fails works no more: its runner hands the unit to another session by itself (see
 * gf_session_options.instead), and the units that it has not begun are dealt to the others. */
#ifndef GF_CORE_DEAL_DEAL_H
#define GF_CORE_DEAL_DEAL_H

#include "core/session/runner.h"

enum {
    GF_DEAL_MOST = GF_WISH_MOST,
    GF_DEAL_COPYING = 4 /* threads that copy for one of several devices, at most */
};

/* The work that a device has done, to be read once all is over. */
struct gf_deal_entry {
    struct gf_wish_device what;
    struct gf_session session;
    double rate;      /* units a second; 0: not known */
    int64_t assigned; /* units given to it, done or not */
    int64_t begun, done, measured;
    double seconds; /* of a unit, by those measured */
    bool failed;
    char message[512]; /* why */
    double late;       /* seconds that it takes to open a context */
    bool left_out;     /* it would begin when the others are done */
    double others;     /* seconds that these needed for the rest, when that was found */
    /* The deal's own. */
    bool waiting; /* it has not begun, and may be left out */
    bool opening; /* its context has been asked for, once the others had begun */
};

struct gf_deal {
    int n;
    struct gf_deal_entry *entry;
    bool dynamic;
    bool recorded; /* the rates were known before the first unit */

    /* The deal's own. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int at_once;   /* units that run concurrently on a backend with a context per thread */
    double start;  /* ms, of the first unit */
    int64_t units; /* in all */
    int64_t begun, ended;
    int64_t low;   /* all before it are begun */
    int64_t limit; /* those from it on may not be begun yet */
    bool fixed, stopped;
    unsigned char *owner, *taken; /* by unit: a device's number; whether it has begun */
};

/* A session for each device of options->wish, or one for what auto picks. options->together: the run is
 * one unit, for which the first device's session has all of them where they can share it. */
int gf_deal_open(struct gf_deal *d, const struct gf_session_options *options, bool dynamic);
void gf_deal_close(struct gf_deal *d); /* takes one that is all zero */

static inline struct gf_session *gf_deal_session(const struct gf_deal *d, int i) {
    return &d->entry[i].session;
}

/* Whether device i has a context for each of several threads, as the CPU has. */
bool gf_deal_own_contexts(const struct gf_deal *d, int i);

/* The first device that has no context to open, or the first: to prepare the work with. */
int gf_deal_prompt(const struct gf_deal *d);
/* Whether device i has work from the start, so that its context may be opened ahead. After gf_deal_start(). */
bool gf_deal_begins(const struct gf_deal *d, int i);

/* Units a second of each device, measured before; all above 0. Before gf_deal_start(). */
void gf_deal_set_rates(struct gf_deal *d, const double *rate);
/* The same from the record of speeds (core/session/speeds.h), for units like this job (NULL: like a
 * usual picture); false, and nothing set, where it does not have all devices. */
bool gf_deal_use_record(struct gf_deal *d, const struct gf_job *job);
/* Deals so many units; a backend without a device runs `at_once` of them concurrently. */
int gf_deal_start(struct gf_deal *d, int64_t units, int at_once);

/* The next unit for device i, in its thread; -1: there is none left for it. Waits while others may
 * still fail, or measure. */
int64_t gf_deal_take(struct gf_deal *d, int i);
/* The device for this unit, where each thread can use all of them. This and
 * gf_deal_end() need no gf_deal_start() where there is one device. */
int gf_deal_assign(struct gf_deal *d, int64_t unit);
/* A unit of device i has ended, after so many seconds of its time; 0: it tells nothing of its speed. */
void gf_deal_end(struct gf_deal *d, int i, double seconds);
/* Only units below this are taken from here on: all of them until it is called. */
void gf_deal_allow(struct gf_deal *d, int64_t limit);
/* Nobody takes another unit. */
void gf_deal_stop(struct gf_deal *d);

/* Whether device i had no part, as the others are done, or were, before it could begin. */
bool gf_deal_leaves_out(struct gf_deal *d, int i);
/* The device whose session this is. */
int gf_deal_find(const struct gf_deal *d, const struct gf_session *session);
/* The share of each device, by its rate; those that failed have none. */
void gf_deal_shares(struct gf_deal *d, double *share);

/* ---- shares of devices of different speeds: rates are units a second, 0 for a device that gets none. The same rates
 * give the same shares.
 *
 *     double rate[2] = {900, 100};
 *     gf_shares_own(rate, NULL, 2, units, owner, NULL, 10);     device 0 gets 9 of 10, and units[0] is 9 ---- */

/* The device that would be the first to be done if it took one more unit beside the units[i] that it
 * has; the first of equal ones. -1: all rates are 0. A device begins late[i] seconds after the others;
 * NULL: all begin at once. */
int gf_shares_earliest(const double *rate, const double *late, int n, const int64_t *units);

/* Deals so many units one by one, but for those that are taken (NULL: none is), each to the earliest
 * device, and counts them in `units`. Devices take turns as often as their rates say, so that results
 * come in about the order of the units. A device that would begin after the others are done gets none. */
void gf_shares_own(const double *rate, const double *late, int n, int64_t *units,
                   unsigned char *owner, const unsigned char *taken, int64_t count);

/* Each rate's part of their sum: the parts add up to 1, unless all are 0. */
void gf_shares_of(const double *rate, int n, double *share);

/* Whether device i is better left idle: faster ones will be done with the `left` units, which nobody has
 * begun, before it would be done with one of them. */
bool gf_shares_leave(const double *rate, int n, int i, int64_t left);

#endif
