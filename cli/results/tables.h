/* The tables of bench --report, as Markdown. Sizes are written as the command line takes them
 * (2^20, 512^2), ratios with two digits, times with three.
 *
 *     struct gf_bench_view v;
 *     gf_bench_view_make(&results, &v);
 *     gf_bench_summary_table(f, &v, "openmp");
 *     gf_bench_view_free(&v);                                                                  */
#ifndef GF_CLI_RESULTS_TABLES_H
#define GF_CLI_RESULTS_TABLES_H

#include "cli/results/results.h"

/* Results by case and entrant. */
struct gf_bench_view {
    const struct gf_bench_results *r;
    int n_cases, n_names;
    const struct gf_bench_case **c;    /* owned list, in the order of measuring */
    const char *name[GF_MAX_ENTRANTS]; /* of the entrants with a row, in the order of the first */
};
int gf_bench_view_make(const struct gf_bench_results *r, struct gf_bench_view *v); /* GF_ENOMEM */
void gf_bench_view_free(struct gf_bench_view *v);

/* Whether that entrant was measured at all. */
bool gf_bench_view_has(const struct gf_bench_view *v, const char *name);
/* The first of cuda, cufft and openmp that was measured; NULL: none. */
const char *gf_bench_view_base(const struct gf_bench_view *v);

/* A row for each case where another library is faster than all of the program's own entrants, with the code that
 * it ran; nothing where there is none. */
void gf_bench_behind_table(FILE *f, const struct gf_bench_view *v);
/* An entrant a row: where it is fastest, and its times over those of `base`. */
void gf_bench_summary_table(FILE *f, const struct gf_bench_view *v, const char *base);
/* One sentence: the times of the largest case, the fastest first. */
void gf_bench_describe_largest(FILE *f, const struct gf_bench_view *v);
/* A row for each case, a column for each entrant: the time, or, with `over`, how many times as fast
 * as that entrant, whose own column has the time. */
void gf_bench_size_table(FILE *f, const struct gf_bench_view *v, const char *over);
/* A table for each case, all entrants' passes in it. */
void gf_bench_pass_tables(FILE *f, const struct gf_bench_view *v);
/* Copies to a device and back, of all cases; nothing where none were measured. */
void gf_bench_transfer_table(FILE *f, const struct gf_bench_view *v);
/* Lists the rows left out, and why. */
void gf_bench_describe_gaps(FILE *f, const struct gf_bench_view *v);

#endif
