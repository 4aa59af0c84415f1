/* Cases and rows of `gpufft bench`. Measures nothing. */
#ifndef GF_CLI_BENCH_RESULTS_H
#define GF_CLI_BENCH_RESULTS_H

#include "core/base/backend.h"

enum gf_bench_kind {
    GF_BENCH_C2C,
    GF_BENCH_R2C,
    GF_BENCH_C2R,
    GF_BENCH_PICTURE,      /* u8 to shifted log-magnitude as u8, --range=auto */
    GF_BENCH_PICTURE_FULL, /* with --range=full */
    GF_BENCH_DWT,          /* reals to wavelet coefficients, or back */
    GF_BENCH_FILTER,       /* u8 to u8 through a Gaussian low pass of radius n / 16 bins */
    GF_BENCH_N_KINDS,
    GF_BENCH_EXCHANGE = GF_BENCH_N_KINDS /* between processes: cli/bench/exchange.c */
};
extern const char *const gf_bench_kinds[],
    *const gf_bench_precisions[], *const gf_bench_directions[], *const gf_bench_statuses[];
static inline bool gf_bench_is_picture(enum gf_bench_kind k) {
    return k == GF_BENCH_PICTURE || k == GF_BENCH_PICTURE_FULL;
}

enum { GF_MAX_ENTRANTS = 16, GF_BENCH_NAME = 24 };

/* The machine on which rows were measured. */
struct gf_bench_host {
    char cpu[64], isa[64];
    int cores, threads;
    double copy; /* bytes a second with this many threads; 0: unknown */
};

struct gf_bench_case {
    enum gf_bench_kind kind;
    struct gf_job job;
    struct gf_filter *filter; /* the job's; owned */
    int64_t points;           /* samples, batches included */
    double flops;             /* 5 N log2 n for N / n transforms of n points, half for reals */
    int64_t bytes_in, bytes_out;
    int64_t floor; /* least traffic in bytes with one pass per axis */
};

/* times.c: statistics of a row's run times */
struct gf_times {
    int runs;
    double median, least, p90; /* seconds; p90: 90th percentile */
};

/* Sorts seconds[0..n). */
struct gf_times gf_times_of(double *seconds, int n);
/* True if the median exceeds twice the least: something else ran on the machine. */
bool gf_times_are_noisy(const struct gf_times *t);
/* Returns the one with the smaller median / least. */
const struct gf_times *gf_times_quieter(const struct gf_times *a, const struct gf_times *b);

/* The speed of an entrant's last row; rate 0: none yet. Only rows of the same axes compare. */
struct gf_trend {
    unsigned axes;
    double points, rate; /* operations a second */
};
/* True if the row is below a quarter of the rate of the row before it and their sizes are within a
 * factor of 16. Outgrowing a cache seldom costs that much. */
bool gf_trend_breaks(const struct gf_trend *before, const struct gf_trend *row);

enum gf_bench_status { GF_BENCH_OK, GF_BENCH_WRONG, GF_BENCH_FAILED, GF_BENCH_SKIPPED };

/* A pass as expected and as measured. */
struct gf_bench_pass {
    char what[224];
    int64_t bytes;            /* read and written, including passes timed with this one */
    double expected, seconds; /* seconds; 0: no expectation; not timed separately */
};

/* Seconds, by the host's clock, to copy the input to the device and the output back, for memory
 * from malloc() and page-locked memory. */
struct gf_bench_transfers {
    int64_t bytes[2]; /* in, out */
    double pageable[2], pinned[2];
    double whole; /* the job with its copies; 0: not measured */
};

/* Energy of a run, from the counters of the CPU packages or the GPU. */
struct gf_bench_energy {
    double joules, seconds; /* per run; 0: not counted */
    char why[96];           /* why it was not counted; "": not asked for */
};

struct gf_bench_row {
    char name[GF_BENCH_NAME]; /* the entrant's; "": the whole case was skipped */
    enum gf_bench_status status;
    char why[160]; /* failed, skipped */
    struct gf_times time;
    bool noisy;                       /* in every repetition */
    bool astray;                      /* off the trend in every repetition: gf_trend_breaks() */
    int again;                        /* number of repetitions */
    char code_path[2 * GF_CODE_PATH]; /* the entrant's */
    double host; /* median seconds by the host's clock if a device's clock timed the row, else 0 */
    double plan, build; /* seconds of planning, and of compiling or loading kernels */
    double error;       /* relative, L2; for a picture the share of differing pixels */
    double ratio;       /* relative's time / this one's; 0: none */
    char relative[GF_BENCH_NAME];
    int passes;
    int64_t moved;    /* bytes, all passes */
    double copy;      /* copy bandwidth in bytes a second of the arrays' memory; 0: unknown */
    char device[128]; /* with the arrays in its memory; "": the host's */
    int devices;      /* number of devices that share the transform; 0: not shared */
    struct gf_bench_transfers transfers;
    struct gf_bench_energy energy;
    int n_listed;                 /* number of timed passes; 0: not asked for, or unknown */
    struct gf_bench_pass *listed; /* owned */
};

/* True if the case transforms axis a of z, y, x (0, 1, 2). */
static inline bool gf_bench_axis_on(const struct gf_bench_case *c, int a) {
    int i = a - (GF_MAX_DIMS - c->job.ndim);
    return i >= 0 && c->job.axes >> i & 1;
}

/* kinds.c */
/* Completes a case with kind, and a job with shape, axes, direction, precision and levels. Kinds
 * with one direction take that one. The caller frees the case. */
int gf_bench_case_make(struct gf_bench_case *c);
void gf_bench_case_free(struct gf_bench_case *c);

#endif
