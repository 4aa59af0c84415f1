/* The parts of `gpufft bench`. All entrants run a case (shape, kind, precision, threads) in turns;
 * each gives a row. */
#ifndef GF_CLI_BENCH_BENCH_H
#define GF_CLI_BENCH_BENCH_H

#include "cli/shapes.h"
#include "cli/settings.h"

enum gf_bench_kind {
    GF_BENCH_C2C,
    GF_BENCH_R2C,
    GF_BENCH_C2R,
    GF_BENCH_PICTURE,      /* u8 to shifted log-magnitude as u8, --range=auto */
    GF_BENCH_PICTURE_FULL, /* with --range=full */
    GF_BENCH_DWT,          /* reals to wavelet coefficients, or back */
    GF_BENCH_FILTER,       /* u8 to u8 through a Gaussian low pass of radius n / 16 bins */
    GF_BENCH_N_KINDS
};
extern const char *const gf_bench_kinds[], *const gf_bench_precisions[],
                                               *const gf_bench_directions[];
static inline bool gf_bench_is_picture(enum gf_bench_kind k) {
    return k == GF_BENCH_PICTURE || k == GF_BENCH_PICTURE_FULL;
}

/* Every backend, and ten yardsticks. */
enum { GF_MAX_ENTRANTS = GF_MAX_BACKENDS + 10, GF_BENCH_NAME = 24 };

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
    bool noisy;                   /* in every repetition */
    bool astray;                  /* off the trend in every repetition: gf_trend_breaks() */
    int again;                    /* number of repetitions */
    char code_path[GF_CODE_PATH]; /* the entrant's */
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

/* A backend in one mode. */
struct gf_bench_entrant {
    const char *name;
    const struct gf_backend *backend;
    const char *fftw_plan;         /* NULL: FFTW's default */
    size_t library;                /* offset of the setting with the library's path; 0: none */
    bool natural_order;            /* several devices leave the result in natural order */
    int threads;                   /* 0: the case's */
    void *context;                 /* reopened for each number of threads */
    bool resident;                 /* timed with the arrays in device memory */
    struct gf_device_speed device; /* copy 0: not measured */
    char code_path[GF_CODE_PATH];  /* "": unknown */
};

struct gf_bench {
    const struct gf_settings *s;
    int n, relative; /* number of entrants; index of the one that ratios refer to, or -1 */
    struct gf_bench_entrant entrant[GF_MAX_ENTRANTS];
    struct gf_bench_host host;
    int rows, bad;             /* counts: measured; wrong or failed */
    int contests;              /* cases in which two or more entrants were timed */
    int wins[GF_MAX_ENTRANTS]; /* … and in which each was the fastest */
    struct gf_trend trend[2][GF_BENCH_N_KINDS][GF_MAX_ENTRANTS]; /* [precision][kind][entrant] */
    bool headed; /* the column headings have been printed */
};

/* bench.c */
/* The shapes and kinds to measure. */
extern const struct gf_opt_group gf_opts_bench_what;
/* Adds the shapes and axes of the operands or, without operands, of the short list or
 * that of --all. */
int gf_bench_sizes(const struct gf_settings *s, char *const *operands, int n,
                   struct gf_shapes *sizes);
/* Calls run() for each kind, precision and number of levels that the settings ask for,
 * until it fails. Returns its error, or that of an invalid size. */
typedef int gf_bench_case_fn(void *user, const struct gf_bench_case *c);
int gf_bench_each_case(const struct gf_settings *s, const struct gf_extents *size,
                       gf_bench_case_fn *run, void *user);

/* entrants.c */
/* Copies the next word of the list at *at, cut to `size`, and advances *at. False at the end. */
bool gf_bench_next_word(const char **at, char *word, size_t size);
/* Returns the i-th name that --backend accepts; NULL after the last. */
const char *gf_bench_entrant_name(int i);
/* Sets b->entrant[] to the entrants that --backend names, or to all usable ones. GF_EABSENT if a
 * named one is unusable, GF_EUSAGE. */
int gf_bench_enter(struct gf_bench *b);
/* Sets b->relative from --relative. GF_EUSAGE. */
int gf_bench_find_relative(struct gf_bench *b);
/* e->context is NULL after a failure. */
int gf_bench_open_entrant(struct gf_bench_entrant *e, const struct gf_settings *s, int threads);

/* case.c */
/* Plans, checks and times the case with every open entrant. Returns the number of rows. A single
 * row without a name says why the case was skipped. The caller frees each row's `listed`. */
int gf_bench_case_run(struct gf_bench *b, const struct gf_bench_case *c,
                      struct gf_bench_row rows[GF_MAX_ENTRANTS]);

/* wavelet.c: returns the value at j (z, y, x; 0 for missing axes) of the periodic wavelet transform
 * of `in`. */
long double gf_bench_wavelet_value(const struct gf_bench_case *c, const struct gf_array *in,
                                   const int64_t j[3]);

/* reference.c: inputs and expected outputs */
/* Fills the array with the same noise in both precisions (gf_samples_noise()). A half spectrum is
 * made that of real samples. */
void gf_bench_fill(const struct gf_bench_case *c, struct gf_array *a);
enum { GF_BENCH_SAMPLES = 8 };
struct gf_bench_reference {
    struct gf_array full; /* in double precision; data is NULL without room or time for it */
    int64_t at[GF_BENCH_SAMPLES]; /* output positions; their expected values follow */
    long double re[GF_BENCH_SAMPLES], im[GF_BENCH_SAMPLES]; /* a picture's level is in re */
    double rms; /* of the output's values; errors are relative to it */
};
/* Computes what the case should give, using at most `room` bytes. The caller frees *r. */
int gf_bench_reference_make(const struct gf_bench *b, const struct gf_bench_case *c,
                            const struct gf_array *in, int64_t room, struct gf_bench_reference *r);
/* Returns an output's relative error (L2). *wrong: it is too large for rounding. */
double gf_bench_reference_error(const struct gf_bench_case *c, const struct gf_bench_reference *r,
                                const struct gf_array *out, bool *wrong);
/* Returns the error that gpufft promises for its own transforms. */
double gf_bench_promise(const struct gf_bench_case *c, enum gf_precision p);
void gf_bench_reference_free(struct gf_bench_reference *r);

/* print.c */
/* Prints the machine and its devices; JSON also lists the entrants. */
void gf_bench_print_host(const struct gf_bench *b);
/* Prints the column headings. */
void gf_bench_print_head(const struct gf_settings *s);
void gf_bench_print_case(const struct gf_settings *s, const struct gf_bench_case *c);
void gf_bench_print_row(const struct gf_bench *b, const struct gf_bench_case *c,
                        const struct gf_bench_row *row);
/* Prints which entrant was the fastest in most cases, below the table. */
void gf_bench_print_fastest(const struct gf_bench *b);

#endif
