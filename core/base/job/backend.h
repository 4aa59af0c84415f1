/* A backend runs jobs. Each fills one table of properties and functions, struct gf_backend; the
 * list of them is core/engine/backends.h. A run from end to end:
 *
 *     void *context = NULL;
 *     struct gf_plan *plan = NULL;
 *     struct gf_report report;
 *     int rc = b->open(b, &(struct gf_backend_options){.threads = 4}, &context);
 *     if (!rc) rc = gf_backend_plan(b, context, &job, &plan);
 *     if (!rc) rc = gf_plan_exec(plan, &in, out, &report);
 *     gf_plan_drop(plan);
 *     b->close(context); */
#ifndef GF_CORE_BASE_BACKEND_H
#define GF_CORE_BASE_BACKEND_H

#include <stdio.h>

#include "core/base/host/environment.h"
#include "core/base/job/job.h"
#include "core/base/value/span.h"

enum { GF_MAX_PASSES = 48, GF_MAX_SHARES = 16, GF_REASON = 256, GF_CODE_PATH = 64 };

/* ---- devices ---- */

/* The most devices that one backend lists. */
enum { GF_GPU_MAX_DEVICES = 32 };

/* Properties of a GPU backend's device, for `gpufft devices` and planning. Listing opens no
 * context. */
struct gf_gpu_props {
    char name[128];     /* "NVIDIA H200" */
    char platform[128]; /* "CUDA 13.0", "Portable Computing Language 3.1" */
    char driver[128];   /* version; part of a kernel's cache key, as is `compiler` */
    /* NVRTC's version and the real architecture; the OpenCL device's compiler */
    char compiler[128];
    int64_t memory;           /* total bytes */
    int64_t max_alloc;        /* largest single buffer */
    int64_t local_bytes;      /* tile memory available to a work group at launch */
    int64_t unit_local_bytes; /* tile memory of a compute unit, shared by its groups */
    int max_group;            /* most work items in a group */
    int units;                /* multiprocessors, compute units; 0 in a list: unknown */
    int warp;                 /* items in lockstep (warp, wavefront): 32, 64; 1 on a CPU */
    /* passes with at least this many bytes between them are joined into one launch; 0: never */
    int64_t chain_bytes;
    bool fetches; /* copies to a group's memory while the group computes */
    bool fp64;
    int64_t max_items[3]; /* most work items in a group along each axis */
    int clock_mhz;        /* maximum; 0 if unknown */
    /* separated by blanks; CUDA: the architecture; from gf_device_text() */
    const char *extensions;
    const struct gf_environment *environment; /* of whoever lists or opens it */
    uint64_t handle; /* the API's: CUDA's number, OpenCL's device, EGL's display, Vulkan's device */
    int64_t max_groups; /* most groups along an axis of a launch; 0: any number */
    bool is_cpu;        /* the device is the CPU */
    bool plain; /* has plain kernels of an axis alone: none that are general, joined, chained */
};

/* Returns the text in memory that is never freed; "" if memory is short. */
const char *gf_device_text(const char *text);

/* ---- plans ---- */

/* One pass over the data, or one walk over its parts; `gpufft plan` prints those that run. */
struct gf_pass_info {
    char what[240]; /* "x: 4096 = 8·8·8·8, u8 -> half spectrum" */
    int64_t bytes_read;
    int64_t bytes_written;
    /* Expected time on a device, as the bytes that it could copy meanwhile; 0 if unknown. */
    double cost;
    bool part;     /* reads only a few lines or bins, for the next pass's display range */
    bool host;     /* the CPU does it for the device */
    int walk;      /* of gf_plan.inner: it belongs to pass[walk - 1] */
    unsigned step; /* of a walk (core/schedule/plan.h) */
};

/* One device's share of a plan: pages, bins of all pages, and the bytes that it sends to other
 * devices, directly or through host memory. */
struct gf_plan_share {
    char device[64]; /* as the user named it */
    struct gf_span pages, bins;
    int64_t bytes; /* of device memory */
    int64_t sent;
    bool direct;
};

