/* Shared by the tests of jobs beyond a device's memory: their command line, a job on devices of little
 * memory, and an OpenCL of which one call fails. */
#ifndef GF_TESTS_GPU_LIMITED_H
#define GF_TESTS_GPU_LIMITED_H

#include "core/gpu/gpu.h"
#include "tests/core/backends.h"

/* ---- the command line: [gpu | all] [BACKEND...] ---- */

struct limited_args {
    bool gpu; /* devices that are not the CPU alone: kernels are built in no time, all jobs run */
    bool all; /* all jobs on the CPU too, which takes minutes */
    char **names; /* of backends, ends with NULL; none: every backend */
};
struct limited_args limited_args_read(int argc, char **argv);

/* Whether the backend is among them and has the device (NULL: its first one); prints why it is skipped
 * where it has none. Fills *s and the properties of the device. */
bool limited_subject(const struct limited_args *args, const struct gf_backend *b,
                     const char *device, struct subject *s, struct gf_gpu_props *props);
/* Whether the i-th of the jobs runs on that device: on the CPU a sample of one in `of`, without `all` and LONG=1. */
bool limited_runs(const struct limited_args *args, const struct gf_gpu_props *props, size_t i,
                  int of);

/* ---- a job on devices of little memory ---- */

struct limited_job {
    struct gf_job job;
    struct gf_filter *filter;
    struct gf_plan *plan;
};
/* Opens the backend with the options, as both contexts of the subject, and plans the job in words. 0 or
 * an error; limited_close() in either case. */
int limited_open(struct subject *s, const struct gf_backend_options *options, const char *text,
                 struct limited_job *j);
/* Runs it, contiguous and strided, beside sums in long double. The plan is dropped before. */
void limited_check(struct subject *s, struct limited_job *j);
void limited_close(struct subject *s, struct limited_job *j);

/* ---- an OpenCL of which one call fails ---- */

struct limited_failing {
    int error;    /* with which it fails */
    int at;       /* which call fails, from 1 on; 0: none */
    int calls;    /* how many there were */
    int64_t held; /* buffers, of all devices */
};
extern struct limited_failing limited_failing;

/* For the functions that a test replaces: counts a call; the error where it is the one to fail. */
int limited_fails(void);
/* alloc(), view(), free() and launch() are replaced already. */
struct gf_gpu limited_opencl(void);
/* Two devices, as a test names them: what a kernel reads of the other one's memory, the last of the most
 * buffers, is copied before; and how many launches did. */
extern void *limited_pair[2];
extern int limited_read;

/* A complex job in words, its random input, and two arrays for its output. limited_free() frees them, also
 * where they are zeroed. */
int limited_arrays(const char *text, struct gf_job *job, struct gf_array *in, struct gf_array *out,
                   struct gf_array *again);
void limited_free(struct gf_array *in, struct gf_array *out, struct gf_array *again);

#endif
