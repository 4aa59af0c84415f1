/* An open GPU, and a plan's kernels and buffers on it, for all backends on GPUs.
 *
 *     struct gf_gpu_run m = {.program.plan = p};
 *     int rc = gf_gpu_program_prepare(c, &m.program, 0);
 *     if (!rc) rc = gf_gpu_run_upload(c, &m, &in);
 *     if (!rc) rc = gf_gpu_run_launch(c, &m, 0, p->n_passes);
 *     if (!rc) rc = gf_gpu_run_download(c, &m, out, &report);
 *     gf_gpu_run_drop(c, &m);
 */
#ifndef GF_CORE_GPU_RUN_H
#define GF_CORE_GPU_RUN_H

#include "core/base/value/status.h"
#include "core/gpu/plan/plan.h"
#include "core/gpu/stage.h"

struct gf_gpu_context {
    const struct gf_gpu *api;
    void *gpu;
    struct gf_gpu_props props;
    /* As in struct gf_backend_options; resident only for a team, natural only if resident. */
    bool general, dry, resident, natural;
    int64_t limit;                         /* bytes of the device's memory to use; 0: all */
    int threads;                           /* CPU threads for the host's share */
    enum gf_plan_how how;                  /* as in struct gf_backend_options */
    void (*compiling)(const char *device); /* likewise; NULL: none */
    double measured_ms;                    /* spent on measuring plans */
    struct gf_gpu_stage *stage;            /* copies arrays to the device and back */
    struct gf_gpu_team *team;              /* led by this device, see core/gpu/team.h; NULL: none */
};

struct gf_gpu_run;

/* A plan and its kernels, which runs do not change. */
struct gf_gpu_program {
    struct gf_gpu_plan *plan;                        /* owned */
    struct gf_kernel_request request[GF_MAX_PASSES]; /* all different */
    int n_requests;
    int kernel[GF_MAX_PASSES]; /* the request whose kernel a pass launches */
    int64_t bytes;             /* of the device's memory */
    int built;                 /* kernels compiled */
    double build_seconds;      /* for finding and compiling kernels */
    struct gf_plan_choice choice;
    bool counts; /* some output counts its clipped samples */
    /* Queues the work of one run, without waiting; NULL: all passes. */
    int (*once)(const struct gf_gpu_context *c, const struct gf_gpu_run *m);
};

/* A program and the memory of one run at a time, from gf_gpu_run_take() to
 * gf_gpu_run_give_back(). */
struct gf_gpu_run {
    struct gf_gpu_program program;
    struct gf_gpu_buffer *buffer[GF_GPU_N_BUFFERS];
    bool ready;    /* buffers are allocated, tables and parameters uploaded */
    unsigned lent; /* bits: buffers that the run does not own */
    bool queued;   /* a run may not have ended, and buffers and kernels are freed without a wait */
    int repeats;   /* runs that the counters add up */
};

/* True if smaller parts may fit: the device lacks room for the job, or for one of its buffers. */
static inline bool gf_gpu_run_too_large(int rc) {
    return rc == GF_ENOMEM || rc == GF_EUNABLE;
}

/* As gf_backend.open, .close, .lost and .slow_close. */
int gf_gpu_run_open(const struct gf_gpu *api, const struct gf_backend_options *options,
                    void **context);
void gf_gpu_run_close(void *context);
int gf_gpu_run_lost(void *context);
bool gf_gpu_run_slow_close(void *context);

/* Bytes of the device's memory available now. */
int64_t gf_gpu_run_room(const struct gf_gpu_context *c);
/* Sets g->plan to the job's kept plan, to one with general kernels, or to the estimate's. */
int gf_gpu_program_make(const struct gf_gpu_context *c, struct gf_gpu_program *g,
                        const struct gf_job *job);
/* Takes ownership of g->plan, checks that the device has room for its buffers and `beside` bytes
 * more, and finds or builds its kernels. gf_gpu_run_drop() undoes this and everything below, also
 * after a failure, and leaves an empty run. */
int gf_gpu_program_prepare(const struct gf_gpu_context *c, struct gf_gpu_program *g,
                           int64_t beside);
