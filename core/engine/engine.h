/* The engine of a run: its devices, each with a context that is opened once, the plans kept there,
 * auto's decisions, and the run's units (pictures, or a few pages of a volume) that several devices
 * share. Each thread has a runner on one of the devices:
 *
 *     struct gf_engine *engine;
 *     struct gf_runner runner;
 *     int rc = gf_engine_open(&engine, &(struct gf_engine_options){.note = print_note});
 *     if (rc) return rc;
 *     gf_runner_open(&runner, engine, 0, 4);
 *     for (each file, job, in, out) {
 *         gf_runner_next(&runner, files_left);
 *         if (!rc) rc = gf_runner_plan(&runner, &job);
 *         if (!rc) rc = gf_runner_run(&runner, &in, &out, &report);
 *     }
 *     gf_runner_close(&runner);
 *     gf_engine_close(engine);
 *
 * Each device's share of the units follows its rate, from recorded speeds or from the run's first
 * units. Shares are fixed before the rest begins, so that the same rates give the same result. A
 * dynamic deal uses the rates of the units done so far instead.
 *
 *     rc = gf_deal_start(engine, &job, pictures, 1);
 *     for (int64_t u; (u = gf_deal_take(engine, i)) >= 0;) {           in device i's thread
 *         start = now;
 *         run unit u with a runner on device i
 *         gf_deal_end(engine, i, now - start);
 *     }
 *
 * Opening a GPU's context takes as long as the CPU needs for many pictures. With recorded speeds
 * the device gets units from the time its context opens, and is left out if the others finish
 * first. Otherwise the others start and show how long all will take: if longer than a context, it
 * is opened while they work, else the device is left out.
 *
 * A device that fails stops working: its runner takes the unit to another device, and the units
 * that it has not begun are dealt to the others. */
#ifndef GF_CORE_ENGINE_ENGINE_H
#define GF_CORE_ENGINE_ENGINE_H

#include "core/base/value/status.h"
#include "core/engine/request.h"

struct gf_engine;

/* ---- device.c: devices ---- */

/* How the devices of a request are used. Those of one backend can share a job that does not fit
 * one. */
enum gf_engine_use {
    GF_ENGINE_EACH,     /* each by itself */
    GF_ENGINE_TOGETHER, /* likewise, but all share the first one's jobs, if they can */
    GF_ENGINE_ONE       /* as one device: the first, whose jobs all share, if they can */
};

/* The request and all strings stay the caller's and must outlive the engine. */
struct gf_engine_options {
    const struct gf_request *request; /* its devices; NULL or empty: auto picks one for each job */
    enum gf_engine_use use;
    bool dynamic;                   /* of a deal */
    struct gf_backend_options open; /* for contexts; .threads: of the whole run */
    const char *device_variable; /* the origin of open.device, for notes; NULL: it was demanded */
    bool untuned;                /* ignore the record of speeds (core/engine/speeds.h) */
    bool ends;            /* the process ends soon after: contexts that close slowly stay open */
    int64_t memory_limit; /* bytes of arrays and workspace */
    /* NULL, or receives a line about an unexpected event: "opencl: no such file; trying another
     * backend". Called by any thread with a runner. */
    void (*note)(void *user, const char *line);
    void *user;
};

/* *engine is NULL after a failure. */
int gf_engine_open(struct gf_engine **engine, const struct gf_engine_options *options);
/* Close its runners first. Accepts NULL. */
void gf_engine_close(struct gf_engine *e);

int gf_engine_devices(const struct gf_engine *e);
/* The requested backend of device i; NULL: auto picks. */
const struct gf_backend *gf_engine_asked(const struct gf_engine *e, int i);
/* Device i's backend for wavelets plane by plane, or NULL. */
const struct gf_backend *gf_engine_streaming(const struct gf_engine *e, int i);
/* True once a context of device i has been opened. */
bool gf_engine_is_open(const struct gf_engine *e, int i);
/* True if no further job runs: no requested backend can be opened, or each one's device is lost. */
bool gf_engine_is_lost(const struct gf_engine *e);
/* True if device i has a context for each of several threads, as the CPU has. */
bool gf_engine_has_own_contexts(const struct gf_engine *e, int i);
/* The first device without a context to open, else the first: prepares the work. */
int gf_engine_prompt(const struct gf_engine *e);

