/* A backend runs jobs. Each fills one table of properties and functions, struct gf_backend; the
 * list of them is core/session/backends.h. A run from end to end:
 *
 *     void *context;
 *     struct gf_plan *plan;
 *     struct gf_report report;
 *     int rc = gf_backend_open(b, &(struct gf_backend_options){.threads = 4}, &context);
 *     if (!rc) rc = b->plan(context, &job, &plan);
 *     if (!rc) rc = plan->ops->exec(plan, &in, out, &report);
 *     gf_plan_drop(plan);
 *     b->close(context);                                                                       */
#ifndef GF_CORE_BASE_BACKEND_H
#define GF_CORE_BASE_BACKEND_H

#include <stdio.h>

#include "core/base/device.h"
#include "core/base/job.h"
#include "core/base/span.h"

enum { GF_MAX_PASSES = 48, GF_MAX_SHARES = 16, GF_REASON = 256, GF_CODE_PATH = 64 };

/* One walk over the data: what `gpufft plan` prints is what runs. */
struct gf_pass_info {
    char what[224]; /* "x: 4096 = 8·8·8·8, u8 -> half spectrum" */
    int64_t bytes_read;
    int64_t bytes_written;
    /* On a device: how many bytes could be copied there in the time that the pass is expected to
     * take; 0 where nothing is expected. */
    double cost;
    bool part; /* a few lines or bins for the next pass' display range: no walk of its own */
};

/* The share of a plan that one of several devices has: some pages, and some bins of all pages; and the bytes that
 * it sends to the others, directly or through host memory. */
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

/* How long one device of a list, and all of them, are expected to take from host memory to host memory. */
struct gf_plan_times {
    int devices;         /* of the list; 0: nothing is expected */
    double one, several; /* seconds; several: with the contexts that are still to be opened */
    struct gf_device_rates rates; /* they follow from */
    bool bus_assumed, link_assumed;
};

/* Which of several plans a GPU backend runs, where there is a choice. */
enum gf_plan_how {
    GF_PLAN_KEPT, /* the one that a measurement kept, else the one that is expected to be fastest */
    GF_PLAN_ESTIMATE, /* the latter */
    GF_PLAN_MEASURE,  /* the one kept, else measures a few, and keeps the fastest */
    GF_PLAN_REMEASURE /* measures in any case */
};

/* How that was done. */
struct gf_plan_choice {
    bool kept;              /* it is the choice of a measurement, of this run or an earlier one */
    bool refused;           /* a choice was kept that is no plan of this job here: it was ignored */
    int measured;           /* plans that were measured now; 0: none */
    bool noisy;             /* they took different times each time: the estimate stays */
    double ms, estimate_ms; /* of the plan kept, and of the one that is expected to be fastest */
};

struct gf_plan {
    struct gf_pass_info pass[GF_MAX_PASSES];
    int n_passes;
    int64_t workspace_bytes; /* beside the input and output arrays */
    int64_t device_bytes;    /* taken of a device's own memory, input and output included */
    bool feeds;              /* exec_fed() runs it */
    /* The arrays do not fit the device: exec() takes them through its memory part by part. The passes are
     * walks over host memory. */
    bool in_slabs;
    int n_shares; /* several devices take part in it; not in_slabs: with the arrays in their memory */
    struct gf_plan_share share[GF_MAX_SHARES];
    struct gf_plan_times times; /* of a backend that shares, for a list of devices */
    int kernels_built;    /* GPU backends: compiled for this plan, and not found in the cache */
    double build_seconds; /* finding and compiling */
    struct gf_plan_choice choice;
    struct gf_job job; /* as planned */
    /* Backends with packs(): the axis along which every `pair_lines` real lines are a group, within which
     * they are paired, so that the last bits of the result depend on where groups begin; -1: none. */
    int pair_axis;
    int64_t pair_lines;
    const struct gf_plan_ops *ops;
    void *context; /* of the backend; outlives the plan */
    void *impl;    /* the backend's own */
};

/* A plan with the arrays of its runs, so that a run is one call: made by gf_plan_bind() and run by
 * gf_bound_run() in one thread, which takes turns with all other runs of the plan. */
struct gf_bound {
    int (*run)(struct gf_bound *bound, struct gf_report *report);
    struct gf_plan *plan;
    struct gf_array in, out[GF_MAX_OUTPUTS]; /* views; the arrays stay where they are */
    void *impl;                              /* of the plan's bind(), from calloc() */
};