/* Only builds the kernels, in any thread; gf_gpu_program_prepare() then skips this. */
int gf_gpu_program_build(const struct gf_gpu_context *c, struct gf_gpu_program *g);
void gf_gpu_run_drop(const struct gf_gpu_context *c, struct gf_gpu_run *m);
/* Appends passes first <= i < end, as far as there is room, to a list of *n that `gpufft plan` shows. */
void gf_gpu_run_list(const struct gf_gpu_plan *p, int first, int end,
                     struct gf_pass_info list[GF_MAX_PASSES], int *n);
/* Sets the memory, kernels and build time that `gpufft plan` and --verbose print. */
void gf_gpu_program_summarize(const struct gf_gpu_program *g, struct gf_plan *plan);

/* Allocates the buffers that lent[] lacks and uploads tables and parameters, unless m->ready.
 * lent may be NULL. gf_gpu_run_give_back() undoes it. */
int gf_gpu_run_take(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                    struct gf_gpu_buffer *const *lent);
void gf_gpu_run_give_back(const struct gf_gpu_context *c, struct gf_gpu_run *m);
/* Uploads the input's root mean square, which an automatic display range needs. */
int gf_gpu_run_upload_rms(const struct gf_gpu_context *c, const struct gf_gpu_run *m,
                          const struct gf_array *in);
/* Uploads the input; the first call allocates the buffers. */
int gf_gpu_run_upload(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                      const struct gf_array *in);
/* Queues passes first <= i < end. Pass 0 clears the counters unless m->repeats is set: the report
 * then has averages. */
int gf_gpu_run_launch(const struct gf_gpu_context *c, const struct gf_gpu_run *m, int first,
                      int end);
/* Waits for and downloads the outputs and the report, which may be NULL. */
int gf_gpu_run_download(const struct gf_gpu_context *c, struct gf_gpu_run *m, struct gf_array *out,
                        struct gf_report *report);

/* As in gf_plan_ops, for plans whose impl begins with a struct gf_gpu_run and whose whole arrays
 * are on the device. */
int gf_gpu_whole_upload(struct gf_plan *plan, const struct gf_array *in);
int gf_gpu_whole_run(struct gf_plan *plan, int times, double *seconds);
int gf_gpu_whole_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report);
int gf_gpu_whole_bind(struct gf_bound *bound);
int gf_gpu_whole_exec_placed(struct gf_bound *bound, struct gf_report *report);
void gf_gpu_whole_drop(struct gf_plan *plan);
/* As gf_plan_ops.run. */
int gf_gpu_run_times(const struct gf_gpu_context *c, struct gf_gpu_run *m, int times,
                     double *seconds);
/* upload(), launch() and download(). */
int gf_gpu_run_all(const struct gf_gpu_context *c, struct gf_gpu_run *m, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report);

/* A packed report: its size; copied on the device after a run; added to a report, whose ranges
 * become this run's. */
int64_t gf_gpu_program_report_bytes(const struct gf_gpu_program *g);
int gf_gpu_run_copy_report(const struct gf_gpu_context *c, const struct gf_gpu_run *m,
                           struct gf_gpu_buffer *to);
void gf_gpu_run_parse_report(const struct gf_gpu_run *m, const void *packed,
                             struct gf_report *report);

/* Enclose work that the device's clock times, see gf_plan_ops.run; no-ops if seconds is NULL. */
int gf_gpu_run_begin(const struct gf_gpu_context *c, const double *seconds);
int gf_gpu_run_end(const struct gf_gpu_context *c, double *seconds);
/* As gf_plan_ops.time and gf_on_device.transfer. */
int gf_gpu_run_time_passes(const struct gf_gpu_context *c, const struct gf_gpu_run *m,
                           double *seconds);
int gf_gpu_run_transfer(void *context, int64_t bytes, bool pinned, double seconds[2]);
/* As gf_on_device.measure. */
int gf_gpu_run_measure(void *context, struct gf_device_speed *speed);

/* If the context measures plans and the job has a choice and no record (or the context remeasures),
 * runs up to GF_GPU_CANDIDATES plans in alternation on noise and records the one to use. Returns
 * how many ran: 0 also if memory is short or the context has measured for two minutes. */
int gf_gpu_choose(struct gf_gpu_context *c, const struct gf_job *job);

#endif
