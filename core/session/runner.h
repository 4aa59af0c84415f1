/* Runs the jobs of one thread, one after the other: chooses a backend, keeps the plan from job to
 * job, and moves on to the next backend if one that auto picked fails. What exists only once is in
 * the session that the runners share (core/session/session.h, with an example).
 *
 * A job takes two calls: gf_runner_plan() and gf_runner_run(). */
#ifndef GF_CORE_SESSION_RUNNER_H
#define GF_CORE_SESSION_RUNNER_H

#include "core/session/session.h"

/* Milliseconds since gf_runner_next(); 0 for steps that were not needed. */
struct gf_runner_times {
    double open, build;           /* the device's context; its kernels */
    int built;                    /* kernels compiled */
    double turn;                  /* in gf_runner_run(), without the wait for its turn */
    struct gf_device_ms run;      /* the last gf_runner_run() */
    struct gf_plan_choice choice; /* of the last plan made in a shared context */
};

struct gf_runner {
    struct gf_session *session;
    int threads;

    /* To be read by the caller. */
    struct gf_job job;          /* what gf_runner_plan() was asked for */
    const struct gf_plan *plan; /* the plan for it; NULL until its turn in a shared context */
    int64_t workspace;          /* bytes that the plan takes, if known */
    char why[GF_REASON];        /* why the backend was chosen */
    struct gf_runner_times ms;

    /* The runner's own. */
    int64_t runs, times;  /* files ahead and jobs per file, which auto weighs; 0 counts as 1 */
    int now;              /* the backend for `job`; -1: none */
    bool decided;         /* `now` is auto's choice for `job` since gf_runner_next() */
    int own;              /* the backend of own_context; -1: none */
    void *own_context;    /* a context of this thread alone */
    struct gf_plan *kept; /* there */
};

/* `threads`: this runner's share of the run's threads. */
void gf_runner_open(struct gf_runner *r, struct gf_session *session, int threads);
void gf_runner_close(struct gf_runner *r);

/* Starts the next file; `runs`: files left, this one included. */
void gf_runner_next(struct gf_runner *r, int64_t runs);
/* Says that each of these files takes `times` jobs, until the next gf_runner_next(). */
void gf_runner_repeat(struct gf_runner *r, int64_t times);
/* Starts opening the context that the job needs on a thread, if it is on a device; without a job,
 * only for a backend that was asked for. True while it is opening: gf_runner_plan() will wait for
 * it. */
bool gf_runner_ahead(struct gf_runner *r, const struct gf_job *job);
/* Chooses a backend for the job and plans it, or keeps the last plan. If several runners share the
 * context, planning waits for the turn in gf_runner_run(). If a backend that auto picked fails, the
 * session notes that once and tries the next one; one that was asked for fails the job, unless the
 * session offers another (gf_session_options.instead). */
int gf_runner_plan(struct gf_runner *r, const struct gf_job *job);
/* Runs the planned job. In a shared context it first waits for its turn, and plans if no plan is
 * kept. Fallbacks as in gf_runner_plan(). */
int gf_runner_run(struct gf_runner *r, const struct gf_array *in, struct gf_array *out,
                  struct gf_report *report);
/* Whether gf_runner_run_fed() runs the planned job. */
static inline bool gf_runner_feeds(const struct gf_runner *r) {
    return r->plan && r->plan->feeds;
}
/* Runs it on an input whose rows are still arriving. On failure, or if feed->complete is not set,
 * the outputs are meaningless. */
int gf_runner_run_fed(struct gf_runner *r, const struct gf_array *in, struct gf_feed *feed,
                      struct gf_array *out, struct gf_report *report);

/* Gives the streamer of the backend that transforms plane by plane (gf_session_streaming()) and its
 * context, which belongs to this runner until end(); NULL if the backend works in host memory.
 * After a failure do not call end(). */
int gf_runner_stream_begin(struct gf_runner *r, const struct gf_dwt_streamer **streamer,
                           void **context);
void gf_runner_stream_end(struct gf_runner *r);
/* After end() of a stream, or a job, that failed with rc: whether the runner works on another
 * device from here on (gf_session_options.instead), where it may start again. */
bool gf_runner_move(struct gf_runner *r, int rc);

/* Tells how the backend for this job packs half spectra (struct gf_backend). */
int gf_runner_packs(struct gf_runner *r, const struct gf_job *job, enum gf_packing *packs);
/* Bytes of workspace that the plan for a part of a job takes, made where that is quickly done, by a
 * backend that packs; else -1. */
int64_t gf_runner_workspace(struct gf_runner *r, const struct gf_job *part);

/* Bytes that a job's arrays and workspace may take together: the session's limit. */
static inline int64_t gf_runner_limit(const struct gf_runner *r) {
    return r->session->options.memory_limit;
}

/* Drops the plan that the runner keeps for itself, and its memory. */
void gf_runner_forget(struct gf_runner *r);
/* Bytes that this plan takes. */
int64_t gf_runner_kept_bytes(const struct gf_runner *r);

const char *gf_runner_name(const struct gf_runner *r); /* of the backend; "?" before any plan */
bool gf_runner_on_device(const struct gf_runner *r);
/* The device's copy rate in bytes a second, read plus written; 0 if unknown, and for host memory.
 * From the recorded speeds, or measured once a session. */
double gf_runner_copy_speed(struct gf_runner *r);
/* The rates in bytes a second at which page-locked memory is copied to its device and back; 0 if
 * unknown. Likewise from the recorded speeds. */
void gf_runner_bus_speed(struct gf_runner *r, double speed[2]);

#endif
