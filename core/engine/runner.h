/* Runs the jobs of one thread in turn: chooses a backend, keeps the plan between jobs, and moves on
 * to the next backend if one picked by auto fails. Runners share a session (core/engine/session.h,
 * with an example).
 *
 * A job takes two calls: gf_runner_plan() and gf_runner_run(). */
#ifndef GF_CORE_ENGINE_RUNNER_H
#define GF_CORE_ENGINE_RUNNER_H

#include "core/engine/deal.h"

/* Milliseconds since gf_runner_next(); 0 for steps that did not occur. */
struct gf_runner_times {
    double open, build;           /* opening the device's context; building kernels */
    int built;                    /* kernels compiled */
    double turn;                  /* in gf_runner_run(), excluding the wait for its turn */
    struct gf_device_ms run;      /* the last gf_runner_run() */
    struct gf_plan_choice choice; /* of the last plan made in a shared context */
};

struct gf_runner {
    struct gf_session *session;
    int threads;

    /* For the caller to read. */
    struct gf_job job; /* as passed to gf_runner_plan() */
    /* Its plan; NULL in a shared context unless the runner is alone there, and valid while it is. */
    const struct gf_plan *plan;
    int64_t workspace;   /* bytes of the plan, if known */
    char why[GF_REASON]; /* reason for the choice of backend */
    struct gf_runner_times ms;

    /* Private. */
    int64_t runs, times;  /* files left and jobs per file, for auto; 0 counts as 1 */
    int now;              /* the backend for `job`; -1: none */
    bool decided;         /* `now` is auto's choice for `job` since gf_runner_next() */
    int own;              /* the backend of own_context; -1: none */
    void *own_context;    /* used only by this thread */
    struct gf_plan *kept; /* the plan there */
};

/* `threads`: this runner's share of the threads. */
void gf_runner_open(struct gf_runner *r, struct gf_session *session, int threads);
void gf_runner_close(struct gf_runner *r);

/* Starts the next file; `runs`: files left, including this one. */
void gf_runner_next(struct gf_runner *r, int64_t runs);
/* Sets the number of jobs per file until the next gf_runner_next(). */
void gf_runner_repeat(struct gf_runner *r, int64_t times);
/* Starts to open the context for the job on a thread, if it is on a device; without a job, only for
 * a requested backend. True while the context is opening: gf_runner_plan() will wait for it. */
bool gf_runner_ahead(struct gf_runner *r, const struct gf_job *job);
/* Chooses a backend and plans the job, or keeps the last plan. If runners share the context,
 * planning waits for the turn in gf_runner_run(). If a backend picked by auto fails, the session
 * notes that once and tries the next; a requested one fails the job, unless the session belongs
 * to a deal, in which another device takes over. */
int gf_runner_plan(struct gf_runner *r, const struct gf_job *job);
/* Runs the planned job. In a shared context, waits for its turn and plans if no plan is kept.
 * Fallbacks as in gf_runner_plan(). */
int gf_runner_run(struct gf_runner *r, const struct gf_array *in, struct gf_array *out,
                  struct gf_report *report);
/* True if gf_runner_run_fed() can run the planned job. */
static inline bool gf_runner_feeds(const struct gf_runner *r) {
    return r->kept && r->plan == r->kept && r->kept->feeds;
}
/* Runs it while rows of the input are still arriving. After a failure, or unless feed->complete is
 * set, the outputs are meaningless. */
int gf_runner_run_fed(struct gf_runner *r, const struct gf_array *in, struct gf_feed *feed,
                      struct gf_array *out, struct gf_report *report);

/* Gives the streamer of the session's backend (gf_session_streaming()) and its context, which this
 * runner holds until end(); NULL for a backend in host memory. After a failure do not call
 * end(). */
int gf_runner_stream_begin(struct gf_runner *r, const struct gf_dwt_streamer **streamer,
                           void **context);
void gf_runner_stream_end(struct gf_runner *r);
/* After a job, or end() of a stream, failed with rc: true if the runner has moved to another device
 * of the deal and may start again. */
bool gf_runner_move(struct gf_runner *r, int rc);

/* How the backend for this job packs half spectra (struct gf_backend). */
int gf_runner_packs(struct gf_runner *r, const struct gf_job *job, enum gf_packing *packs);
/* Workspace bytes of the plan for a part of a job, if a backend that packs makes it quickly; else
 * -1. */
int64_t gf_runner_workspace(struct gf_runner *r, const struct gf_job *part);

/* The session's limit in bytes for a job's arrays and workspace. */
static inline int64_t gf_runner_limit(const struct gf_runner *r) {
    return r->session->options.memory_limit;
}

/* gf_memory_check() against it. */
int gf_runner_check_memory(const struct gf_runner *r, int64_t need);

/* Drops the runner's own plan and its memory. */
void gf_runner_forget(struct gf_runner *r);
/* Bytes of that plan. */
int64_t gf_runner_kept_bytes(const struct gf_runner *r);

const char *gf_runner_name(const struct gf_runner *r); /* of the backend; "?" before a plan */
bool gf_runner_on_device(const struct gf_runner *r);
/* The device's copy rate in bytes a second, read plus written, recorded or measured once per
 * session; 0 if unknown or in host memory. */
double gf_runner_copy_speed(struct gf_runner *r);
/* Copy rates in bytes a second from page-locked memory to the device and back, likewise; 0 if
 * unknown. */
void gf_runner_bus_speed(struct gf_runner *r, double speed[2]);

#endif
