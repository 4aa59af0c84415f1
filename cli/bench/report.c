/* bench --report: one page of Markdown with figures for this machine. Each section measures its own
 * cases, keeps their rows, and writes what it shows of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bench/bench.h"
#include "cli/text.h"
#include "core/base/status.h"
#include "formats/files.h"

/* What a section compares with, as far as it is there. */
static const char *const yardsticks[] = {"cuda", "cufft", "openmp", NULL};

static void describe_machine(FILE *f, const struct gf_bench_host *h) {
    fprintf(f, "%s, %d core%s, %s, %d thread%s, copy %.1f GB/s (read + written).\n", h->cpu,
            h->cores, h->cores == 1 ? "" : "s", h->isa, h->threads, h->threads == 1 ? "" : "s",
            h->copy * 1e-9);
    for (int i = 0; i < h->n_devices; i++)
        fprintf(f, "%s: %s, copy %.1f GB/s.\n", h->device[i].entrant, h->device[i].name,
                h->device[i].copy * 1e-9);
}

static bool has(const struct gf_bench_results *r, const char *name) {
    for (int i = 0; i < r->n; i++)
        if (r->result[i].row.status == GF_BENCH_OK && !strcmp(r->result[i].row.name, name))
            return true;
    return false;
}

static void print_shape(FILE *f, const struct gf_shape *s) {
    for (int i = 0; i < s->ndim; i++)
        fprintf(f, "%s%lld", i ? "x" : "", (long long)s->n[i]);
}

/* The distinct names of entrants, in the order of their first row. */
static int find_names(const struct gf_bench_results *r, const char *names[GF_MAX_ENTRANTS]) {
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        int j = 0;
        while (j < n && strcmp(names[j], r->result[i].row.name))
            j++;
        if (j == n && n < GF_MAX_ENTRANTS && *r->result[i].row.name)
            names[n++] = r->result[i].row.name;
    }
    return n;
}

static const struct gf_bench_row *row_of(const struct gf_bench_results *r,
                                         const struct gf_bench_case *c, const char *name) {
    for (int i = 0; i < r->n; i++)
        if (gf_bench_same_case(&r->result[i].c, c) && !strcmp(r->result[i].row.name, name))
            return &r->result[i].row;
    return NULL;
}

static void print_cell(FILE *f, const struct gf_bench_row *row, const struct gf_bench_row *over) {
    if (!row || row->status != GF_BENCH_OK || (over && over->status != GF_BENCH_OK))
        fprintf(f, " - |");
    else if (over)
        fprintf(f, " %.3g%s |", over->time.median / row->time.median, row->noisy ? "~" : "");
    else
        fprintf(f, " %.4g%s |", row->time.median * 1e3, row->noisy ? "~" : "");
}

/* A row for each case, a column for each entrant: milliseconds, or how many times as fast as
 * `over`. */
static void print_table(FILE *f, const struct gf_bench_results *r, const char *over) {
    const char *names[GF_MAX_ENTRANTS];
    int n = find_names(r, names);
    fprintf(f, "\n| size |");
    for (int k = 0; k < n; k++)
        fprintf(f, " %s |", names[k]);
    fprintf(f, "\n|---|");
    for (int k = 0; k < n; k++)
        fprintf(f, "---|");
    fputc('\n', f);
    for (int i = 0; i < r->n; i++) {
        const struct gf_bench_case *c = &r->result[i].c;
        if (i && gf_bench_same_case(&r->result[i - 1].c, c))
            continue;
        const struct gf_bench_row *base = over ? row_of(r, c, over) : NULL;
        if (over && !base)
            continue;
        fprintf(f, "| ");
        print_shape(f, &c->shape);
        if (c->kind == GF_BENCH_DWT)
            fprintf(f, ", %d level%s", c->job.wavelet.levels,
                    c->job.wavelet.levels == 1 ? "" : "s");
        fprintf(f, " |");
        for (int k = 0; k < n; k++)
            print_cell(f, row_of(r, c, names[k]), base);
        fputc('\n', f);
    }
}

