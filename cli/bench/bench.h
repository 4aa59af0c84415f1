/* What the parts of `gpufft bench` share. A case (shape, kind, precision, threads) is run by every
 * entrant, in turns; each gives a row. */
#ifndef GF_CLI_BENCH_BENCH_H
#define GF_CLI_BENCH_BENCH_H

#include <stdio.h>

#include "cli/bench/times.h"
#include "cli/selftest/rig.h"
#include "cli/settings.h"

enum gf_bench_kind {
    GF_BENCH_C2C,
    GF_BENCH_R2C,
    GF_BENCH_C2R,
    GF_BENCH_PICTURE,      /* u8 samples to the shifted log-magnitude as u8, --range=auto */
    GF_BENCH_PICTURE_FULL, /* the same with --range=full */
    GF_BENCH_DWT,          /* reals to wavelet coefficients, or back */
    GF_BENCH_FILTER,       /* u8 samples through a gaussian low pass of n / 16 bins, as u8 */
    GF_BENCH_N_KINDS,
    GF_BENCH_EXCHANGE = GF_BENCH_N_KINDS /* of processes: cli/bench/exchange.h */
};
extern const char *const gf_bench_kinds[];
/* --kind=exchange */
bool gf_bench_exchanges(const struct gf_settings *s);
static inline bool gf_bench_is_picture(enum gf_bench_kind k) {
    return k == GF_BENCH_PICTURE || k == GF_BENCH_PICTURE_FULL;
}

/* A backend in one of its modes. */
struct gf_bench_entrant {
    const char *name;
    const struct gf_backend *backend;
    const char *fftw_plan;         /* NULL where that means nothing */
    size_t library;                /* where settings name its library; 0: nowhere */
    bool natural_order;            /* results of several devices are brought to it */
    int threads;                   /* 0: as many as the others */
    void *context;                 /* open for as long as the number of threads stays */
    bool resident;                 /* arrays are timed where they live, on this device */
    struct gf_device_speed device; /* copy 0: not measured */
    /* As the backend names it, and ", generic path" where that is code for every CPU and this one has
     * AVX2; "": it has no name. */
    char code_path[2 * GF_CODE_PATH];
};
enum { GF_MAX_ENTRANTS = 16, GF_BENCH_NAME = 24 };

/* Where rows were measured. */
struct gf_bench_host {
    char cpu[64], isa[64];
    int cores, threads;
    double copy; /* bytes a second with this many threads, 0 when it could not be measured */
    int n_devices;
    struct gf_bench_device {
        char entrant[GF_BENCH_NAME], name[128];
        double copy; /* 0: not measured */
    } device[GF_MAX_ENTRANTS];
};

struct gf_bench {
    const struct gf_settings *s;
    int n, relative; /* entrants; the one that ratios are taken to, or -1 */
    struct gf_bench_entrant entrant[GF_MAX_ENTRANTS];
    struct gf_bench_host host;
    struct gf_bench_results *kept; /* all rows, for figures; NULL: none are kept */
    int rows, bad;                 /* measured; wrong or failed */
    struct gf_trend trend[2][GF_BENCH_N_KINDS][GF_MAX_ENTRANTS]; /* by precision, kind, entrant */
    bool headed;                                                 /* the columns were named */
};

struct gf_bench_case {
    struct gf_shape shape; /* batches and all */
    enum gf_bench_kind kind;
    struct gf_job job;
    struct gf_filter *filter; /* the job's; owned */
    double flops;             /* 5 N log2 n of n points in each of N / n batches, half for reals */
    int64_t bytes_in, bytes_out;
    int64_t floor; /* bytes that no implementation with a pass an axis does without */
};

enum gf_bench_status { GF_BENCH_OK, GF_BENCH_WRONG, GF_BENCH_FAILED, GF_BENCH_SKIPPED };

/* A pass as it was expected and as it was measured. */
struct gf_bench_pass {
    char what[224];
    int64_t bytes;            /* read and written, also by those not timed apart from it */
    double expected, seconds; /* 0: nothing is expected; not timed apart */
};

/* Copies of the input to a device and of the output back, in seconds by the host's clock: from and to
 * memory of malloc(), and page-locked memory. */
struct gf_bench_transfers {
    int64_t bytes[2]; /* in, out */
    double pageable[2], pinned[2];
    double whole; /* the job with its copies, as the program runs it; 0: not measured */
};

/* Of a run, by the counters of the CPU's packages or of the GPU. */
struct gf_bench_energy {
    double joules, seconds; /* a run's; 0: not counted */
    char why[96];           /* it was not; "": nobody asked */
};

