/* The page of bench --report: Markdown with tables and figures, a section for each kind of case. Sizes are
 * written as the command line takes them (2^20, 512^2), ratios with two digits, times with three. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/results/results.h"
#include "cli/shapes.h"
#include "core/base/memory.h"
#include "core/base/status.h"

/* Entrants that others are compared with, in order of preference. */
static const char *const yardsticks[] = {"cuda", "cufft", "openmp", NULL};

/* Results by case and entrant. */
struct view {
    const struct gf_bench_results *r;
    int n_cases, n_names;
    const struct gf_bench_case **c;    /* owned list, in the order of measuring */
    const char *name[GF_MAX_ENTRANTS]; /* of the entrants with a row, in the order of the first */
};

static int view_make(const struct gf_bench_results *r, struct view *v) {
    *v = (struct view){.r = r};
    v->c = calloc((size_t)r->n + 1, sizeof *v->c);
    if (!v->c)
        return gf_no_memory();
    for (int i = 0; i < r->n; i++) {
        const struct gf_bench_result *result = &r->result[i];
        int k = 0;
        if (!v->n_cases || !gf_bench_same_case(v->c[v->n_cases - 1], &result->c))
            v->c[v->n_cases++] = &result->c;
        while (k < v->n_names && strcmp(v->name[k], result->row.name))
            k++;
        if (k == v->n_names && k < GF_MAX_ENTRANTS && *result->row.name)
            v->name[v->n_names++] = result->row.name;
    }
    return 0;
}

/* The entrant's row, timed or not; for "" the row that says why there are no others. */
static const struct gf_bench_row *find(const struct view *v, int i, const char *name) {
    for (int k = 0; k < v->r->n; k++)
        if (gf_bench_same_case(&v->r->result[k].c, v->c[i]) &&
            !strcmp(v->r->result[k].row.name, name))
            return &v->r->result[k].row;
    return NULL;
}

static const struct gf_bench_row *timed(const struct view *v, int i, const char *name) {
    const struct gf_bench_row *row = find(v, i, name);
    return row && row->status == GF_BENCH_OK ? row : NULL;
}

/* True if the entrant was timed for any case. */
static bool has(const struct view *v, const char *name) {
    for (int i = 0; i < v->n_cases; i++)
        if (timed(v, i, name))
            return true;
    return false;
}

/* The first yardstick that was measured; NULL: none. */
static const char *base_of(const struct view *v) {
    for (int i = 0; yardsticks[i]; i++)
        if (has(v, yardsticks[i]))
            return yardsticks[i];
    return NULL;
}

/* ---- words and numbers ---- */

/* A short text, returned by value, so that it lives until the end of the statement. */
struct text {
    char s[GF_SHAPE_TEXT];
};

static struct text text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct text text_of(const char *format, ...) {
    struct text t;
    va_list args;
    va_start(args, format);
    vsnprintf(t.s, sizeof t.s, format, args);
    va_end(args);
    return t;
}

static struct text case_text(const struct gf_bench_case *c) {
    const int64_t *n = c->job.shape;
    const int ndim = c->job.ndim, levels = c->kind == GF_BENCH_DWT ? c->job.wavelet.levels : 0;
    bool equal = ndim > 1;
    struct text shape;
    gf_shape_text(n, ndim, shape.s);
    for (int i = 1; i < ndim; i++)
        equal = equal && n[i] == n[0];
    if (equal && n[0] > 3) /* 2^3 would be a line */
        shape = text_of("%lld^%d", (long long)n[0], ndim);
    else if (ndim == 1 && n[0] > 1 && !(n[0] & (n[0] - 1)))
        shape = text_of("2^%d", __builtin_ctzll((unsigned long long)n[0]));
    return levels ? text_of("%.70s, %d level%s", shape.s, levels, levels == 1 ? "" : "s") : shape;
}

/* A number of so many digits, or more if it has them before the point. */
static struct text digits_text(double v, int n) {
    return v < pow(10, n) - 0.5 ? text_of("%.*g", n, v) : text_of("%.0f", v);
}

/* A time with three digits, in the unit that suits it. */
static struct text time_text(double seconds) {
    static const char *const units[] = {"ns", "\xc2\xb5s", "ms", "s"};
    int unit = 0;
    double v = seconds * 1e9;
    for (; v >= 999.5 && unit < 3; unit++)
        v /= 1e3;
    return text_of("%s %s", digits_text(v, 3).s, units[unit]);
}

static struct text gb_s_text(int64_t bytes, double seconds) {
    return digits_text((double)bytes / seconds * 1e-9, 3);
}

