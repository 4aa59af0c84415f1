/* bench --report: one page of Markdown with figures for this machine. Each section measures its own
 * cases, keeps their rows, and writes what it shows of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/bench/report_tables.h"
#include "cli/text.h"
#include "core/base/status.h"
#include "formats/files.h"

/* What a figure divides by, as far as it is there. */
static const char *const yardsticks[] = {"cuda", "cufft", "openmp", NULL};

/* The command line that makes such a page; folders and files of this machine by what they are. */
static void print_command(FILE *f, const struct gf_settings *s, char *const *operands, int n) {
    const struct gf_bench_settings *o = &s->bench;
    fprintf(f, "    gpufft bench --report=DIR");
    if (o->backends)
        fprintf(f, " --backend=%s", o->backends);
    if (s->device)
        fprintf(f, " --device=%s", s->device);
    if (o->mkl)
        fprintf(f, " --mkl=PATH");
    if (o->ipp)
        fprintf(f, " --ipp=FOLDER");
    for (int i = 0; i < o->threads.n; i++)
        fprintf(f, "%s%d", i ? "," : " --threads=", o->threads.count[i]);
    if (o->repeat)
        fprintf(f, " --repeat=%d", o->repeat);
    else
        fprintf(f, " --time=%g", o->seconds);
    if (o->plan_seconds > 0)
        fprintf(f, " --plan-time=%g", o->plan_seconds);
    if (s->max_memory)
        fprintf(f, " --max-memory=%lldM", (long long)(s->max_memory >> 20));
    for (int i = 0; i < n; i++)
        fprintf(f, " %s", operands[i]);
    fputc('\n', f);
}

static void describe_machine(FILE *f, const struct gf_bench *b) {
    const struct gf_bench_host *h = &b->host;
    fprintf(f, "%s, %d core%s, %d thread%s; it copies %.3g GB/s (read + written).\n", h->cpu,
            h->cores, h->cores == 1 ? "" : "s", h->threads, h->threads == 1 ? "" : "s",
            h->copy * 1e-9);
    fprintf(f,
            "\n| entrant | what it is | its code | on | copies, GB/s |\n|---|---|---|---|---|\n");
    for (int i = 0; i < b->n; i++) {
        const struct gf_bench_entrant *e = &b->entrant[i];
        char reason[GF_REASON] = "";
        int first = 0;
        while (b->entrant[first].backend != e->backend)
            first++;
        if (first < i)
            snprintf(reason, sizeof reason, "as %s", b->entrant[first].name);
        else
            gf_backend_probe(e->backend, reason);
        fprintf(f, "| %s | %s | %s | ", e->name, reason, e->code_path);
        if (e->resident)
            fprintf(f, "%s | %.3g |\n", e->device.name, e->device.copy * 1e-9);
        else
            fprintf(f, "the CPU%s | %.3g |\n", e->threads == 1 ? ", one thread" : "",
                    h->copy * 1e-9);
    }
}

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
                      const struct gf_bench_view *v, const char *folder) {
    int rc = 0;
    gf_bench_behind_table(f, v);
    gf_bench_summary_table(f, v, gf_bench_view_base(v));
    gf_bench_describe_largest(f, v);
    if (s->figure)
        rc = write_figure(f, r, folder, s, NULL);
    for (int i = 0; s->figure && yardsticks[i] && !rc; i++)
        if (gf_bench_view_has(v, yardsticks[i]))
            rc = write_figure(f, r, folder, s, yardsticks[i]);
    bool over_c = s->figure && gf_bench_view_has(v, "c");
    fprintf(f, over_c ? "\nHow many times as fast as plain C (`c`), whose time is in its column:\n"
                      : "\nTimes:\n");
    gf_bench_size_table(f, v, over_c ? "c" : NULL);
    if (s->passes)
        gf_bench_pass_tables(f, v);
    gf_bench_transfer_table(f, v);
    gf_bench_describe_gaps(f, v);
    return rc;
}

int gf_bench_report_section(FILE *f, const struct gf_bench_section *s, struct gf_bench_results *r,
                            const char *folder) {
    struct gf_bench_view v;
    fprintf(f, "\n## %s\n\n%s\n", s->title, s->text);
    if (!r->n) {
        fprintf(f, "\nNothing was measured.\n");
        return 0;
    }
    int rc = gf_bench_view_make(r, &v);
    if (!rc)
        rc = write_body(f, s, r, &v, folder);
    gf_bench_view_free(&v);
    return rc;
}

int gf_bench_report_begin(FILE *f, const struct gf_bench *b, char *const *operands, int n) {
    fprintf(f, "# FFTs and wavelets compared\n\ngpufft " GF_VERSION
               " measured and wrote this page:\n\n");
    print_command(f, b->s, operands, n);
    fputc('\n', f);
    describe_machine(f, b);
    fprintf(f,
            "\nArrays are in memory, in that of the device where the entrant works on one; single "
            "precision. A time is the median of the runs of one entrant, which took turns with "
            "those of the others, planning and compiling not included; ~ marks one above twice the "
            "least, ^ one at less than a quarter of the GFLOP/s of the size before, measured four "
            "times. Generic path: code for every CPU, where this one has AVX2. Every answer was "
            "checked before it was timed. GFLOP/s: by 5 N log2 N "
            "operations, for wavelets 8 per sample, axis and level. GB/s: what the passes read and "
            "write; of copy: its share of the copy bandwidth.\n");
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
