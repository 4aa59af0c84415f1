/* A backend runs jobs. Each fills one table of properties and functions, struct gf_backend; the
 * list of them is core/session/backends.h. A run from end to end:
 *
 *     void *context;
 *     struct gf_plan *plan;
 *     struct gf_report report;
 *     int rc = b->open(b, &(struct gf_backend_options){.threads = 4}, &context);
 *     if (!rc) rc = b->plan(context, &job, &plan);
 *     if (!rc) rc = plan->ops->exec(plan, &in, out, &report);
 *     gf_plan_drop(plan);
 *     b->close(context); */
#ifndef GF_CORE_BASE_BACKEND_H
#define GF_CORE_BASE_BACKEND_H

#include <stdio.h>

#include "core/base/job.h"
#include "core/base/span.h"

enum { GF_MAX_PASSES = 48, GF_MAX_SHARES = 16, GF_REASON = 256, GF_CODE_PATH = 64 };

/* ---- devices ---- */

/* Most devices of one backend that are looked at. */
enum { GF_GPU_MAX_DEVICES = 32 };

/* The properties of one device of a GPU backend, as `gpufft devices` prints them and planning needs
 * them. Listing devices opens no context. */
struct gf_gpu_props {
    char name[128];      /* "NVIDIA H200" */
    char platform[128];  /* "CUDA 13.0", "Portable Computing Language 3.1" */
    char driver[128];    /* version; part of a kernel's cache key together with `compiler` */
    char compiler[128];  /* NVRTC's version and the real architecture; for OpenCL the device's */
    int64_t memory;      /* bytes in all */
    int64_t max_alloc;   /* largest single buffer */
    int64_t local_bytes; /* tile memory that one work group may ask for at launch */
    int64_t unit_local_bytes; /* tile memory of one compute unit, shared by its groups */
    int max_group;            /* most work items of a group */
    int units;                /* multiprocessors, compute units; 0 in a list: unknown */
    int warp;                 /* items that run in step (warp, wavefront): 32, 64; 1 on a CPU */
    int64_t
        /* two passes with at least this many bytes between them become one launch if they can; 0:
         * never */
        chain_bytes;
    bool fetches; /* copies from its memory to a group's while the group computes */
    bool fp64;
    int64_t max_items[3]; /* most work items of a group along each of three axes */
    int clock_mhz;        /* the highest; 0 if unknown */
    const char *
        /* names separated by blanks; for CUDA the architecture; from gf_device_text() */
        extensions;
    uint64_t handle;    /* the API's own: CUDA's number, OpenCL's device, EGL's display */
    int64_t max_groups; /* OpenGL: most groups along one axis of a launch; 0 for other APIs */
    bool is_cpu;        /* a device that is the CPU itself */
    bool shaders; /* its kernels are the shaders of kernels/gl, see core/gpu/api/opengl/shaders.h */
};

/* Returns the text in memory that is never freed; "" if memory is short. */
const char *gf_device_text(const char *text);

/* ---- plans ---- */

/* One walk over the data: what `gpufft plan` prints is what runs. */
struct gf_pass_info {
    char what[224]; /* "x: 4096 = 8·8·8·8, u8 -> half spectrum" */
    int64_t bytes_read;
    int64_t bytes_written;
    /* On a device: the bytes that it could copy in the pass's expected time; 0 if no time is
     * expected. */
    double cost;
    bool part; /* a few lines or bins for the next pass' display range: no walk of its own */
};

/* The share of one of several devices in a plan: some pages, some bins of all pages, and the bytes
 * that it sends to the others, directly or through host memory. */
struct gf_plan_share {
    char device[64]; /* as it was named */
    struct gf_span pages, bins;
    int64_t bytes; /* of its memory */
    int64_t sent;
    bool direct;
};

/* A device's speeds in bytes a second; 0: not known. */
struct gf_device_rates {
    double copy;      /* of its memory, read plus written */
    double bus[2];    /* of arrays in host memory, to the device and back */
    double locked[2]; /* likewise, of page-locked ones */
    double link;      /* to another one of its kind */
    double open;      /* seconds, of a context */
};

