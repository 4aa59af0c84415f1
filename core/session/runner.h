/* Runs one thread's jobs, one after the other: a backend is chosen, the plan is kept from job to
 * job, and where auto picked a backend that fails the next one takes over. What cannot be had twice
 * is in the session that runners share (core/session/session.h, with an example).
 *
 * A job takes two calls: gf_runner_plan() and gf_runner_run(). */
#ifndef GF_CORE_SESSION_RUNNER_H
#define GF_CORE_SESSION_RUNNER_H

#include "core/session/session.h"

/* Milliseconds since gf_runner_next(); 0 for what was there before. */
struct gf_runner_times {
    double open, build;           /* the device's context; its kernels */
    int built;                    /* kernels compiled */
    double turn;                  /* in all gf_runner_run(), without waiting for turns there */
    struct gf_device_ms run;      /* the last gf_runner_run() */
    struct gf_plan_choice choice; /* of the last plan made in a shared context */
};

struct gf_runner {
    struct gf_session *session;
    int threads;

    /* To be read by the caller. */
    struct gf_job job;          /* what gf_runner_plan() was asked for */
    const struct gf_plan *plan; /* for it; NULL where its turn in a shared context is to come */
    int64_t workspace;          /* bytes that the plan takes, as far as it is known */
    char why[GF_REASON];        /* the backend was chosen */
    struct gf_runner_times ms;

    /* The runner's own. */
    int64_t runs, times;  /* files ahead and the jobs of each, for auto to weigh; 0 counts as 1 */
    int now;              /* the backend for `job`; -1: none */
    bool decided;         /* `now` is auto's choice for `job` since gf_runner_next() */
    int own;              /* the backend of own_context; -1: none */
    void *own_context;    /* of a backend that has one for each thread */
    struct gf_plan *kept; /* there */
};

/* `threads` are this runner's share of the run's. */
void gf_runner_open(struct gf_runner *r, struct gf_session *session, int threads);
void gf_runner_close(struct gf_runner *r);

/* The next file, and how many there are, this one included. */
void gf_runner_next(struct gf_runner *r, int64_t runs);
/* That each of these files takes so many runs, until the next one. */
void gf_runner_repeat(struct gf_runner *r, int64_t times);
/* Begins to open the context that the job needs, on a thread, if that is on a device; without a job
 * only what was asked for. True while it is under way: gf_runner_plan() will wait for it. */
bool gf_runner_ahead(struct gf_runner *r, const struct gf_job *job);
/* Chooses a backend for the job and plans it, or keeps the last plan. Where several runners share
 * the context, planning waits for the turn that gf_runner_run() takes there. A backend that auto
 * picked and that fails is noted, once a session, and the next one is tried; one that was asked for
 * fails the job, unless the session names another (gf_session_options.instead). */
int gf_runner_plan(struct gf_runner *r, const struct gf_job *job);
/* Runs the planned job: waits for its turn where the context is shared, plans there if no plan is
 * kept, and runs. Fallbacks as in gf_runner_plan(). */
int gf_runner_run(struct gf_runner *r, const struct gf_array *in, struct gf_array *out,
                  struct gf_report *report);
/* Whether gf_runner_run_fed() runs the planned job. */
static inline bool gf_runner_feeds(const struct gf_runner *r) {
    return r->plan && r->plan->feeds;
}
/* The same with an input whose rows are still to come: without success, or where feed->complete is not set,
 * the outputs are worth nothing. */
int gf_runner_run_fed(struct gf_runner *r, const struct gf_array *in, struct gf_feed *feed,
                      struct gf_array *out, struct gf_report *report);

/* The backend that transforms plane by plane (gf_session_streaming()), with its context, which is this
 * runner's alone until end(): NULL where the backend works in host memory. Without success there is
 * nothing to end. */
int gf_runner_stream_begin(struct gf_runner *r, const struct gf_dwt_streamer **streamer,
                           void **context);
void gf_runner_stream_end(struct gf_runner *r);
/* After end(): whether the stream, which failed so on this runner's device, may be begun again on
 * another, which gf_session_options.instead names. */
bool gf_runner_stream_moves(struct gf_runner *r, int rc);

/* How the backend for this job packs its half spectra (struct gf_backend). */
int gf_runner_packs(struct gf_runner *r, const struct gf_job *job, enum gf_packing *packs);

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
/* Bytes a second, read plus written, that its device copies at; 0 where that is not known, and for
 * host memory. From the record of speeds, or measured once a session. */
double gf_runner_copy_speed(struct gf_runner *r);
/* Bytes a second that page-locked memory is copied at to its device, and back; 0 where that is not
 * known. From the record too. */
void gf_runner_bus_speed(struct gf_runner *r, double speed[2]);

#endif
