/* A backend runs jobs. Each is one file and one row in the table of backend.c. */
#ifndef GF_CORE_BASE_BACKEND_H
#define GF_CORE_BASE_BACKEND_H

#include <stdio.h>
#include "core/base/job.h"

enum { GF_MAX_PASSES = 48, GF_REASON = 256 };

/* One walk over the data: what `gpufft plan` prints is what runs. */
struct gf_pass_info {
    char what[192]; /* "x: 4096 = 8·8·8·8, u8 -> half spectrum" */
    int64_t bytes_read;
    int64_t bytes_written;
    /* On a device: how many bytes could be copied there in the time that the pass is expected to
     * take; 0 where nothing is expected. */
    double cost;
};

struct gf_plan {
    struct gf_pass_info pass[GF_MAX_PASSES];
    int n_passes;
    int64_t workspace_bytes; /* beside the input and output arrays */
    int64_t device_bytes;    /* taken of a device's own memory, input and output included */
    int kernels_built;       /* GPU backends: compiled for this plan, and not found in the cache */
    double build_seconds;    /* finding and compiling */
    struct gf_job job;       /* as planned */
    void *impl;              /* the backend's own */
};

struct gf_backend_options {
    int threads;           /* 0: OMP_NUM_THREADS, else the processors this process may use */
    const char *device;    /* GPU backends: number or part of a name; NULL: the first */
    const char *fftw_plan; /* "estimate" (NULL), "measure", "patient" */
    const char *library;   /* mkl: the file to load; NULL: where the loader finds it */
};

/* Where a GPU backend's arrays live, for `gpufft bench`. */
struct gf_device_speed {
    char name[128];
    double copy; /* bytes read plus written a second, when it copies */
};

struct gf_gpu;
struct gf_gpu_props;

struct gf_backend {
    const char *name;
    const char *what;         /* one line for `gpufft devices` */
    bool automatic;           /* may be chosen by auto */
    bool devices;             /* --device chooses among several */
    const struct gf_gpu *gpu; /* lists them; NULL for those that have none of their own */
    /* 0 when usable; otherwise GF_EABSENT and in `reason` one line: why, and the remedy. When
     * usable, `reason` describes it (library version, instruction set, threads). Opens nothing. */
    int (*probe)(char reason[GF_REASON]);
    int (*open)(const struct gf_backend_options *options, void **context);
    int (*plan)(void *context, const struct gf_job *job, struct gf_plan **plan);
    /* in and out[i] have the shapes that gf_job_in_shape and gf_job_out_shape say, any strides;
     * the input is not written unless the job spends it. One plan serves any number of runs, one at
     * a time. */
    int (*exec)(void *context, struct gf_plan *plan, const struct gf_array *in,
                struct gf_array *out, struct gf_report *report);
    /* exec's three parts where arrays live on a device, so that each can be timed; NULL elsewhere.
     * run() does the whole job `times` times on what was uploaded, and says how many seconds that
     * took by the device's own clock; seconds may be NULL. */
    int (*upload)(void *context, struct gf_plan *plan, const struct gf_array *in);
    int (*run)(void *context, struct gf_plan *plan, int times, double *seconds);
    int (*download)(void *context, struct gf_plan *plan, struct gf_array *out,
                    struct gf_report *report);
    /* Names the device and measures it; NULL where arrays live in the host's memory. */
    int (*measure)(void *context, struct gf_device_speed *speed);
    /* After a failure: true when nothing further runs in this context. NULL where that cannot be.
     */
    bool (*lost)(void *context);
    void (*unplan)(void *context, struct gf_plan *plan);
    void (*close)(void *context);
};

extern const struct gf_backend gf_backend_openmp, gf_backend_fftw;
/* A yardstick for `gpufft bench` alone: in no list, never chosen. */
extern const struct gf_backend gf_backend_mkl;
extern const struct gf_backend gf_backend_opencl, gf_backend_cuda;
/* For comparison: never chosen. */
extern const struct gf_backend gf_backend_cufft;
/* NULL-terminated, in the order `devices` lists them. */
extern const struct gf_backend *const gf_backends[];

/* Finds a backend by name; GF_EUSAGE with the list of names when there is none of that name,
 * GF_EABSENT with reason and remedy when it is not usable here. */
int gf_backend_find(const char *name, const struct gf_backend **out);

/* What stands around a job when auto weighs it. */
struct gf_outlook {
    int threads;  /* as in struct gf_backend_options */
    int64_t runs; /* such jobs ahead, this one included */
    bool open;    /* a GPU's context is open already */
};

/* What `auto` takes for this job, and why, in one line: a GPU where the processor would take longer
 * than a context and the copies do, and the device has the memory. Opens no context, and looks for
 * no GPU as long as the processor is done sooner anyway. */
int gf_backend_weigh(const struct gf_job *job, const struct gf_outlook *outlook,
                     const struct gf_backend **out, char why[GF_REASON]);
/* The same for a single run on the usual number of threads. */
int gf_backend_choose(const struct gf_job *job, const struct gf_backend **out, char why[GF_REASON]);

/* The device that `name` (as in struct gf_backend_options) stands for, of a backend that lists its
 * devices; GF_EABSENT with what there is. Opens no context. */
int gf_backend_device(const struct gf_backend *b, const char *name, struct gf_gpu_props *props);
/* The automatic backend that has this device; GF_EABSENT when none has. */
int gf_backend_of_device(const char *name, const struct gf_backend **out);

#endif