/* Expected times of one device of a list and of all of them, from host memory to host memory. */
struct gf_plan_times {
    int devices;                  /* of the list; 0: nothing is expected */
    double one, several;          /* seconds; several: includes opening their contexts */
    struct gf_device_rates rates; /* on which the times are based */
    bool bus_assumed, link_assumed;
};

/* Which plan a GPU backend runs if it has a choice. */
enum gf_plan_how {
    GF_PLAN_KEPT,     /* the plan that an earlier measurement kept, else the estimate */
    GF_PLAN_ESTIMATE, /* the plan that is expected to be fastest */
    GF_PLAN_MEASURE,  /* the plan kept; else measures a few and keeps the fastest */
    GF_PLAN_REMEASURE /* measures in any case */
};

/* How the plan was chosen. */
struct gf_plan_choice {
    bool kept;              /* a measurement chose it, in this run or an earlier one */
    bool refused;           /* the kept choice does not fit this job and was ignored */
    int measured;           /* plans that were measured now; 0: none */
    bool noisy;             /* their times varied too much: the estimate stays */
    double ms, estimate_ms; /* of the plan kept, and of the one that is expected to be fastest */
};

struct gf_plan {
    struct gf_pass_info pass[GF_MAX_PASSES];
    int n_passes;
    int64_t workspace_bytes; /* beside the input and output arrays */
    int64_t device_bytes;    /* taken of a device's own memory, input and output included */
    bool feeds;              /* exec_fed() runs it */
    /* The arrays do not fit the device, so exec() takes them through its memory in parts, and the
     * passes are walks over host memory. */
    bool in_slabs;
    /* devices that take part; without in_slabs they keep the arrays in their memory */
    int n_shares;
    struct gf_plan_share share[GF_MAX_SHARES];
    struct gf_plan_times times; /* of a backend that shares, for a list of devices */
    int kernels_built;          /* GPU backends: compiled because the cache did not have them */
    double build_seconds;       /* finding and compiling */
    struct gf_plan_choice choice;
    struct gf_job job; /* as planned */
    const struct gf_plan_ops *ops;
    void *context; /* of the backend; outlives the plan */
    void *impl;    /* the backend's own */
};

/* A plan bound to its arrays, so that a run is one call: gf_plan_bind() makes it, gf_bound_run()
 * runs it. One thread uses a plan, bound or not, at a time. */
struct gf_bound {
    int (*run)(struct gf_bound *bound, struct gf_report *report);
    struct gf_plan *plan;
    struct gf_array in, out[GF_MAX_OUTPUTS]; /* views; the arrays stay where they are */
    void *impl;                              /* of the plan's bind(), from calloc() */
};

/* The operations of a plan. A backend has one table for each of its ways to run a job. */
struct gf_plan_ops {
    /* in and out[i] have the shapes that gf_job_in_shape and gf_job_out_shape say, any strides; the
     * input is not written unless the job spends it. One plan serves any number of runs, one at a
     * time. `report` may be NULL. */
    int (*exec)(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                struct gf_report *report);
    /* Replaces bound->run, which calls exec(), and sets bound->impl, if runs on these arrays can
     * skip work of exec() and still give its results. NULL: they cannot. */
    int (*bind)(struct gf_bound *bound);
    /* Like exec(), for a plan with `feeds`: begins while rows of the input are still arriving. It
     * writes only after it has read them all, so out[0] may share the input's memory. If the feed
     * does not complete, which is no failure, the outputs are meaningless. */
    int (*exec_fed)(struct gf_plan *plan, const struct gf_array *in, struct gf_feed *feed,
                    struct gf_array *out, struct gf_report *report);
    /* Runs the job and gives the seconds of each listed pass, NAN for one that ran together with
     * the one before. If there is an upload(), it runs on what was uploaded. GF_EUNSUPP, or NULL:
     * passes cannot be timed separately. */
    int (*time)(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                double *seconds);
    /* The three parts of exec() if a device keeps the arrays; NULL otherwise. run() runs the job
     * `times` times on what was uploaded and sets *seconds, unless it is NULL, to the time by the
     * device's own clock. */
    int (*upload)(struct gf_plan *plan, const struct gf_array *in);
    int (*run)(struct gf_plan *plan, int times, double *seconds);
    int (*download)(struct gf_plan *plan, struct gf_array *out, struct gf_report *report);
    void (*drop)(struct gf_plan *plan); /* frees plan->impl */
};