struct gf_bench_row {
    char name[GF_BENCH_NAME]; /* the entrant's; "": all of them were skipped */
    enum gf_bench_status status;
    char why[160]; /* failed, skipped */
    struct gf_times time;
    bool noisy;  /* also when it was measured again */
    bool astray; /* likewise: far slower than the entrant's row before it (gf_trend_breaks()) */
    int again;   /* how often it was measured again */
    char code_path[2 * GF_CODE_PATH]; /* the entrant's */
    double host; /* median seconds by the host's clock of a run that a device timed, else 0 */
    double plan, build; /* seconds that planning took, and compiling or finding its kernels */
    double error;       /* relative, L2; of a picture's pixels the share that differs */
    double ratio;       /* relative's time / this one's; 0: there is none */
    char relative[GF_BENCH_NAME];
    int passes;
    int64_t moved;    /* bytes, all passes */
    double copy;      /* bytes a second, of the memory that the arrays were in; 0 unknown */
    char device[128]; /* whose memory, "" for the host's */
    int devices;      /* several that share the transform; 0: one, or none */
    struct gf_bench_transfers transfers;
    struct gf_bench_energy energy;
    int n_listed; /* passes with their times, 0 where they were not asked for or cannot be told */
    struct gf_bench_pass *listed; /* owned; rows that are kept have a copy */
};

/* Rows of one run, or of several files. */
struct gf_bench_results {
    int n_hosts, n;
    struct gf_bench_host *host;
    struct gf_bench_result {
        int host;
        struct gf_bench_case c; /* without its filter */
        struct gf_bench_row row;
    } * result;
};

/* options.c */
extern const struct gf_opt_group gf_opts_bench,
    gf_opts_bench_what; /* the latter: shapes and kinds */
/* Refuses options that contradict each other. */
int gf_bench_check(const struct gf_settings *s);
/* The next word of a list at *at, cut to `size`; false at its end. */
bool gf_bench_next_word(const char **at, char *word, size_t size);
/* Axis a of z, y, x (0, 1, 2) is one that the case transforms. */
static inline bool gf_bench_axis_on(const struct gf_bench_case *c, int a) {
    int i = a - (GF_MAX_DIMS - c->shape.ndim);
    return i >= 0 && c->job.axes >> i & 1;
}

/* entrants.c: who is measured. */
/* Name i of all that --backend may list, NULL beyond the last. */
const char *gf_bench_entrant_name(int i);
/* Fills in b->entrant[] with those that --backend names, or all that are usable. GF_EABSENT, GF_EUSAGE. */
int gf_bench_enter(struct gf_bench *b);
/* Fills in b->relative by --relative. GF_EUSAGE. */
int gf_bench_find_relative(struct gf_bench *b);
/* Its context stays NULL after a failure. */
int gf_bench_open_entrant(struct gf_bench_entrant *e, const struct gf_settings *s, int threads);

/* sizes.c: what is measured. */
struct gf_bench_size {
    struct gf_shape shape;
    unsigned axes; /* bits, as a job's */
};
struct gf_bench_sizes {
    int n;
    struct gf_bench_size *size; /* owned */
};
/* Those of the operands; without any, of --all's list or the short one. The caller frees, also after
 * a failure. */
int gf_bench_sizes_make(const struct gf_settings *s, char *const *operands, int n,
                        struct gf_bench_sizes *sizes);
void gf_bench_sizes_free(struct gf_bench_sizes *sizes);

/* bench.c: a case of each kind and precision that the settings name, of one size, until one fails; GF_E… for a
 * size that no job can have. */
typedef int gf_bench_case_fn(void *user, const struct gf_bench_case *c);
int gf_bench_each_case(const struct gf_settings *s, const struct gf_bench_size *size,
                       gf_bench_case_fn *run, void *user);

/* case.c */
/* `axes`: those to transform, as a job's. `levels`: of a wavelet transform. */
int gf_bench_case_make(const struct gf_shape *shape, unsigned axes, enum gf_bench_kind kind,
                       enum gf_direction direction, enum gf_precision p, int levels,
                       struct gf_bench_case *c);
void gf_bench_case_free(struct gf_bench_case *c);
/* Plans, checks and times the case with every open entrant. Returns the number of rows; one without
 * a name explains why there are no others. */
int gf_bench_case_run(struct gf_bench *b, const struct gf_bench_case *c,
                      struct gf_bench_row rows[GF_MAX_ENTRANTS]);

/* details.c: what a row has beside its time. The entrant's plan has run once, on what is in the
 * arrays. Nothing that fails here fails the row. */
void gf_bench_time_passes(const struct gf_bench_entrant *e, struct gf_plan *plan,
                          const struct gf_array *in, struct gf_array *out,
                          struct gf_bench_row *row);