static void print_pass_tables(FILE *f, const struct gf_bench_results *r) {
    for (int i = 0; i < r->n; i++) {
        const struct gf_bench_row *row = &r->result[i].row;
        const struct gf_bench_transfers *t = &row->transfers;
        if (row->status != GF_BENCH_OK || (!row->n_listed && !(t->whole > 0)))
            continue;
        fprintf(f, "\n**");
        print_shape(f, &r->result[i].c.shape);
        fprintf(f, ", %s**: %.4g ms", row->name, row->time.median * 1e3);
        if (t->whole > 0)
            fprintf(
                f,
                "; %.4g ms with the copies (in: pageable %.3g ms, pinned %.3g ms; out: pageable "
                "%.3g ms, pinned %.3g ms)",
                t->whole * 1e3, t->pageable[0] * 1e3, t->pinned[0] * 1e3, t->pageable[1] * 1e3,
                t->pinned[1] * 1e3);
        fprintf(f, "\n\n| pass | expected ms | ms | GB/s |\n|---|---|---|---|\n");
        for (int k = 0; k < row->n_listed; k++) {
            const struct gf_bench_pass *p = &row->listed[k];
            fprintf(f, "| %s |", p->what);
            p->expected > 0 ? fprintf(f, " %.3g |", p->expected * 1e3) : fprintf(f, " - |");
            if (p->seconds > 0)
                fprintf(f, " %.3g | %.3g |\n", p->seconds * 1e3,
                        (double)p->bytes / p->seconds * 1e-9);
            else
                fprintf(f, " not timed apart | |\n");
        }
    }
}

static int write_figure(FILE *f, struct gf_bench_results *r, const char *folder, const char *name,
                        const char *relative) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s%s%s.svg", folder, name, relative ? "-to-" : "",
                     relative ? relative : "");
    if (n < 0 || (size_t)n >= sizeof path)
        return gf_fail(GF_EIO, "the folder's name is too long");
    if (relative)
        gf_bench_relate(r, relative);
    fprintf(f, "\n![%s](%s)\n", name, path + strlen(folder) + 1);
    return gf_bench_plot(r, relative, path, true);
}

int gf_bench_report_section(FILE *f, const struct gf_bench_section *s, struct gf_bench_results *r,
                            const char *folder) {
    int rc = 0;
    fprintf(f, "\n## %s\n\n%s\n", s->title, s->text);
    if (!r->n) {
        fprintf(f, "\nNothing was measured.\n");
        return 0;
    }
    if (s->figure) {
        rc = write_figure(f, r, folder, s->figure, NULL);
        for (int i = 0; yardsticks[i] && !rc; i++)
            if (has(r, yardsticks[i]))
                rc = write_figure(f, r, folder, s->figure, yardsticks[i]);
        fprintf(
            f,
            "\nTimes of `c` divided by the entrant's: how many times as fast as plain C it is.\n");
        print_table(f, r, "c");
    } else {
        fprintf(f, "\nMilliseconds; ~ marks noisy rows.\n");
        print_table(f, r, NULL);
    }
    if (s->details)
        print_pass_tables(f, r);
    return rc;
}

int gf_bench_report_begin(FILE *f, const struct gf_bench_host *host, const char *folder) {
    if (mkdir(folder, 0777) && errno != EEXIST)
        return gf_fail(GF_EIO, "'%s': %s", folder, strerror(errno));
    fprintf(f, "# Comparison\n\n`gpufft bench --report=DIR` measured and wrote this page. Data in "
               "memory (of the device, where the entrant works on one), single precision, medians; "
               "every answer was checked before it was timed.\n\n");
    describe_machine(f, host);
    return 0;
}

int gf_bench_report_end(FILE *f, char **text, size_t *size, const char *folder) {
    char path[4096];
    int rc = gf_text_close(f, text);
    if (!rc && folder) {
        snprintf(path, sizeof path, "%s/README.md", folder);
        rc = gf_file_write(path, *text, *size, true);
    }
    free(*text);
    *text = NULL;
    return rc;
}