/* Makes a plan without passes, with impl_bytes of zeros as its `impl`; NULL, with the message of
 * GF_ENOMEM, if memory is short. */
struct gf_plan *gf_plan_new(void *context, const struct gf_job *job, const struct gf_plan_ops *ops,
                            size_t impl_bytes);
void gf_plan_drop(struct gf_plan *plan); /* takes NULL */
/* Ends gf_backend.plan(): sets *out to the plan, or drops it and sets *out to NULL if rc is a
 * failure. Returns rc. */
int gf_plan_finish(struct gf_plan *plan, int rc, struct gf_plan **out);
/* Prepares runs on these arrays. The caller drops *bound before the plan. `report` of a run may be
 * NULL. */
int gf_plan_bind(struct gf_plan *plan, const struct gf_array *in, const struct gf_array *out,
                 struct gf_bound **bound);
static inline int gf_bound_run(struct gf_bound *bound, struct gf_report *report) {
    return bound->run(bound, report);
}
void gf_bound_drop(struct gf_bound *bound); /* takes NULL */
/* exec for plans with an upload(): checks the arrays, uploads, runs and downloads, and sets
 * report->ms to what each part took. */
int gf_plan_exec_parts(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report);

/* The passes of a job that runs as a load step, one axis after the other, and a store step, as
 * `gpufft plan` prints them. Each call appends to the plan, whose job is set.
 *
 *     gf_pass_list_load(plan, before);
 *     gf_pass_list_axes(plan, "fftw (estimate)", true, false, before, after);
 *     gf_pass_list_store(plan, after);
 *
 * Sizes are those of the work buffers before and after the transform, in bytes. */
void gf_pass_list_load(struct gf_plan *plan, int64_t before);
/* The halved axis comes first in a transform of reals to half spectra (r2c), last in one back
 * (c2r). */
void gf_pass_list_axes(struct gf_plan *plan, const char *who, bool r2c, bool c2r, int64_t before,
                       int64_t after);
/* All outputs, and the searches for their display ranges. */
void gf_pass_list_store(struct gf_plan *plan, int64_t after);

struct gf_backend_options {
    int threads;        /* 0: OMP_NUM_THREADS, else the CPUs that this process may use */
    const char *device; /* GPU backends: a number or part of a name; NULL: the first device */
    /* In its place, devices that work together: backends with `several` use all of them for each
     * job, those with `shares` for the jobs that do not fit the first one. */
    const char *const *devices;
    int n_devices;
    struct gf_device_rates rates, slowest; /* of the first device and of the slowest one */
    /* The devices also share a job that fits the first one if that is expected to be this many
     * times as fast; 0 means 1. */
    double least_gain;
    bool no_peer; /* the devices exchange data only through host memory */
    /* The devices share every transform to or from one complex spectrum, however small, and keep
     * their shares of the arrays in their memory between on_device's calls. */
    bool resident;
    /* GPU backends: use kernels that serve all sizes for small arrays, as compiling one for a
     * single size takes longer than it saves. */
    bool general;
    bool dry;              /* GPU backends: plans are only inspected, so no kernel is compiled */
    int64_t device_memory; /* GPU backends: bytes of device memory that may be used; 0: all */
    enum gf_plan_how plan;
    const char *fftw_plan; /* "estimate" (NULL), "measure", "patient" */
    double plan_seconds;   /* limit for the measurements of one plan; 0: none */
    /* cuFFTXt, and `resident` with `shares`: each device ends with its own pages of the result
     * (rows, for a picture). */
    bool natural_order;
    /* MKL's file or IPP's folder, unknown to probe(); NULL: where the loader finds them */
    const char *library;
};

