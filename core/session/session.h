/* The state that all threads of a run share: the backends' contexts, each opened once, the plans
 * kept in them, and auto's decisions. Each thread has a runner of its own (core/session/runner.h):
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
#ifndef GF_CORE_SESSION_SESSION_H
#define GF_CORE_SESSION_SESSION_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/base/status.h"
#include "core/session/auto.h"
#include "core/session/wish.h"

enum { GF_DECISIONS = 8, GF_SHARED_PLANS = 4 };

struct gf_session;

/* The wish and all strings stay the caller's and must outlive the session. */
struct gf_session_options {
    const struct gf_wish *wish; /* NULL: auto picks among gf_backends */
    int which;                  /* its device that runs here */
    bool together;              /* its devices share what does not fit that one: gf_wish_shares() */
    struct gf_backend_options open; /* of its contexts; .threads: of the whole run */
    const char *device_variable; /* where open.device came from, for notes; NULL: it was demanded */
    bool untuned;                /* ignore the record of speeds (core/session/speeds.h) */
    bool ends; /* the process ends soon after: contexts that close slowly are left open */
    int64_t memory_limit; /* bytes that arrays and workspace may take together */
    /* NULL, or receives one line when the session does something unexpected: "opencl: no such file;
     * trying another backend". Any thread that has a runner may call it. */
    void (*note)(void *user, const char *text);
    void *user;
    /* NULL, or returns the session that takes over after this one's device failed with the current
     * gf_message(); NULL from it: none does. Any thread that has a runner may call it. */
    struct gf_session *(*instead)(void *deal, struct gf_session *failed);
    void *deal;
};

/* A context that a thread of its own opens while files are read. */
struct gf_opening {
    bool under_way;
    pthread_t thread;
    const struct gf_backend *backend;
    struct gf_backend_options options;
    const char *devices[GF_WISH_MOST]; /* that these name, where several share a job */
    void *context;
    struct gf_failure failure;
    atomic_bool ended; /* the thread is done */
    double ms;
};

/* Auto's decision for a job, kept so that the same job gets the same backend throughout a run,
 * however few files are left. */
struct gf_decision {
    struct gf_job job;
    bool open; /* a device had been chosen before */
    struct gf_choice choice;
};

/* On a device a few plans are kept, as the pictures of a folder often have two or three shapes. */
struct gf_shared_plan {
    struct gf_plan *plan;
    int backend;
    int64_t used; /* when, by the count of uses */
};

/* Backends are numbered by their position in `backends`. Callers use the functions below. */
struct gf_session {
    struct gf_session_options options; /* open.device is that of the wish, if it has one */
    const struct gf_backend *const *backends;
    int asked; /* the backend that is wished for; -1: auto picks */
    /* Only one runner works in the session (the default), and plans as soon as it is asked to.
     * Several take turns in a shared context, and each plans when its turn comes. Set by
     * callers. */
    bool alone;
    pthread_mutex_t turn; /* held while opening, planning or running in a shared context */
    void *context[GF_MAX_BACKENDS]; /* valid where `open` has the bit */
    struct gf_shared_plan plan[GF_SHARED_PLANS];
    int64_t uses;
    unsigned measured;
    double copy[GF_MAX_BACKENDS];
    atomic_uint open, failed; /* bits: opened; given up by auto */
    atomic_bool lost;
    struct gf_failure why_lost; /* once `lost` is set */
    pthread_mutex_t small;      /* guards the rest; never held for long */
    struct gf_opening opening;
    bool chosen; /* auto has picked a device for some job */
    struct gf_decision decision[GF_DECISIONS];
    int n_decisions;
    bool device_noted;
};

/* Opens no context. */
void gf_session_open(struct gf_session *s, const struct gf_session_options *options);
/* After its runners are closed; takes one that is all zero. */
void gf_session_close(struct gf_session *s);

/* True if the backend that was asked for cannot be opened or its device is lost: no further job
 * runs. */
static inline bool gf_session_is_lost(const struct gf_session *s) {
    return s->lost;
}
/* True once a context has been opened. */
static inline bool gf_session_is_open(const struct gf_session *s) {
    return s->open;
}
/* True once the context that gf_session_ahead() started to open is open or has failed, so that
 * nobody would wait. */
bool gf_session_is_up(struct gf_session *s);
/* The name of the backend that is wished for; NULL: auto picks. */
const char *gf_session_asked(const struct gf_session *s);
/* The backend that transforms wavelets plane by plane in this session; NULL: none does. */
const struct gf_backend *gf_session_streaming(const struct gf_session *s);

/* ---- for runners ---- */

static inline const struct gf_backend *gf_session_backend(const struct gf_session *s, int i) {
    return s->backends[i];
}
/* The number of a backend that is among them. */
static inline int gf_session_position(const struct gf_session *s, const struct gf_backend *b) {
    int i = 0;
    while (s->backends[i] != b)
        i++;
    return i;
}
/* Tells options.note. */
void gf_session_note(const struct gf_session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Opens a context of backend i for one runner alone, in the calling thread. */
int gf_session_open_own(const struct gf_session *s, int i, int threads, void **context);
/* Starts opening the shared context of backend i on a thread. False if it is open already, or can
 * no longer be opened. */
bool gf_session_ahead(struct gf_session *s, int i);

/* Gives auto's choice for this job, of which `runs` are ahead: an earlier decision or a new one. */
int gf_session_decide(struct gf_session *s, const struct gf_job *job, int64_t runs, int *backend,
                      char why[GF_REASON]);

/* Those below need the turn: s->turn, locked. */

/* Waits for the thread that opens a context, if any, and adds its time to *ms. The first runner to
 * wait gets its failure, and the backend that failed in *backend. */
int gf_session_join(struct gf_session *s, double *ms, int *backend);
/* Gives the shared context of backend i. If it has to be opened first, adds that time to *ms. */
int gf_session_context(struct gf_session *s, int i, double *ms, void **context);
/* Gives the shared context's plan for this job: one that was kept (*made false), or a new one. */
int gf_session_plan(struct gf_session *s, int i, const struct gf_job *job, double *open_ms,
                    struct gf_plan **plan, bool *made);
/* Drops all plans but this one (NULL: all), and returns how many. */
int gf_session_unplan(struct gf_session *s, const struct gf_plan *but);
/* For a session that is lost, in a turn: returns the status, with the message, of the failure that
 * ended it. */
int gf_session_fail_lost(const struct gf_session *s);
/* After backend i failed: checks whether its device is lost, unless auto may use another
 * backend. */
void gf_session_check_lost(struct gf_session *s, int i);

#endif
