/* Shared by the parts of `gpufft bench`. A case (shape, kind, precision, threads) is run by every
 * entrant, in turns; each gives a row. */
#ifndef GF_CLI_BENCH_BENCH_H
#define GF_CLI_BENCH_BENCH_H

#include "cli/bench/results.h"
#include "cli/shapes.h"
#include "cli/settings.h"

/* A backend in one of its modes. */
struct gf_bench_entrant {
    const char *name;
    const struct gf_backend *backend;
    const char *fftw_plan;         /* NULL: not FFTW, or its default */
    size_t library;                /* offset of the setting that names its library; 0: none does */
    bool natural_order;            /* brings the results of several devices into natural order */
    int threads;                   /* 0: as many as the others */
    void *context;                 /* open until the number of threads changes */
    bool resident;                 /* the arrays stay on this device while it is timed */
    struct gf_device_speed device; /* copy 0: not measured */
    /* The backend's name for the code that runs, with ", generic path" if it is code for every CPU
     * and this one has AVX2; "": none. */
    char code_path[2 * GF_CODE_PATH];
};

struct gf_bench {
    const struct gf_settings *s;
    int n, relative; /* entrants; the one that ratios refer to, or -1 */
    struct gf_bench_entrant entrant[GF_MAX_ENTRANTS];
    struct gf_bench_host host;
    int rows, bad;                                               /* measured; wrong or failed */
    struct gf_trend trend[2][GF_BENCH_N_KINDS][GF_MAX_ENTRANTS]; /* by precision, kind, entrant */
    bool headed;                                                 /* the columns were named */
};

/* options.c */
extern const struct gf_opt_group gf_opts_bench,
    gf_opts_bench_what; /* the latter: shapes and kinds */
/* Refuses options that contradict each other. */
int gf_bench_check(const struct gf_settings *s);
/* --kind=exchange */
bool gf_bench_exchanges(const struct gf_settings *s);

/* exchange.c: what MPI's processes take to exchange a volume. */
/* The operands are shapes. The first process prints a line, or with --json an object, for each;
 * after a failure one of the processes has printed the message. */
int gf_bench_exchange(const struct gf_settings *s, char *const *operands, int n);

/* entrants.c: who is measured. */
/* The next word of a list at *at, cut to `size`; false at its end. */
bool gf_bench_next_word(const char **at, char *word, size_t size);
/* The i-th name that --backend may list; NULL after the last. */
const char *gf_bench_entrant_name(int i);
/* Fills in b->entrant[] with those that --backend names, or all that are usable. GF_EABSENT, GF_EUSAGE. */
int gf_bench_enter(struct gf_bench *b);
/* Fills in b->relative by --relative. GF_EUSAGE. */
int gf_bench_find_relative(struct gf_bench *b);
/* Its context stays NULL after a failure. */
int gf_bench_open_entrant(struct gf_bench_entrant *e, const struct gf_settings *s, int threads);

/* options.c: adds the sizes of the operands, with their axes; without operands, those of --all or of the short
 * list. */
int gf_bench_sizes(const struct gf_settings *s, char *const *operands, int n,
                   struct gf_shapes *sizes);

/* bench.c: calls run() with the case of each kind and precision that the settings ask for, until it
 * fails; GF_E… for a size that no job can have. */
typedef int gf_bench_case_fn(void *user, const struct gf_bench_case *c);
int gf_bench_each_case(const struct gf_settings *s, const struct gf_extents *size,
                       gf_bench_case_fn *run, void *user);

/* cli/commands/tune_plans.c: measures plans on one device for the shapes as typed, or without any for a few common
 * ones. Prints the results; the backend keeps them. Does nothing for the CPU. Returns an exit code. */
int gf_tune_plans(const struct gf_settings *s, const struct gf_wish_device *device, char **operands,
                  int n);

/* case.c */
/* Plans, checks and times the case with every open entrant. Returns the number of rows; one without
 * a name explains why there are no others. */
int gf_bench_case_run(struct gf_bench *b, const struct gf_bench_case *c,
                      struct gf_bench_row rows[GF_MAX_ENTRANTS]);

/* wavelet.c: the value at j (z, y, x; 0 for missing axes) of the periodic wavelet transform of
 * `in`. */
long double gf_bench_wavelet_value(const struct gf_bench_case *c, const struct gf_array *in,
                                   const int64_t j[3]);

/* reference.c: inputs, and what the right answer is. */
/* Fills the array with noise, the same in both precisions (gf_samples_noise()); a half spectrum
 * becomes that of real samples. */
void gf_bench_fill(const struct gf_bench_case *c, struct gf_array *a);
enum { GF_BENCH_SAMPLES = 8 };
struct gf_bench_reference {
    struct gf_array full; /* in double precision; data is NULL if there is no room or time for it */
    int64_t at[GF_BENCH_SAMPLES]; /* positions in the output; the values expected there follow */
    long double re[GF_BENCH_SAMPLES], im[GF_BENCH_SAMPLES]; /* a picture's: its level */
    double rms; /* of the output's values, which errors are relative to */
};
/* `room`: bytes that may be taken. */
int gf_bench_reference_make(const struct gf_bench *b, const struct gf_bench_case *c,
                            const struct gf_array *in, int64_t room, struct gf_bench_reference *r);
/* The relative error (L2) of an output; *wrong: it is too large to be rounding. */
double gf_bench_reference_error(const struct gf_bench_case *c, const struct gf_bench_reference *r,
                                const struct gf_array *out, bool *wrong);
/* The error that this program promises for its own transforms. */
double gf_bench_promise(const struct gf_bench_case *c, enum gf_precision p);
void gf_bench_reference_free(struct gf_bench_reference *r);

/* print.c */
/* `number`: of the host, from 1, or 0 if there is only one. JSON lists the entrants of `b` as well,
 * unless it is NULL. */
void gf_bench_print_host(const struct gf_settings *s, const struct gf_bench_host *host,
                         const struct gf_bench *b, int number);
/* The names of the columns. */
void gf_bench_print_head(const struct gf_settings *s);
void gf_bench_print_case(const struct gf_settings *s, const struct gf_bench_case *c);
void gf_bench_print_row(const struct gf_settings *s, const struct gf_bench_host *host, int number,
                        const struct gf_bench_case *c, const struct gf_bench_row *row);
/* All rows; in the table sorted by case. */
void gf_bench_print_results(const struct gf_settings *s, const struct gf_bench_results *r);

#endif