/* The operations of a plan; a backend has a table of these for each of its ways to run a job. */
struct gf_plan_ops {
    /* in and out[i] have the shapes that gf_job_in_shape and gf_job_out_shape say, any strides;
     * the input is not written unless the job spends it. One plan serves any number of runs, one at
     * a time. `report` may be NULL. */
    int (*exec)(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                struct gf_report *report);
    /* Sets bound->run, and bound->impl, where runs on these arrays can do with less than exec() does,
     * whose results they have; it has been set to call exec(). NULL: they cannot. */
    int (*bind)(struct gf_bound *bound);
    /* The same as exec() for a plan that feeds: begins while rows of the input are still to come, and writes
     * after it has read them all, so that out[0] may be in the input's memory. If the feed does not complete,
     * which is no failure, the outputs are worth nothing. */
    int (*exec_fed)(struct gf_plan *plan, const struct gf_array *in, struct gf_feed *feed,
                    struct gf_array *out, struct gf_report *report);
    /* Runs the job with the seconds of each listed pass, NAN for one that ran together with the one before;
     * on what was uploaded where there is an upload(). GF_EUNSUPP, or NULL: not timed apart. */
    int (*time)(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                double *seconds);
    /* The parts of exec() where a device keeps the arrays; NULL otherwise. run() takes the job through
     * `times` times on what was uploaded; *seconds, unless NULL, is set to the time that took by the
     * device's own clock. */
    int (*upload)(struct gf_plan *plan, const struct gf_array *in);
    int (*run)(struct gf_plan *plan, int times, double *seconds);
    int (*download)(struct gf_plan *plan, struct gf_array *out, struct gf_report *report);
    void (*drop)(struct gf_plan *plan); /* frees plan->impl */
};

/* A plan of no passes yet, with impl_bytes of zeros as its `impl`; NULL with GF_ENOMEM's message. */
struct gf_plan *gf_plan_new(void *context, const struct gf_job *job, const struct gf_plan_ops *ops,
                            size_t impl_bytes);
void gf_plan_drop(struct gf_plan *plan); /* takes NULL */
/* The end of gf_backend.plan: *out becomes the plan, or NULL, and the plan is dropped, where rc is a failure.
 * Returns rc. */
int gf_plan_finish(struct gf_plan *plan, int rc, struct gf_plan **out);
/* Makes ready runs of exec() on these arrays. The caller drops *bound before the plan. `report` of a run
 * may be NULL. */
int gf_plan_bind(struct gf_plan *plan, const struct gf_array *in, const struct gf_array *out,
                 struct gf_bound **bound);
static inline int gf_bound_run(struct gf_bound *bound, struct gf_report *report) {
    return bound->run(bound, report);
}
void gf_bound_drop(struct gf_bound *bound); /* takes NULL */
/* exec for plans with an upload(): checks the arrays, uploads, runs and downloads, and sets report->ms to
 * what each part took. */
int gf_plan_exec_parts(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report);

struct gf_backend_options {
    int threads; /* 0: OMP_NUM_THREADS, else the CPUs that this process may use */
    /* GPU backends: number or part of a name; NULL: the first. Those with `several`: a list with commas
     * between, or "all"; those with `shares`: a list with commas between, which share the jobs that do not
     * fit the first one. */
    const char *device;
    struct gf_device_rates rates, slowest; /* of the first of these, and of the slowest */
    /* They share a job that fits the first one where that is expected to be so many times as fast; 0: 1. */
    double least_gain;
    bool no_peer; /* these exchange data through the host's memory alone */
    /* These share every transform to or from one complex spectrum, small ones too, and on_device keeps
     * their shares of the arrays in their memory. */
    bool resident;
    /* GPU backends: small arrays by kernels that serve all sizes, for compiling those of one size
     * would take longer than what they save. */
    bool general;
    bool dry; /* GPU backends: plans are looked at alone, so that no kernel is compiled */
    int64_t device_memory; /* GPU backends: bytes of the device's that may be taken; 0: all */
    enum gf_plan_how plan;
    const char *fftw_plan; /* "estimate" (NULL), "measure", "patient" */
    double plan_seconds;   /* most that those two measure for one plan; 0: no limit */
    /* cuFFTXt, resident ones of `shares`: each device ends with its pages of the result; of a picture, rows. */
    bool natural_order;
    /* MKL's file, or IPP's folder, which probe() does not know; NULL: where the loader finds them */
    const char *library;
};

/* The place of a GPU backend's arrays, for `gpufft bench`. */
struct gf_device_speed {
    char name[128];
    double copy; /* bytes read plus written a second, when it copies */
};

