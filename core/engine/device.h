/* The engine's inside, which device.c, deal.c and runner.c share. They alone take locks, in this
 * order: a device's turn, then the engine's lock. "Locked" functions need the latter. */
#ifndef GF_CORE_ENGINE_DEVICE_H
#define GF_CORE_ENGINE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/engine/auto.h"
#include "core/engine/engine.h"

enum { GF_DECISIONS = 8, GF_SHARED_PLANS = 4 };

/* A context that a separate thread opens while files are read. */
struct gf_opening {
    struct gf_engine *engine;
    bool under_way;
    pthread_t thread;
    const struct gf_backend *backend;
    struct gf_backend_options options;
    const char *devices[GF_REQUEST_MOST]; /* named by the options if several share a job */
    void *context;
    struct gf_failure failure;
    bool ended; /* the thread has finished, and has signalled `changed` */
    double ms;
};

/* auto's decision for a job, kept so that a job gets the same backend throughout a run, however few
 * files are left. */
struct gf_decision {
    struct gf_job job;
    bool open; /* a device had been chosen before */
    struct gf_choice choice;
};

/* A device that several runners share keeps a few plans, as pictures in a folder often have two or
 * three shapes. */
struct gf_shared_plan {
    struct gf_plan *plan;
    int backend;
    int64_t used; /* count of uses at the last use */
};

/* When a device begins. */
enum gf_deal_begin {
    GF_DEAL_AT_ONCE,
    GF_DEAL_UNDECIDED, /* the others' speed will show whether its context is worth opening */
    GF_DEAL_OPENING,   /* once its context is open, which was requested after others had begun */
    GF_DEAL_NEVER      /* the others are done before it could begin */
};

/* A device, or what auto picks for each job. Backends are numbered by position in the engine's
 * list. */
struct gf_engine_device {
    struct gf_engine *engine;
    const struct gf_request_device *what; /* NULL: auto picks */
    struct gf_backend_options open;       /* .device: the request's, if it has one */
    int asked;                            /* the requested backend; -1: auto picks */
    bool together;                        /* the request's devices share its jobs */
    atomic_int runners;                   /* open */

    /* In its turn. */
    pthread_mutex_t turn;           /* held to open, plan or run in a shared context */
    void *outside;                  /* gf_backend.current of the thread whose turn it is */
    void *context[GF_MAX_BACKENDS]; /* valid if `opened` has the bit */
    struct gf_shared_plan plan[GF_SHARED_PLANS];
    int64_t uses;
    unsigned measured;
    double copy[GF_MAX_BACKENDS];
    unsigned lock_failed;         /* bits: its context cannot page-lock memory */
    atomic_uint opened, given_up; /* bits; given up by auto */
    atomic_bool lost;
    struct gf_failure why_lost; /* once `lost` is set */

    /* Locked. */
    struct gf_opening opening;
    double rate;                          /* units a second; 0: unknown */
    int64_t assigned, begun, done, timed; /* units */
    double seconds;                       /* of a unit, mean of those timed */
    bool failed;
    char message[512]; /* of the failure */
    double late;       /* seconds to open its context */
    enum gf_deal_begin begin;
    double others; /* seconds that the others needed when it was left out */
};

struct gf_engine {
    struct gf_engine_options options;
    const struct gf_backend *const *backends;
    int n;
    pthread_mutex_t lock; /* guards the members below; not held while a job is planned or runs */

    bool chosen; /* auto has picked a device for a job */
    struct gf_decision decision[GF_DECISIONS];
    int n_decisions;
    bool device_noted;

    pthread_cond_t changed;
    bool recorded; /* rates were known before the first unit */
    int at_once;   /* concurrent units on a backend with a context a thread */
    double start;  /* ms, of the first unit */
    int64_t units; /* in all */
    int64_t begun, ended;
    int64_t low;   /* all units before it are begun */
    int64_t limit; /* units from here on may not begin yet */
    bool fixed, stopped;
    unsigned char *owner, *taken; /* by unit: device; 1 if begun */

    struct gf_engine_device device[];
};

/* ---- device.c ---- */

/* The number of a backend. */
int gf_engine_position(const struct gf_engine *e, const struct gf_backend *b);
/* Recorded rates of a device of backend i, NULL: the first; 0 if there are none, or records are
 * ignored. */
struct gf_device_rates gf_engine_rates(const struct gf_engine_device *d, int i, const char *device);
/* True if backend i has the CPU for its device. */
bool gf_engine_is_cpu(const struct gf_engine_device *d, int i);
/* Opens, in the calling thread, a context of backend i for one runner. */
int gf_engine_open_own(const struct gf_engine_device *d, int i, int threads, void **context);
/* Locked: starts opening backend i's shared context on a thread. False if it is open, or can no
 * longer be opened. */
bool gf_engine_ahead(struct gf_engine_device *d, int i);
/* Locked: true once the context that gf_engine_ahead() opens is open or has failed, so that nobody
 * would wait. */
bool gf_engine_is_up(const struct gf_engine_device *d);
/* auto's choice for this job with `runs` left: an earlier decision or a new one. */
int gf_engine_decide(struct gf_engine *e, const struct gf_job *job, int64_t runs, int *backend,
                     char why[GF_REASON]);
/* Seconds until the device can begin; 0 once its context is open. */
static inline double gf_engine_late(const struct gf_engine_device *d) {
    return d->opened ? 0 : d->late;
}
/* True while one runner works on the only device. It plans at once; several, or those of several
 * devices, take turns in a shared context and plan in their turn. */
static inline bool gf_engine_is_alone(const struct gf_engine_device *d) {
    return d->runners == 1 && d->engine->n == 1;
}

/* The functions below need the device's turn. */

/* The shared context of backend i. Waits for the thread that opens one, opens it if necessary, and
 * adds the time to *ms. */
int gf_engine_context(struct gf_engine_device *d, int i, double *ms, void **context);
/* The shared context's plan for this job: a kept one (*made false) or a new one. */
int gf_engine_plan(struct gf_engine_device *d, int i, const struct gf_job *job, double *open_ms,
                   struct gf_plan **plan, bool *made);
/* Drops all plans except `but` (NULL: all). Returns their number. */
int gf_engine_unplan(struct gf_engine_device *d, const struct gf_plan *but);
/* After a failure of backend i: checks whether its device is lost, unless auto may use another
 * backend. If instead one is lost that shared its jobs, returns that one's number, once: the caller
 * drops the plans, as the device runs its jobs alone from then on. Else 0. */
int gf_engine_check_lost(struct gf_engine_device *d, int i);

/* ---- deal.c ---- */

/* After device i failed with the current gf_message(): the device that takes over, or -1. */
int gf_deal_instead(struct gf_engine *e, int i);
/* For tests, before gf_deal_start(): sets the devices' rates in units a second, all above 0. */
void gf_deal_set_rates(struct gf_engine *e, const double *rate);

#endif