void gf_bench_time_transfers(const struct gf_bench_entrant *e, struct gf_plan *plan,
                             const struct gf_array *in, struct gf_array *out,
                             struct gf_bench_row *row);

void gf_bench_count_energy(const struct gf_bench_entrant *e, struct gf_plan *plan,
                           const struct gf_array *in, struct gf_array *out,
                           struct gf_bench_row *row);

/* input.c */
/* Random samples in [-0.5, 0.5), the same in either precision: they have 24 bits. A half spectrum
 * is made that of real samples. */
void gf_bench_fill(const struct gf_bench_case *c, struct gf_array *a);
/* Element i of a contiguous array of floats or bytes. */
void gf_bench_get(const struct gf_array *a, int64_t i, double *re, double *im);
uint64_t gf_bench_hash(uint64_t i);

/* wavelet.c: the value at j (z, y, x; missing ones 0) of a periodic wavelet transform's
 * result on `in`. */
long double gf_bench_wavelet_value(const struct gf_bench_case *c, const struct gf_array *in,
                                   const int64_t j[3]);

/* reference.c: what the right answer is. */
enum { GF_BENCH_SAMPLES = 8 };
struct gf_bench_reference {
    struct gf_array full; /* in double precision; data NULL when there is no room or time for it */
    int64_t at[GF_BENCH_SAMPLES]; /* positions in the output, and the value expected there */
    long double re[GF_BENCH_SAMPLES], im[GF_BENCH_SAMPLES]; /* a picture's: its level */
    double rms; /* of the output's values, to weigh errors against */
};
/* `room`: bytes that may be taken. */
int gf_bench_reference_make(const struct gf_bench *b, const struct gf_bench_case *c,
                            const struct gf_array *in, int64_t room, struct gf_bench_reference *r);
/* The relative error (L2) of an output, and whether that is too much. */
double gf_bench_reference_error(const struct gf_bench_case *c, const struct gf_bench_reference *r,
                                const struct gf_array *out, bool *wrong);
/* The error that this program's own transforms stay within. */
double gf_bench_promise(const struct gf_bench_case *c, enum gf_precision p);
void gf_bench_reference_free(struct gf_bench_reference *r);

/* print.c */
/* `number`: from 1 on where there are several, else 0. */
void gf_bench_print_host(const struct gf_settings *s, const struct gf_bench_host *host, int number);
/* The names of the columns. */
void gf_bench_print_head(const struct gf_settings *s);
void gf_bench_print_case(const struct gf_settings *s, const struct gf_bench_case *c);
void gf_bench_print_row(const struct gf_settings *s, const struct gf_bench_host *host, int number,
                        const struct gf_bench_case *c, const struct gf_bench_row *row);
extern const char *const gf_bench_statuses[], *const gf_bench_precisions[],
                                                  *const gf_bench_directions[];

/* results.c: rows that are kept, and read again. GF_ENOMEM. */
int gf_bench_keep_host(struct gf_bench_results *r, const struct gf_bench_host *host);
int gf_bench_keep_row(struct gf_bench_results *r, const struct gf_bench_case *c,
                      const struct gf_bench_row *row);
bool gf_bench_same_case(const struct gf_bench_case *a, const struct gf_bench_case *b);
/* The rows that `bench --json` printed. */
int gf_bench_read(const char *path, struct gf_bench_results *r);
/* Sets all ratios: to the entrant of that name of the same host, or where this has none, of the first
 * that has one. */
void gf_bench_relate(struct gf_bench_results *r, const char *relative);
void gf_bench_print_results(const struct gf_settings *s, const struct gf_bench_results *r);
void gf_bench_results_free(struct gf_bench_results *r);

/* report.c: the page of --report, section by section. */
struct gf_bench_section {
    const char *title, *text;
    const char *figure;   /* its name; NULL: a table of times in its place */
    const char *sizes[4]; /* as they are typed; NULL: no more */
    int ndim;             /* of the sizes, typed ones too */
    enum gf_bench_kind kind;
    unsigned axes; /* 0: all */
    bool passes, transfers;
};
/* Makes the folder of --report; `operands` as they were typed. */
int gf_bench_report_begin(FILE *f, const struct gf_bench *b, char *const *operands, int n);
int gf_bench_report_section(FILE *f, const struct gf_bench_section *s, struct gf_bench_results *r,
                            const char *folder);
/* Closes the text of open_memstream(), writes it to the folder (NULL: nowhere) and frees it. */
int gf_bench_report_end(FILE *f, char **text, size_t *size, const char *folder);

/* figure.c: time over size, if `times`, and with `relative` (else NULL) the same divided by that
 * entrant's. */
int gf_bench_plot(const struct gf_bench_results *r, const char *relative, bool times,
                  const char *path, bool clobber);

#endif