/* A time, or how many times as fast as `over`, with its marks; "-" without a row. */
static struct text cell_text(const struct gf_bench_row *row, const struct gf_bench_row *over) {
    if (!row)
        return text_of("-");
    return text_of("%s%s%s",
                   over && row != over ? digits_text(over->time.median / row->time.median, 2).s
                                       : time_text(row->time.median).s,
                   row->noisy ? "~" : "", row->astray ? "^" : "");
}

/* Within a table's cell. */
static void print_cell_text(FILE *f, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', f);
        fputc(*text, f);
    }
}

/* Ends a table's first line and prints the line below it. */
static void print_columns(FILE *f, int n) {
    fputs("\n|", f);
    for (int i = 0; i < n; i++)
        fputs("---|", f);
    fputc('\n', f);
}

/* ---- summary ---- */

/* The program's own entrants. */
static bool is_own(const char *name) {
    static const char *const own[] = {"openmp", "opencl", "opengl", "cuda", "c"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strncmp(name, own[i], strlen(own[i])) && strchr("-", name[strlen(own[i])]))
            return true; /* also openmp-1, cuda-natural */
    return false;
}

static const char *fastest_of(const struct view *v, int i, bool own) {
    const char *best = NULL;
    double least = INFINITY;
    for (int k = 0; k < v->n_names; k++) {
        const struct gf_bench_row *row = timed(v, i, v->name[k]);
        if (row && row->time.median < least && (!own || is_own(v->name[k]))) {
            least = row->time.median;
            best = v->name[k];
        }
    }
    return best;
}

/* "2^1 to 2^5, 2^15" */
static void print_wins(FILE *f, const struct view *v, const char *name) {
    bool any = false;
    for (int i = 0; i < v->n_cases; i++) {
        int last = i;
        if (fastest_of(v, i, false) != name)
            continue;
        while (last + 1 < v->n_cases && fastest_of(v, last + 1, false) == name)
            last++;
        fprintf(f, "%s%s", any ? ", " : "", case_text(v->c[i]).s);
        if (last > i)
            fprintf(f, "%s%s", last > i + 1 ? " to " : ", ", case_text(v->c[last]).s);
        any = true;
        i = last;
    }
    fputs(any ? "" : "-", f);
}

/* Prints the geometric mean, the least and the largest of the ratios to the base. */
static void print_spread(FILE *f, const struct view *v, const char *name, const char *base) {
    double sum = 0, least = INFINITY, most = 0;
    int n = 0;
    for (int i = 0; i < v->n_cases; i++) {
        const struct gf_bench_row *row = timed(v, i, name), *to = timed(v, i, base);
        if (!row || !to)
            continue;
        double ratio = row->time.median / to->time.median;
        sum += log(ratio);
        least = fmin(least, ratio);
        most = fmax(most, ratio);
        n++;
    }
    if (n)
        fprintf(f, " %s | %s to %s |", digits_text(exp(sum / n), 2).s, digits_text(least, 2).s,
                digits_text(most, 2).s);
    else
        fputs(" - | - |", f);
}

/* The most operations a second, and where. */
static void print_peak(FILE *f, const struct view *v, const char *name) {
    int at = -1;
    double most = 0;
    for (int i = 0; i < v->n_cases; i++) {
        const struct gf_bench_row *row = timed(v, i, name);
        if (row && v->c[i]->flops / row->time.median > most) {
            most = v->c[i]->flops / row->time.median;
            at = i;
        }
    }
    if (at < 0)
        fputs(" - |", f);
    else
        fprintf(f, most < 1e12 ? " %.3g at %s |" : " %.0f at %s |", most * 1e-9,
                case_text(v->c[at]).s);
}

/* A row for each case where another library is faster than all of the program's own entrants, with the
 * code that it ran; nothing where there is none. */
static void print_behind(FILE *f, const struct view *v) {
    bool headed = false;
    for (int i = 0; i < v->n_cases; i++) {
        const char *first = fastest_of(v, i, false), *own = fastest_of(v, i, true);
        if (!own || first == own)
            continue;
        const struct gf_bench_row *row = timed(v, i, own), *best = timed(v, i, first);
        if (!headed)
            fputs("\nBehind:\n\n| size | the first | its code | time | | time | ratio |", f);
        if (!headed)
            print_columns(f, 7);
        headed = true;
        fprintf(f, "| %s | %s | %s | %s | %s | %s | %.2f |\n", case_text(v->c[i]).s, first,
                best->code_path, cell_text(best, NULL).s, own, cell_text(row, NULL).s,
                best->time.median / row->time.median);
    }
}

