/* Several devices working on one run: a session for each, and a deal of the run's units (pictures,
 * or a few pages of a volume). Shares follow the devices' rates, from recorded speeds or from the
 * run's first units. They are fixed before the rest begins, so that the same rates give the same
 * result. A dynamic deal uses the rates of the units done so far instead.
 *
 *     struct gf_deal deal;
 *     int rc = gf_deal_open(&deal, &options, false);        options.request names cuda:0,openmp
 *     if (!rc) rc = gf_deal_start(&deal, pictures, 1);
 *     for (int64_t u; (u = gf_deal_take(&deal, i)) >= 0;) {            in device i's thread
 *         start = now;
 *         run unit u in gf_deal_session(&deal, i);
 *         gf_deal_end(&deal, i, now - start);
 *     }
 *     gf_deal_close(&deal);
 *
 * Opening a GPU's context takes as long as the CPU needs for many pictures. With recorded speeds
 * the device gets units from the time its context opens, and is left out if the others finish
 * first. Otherwise the others start and show how long all will take: if longer than a context, it
 * is opened while they work, else the device is left out.
 *
 * A device that fails stops working: its runner takes the unit to another session, and the units
 * that it has not begun are dealt to the others.
 *
 * Locks are taken in this order: a session's turn, the deal's lock, a session's `small`. */
#ifndef GF_CORE_ENGINE_DEAL_H
#define GF_CORE_ENGINE_DEAL_H

#include "core/engine/session.h"

enum {
    GF_DEAL_MOST = GF_REQUEST_MOST,
    GF_DEAL_COPYING = 4 /* copying threads of one of several devices, at most */
};

/* When a device begins. */
enum gf_deal_begin {
    GF_DEAL_AT_ONCE,
    GF_DEAL_UNDECIDED, /* the others' speed will show whether its context is worth opening */
    GF_DEAL_OPENING,   /* once its context is open, which was requested after others had begun */
    GF_DEAL_NEVER      /* the others are done before it could begin */
};

/* A device's work, to be read after the run. */
struct gf_deal_entry {
    struct gf_request_device what;
    struct gf_session session;
    double rate;      /* units a second; 0: unknown */
    int64_t assigned; /* units given to it */
    int64_t begun, done, measured;
    double seconds; /* of a unit, mean of those measured */
    bool failed;
    char message[512]; /* of the failure */
    double late;       /* seconds to open its context */
    enum gf_deal_begin begin;
    double others; /* seconds that the others needed when it was left out */
};

struct gf_deal {
    int n;
    struct gf_deal_entry *entry;
    bool dynamic;
    bool recorded; /* rates were known before the first unit */

    /* Private. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int at_once;   /* concurrent units on a backend with a context a thread */
    double start;  /* ms, of the first unit */
    int64_t units; /* in all */
    int64_t begun, ended;
    int64_t low;   /* all units before it are begun */
    int64_t limit; /* units from here on may not begin yet */
    bool fixed, stopped;
    unsigned char *owner, *taken; /* by unit: device; 1 if begun */
};

/* Opens a session for each device of options->request, or one that auto picks. options->together: the
 * run is one unit, and the first session has all devices if they can share it. */
int gf_deal_open(struct gf_deal *d, const struct gf_session_options *options, bool dynamic);
void gf_deal_close(struct gf_deal *d); /* accepts an all-zero struct */

static inline struct gf_session *gf_deal_session(const struct gf_deal *d, int i) {
    return &d->entry[i].session;
}

/* True if device i has a context for each of several threads, as the CPU has. */
bool gf_deal_own_contexts(const struct gf_deal *d, int i);

/* The first device without a context to open, else the first: prepares the work. */
int gf_deal_prompt(const struct gf_deal *d);
/* After gf_deal_start(): true if device i has work from the start, so that its context may be
 * opened ahead. */
bool gf_deal_begins(const struct gf_deal *d, int i);

/* For tests, before gf_deal_start(): sets the devices' rates in units a second, all above 0. */
void gf_deal_set_rates(struct gf_deal *d, const double *rate);
/* Before gf_deal_start(): sets the devices' rates from recorded speeds (core/engine/speeds.h) for
 * units like this job (NULL: a typical picture); false, and nothing set, unless all devices are
 * recorded. */
bool gf_deal_use_record(struct gf_deal *d, const struct gf_job *job);
/* Deals the units; a backend without a device runs `at_once` of them concurrently. */
int gf_deal_start(struct gf_deal *d, int64_t units, int at_once);

/* Returns device i's next unit, in its thread, or -1. Waits while others may still fail or are
 * being measured. */
int64_t gf_deal_take(struct gf_deal *d, int i);
/* Returns the device for a unit, if each thread can use all devices. With one device, this and
 * gf_deal_end() need no gf_deal_start(). */
int gf_deal_assign(struct gf_deal *d, int64_t unit);
/* Ends a unit of device i that took so many seconds; 0: not measured. */
void gf_deal_end(struct gf_deal *d, int i, double seconds);
/* Allows only units below the limit from now on; at first all. */
void gf_deal_allow(struct gf_deal *d, int64_t limit);
/* Stops taking units. */
void gf_deal_stop(struct gf_deal *d);

/* True if device i did no work because the others would finish, or finished, before it could
 * begin. */
bool gf_deal_leaves_out(struct gf_deal *d, int i);
/* For runners: after the device of a session failed with the current gf_message(), gives the
 * session that takes over, or NULL. */
struct gf_session *gf_deal_instead(struct gf_deal *d, const struct gf_session *failed);
/* Each device's share by its rate; 0 if it failed. */
void gf_deal_shares(struct gf_deal *d, double *share);

#endif
