/* The parts of `gpufft bench`. All entrants run a case (shape, kind, precision, threads) in turns;
 * each gives a row. */
#ifndef GF_CLI_BENCH_BENCH_H
#define GF_CLI_BENCH_BENCH_H

#include "cli/bench/results.h"
#include "cli/shapes.h"
#include "cli/settings.h"

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
    /* The backend's name for the code that runs; ", generic path" follows if that code is for every
     * CPU and this CPU has AVX2. "": unknown. */
    char code_path[2 * GF_CODE_PATH];
};

struct gf_bench {
    const struct gf_settings *s;
    int n, relative; /* number of entrants; index of the one that ratios refer to, or -1 */
    struct gf_bench_entrant entrant[GF_MAX_ENTRANTS];
    struct gf_bench_host host;
    int rows, bad; /* counts: measured; wrong or failed */
    struct gf_trend trend[2][GF_BENCH_N_KINDS][GF_MAX_ENTRANTS]; /* [precision][kind][entrant] */
    bool headed; /* the column headings have been printed */
};

/* options.c */
extern const struct gf_opt_group gf_opts_bench,
    gf_opts_bench_what; /* bench_what: shapes and kinds */
/* Refuses contradictory options: GF_EUSAGE. */
int gf_bench_check(const struct gf_settings *s);
/* --kind=exchange */
bool gf_bench_exchanges(const struct gf_settings *s);

/* exchange.c */
/* Times the exchange of volumes between MPI processes. The operands are shapes. The first process
 * prints a line, or with --json an object, for each. After a failure, one process has printed the
 * message. */
int gf_bench_exchange(const struct gf_settings *s, char *const *operands, int n);

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

/* options.c: adds the shapes and axes of the operands or, without operands, of the short list or
 * that of --all. */
int gf_bench_sizes(const struct gf_settings *s, char *const *operands, int n,
                   struct gf_shapes *sizes);

/* bench.c: calls run() for each kind, precision and number of levels that the settings ask for,
 * until it fails. Returns its error, or that of an invalid size. */
typedef int gf_bench_case_fn(void *user, const struct gf_bench_case *c);
int gf_bench_each_case(const struct gf_settings *s, const struct gf_extents *size,
                       gf_bench_case_fn *run, void *user);

/* cli/commands/tune_plans.c: measures plans on a device for the operands' shapes, or for a few
 * common ones. Prints the results; the backend stores them. Does nothing for the CPU. Returns an
 * exit code. */
int gf_tune_plans(const struct gf_settings *s, const struct gf_wish_device *device, char **operands,
                  int n);

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

#endif