/* Measured rates of a device in bytes a second; 0: unknown. */
struct gf_device_rates {
    double copy;      /* of its memory, reads plus writes */
    double bus[2];    /* host arrays to the device and back */
    double locked[2]; /* the same for page-locked arrays */
    double link;      /* to another device of its kind */
    double open;      /* seconds to open a context */
};

/* Expected times, from host memory to host memory, of the first device and of all devices in a
 * list. */
struct gf_plan_times {
    int devices;                  /* in the list; 0: no estimate */
    double one, several;          /* seconds; `several` includes opening contexts */
    struct gf_device_rates rates; /* rates behind the estimate */
    bool bus_assumed, link_assumed;
};

/* How a GPU backend chooses among plans. */
enum gf_plan_how {
    GF_PLAN_KEPT,     /* a plan kept by an earlier measurement, else the estimate */
    GF_PLAN_ESTIMATE, /* the plan expected to be fastest */
    GF_PLAN_MEASURE,  /* a kept plan; else measures some and keeps the fastest */
    GF_PLAN_REMEASURE /* always measures */
};

/* How the plan was chosen. */
struct gf_plan_choice {
    bool kept;              /* chosen by a measurement, now or earlier */
    bool refused;           /* a kept choice does not fit this job and was ignored */
    int measured;           /* plans measured now; 0: none */
    bool noisy;             /* measured times varied too much, so the estimate stays */
    double ms, estimate_ms; /* of the chosen plan, and of the estimated one */
};

struct gf_plan {
    struct gf_pass_info pass[GF_MAX_PASSES];
    int n_passes;
    /* in_slabs: the passes of the largest part of each walk. */
    struct gf_pass_info inner[GF_MAX_PASSES];
    int n_inner;
    int64_t workspace_bytes; /* besides the input and output arrays */
    int64_t device_bytes;    /* device memory used, arrays included */
    bool feeds;              /* exec_fed() runs it */
    /* The arrays do not fit the device, so exec() moves them through its memory in slabs, and
     * passes are over host memory. */
    bool in_slabs;
    /* Participating devices; without in_slabs they keep the arrays in their memory. */
    int n_shares;
    struct gf_plan_share share[GF_MAX_SHARES];
    struct gf_plan_times times; /* if the backend shares and has a list of devices */
    int kernels_built;          /* GPU backends: kernels compiled because the cache lacked them */
    double build_seconds;       /* to find and compile them */
    struct gf_plan_choice choice;
    struct gf_job job; /* as planned */
    const struct gf_plan_ops *ops;
    const struct gf_backend *backend;
    void *context;        /* the backend's; outlives the plan */
    void *impl;           /* the backend's own */
    struct gf_bound *own; /* gf_plan_exec()'s, or NULL */
};

/* A plan bound to its arrays by gf_plan_bind(), with the memory for one run at a time. Several
 * threads may run a plan of a per_thread backend at once, each bound by itself; other plans, and all
 * that is bound to one, only one thread at a time. */
struct gf_bound {
    int (*run)(struct gf_bound *bound, struct gf_report *report); /* `report` begins as zeros */
    struct gf_plan *plan;
    struct gf_array in, out[GF_MAX_OUTPUTS]; /* views, which match the job */
    struct gf_report unread;
    /* For the caller to set: NULL, or asked now and then, in the thread that runs, with the finished
     * share of the run; nonzero ends it with GF_ECANCELED. Only passes in host memory ask. */
    int (*tick)(void *user, double done);
    void *user;
    void *impl; /* the backend's own */
};