/* Runs a job on the host's CPU, whatever the devices are. Needs no runner, as the callbacks that
 * make a filter's table have none. */
int gf_engine_run_here(int threads, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out);

/* ---- runner.c: the jobs of one thread ---- */

/* Milliseconds since gf_runner_next(); 0 for steps that did not occur. */
struct gf_runner_times {
    double open, build;           /* opening the device's context; building kernels */
    int built;                    /* kernels compiled */
    double turn;                  /* in gf_runner_run(), excluding the wait for its turn */
    struct gf_device_ms run;      /* the last gf_runner_run() */
    int together;                 /* devices that shared a gf_runner_run(), the most; 0: none */
    struct gf_plan_choice choice; /* of the last plan made in a shared context */
};

struct gf_runner {
    /* For the caller to read. */
    struct gf_engine *engine;
    int device; /* another one after a failure */
    int threads;
    struct gf_job job; /* as passed to gf_runner_plan() */
    /* Its plan; NULL in a shared context unless the runner is alone there, and valid while it is. */
    const struct gf_plan *plan;
    int64_t workspace;   /* bytes of the plan, if known */
    char why[GF_REASON]; /* reason for the choice of backend */
    struct gf_runner_times ms;
    /* For the caller to set: NULL, or asked before each run and as struct gf_bound's. */
    int (*tick)(void *user, double done);
    void *user;

    /* Private. */
    int64_t runs, times;  /* files left and jobs per file, for auto; 0 counts as 1 */
    int now;              /* the backend for `job`; -1: none */
    bool decided;         /* `now` is auto's choice for `job` since gf_runner_next() */
    bool again;           /* may run alone what a device that is lost had shared */
    int own;              /* the backend of own_context; -1: none */
    void *own_context;    /* used only by this thread */
    struct gf_plan *kept; /* the plan there */
};

/* `threads`: this runner's share of the threads. */
void gf_runner_open(struct gf_runner *r, struct gf_engine *engine, int device, int threads);
/* Opens another runner on r's device. */
void gf_runner_beside(struct gf_runner *own, const struct gf_runner *r, int threads);
void gf_runner_close(struct gf_runner *r);

/* Starts the next file; `runs`: files left, including this one. */
void gf_runner_next(struct gf_runner *r, int64_t runs);
/* Sets the number of jobs per file until the next gf_runner_next(). */
void gf_runner_repeat(struct gf_runner *r, int64_t times);
/* Starts to open the context for the job on a thread, if it is on a device; without a job, only for
 * a requested backend. True while the context is opening: gf_runner_plan() will wait for it. */
bool gf_runner_ahead(struct gf_runner *r, const struct gf_job *job);
/* Chooses a backend and plans the job, or keeps the last plan. If runners share the context,
 * planning waits for the turn in gf_runner_run(). If a backend picked by auto fails, the engine
 * notes that once and tries the next; a requested one fails the job, unless the engine has several
 * devices, of which another one takes over. */
int gf_runner_plan(struct gf_runner *r, const struct gf_job *job);
/* Copies the description of the planned job's plan, which is made now if it is not kept. The caller frees
 * the copy, which has no plan's memory. */
int gf_runner_show(struct gf_runner *r, struct gf_plan **copy);
/* Runs the planned job. In a shared context, waits for its turn and plans if no plan is kept.
 * Fallbacks as in gf_runner_plan(). */
int gf_runner_run(struct gf_runner *r, const struct gf_array *in, struct gf_array *out,
                  struct gf_report *report);
/* For a placed job: checks the caller's arrays in its device's memory, at the addresses that are their data, and
 * if `runs` queues the job between the commands that the caller's stream has been given and those it will be. */
int gf_runner_queue(struct gf_runner *r, const struct gf_array *in, const struct gf_array *out,
                    void *stream, bool runs);
/* True if gf_runner_run_fed() can run the planned job. */
bool gf_runner_feeds(const struct gf_runner *r);
/* Runs it while rows of the input are still arriving. After a failure, or unless feed->complete is
 * set, the outputs are meaningless. */
