/* The sections of bench --report: one page of Markdown with figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/results/results.h"
#include "cli/results/tables.h"
#include "cli/text.h"
#include "core/base/status.h"
#include "formats/files.h"

/* Denominators of a figure, in order of preference. */
static const char *const yardsticks[] = {"cuda", "cufft", "openmp", NULL};

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
