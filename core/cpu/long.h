/* Transforms of one long line. As no adjacent lines fill the SIMD lanes, it is split into two short
 * axes (Bailey 1990, "FFTs in external or hierarchical memory", four-step). Smooth lengths take two
 * passes over memory; others are convolved with a chirp (Bluestein 1970).
 *
 *     struct gf_cpu_long *l;
 *     struct gf_cpu_long_memory m = {.work = NULL};
 *     rc = gf_cpu_long_plan(1000000, kernels, threads, &l);
 *     if (!rc)
 *         rc = gf_cpu_long_run(l, &m, in, out, false, 1);
 *     gf_cpu_long_memory_free(&m);
 *     gf_cpu_long_free(l);
 *
 * gf_cpu_long_job_plan() plans whole jobs over such lines. Functions return 0 or GF_ENOMEM. */
#ifndef GF_CORE_CPU_LONG_H
#define GF_CORE_CPU_LONG_H

#include "core/base/job/backend.h"
#include "core/cpu/ways.h"
#include "kernels/cpu/cpu.h"

/* Constant once it is made, so that threads may share it. */
struct gf_cpu_long {
    int64_t n;
    const struct gf_cpu_kernels *kernels;
    int threads;
    /* Most of a run's data is still in the threads' caches at the next run, so each thread should
     * get the same tiles: reading another core's writes costs as much as reading memory. */
    bool stays;
    /* n = n1 n2: sample n2 i1 + i2 is point i1 of line i2, frequency k1 + n1 k2 is point k2 of line
     * k1. */
    int64_t n1, n2;
    struct gf_cpu_row *rows; /* n1 vectors of n2 lanes, without tiles; NULL: uses line1 and line2 */
    struct gf_cpu_ways ways; /* to try, for `rows` */
    struct gf_cpu_line *line1, *line2;
    struct gf_cpu_twist twist;
    void *tables[2]; /* of the twist */
    int64_t work_bytes;
    size_t scratch_bytes; /* per thread */
    /* For other lengths: the convolution's transform, and tables of interleaved complex numbers. */
    struct gf_cpu_long *convolution;
    char *chirp, *spectrum;
};

/* The memory for one run at a time, allocated by the first one. Starts as zeros. */
struct gf_cpu_long_memory {
    char *padded; /* a convolution's line; the rest is for its transform */
    char *work, *scratch;
    struct gf_cpu_ways ways; /* with the times of earlier runs */
};

/* True for lengths that are split in two without a convolution. */
bool gf_cpu_long_splits(int64_t n, int64_t *n1, int64_t *n2);

/* Builds the tables. The caller frees them with gf_cpu_long_free(), which accepts NULL. */
int gf_cpu_long_plan(int64_t n, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_long **out);
void gf_cpu_long_free(struct gf_cpu_long *l);
/* Bytes of tables and of memory allocated by runs. */
int64_t gf_cpu_long_bytes(const struct gf_cpu_long *l);
/* Transforms complex in[0 .. n) to out[0 .. n), interleaved, in the kernels' precision, scaled only
 * by `factor`; out may be in. */
int gf_cpu_long_run(const struct gf_cpu_long *l, struct gf_cpu_long_memory *m, const void *in,
                    void *out, bool inverse, double factor);
/* Allocates the memory for runs without a convolution, like the first run. */
int gf_cpu_long_allocate(const struct gf_cpu_long *l, struct gf_cpu_long_memory *m);
void gf_cpu_long_memory_free(struct gf_cpu_long_memory *m);
/* Runs a line that has rows, or a real one of twice its length. Fills s->rows and s->work. */
int gf_cpu_long_run_split(const struct gf_cpu_long *l, struct gf_cpu_long_memory *m,
                          struct gf_cpu_split *s);

/* Packs or unpacks a real line's frequencies, shared by the threads of a team. */
void gf_cpu_long_share_halves(const struct gf_cpu_long *l, const struct gf_cpu_halves *h,
                              bool packs);

/* True for whole jobs over one long line or a few. */
bool gf_cpu_long_job_serves(const struct gf_job *job, const struct gf_cpu_kernels *kernels);
/* Plans plan->job. Unless gf_cpu_long_job_serves(), leaves plan->ops NULL for
 * gf_cpu_plan_make(). */
int gf_cpu_long_job_plan(struct gf_plan *plan, const struct gf_cpu_kernels *kernels, int threads);

#endif
