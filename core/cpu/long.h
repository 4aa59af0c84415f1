/* Transforms of one long line, which has no neighbours to fill the lanes with: the line is cut into
 * two short axes (Bailey's four-step, 1990), whose lines are each other's neighbours. Two passes
 * over memory for any smooth length; other lengths convolve with a chirp (Bluestein). */
#ifndef GF_CORE_CPU_LONG_H
#define GF_CORE_CPU_LONG_H

#include "core/base/backend.h"
#include "kernels/cpu/cpu.h"

struct gf_cpu_long {
    long n;
    const struct gf_cpu_kernels *kernels;
    int threads;
    bool stays; /* see gf_cpu_stays_cached() */
    /* n = n1 n2: sample n2 i1 + i2 is point i1 of line i2, frequency k1 + n1 k2 point k2 of line
     * k1. */
    long n1, n2;
    struct gf_cpu_line *line1, *line2;
    struct gf_cpu_twist twist;
    void *tables[2]; /* the twist's */
    int64_t work_bytes;
    size_t scratch_bytes; /* a thread */
    char *work, *scratch; /* taken at the first run */
    /* Other lengths: the convolution's length and tables, interleaved complex. */
    struct gf_cpu_long *convolution;
    char *chirp, *spectrum, *padded;
};

/* True for lengths that gf_cpu_long_plan() cuts in two without a convolution. */
bool gf_cpu_long_splits(int64_t n, long *n1, long *n2);

/* GF_ENOMEM when memory for the tables is short. Free with gf_cpu_long_free(); NULL is fine. */
int gf_cpu_long_plan(long n, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_long **out);
void gf_cpu_long_free(struct gf_cpu_long *l);
/* Bytes that runs take beside their arrays. */
int64_t gf_cpu_long_bytes(const struct gf_cpu_long *l);
/* Complex in[0 .. n) to out[0 .. n), interleaved, in the kernels' precision, unscaled; out may be
 * in. factor goes on the result. */
int gf_cpu_long_run(struct gf_cpu_long *l, const void *in, void *out, bool inverse, double factor);

/* A job over one long line (or a few), whole. */
struct gf_cpu_long_job;
bool gf_cpu_long_job_serves(const struct gf_job *job, const struct gf_cpu_kernels *kernels);
/* Sets *out to NULL when the job is not of that kind; the passes of cpu_passes.h serve it then. */
int gf_cpu_long_job_plan(const struct gf_job *job, const struct gf_cpu_kernels *kernels,
                         int threads, struct gf_plan *plan, struct gf_cpu_long_job **out);
int gf_cpu_long_job_run(struct gf_cpu_long_job *j, const struct gf_array *in, struct gf_array *out,
                        struct gf_report *report);
void gf_cpu_long_job_free(struct gf_cpu_long_job *j);

#endif