/* The device that holds a GPU backend's arrays, for `gpufft bench`. */
struct gf_device_speed {
    char name[128];
    double copy; /* bytes read plus written a second, when it copies */
};

/* Operations on a device that need no plan. */
struct gf_on_device {
    /* Names the device and measures it. */
    int (*measure)(void *context, struct gf_device_speed *speed);
    /* Seconds, by the host's clock, for copying so many bytes to the device and back, in memory of
     * malloc() or in page-locked memory. */
    int (*transfer)(void *context, int64_t bytes, bool pinned, double seconds[2]);
    /* Bytes a second, each way, when the first two devices of a list send to each other at the same
     * time. NULL, GF_EUNSUPP: they cannot reach each other's memory. */
    int (*link)(void *context, int64_t bytes, double *speed);
    /* Page-locks, until unlock(), an array that plans in slabs will use more than once; *locked is
     * false if it was locked before. NULL: plans are never in slabs. */
    int (*lock)(void *context, void *host, int64_t bytes, bool *locked);
    void (*unlock)(void *context, void *host);
};

struct gf_dwt_streamer;

struct gf_backend {
    const char *name;
    const char *what; /* one line for `gpufft devices` */
    const void *own;  /* the backend's own data; for GPU backends struct gf_gpu */

    /* auto's order among the backends on devices, and among those in host memory, from 1 on; 0:
     * auto never picks it. */
    int automatic;
    bool devices; /* works on a device, which --device picks among several */
    bool several; /* works on several devices together, and not on one */
    bool shares;  /* works on one device, or on several together */
    /* Each thread has a context of its own, and results do not depend on their number. False: the
     * process has one context, used by one thread at a time. */
    bool per_thread;
    bool powers_of_two; /* plans only transforms of 2^k points; others are GF_EUNABLE */
    /* NULL, or tells how a plan for the whole job packs its half spectra (struct gf_output), so
     * that parts of the job pack and round alike. */
    enum gf_packing (*packs)(const struct gf_job *job);
    /* Wavelets plane by plane; NULL: it has none. */
    const struct gf_dwt_streamer *streamer;

    /* 0 when usable; otherwise GF_EABSENT and in `reason` one line: why, and the remedy. When
     * usable, `reason` describes it (library version, instruction set, threads). Opens nothing. */
    int (*probe)(const struct gf_backend *b, char reason[GF_REASON]);
    /* Like probe, but does not start a driver, which takes a tenth of a second: only checks for the
     * library. NULL: probe does no more. */
    int (*installed)(const struct gf_backend *b, char reason[GF_REASON]);
    /* The devices in the order of --device=N, up to GF_GPU_MAX_DEVICES; returns how many, or a
     * negative status. Opens nothing. NULL: it has no devices, or another backend's. */
    int (*list)(const struct gf_backend *b, struct gf_gpu_props *props);
    int (*open)(const struct gf_backend *b, const struct gf_backend_options *options,
                void **context);
    int (*plan)(void *context, const struct gf_job *job, struct gf_plan **plan);
    /* The library's name for the code that it runs on this CPU, such as "avx512"; "" if unknown.
     * NULL: it has no choice, or probe() names it. */
    void (*code_path)(void *context, char text[GF_CODE_PATH]);
    const struct gf_on_device *on_device; /* NULL: arrays stay in the host's memory */
    /* After a failure: true if nothing can run in this context any more. NULL: never. */
    bool (*lost)(void *context);
    void (*close)(void *context);
    /* True if ending the process is faster than close(). NULL: never. */
    bool (*slow_close)(void *context);
};

extern const struct gf_backend gf_backend_openmp, gf_backend_fftw;
extern const struct gf_backend gf_backend_opencl, gf_backend_cuda, gf_backend_opengl;
/* For comparison: never picked by auto. */
extern const struct gf_backend gf_backend_cufft, gf_backend_c;
/* Yardsticks for `gpufft bench` alone: in no list. */
extern const struct gf_backend gf_backend_mkl, gf_backend_ipp, gf_backend_vkfft;
extern const struct gf_backend gf_backend_clfft, gf_backend_cufftxt;

#endif
