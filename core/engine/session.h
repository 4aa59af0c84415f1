/* The state that all threads of a run share: the backends' contexts, each opened once, the plans
 * kept in them, and auto's decisions. Each thread has a runner of its own (core/engine/runner.h):
 *
 *     struct gf_session session;
 *     struct gf_runner runner;
 *     int rc = 0;
 *     gf_session_open(&session, &(struct gf_session_options){.note = print_note});
 *     gf_runner_open(&runner, &session, 4);
 *     for (each file, job, in, out) {
 *         gf_runner_next(&runner, files_left);
 *         if (!rc) rc = gf_runner_plan(&runner, &job);
 *         if (!rc) rc = gf_runner_run(&runner, &in, out, &report);
 *     }
 *     gf_runner_close(&runner);
 *     gf_session_close(&session); */
#ifndef GF_CORE_ENGINE_SESSION_H
#define GF_CORE_ENGINE_SESSION_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/base/value/status.h"
#include "core/engine/auto.h"
#include "core/engine/request.h"

enum { GF_DECISIONS = 8, GF_SHARED_PLANS = 4 };

/* The request and all strings stay the caller's and must outlive the session. */
struct gf_session_options {
    const struct gf_request *request; /* NULL: auto picks among gf_backends */
    int which;                        /* the device used by this session */
    /* the devices share jobs that do not fit this one: gf_request_shares() */
    bool together;
    struct gf_backend_options open; /* for its contexts; .threads: of the whole run */
    const char *device_variable; /* the origin of open.device, for notes; NULL: it was demanded */
    bool untuned;                /* ignore the record of speeds (core/engine/speeds.h) */
    bool ends;            /* the process ends soon after: contexts that close slowly stay open */
    int64_t memory_limit; /* bytes of arrays and workspace */
    /* NULL, or receives a line about an unexpected event: "opencl: no such file; trying another
     * backend". Called by any thread with a runner. */
    void (*note)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* A context that a separate thread opens while files are read. */
struct gf_opening {
    bool under_way;
    pthread_t thread;
    const struct gf_backend *backend;
    struct gf_backend_options options;
    const char *devices[GF_REQUEST_MOST]; /* named by the options if several share a job */
    void *context;
    struct gf_failure failure;
    atomic_bool ended; /* the thread has finished */
    double ms;
};

/* auto's decision for a job, kept so that a job gets the same backend throughout a run, however few
 * files are left. */
struct gf_decision {
    struct gf_job job;
    bool open; /* a device had been chosen before */
    struct gf_choice choice;
};

/* A device keeps a few plans, as pictures in a folder often have two or three shapes. */
struct gf_shared_plan {
    struct gf_plan *plan;
    int backend;
    int64_t used; /* count of uses at the last use */
};

/* Backends are numbered by position in `backends`. Callers use the functions below. */
struct gf_session {
    struct gf_session_options options; /* open.device: the request's device, if it has one */
    const struct gf_backend *const *backends;
    int asked;            /* the requested backend; -1: auto picks */
    struct gf_deal *deal; /* NULL, or the deal among several devices that the session belongs to */
    atomic_int runners;   /* open */
    pthread_mutex_t turn; /* held to open, plan or run in a shared context */
    void *context[GF_MAX_BACKENDS]; /* valid if `open` has the bit */
    struct gf_shared_plan plan[GF_SHARED_PLANS];
    int64_t uses;
    unsigned measured;
    double copy[GF_MAX_BACKENDS];
    atomic_uint open, failed; /* bits: opened; given up by auto */
    atomic_bool lost;
    struct gf_failure why_lost; /* once `lost` is set */
    pthread_mutex_t small;      /* guards the members below; never held for long */
    struct gf_opening opening;
    bool chosen; /* auto has picked a device for a job */
    struct gf_decision decision[GF_DECISIONS];
    int n_decisions;
    bool device_noted;
};

void gf_session_open(struct gf_session *s, const struct gf_session_options *options);
/* Close its runners first. Takes an all-zero struct. */
void gf_session_close(struct gf_session *s);

/* True if the requested backend cannot be opened or its device is lost: no further job runs. */
static inline bool gf_session_is_lost(const struct gf_session *s) {
    return s->lost;
}
/* True once a context has been opened. */
static inline bool gf_session_is_open(const struct gf_session *s) {
    return s->open;
}
/* True once the context that gf_session_ahead() opens is open or has failed, so that nobody would
 * wait. */
bool gf_session_is_up(struct gf_session *s);
/* True while one runner works in the session. It plans at once; several, or those of a deal, take
 * turns in a shared context and plan in their turn. */
static inline bool gf_session_is_alone(const struct gf_session *s) {
    return s->runners == 1 && !s->deal;
}
/* The requested backend's name; NULL: auto picks. */
const char *gf_session_asked(const struct gf_session *s);
/* The session's backend for wavelets plane by plane, or NULL. */
const struct gf_backend *gf_session_streaming(const struct gf_session *s);

/* ---- for runners ---- */

static inline const struct gf_backend *gf_session_backend(const struct gf_session *s, int i) {
    return s->backends[i];
}
/* The number of one of its backends. */
static inline int gf_session_position(const struct gf_session *s, const struct gf_backend *b) {
    int i = 0;
    while (s->backends[i] != b)
        i++;
    return i;
}
/* Recorded rates of a device of backend i, NULL: the first; 0 if there are none, or records are
 * ignored. */
struct gf_device_rates gf_session_rates(const struct gf_session *s, int i, const char *device);
/* Opens, in the calling thread, a context of backend i for one runner. */
int gf_session_open_own(const struct gf_session *s, int i, int threads, void **context);
/* Starts opening backend i's shared context on a thread. False if it is open, or can no longer be
 * opened. */
bool gf_session_ahead(struct gf_session *s, int i);

/* auto's choice for this job with `runs` left: an earlier decision or a new one. */
int gf_session_decide(struct gf_session *s, const struct gf_job *job, int64_t runs, int *backend,
                      char why[GF_REASON]);

/* The functions below require that the caller has locked s->turn. */

/* The shared context of backend i. Waits for the thread that opens one, opens it if necessary, and
 * adds the time to *ms. */
int gf_session_context(struct gf_session *s, int i, double *ms, void **context);
/* The shared context's plan for this job: a kept one (*made false) or a new one. */
int gf_session_plan(struct gf_session *s, int i, const struct gf_job *job, double *open_ms,
                    struct gf_plan **plan, bool *made);
/* Drops all plans except `but` (NULL: all). Returns their number. */
int gf_session_unplan(struct gf_session *s, const struct gf_plan *but);
/* After a failure of backend i: checks whether its device is lost, unless auto may use another
 * backend. */
void gf_session_check_lost(struct gf_session *s, int i);

#endif
