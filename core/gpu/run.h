/* What the backends on a GPU share: an open device, and a plan's kernels and buffers on it. */
#ifndef GF_CORE_GPU_RUN_H
#define GF_CORE_GPU_RUN_H

#include "core/gpu/plan/plan.h"
#include "core/gpu/stage.h"

struct gf_gpu_context {
    const struct gf_gpu *api;
    void *gpu;
    struct gf_gpu_props props;
    int threads;                /* of the processor, for what it does itself */
    struct gf_gpu_stage *stage; /* brings arrays there and back */
};

struct gf_gpu_run {
    struct gf_gpu_plan *plan;                        /* owned */
    struct gf_kernel_request request[GF_MAX_PASSES]; /* each different kernel once */
    int n_requests;
    int kernel[GF_MAX_PASSES]; /* which request a pass launches */
    struct gf_gpu_buffer *buffer[GF_GPU_N_BUFFERS];
    int64_t bytes;        /* of the device's memory, all that the plan takes */
    int built;            /* kernels that were compiled */
    double build_seconds; /* for finding and compiling them */
    bool ready;           /* the buffers are there, tables and parameters in them */
    bool counts;          /* some output counts its clipped samples */
};

/* As gf_backend.open and .close. */
int gf_gpu_run_open(const struct gf_gpu *api, const struct gf_backend_options *options,
                    void **context);
void gf_gpu_run_close(void *context);
bool gf_gpu_run_lost(void *context);

/* Takes over the plan (m->plan): checks that the device's memory holds its buffers and `beside`
 * bytes, and finds or builds its kernels. gf_gpu_run_drop() undoes it, wherever it stopped. */
int gf_gpu_run_prepare(const struct gf_gpu_context *c, struct gf_gpu_run *m, int64_t beside);
void gf_gpu_run_drop(const struct gf_gpu_context *c, struct gf_gpu_run *m);
/* The passes as `gpufft plan` shows them, appended. */
void gf_gpu_run_list(const struct gf_gpu_plan *p, int first, int end, struct gf_plan *plan);
/* What the plan takes and took, as `gpufft plan` and --verbose say. */
void gf_gpu_run_tell(const struct gf_gpu_run *m, struct gf_plan *plan);

/* Takes the buffers, once, and brings the input there. */
int gf_gpu_run_upload(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                      const struct gf_array *in);
/* Queues passes first <= i < end; the first of a run is 0, which sets the counters back. */
int gf_gpu_run_launch(const struct gf_gpu_context *c, const struct gf_gpu_run *m, int first,
                      int end);
/* Waits for the outputs and what was found on the way; report may be NULL. */
int gf_gpu_run_download(const struct gf_gpu_context *c, struct gf_gpu_run *m, struct gf_array *out,
                        struct gf_report *report);

/* Around what is timed by the device's own clock, see gf_backend.run; nothing where seconds is
 * NULL.
 */
int gf_gpu_run_begin(const struct gf_gpu_context *c, const double *seconds);
int gf_gpu_run_end(const struct gf_gpu_context *c, double *seconds);
/* As gf_backend.measure. */
int gf_gpu_run_measure(void *context, struct gf_device_speed *speed);

#endif