/* The operations of a plan; a backend has one table for each way to run a job. */
struct gf_plan_ops {
    /* Runs the job on the arrays of *bound, and changes no more than these and it if the backend is
     * per_thread. bound->impl begins as bound_bytes of zeros. NULL: an upload(),
     * run() and download(), in turn. */
    int (*exec)(struct gf_bound *bound, struct gf_report *report);
    size_t bound_bytes;
    /* exec() for arrays that on_device->place() made, without moving them. Returns once it is queued if
     * the report is bound->unread. NULL: GF_EUNSUPP. */
    int (*exec_placed)(struct gf_bound *bound, struct gf_report *report);
    int (*bind)(struct gf_bound *bound);    /* optional: prepares runs on new arrays */
    void (*unbind)(struct gf_bound *bound); /* frees bound->impl, which is not NULL; NULL: free() */
    /* gf_plan_exec() for a plan with `feeds`, while input rows are still arriving. It writes only after
     * reading them all, so out[0] may share the input's memory. An incomplete feed is no failure,
     * but leaves the outputs meaningless. */
    int (*exec_fed)(struct gf_plan *plan, const struct gf_array *in, struct gf_feed *feed,
                    struct gf_array *out, struct gf_report *report);
    /* Optional: runs the job, on uploaded arrays if there is an upload(), and gives the seconds of
     * each listed pass; NAN for a pass joined to the one before. GF_EUNSUPP if passes cannot be
     * timed. */
    int (*time)(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                double *seconds);
    /* A run's parts if a device keeps the arrays, else NULL. run() repeats the job `times`
     * times and, unless NULL, sets *seconds to the time by the device's clock. */
    int (*upload)(struct gf_plan *plan, const struct gf_array *in);
    int (*run)(struct gf_plan *plan, int times, double *seconds);
    int (*download)(struct gf_plan *plan, struct gf_array *out, struct gf_report *report);
    void (*drop)(struct gf_plan *plan); /* frees plan->impl */
};

/* For gf_backend.plan(): sets the operations and, with so many bytes of zeros, `impl`, which it
 * returns; NULL, with GF_ENOMEM's message, if memory is short. */
void *gf_plan_impl(struct gf_plan *plan, const struct gf_plan_ops *ops, size_t bytes);
void gf_plan_drop(struct gf_plan *plan); /* takes NULL */
/* Bytes that n passes read and write. */
int64_t gf_pass_bytes(const struct gf_pass_info *pass, int n);
/* in and out[i] have the shapes of gf_job_in_shape() and gf_job_out_shape(), with any strides. The
 * input is not written unless the job spends it. Either all are in host memory, or all are placed
 * on the device of the plan's context. `report` may be NULL. */
int gf_plan_exec(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                 struct gf_report *report);
/* Prepares runs on these arrays. *bound is NULL, or the plan bound to other arrays, whose memory
 * then serves again. The caller drops it before the plan. */
int gf_plan_bind(struct gf_plan *plan, const struct gf_array *in, const struct gf_array *out,
                 struct gf_bound **bound);
static inline int gf_bound_run(struct gf_bound *bound, struct gf_report *report) {
    if (report)
        *report = (struct gf_report){0};
    return bound->run(bound, report ? report : &bound->unread);
}
void gf_bound_drop(struct gf_bound *bound); /* takes NULL */

/* Appends a pass with the bytes that it moves, and its text as by snprintf(). */
struct gf_pass_info *gf_pass_list(struct gf_plan *plan, int64_t bytes_read, int64_t bytes_written,
                                  const char *form, ...) __attribute__((format(printf, 4, 5)));

/* List the passes of a job that runs as a load step, one axis after the other, and a store step.
 * Each call appends to the plan, whose job is set:
 *
 *     gf_pass_list_load(plan, before);
 *     gf_pass_list_axes(plan, "fftw (estimate)", true, false, before, after);
 *     gf_pass_list_store(plan, after);
 *
 * `before` and `after`: bytes of the work buffers before and after the transform. */
void gf_pass_list_load(struct gf_plan *plan, int64_t before);
/* The halved axis is first from reals to half spectra (r2c), last on the way back (c2r). */
void gf_pass_list_axes(struct gf_plan *plan, const char *who, bool r2c, bool c2r, int64_t before,
                       int64_t after);
/* All outputs, and searches for their display ranges. */
void gf_pass_list_store(struct gf_plan *plan, int64_t after);