int gf_runner_run_fed(struct gf_runner *r, const struct gf_array *in, struct gf_feed *feed,
                      struct gf_array *out, struct gf_report *report);

/* Page-locks so many bytes of the host for the planned job's device; 0: unlocks them. Nothing to do in host
 * memory. */
int gf_runner_lock(struct gf_runner *r, void *host, int64_t bytes);

/* Gives the streamer of the device's backend (gf_engine_streaming()) and its context, which this
 * runner holds until end(); NULL for a backend in host memory. After a failure do not call
 * end(). end() takes and returns the stream's status: after a failure it finds out whether the device is lost. */
int gf_runner_stream_begin(struct gf_runner *r, const struct gf_dwt_streamer **streamer,
                           void **context);
int gf_runner_stream_end(struct gf_runner *r, int rc);
/* After a job, or end() of a stream, failed with rc: true if the runner has moved to another device,
 * or lost those that it shared with, and may start again. */
bool gf_runner_move(struct gf_runner *r, int rc);

/* How the backend for this job packs half spectra (struct gf_backend). */
int gf_runner_packs(struct gf_runner *r, const struct gf_job *job, enum gf_packing *packs);
/* Workspace bytes of the plan for a part of a job, if a backend that packs makes it quickly; else
 * -1. */
int64_t gf_runner_workspace(struct gf_runner *r, const struct gf_job *part);

/* The limit in bytes for a job's arrays and workspace. */
int64_t gf_runner_limit(const struct gf_runner *r);
/* gf_memory_check() against it. */
int gf_runner_check_memory(const struct gf_runner *r, int64_t need);

/* Drops the runner's own plan and its memory. */
void gf_runner_forget(struct gf_runner *r);
/* Bytes of that plan. */
int64_t gf_runner_kept_bytes(const struct gf_runner *r);

const char *gf_runner_name(const struct gf_runner *r); /* of the backend; "?" before a plan */
bool gf_runner_on_device(const struct gf_runner *r);
/* The device's copy rate in bytes a second, read plus written, recorded or measured once per
 * engine; 0 if unknown or in host memory. */
double gf_runner_copy_speed(struct gf_runner *r);
/* Copy rates in bytes a second from page-locked memory to the device and back, likewise; 0 if
 * unknown. */
void gf_runner_bus_speed(struct gf_runner *r, double speed[2]);

/* ---- deal.c: units for several devices ---- */

enum { GF_DEAL_COPYING = 4 /* copying threads of one of several devices, at most */ };

/* Deals units like this job (NULL: a typical picture); a backend without a device runs `at_once` of
 * them concurrently. */
int gf_deal_start(struct gf_engine *e, const struct gf_job *job, int64_t units, int at_once);
/* After gf_deal_start(): true if device i has work from the start, so that its context may be
 * opened ahead. */
bool gf_deal_begins(const struct gf_engine *e, int i);

/* Returns device i's next unit, in its thread, or -1. Waits while others may still fail or are
 * being measured. */
int64_t gf_deal_take(struct gf_engine *e, int i);
/* Returns the device for a unit, if each thread can use all devices. With one device, this and
 * gf_deal_end() need no gf_deal_start(). */
int gf_deal_assign(struct gf_engine *e, int64_t unit);
/* Ends a unit of device i that took so many seconds; 0: not measured. */
void gf_deal_end(struct gf_engine *e, int i, double seconds);
/* Allows only units below the limit from now on; at first all. */
void gf_deal_allow(struct gf_engine *e, int64_t limit);
/* Stops taking units. */
void gf_deal_stop(struct gf_engine *e);

/* A device's work. */
struct gf_deal_work {
    const char *name;
    double share;           /* by its rate; 0 if it failed */
    int64_t assigned, done; /* units */
    const char *failed;     /* the message of its failure, or NULL */
    bool left_out;          /* did nothing, as the others would finish before it could begin */
    double late, others;    /* seconds to open its context, and that the others needed then */
    bool dynamic;           /* the engine's rule */
    bool recorded;          /* the devices' rates were known before the first unit */
};
void gf_deal_work(struct gf_engine *e, int i, struct gf_deal_work *work);

#endif