/* Operations on a device that need no plan. */
struct gf_on_device {
    /* Names the device and measures it. */
    int (*measure)(void *context, struct gf_device_speed *speed);
    /* Seconds, by the host's clock, that copying so many bytes takes to the device and back, from
     * memory of malloc() or from page-locked memory. */
    int (*transfer)(void *context, int64_t bytes, bool pinned, double seconds[2]);
    /* Bytes a second that the first two devices of a list send each other, each way, both at once. NULL,
     * GF_EUNSUPP: they do not reach each other's memory. */
    int (*link)(void *context, int64_t bytes, double *speed);
    /* Page-locks an array that plans in slabs will use more than once, until unlock(); *locked is
     * false where it was locked before. NULL where plans are never in slabs. */
    int (*lock)(void *context, void *host, int64_t bytes, bool *locked);
    void (*unlock)(void *context, void *host);
};

struct gf_dwt_streamer;

struct gf_backend {
    const char *name;
    const char *what; /* one line for `gpufft devices` */
    const void *own;  /* what the backend's functions find here: of GPU backends struct gf_gpu */

    /* auto's order among the backends on devices, and among those in host memory, from 1 on; 0:
     * auto never picks it. */
    int automatic;
    bool devices; /* works on a device, which --device picks among several */
    bool several; /* works on several devices together, which --device lists, and not on one */
    bool shares;  /* works on one device, or on those of a list together */
    /* Every thread has a context of its own, and results do not depend on how many there are.
     * False: one context for the process, where one thread works at a time. */
    bool per_thread;
    bool powers_of_two; /* plans transforms of 2^k points alone, GF_EUNABLE for others */
    /* NULL, or how a plan for all of this job packs its half spectra (struct gf_output): parts of
     * the job do so too, and round alike. */
    enum gf_packing (*packs)(const struct gf_job *job);
    /* Wavelets plane by plane; NULL: it has none. */
    const struct gf_dwt_streamer *streamer;

    /* 0 when usable; otherwise GF_EABSENT and in `reason` one line: why, and the remedy. When
     * usable, `reason` describes it (library version, instruction set, threads). Opens nothing. */
    int (*probe)(const struct gf_backend *b, char reason[GF_REASON]);
    /* As probe, as far as that can be told without starting a driver, which takes a tenth of a
     * second: whether its library is there. NULL: that is all that probe does. */
    int (*installed)(const struct gf_backend *b, char reason[GF_REASON]);
    /* The devices in the order of --device=N; fills at most `most`, returns how many there are, or
     * a negative status. Opens nothing. NULL where there are none, or another backend's. */
    int (*list)(const struct gf_backend *b, struct gf_gpu_props *props, int most);
    int (*open)(const struct gf_backend *b, const struct gf_backend_options *options,
                void **context);
    int (*plan)(void *context, const struct gf_job *job, struct gf_plan **plan);
    /* The library's own name for the code that it runs on this CPU, as "avx512"; "" where that cannot
     * be told. NULL: it has no choice of them, or probe() names it. */
    void (*code_path)(void *context, char text[GF_CODE_PATH]);
    const struct gf_on_device *on_device; /* NULL: arrays stay in the host's memory */
    /* After a failure: true when nothing further runs in this context. NULL where that cannot be.
     */
    bool (*lost)(void *context);
    void (*close)(void *context);
    /* Whether close() takes longer than the end of the process does with the context open. NULL: no. */
    bool (*slow_close)(void *context);
};

static inline int gf_backend_probe(const struct gf_backend *b, char reason[GF_REASON]) {
    return b->probe(b, reason);
}
static inline int gf_backend_list(const struct gf_backend *b, struct gf_gpu_props *props,
                                  int most) {
    return b->list(b, props, most);
}
static inline int gf_backend_open(const struct gf_backend *b,
                                  const struct gf_backend_options *options, void **context) {
    return b->open(b, options, context);
}

extern const struct gf_backend gf_backend_openmp, gf_backend_fftw;
extern const struct gf_backend gf_backend_opencl, gf_backend_cuda, gf_backend_opengl;
/* For comparison: never picked by auto. */
extern const struct gf_backend gf_backend_cufft, gf_backend_c;
/* Yardsticks for `gpufft bench` alone: in no list. */
extern const struct gf_backend gf_backend_mkl, gf_backend_ipp, gf_backend_vkfft;
extern const struct gf_backend gf_backend_clfft, gf_backend_cufftxt;

#endif