struct gf_backend_options {
    const struct gf_environment *environment;
    int threads;        /* 0: OMP_NUM_THREADS, else the CPUs that this process may use */
    const char *device; /* GPU backends: a number or part of a name; NULL: the first device */
    /* Instead of `device`: devices that work together. Backends with `several` use all of them for
     * each job, those with `shares` only for jobs that do not fit the first. */
    const char *const *devices;
    int n_devices;
    struct gf_device_rates rates, slowest; /* of the first device, and of the slowest */
    /* The devices also share a job that fits the first one if this many times as fast is expected;
     * 0: 1. */
    double least_gain;
    bool no_peer; /* the devices exchange data only through host memory */
    /* The devices share every transform to or from one complex spectrum, however small, and keep
     * their shares of the arrays in memory between on_device's calls. */
    bool resident;
    /* GPU backends: small arrays use kernels for all sizes, since compiling one for a single size
     * takes longer than it saves. */
    bool general;
    bool dry; /* GPU backends: plans are only inspected, so no kernel is compiled */
    /* GPU backends: called, on any thread, when a kernel is compiled because none is kept. */
    void (*compiling)(const char *device);
    int64_t device_memory; /* GPU backends: bytes of device memory to use; 0: all */
    enum gf_plan_how plan;
    const char *fftw_plan; /* "estimate" (NULL), "measure", "patient" */
    double plan_seconds;   /* limit for measuring one plan; 0: none */
    /* cuFFTXt, and `resident` with `shares`: each device ends with its own pages (rows of a
     * picture) of the result. */
    bool natural_order;
    /* MKL's file or IPP's folder, ignored by probe(); NULL: where the loader finds them. */
    const char *library;
};

/* The device behind a GPU backend, for `gpufft bench`. */
struct gf_device_speed {
    char name[128]; /* ends with ", the CPU itself" if it is */
    double copy;    /* bytes read plus written a second by a copy */
};

/* Device operations without a plan. */
struct gf_on_device {
    int (*measure)(void *context, struct gf_device_speed *speed);
    /* Seconds, by the host's clock, to copy `bytes` to the device and back, from malloc() memory or
     * page-locked memory. */
    int (*transfer)(void *context, int64_t bytes, bool pinned, double seconds[2]);
    /* Bytes a second each way between the list's first two devices, both sending. NULL, GF_EUNSUPP:
     * they cannot reach each other's memory. */
    int (*link)(void *context, int64_t bytes, double *speed);
    /* Page-locks an array that is copied more than once; *locked is false if it already was. NULL,
     * GF_EUNSUPP: it has no such memory, and unlock() does nothing. */
    int (*lock)(void *context, void *host, int64_t bytes, bool *locked);
    void (*unlock)(void *context, void *host);
    /* Copies an array to new memory of the device, or only takes that memory if host->data is NULL;
     * copies it back to an array of its shape; frees it, while no plan runs on it. NULL: no plan
     * takes placed arrays. */
    int (*place)(void *context, const struct gf_array *host, struct gf_array *placed);
    int (*fetch)(void *context, const struct gf_array *placed, struct gf_array *host);
    void (*displace)(void *context, struct gf_array *placed);
    /* Instead of place(), for an array that the caller has in the device's memory, at the address that is
     * its data: checks it, and displace() does not free it. Its plan's commands are between those of the
     * caller's stream: order() before a run makes them wait for the stream, and `behind` it makes the
     * stream wait for them. NULL, GF_EUNSUPP: no such memory. */
    int (*adopt)(void *context, const char *which, const struct gf_array *own,
                 struct gf_array *placed);
    int (*order)(void *context, void *stream, bool behind);
};

struct gf_dwt_streamer;

struct gf_backend {
    const char *name;
    const char *what; /* one line for `gpufft devices` */
    const void *own;  /* the backend's data; GPU backends: struct gf_gpu */