/* An entrant a row: where it is fastest, and its times over those of `base`. */
static void print_summary(FILE *f, const struct view *v, const char *base) {
    fputs("\n| | fastest of all at |", f);
    if (base)
        fprintf(f, " time / %s's, geometric mean | least to most |", base);
    fputs(" most GFLOP/s |", f);
    print_columns(f, base ? 5 : 3);
    for (int k = 0; k < v->n_names; k++) {
        if (!has(v, v->name[k]))
            continue;
        fprintf(f, "| %s | ", v->name[k]);
        print_wins(f, v, v->name[k]);
        fputs(" |", f);
        if (base)
            print_spread(f, v, v->name[k], base);
        print_peak(f, v, v->name[k]);
        fputc('\n', f);
    }
}

static int shorter(const void *a, const void *b) {
    const struct gf_bench_row *const *x = a, *const *y = b;
    return ((*x)->time.median > (*y)->time.median) - ((*x)->time.median < (*y)->time.median);
}

/* One sentence: the times of the largest case, the fastest first. */
static void print_largest(FILE *f, const struct view *v) {
    const struct gf_bench_row *rows[GF_MAX_ENTRANTS];
    char in[GF_SIZE_TEXT];
    int largest = -1, n = 0;
    for (int i = 0; i < v->n_cases; i++)
        if (fastest_of(v, i, false) &&
            (largest < 0 || v->c[i]->bytes_in >= v->c[largest]->bytes_in))
            largest = i;
    if (largest < 0)
        return;
    for (int k = 0; k < v->n_names; k++) {
        rows[n] = timed(v, largest, v->name[k]);
        n += rows[n] != NULL;
    }
    qsort(rows, (size_t)n, sizeof *rows, shorter);
    fprintf(f, "\nThe largest, %s (%s), from the fastest: ", case_text(v->c[largest]).s,
            gf_memory_text(v->c[largest]->bytes_in, in));
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%s %s", i ? ", " : "", rows[i]->name, time_text(rows[i]->time.median).s);
    fputs(".\n", f);
}

/* ---- times by size ---- */

/* A row for each case, a column for each entrant: the time, or, with `over`, how many times as fast as
 * that entrant, whose own column has the time. */
static void print_sizes(FILE *f, const struct view *v, const char *over) {
    int columns = 1;
    fputs("\n| size |", f);
    for (int k = 0; k < v->n_names; k++)
        if (has(v, v->name[k])) {
            bool base = over && !strcmp(v->name[k], over);
            fprintf(f, " %s%s |", v->name[k], base ? ", time" : "");
            columns++;
        }
    print_columns(f, columns);
    for (int i = 0; i < v->n_cases; i++) {
        const struct gf_bench_row *base = over ? timed(v, i, over) : NULL;
        if (over ? !base : !fastest_of(v, i, false))
            continue;
        fprintf(f, "| %s |", case_text(v->c[i]).s);
        for (int k = 0; k < v->n_names; k++)
            if (has(v, v->name[k]))
                fprintf(f, " %s |", cell_text(timed(v, i, v->name[k]), base).s);
        fputc('\n', f);
    }
}

/* ---- passes and copies ---- */

static void print_rate(FILE *f, int64_t bytes, double seconds, double copy) {
    const double share = copy > 0 ? (double)bytes / seconds / copy * 100 : 0;
    fprintf(f, "%s | %s | %s |", time_text(seconds).s, gb_s_text(bytes, seconds).s,
            copy > 0 ? text_of("%.0f%%", share).s : "-");
}

static void print_passes(FILE *f, const struct gf_bench_row *row) {
    const char *whole = row->n_listed == 1 ? row->listed[0].what : "the whole";
    fprintf(f, "| %s | **", row->name);
    print_cell_text(f, whole);
    fputs("** | ", f);
    print_rate(f, row->moved, row->time.median, row->copy);
    fputs(row->noisy ? " ~ |\n" : " |\n", f);
    for (int k = 0; k < row->n_listed && row->n_listed > 1; k++) {
        const struct gf_bench_pass *p = &row->listed[k];
        fputs("| | ", f);
        print_cell_text(f, p->what);
        fputs(" | ", f);
        if (!(p->seconds > 0)) {
            fputs("with the one above | | | |\n", f);
            continue;
        }
        print_rate(f, p->bytes, p->seconds, row->copy);
        fprintf(f, " %s |\n", p->expected > 0 ? time_text(p->expected).s : "");
    }
}

/* A table for each case, with the passes of all entrants. */
static void print_pass_tables(FILE *f, const struct view *v) {
    for (int i = 0; i < v->n_cases; i++) {
        if (!fastest_of(v, i, false))
            continue;
        fprintf(f, "\n**%s**\n\n| | pass | time | GB/s | of copy | expected |",
                case_text(v->c[i]).s);
        print_columns(f, 6);
        for (int k = 0; k < v->n_names; k++)
            if (timed(v, i, v->name[k]))
                print_passes(f, timed(v, i, v->name[k]));
    }
}

/* Copies to a device and back, of all cases; nothing where none were measured. */
static void print_transfers(FILE *f, const struct view *v) {
    bool headed = false;
    for (int i = 0; i < v->n_cases; i++)
        for (int k = 0; k < v->n_names; k++) {
            const struct gf_bench_row *row = timed(v, i, v->name[k]);
            const struct gf_bench_transfers *t = row ? &row->transfers : NULL;
            if (!t || !(t->whole > 0))
                continue;
            if (!headed) {
                fputs("\nWith the copies to the device and back (time, GB/s), from and to pageable "
                      "and page-locked memory:\n\n| size | | in, pageable | in, pinned | out, "
                      "pageable | out, pinned | transform alone | with copies |",
                      f);
                print_columns(f, 8);
                headed = true;
            }
            fprintf(f, "| %s | %s |", case_text(v->c[i]).s, row->name);
            for (int way = 0; way < 4; way++) {
                const double seconds = way % 2 ? t->pinned[way / 2] : t->pageable[way / 2];
                fprintf(f, " %s, %s |", time_text(seconds).s,
                        gb_s_text(t->bytes[way / 2], seconds).s);
            }
            fprintf(f, " %s | %s |\n", time_text(row->time.median).s, time_text(t->whole).s);
        }
}

/* ---- gaps ---- */

static void describe_gap(FILE *f, const struct view *v, int i, const char *name, const char *why) {
    fprintf(f, "\n- %s%s%s: %s", name, *name && i >= 0 ? ", " : "",
            i >= 0 ? case_text(v->c[i]).s : "", why);
}

/* Lists the rows left out, and why. */
static void print_gaps(FILE *f, const struct view *v) {
    bool any = false;
    for (int i = 0; i < v->r->n; i++)
        any = any || v->r->result[i].row.status != GF_BENCH_OK;
    if (!any)
        return;
    fputs("\nNot measured:\n", f);
    for (int i = 0; i < v->n_cases; i++) {
        const struct gf_bench_row *row = find(v, i, "");
        if (row)
            describe_gap(f, v, i, "", row->why);
    }
    for (int k = 0; k < v->n_names; k++) {
        bool never = !has(v, v->name[k]);
        for (int i = 0; i < v->n_cases; i++) {
            const struct gf_bench_row *row = find(v, i, v->name[k]);
            if (!row || row->status == GF_BENCH_OK)
                continue;
            describe_gap(f, v, never ? -1 : i, v->name[k],
                         row->status == GF_BENCH_WRONG ? "its answer is wrong" : row->why);
            if (never)
                break;
        }
    }
    fputc('\n', f);
}

/* ---- sections ---- */

static int write_figure(FILE *f, struct gf_bench_results *r, const char *folder,
                        const struct gf_bench_section *s, const char *relative) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s%s%s.svg", folder, s->figure, relative ? "-to-" : "",
                     relative ? relative : "");
    if (n < 0 || (size_t)n >= sizeof path)
        return gf_fail(GF_EIO, "the folder's name is too long");
    if (relative) {
        gf_bench_relate(r, relative);
        fprintf(f, "\nThe same times divided by those of %s: below 1 is faster than %s.\n",
                relative, relative);
    }
    fprintf(f, "\n![%s: time%s%s](%s)\n", s->title, relative ? " relative to " : " over size",
            relative ? relative : "", path + strlen(folder) + 1);
    return gf_bench_plot(r, relative, !relative, path, true);
}

static int write_body(FILE *f, const struct gf_bench_section *s, struct gf_bench_results *r,
                      const struct view *v, const char *folder) {
    int rc = 0;
    print_behind(f, v);
    print_summary(f, v, base_of(v));
    print_largest(f, v);
    if (s->figure)
        rc = write_figure(f, r, folder, s, NULL);
    for (int i = 0; s->figure && yardsticks[i] && !rc; i++)
        if (has(v, yardsticks[i]))
            rc = write_figure(f, r, folder, s, yardsticks[i]);
    bool over_c = s->figure && has(v, "c");
    fprintf(f, over_c ? "\nHow many times as fast as plain C (`c`), whose time is in its column:\n"
                      : "\nTimes:\n");
    print_sizes(f, v, over_c ? "c" : NULL);
    if (s->passes)
        print_pass_tables(f, v);
    print_transfers(f, v);
    print_gaps(f, v);
    return rc;
}

int gf_bench_report_section(FILE *f, const struct gf_bench_section *s, struct gf_bench_results *r,
                            const char *folder) {
    struct view v;
    fprintf(f, "\n## %s\n\n%s\n", s->title, s->text);
    if (!r->n) {
        fprintf(f, "\nNothing was measured.\n");
        return 0;
    }
    int rc = view_make(r, &v);
    if (!rc)
        rc = write_body(f, s, r, &v, folder);
    free(v.c);
    return rc;
}