    /* auto's order, from 1 on, among the backends on devices and among those in host memory; 0:
     * never picked. */
    int automatic;
    bool devices; /* runs on a device, chosen by --device */
    bool several; /* only on several devices together */
    bool shares;  /* on one device, or on several together */
    /* Each thread has its own context, and results do not depend on the number of threads. False:
     * the process has one context, used by one thread at a time. */
    bool per_thread;
    bool powers_of_two; /* only lengths of 2^k; others are GF_EUNABLE */
    unsigned ops;       /* bits 1 << enum gf_op, of a backend without packs(); 0: all */
    /* Tells how a plan for the whole job packs half spectra (struct gf_output), so that parts pack
     * and round alike. NULL: no packing. */
    enum gf_packing (*packs)(const struct gf_job *job);
    /* Wavelets plane by plane; NULL: none. */
    const struct gf_dwt_streamer *streamer;

    /* Returns 0 and describes the backend in `reason` (library version, instruction set, threads),
     * or GF_EABSENT with the cause and the remedy. Opens nothing. */
    int (*probe)(const struct gf_backend *b, const struct gf_environment *env,
                 char reason[GF_REASON]);
    /* probe() without starting a driver, which takes 0.1 s: only looks for the library. NULL:
     * probe() is as quick. */
    int (*installed)(const struct gf_backend *b, const struct gf_environment *env,
                     char reason[GF_REASON]);
    /* Devices in the order of --device=N, up to GF_GPU_MAX_DEVICES; returns their number or a
     * negative status. Opens nothing. NULL: no devices, or another backend's. */
    int (*list)(const struct gf_backend *b, const struct gf_environment *env,
                struct gf_gpu_props *props);
    int (*open)(const struct gf_backend *b, const struct gf_backend_options *options,
                void **context);
    /* Completes a plan without passes whose job has passed gf_job_validate() and
     * gf_filter_validate(). Call gf_backend_plan(). */
    int (*plan)(struct gf_plan *plan);
    /* The library's name for its code on this CPU, such as "avx512", followed by ", generic path" if that is
     * for every CPU and this one has AVX2; "" if unknown. NULL: no choice, or probe() names it. */
    void (*code_path)(void *context, char text[GF_CODE_PATH]);
    const struct gf_on_device *on_device; /* NULL: arrays stay in host memory */
    /* The context that the calling thread has in this backend's driver, and the return to it: functions of
     * the backend leave another one. NULL: threads have none. */
    void *(*current)(void);
    void (*resume)(void *current);
    /* After a failure: 0, or the device that is lost: 1, which leaves the context unusable, or the place in the
     * options' list of one that jobs are no longer shared with. NULL: never. */
    int (*lost)(void *context);
    void (*close)(void *context);
    /* True if ending the process is faster than close(). NULL: never. */
    bool (*slow_close)(void *context);
};

static inline void *gf_backend_current(const struct gf_backend *b) {
    return b->current ? b->current() : NULL;
}
static inline void gf_backend_resume(const struct gf_backend *b, void *current) {
    if (b->resume)
        b->resume(current);
}

/* Plans a job. *plan is NULL after a failure. */
int gf_backend_plan(const struct gf_backend *b, void *context, const struct gf_job *job,
                    struct gf_plan **plan);
/* Plans a job unless *plan, which may be NULL, is a plan for an equal job; else drops *plan first, so
 * that one plan at a time needs memory. *plan is NULL after a failure. */
int gf_backend_replan(const struct gf_backend *b, void *context, const struct gf_job *job,
                      struct gf_plan **plan);
/* Plans a job, runs it once and drops the plan. `report` may be NULL. */
int gf_backend_run(const struct gf_backend *b, void *context, const struct gf_job *job,
                   const struct gf_array *in, struct gf_array *out, struct gf_report *report);

extern const struct gf_backend gf_backend_openmp, gf_backend_fftw;
extern const struct gf_backend gf_backend_opencl, gf_backend_cuda, gf_backend_opengl;
extern const struct gf_backend gf_backend_vulkan;
extern const struct gf_backend gf_backend_directcompute;
/* For comparison; auto never picks them. */
extern const struct gf_backend gf_backend_cufft, gf_backend_c;
/* Yardsticks for `gpufft bench`; in no list. */
extern const struct gf_backend gf_backend_mkl, gf_backend_ipp, gf_backend_vkfft;
extern const struct gf_backend gf_backend_clfft, gf_backend_cufftxt;

#endif
