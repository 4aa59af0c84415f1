/* The radial spectrum to a file: a table, JSON, or a plot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/json.h"
#include "cli/log.h"
#include "cli/plot/plot.h"
#include "cli/report.h"
#include "cli/stats/stats.h"
#include "cli/text.h"
#include "core/base/status.h"
#include "formats/files.h"

/* A row for each ring, with a column for each channel. */
static int write_csv(const struct gf_stats *s, const char *path, bool clobber) {
    char number[GF_REAL_TEXT];
    struct gf_text t;
    int rc = gf_text_open(&t);
    FILE *f = t.f;
    if (rc)
        return rc;
    fprintf(f, "frequency,bins");
    for (int64_t c = 0; c < s->n_signals; c++)
        s->n_signals > 1 ? fprintf(f, ",power_%lld", (long long)c + 1) : fprintf(f, ",power");
    fputc('\n', f);
    for (int64_t r = 0; r < s->n_rings; r++) {
        const struct gf_ring *first = &s->signal[0].ring[r];
        fprintf(f, "%s,%lld", gf_real_text(first->frequency, number), (long long)first->bins);
        for (int64_t c = 0; c < s->n_signals; c++)
            fprintf(f, ",%s", gf_real_text(s->signal[c].ring[r].mean, number));
        fputc('\n', f);
    }
    return gf_text_save(&t, 0, path, clobber);
}

static int write_json(const struct gf_stats *s, const char *path, bool clobber) {
    gf_json_memory_begin();
    json_t *signals = json_array();
    for (int64_t c = 0; c < s->n_signals; c++)
        json_array_append_new(signals, gf_radial_json(s, &s->signal[c]));
    json_t *o = GF_REPORT(GF_KEY("in", s->path), GF_KEY("signals", signals));
    char *text = gf_json_line(o);
    json_decref(o);
    if (!text || gf_json_memory_missed()) {
        free(text);
        return gf_fail(GF_ENOMEM, "out of memory for JSON");
    }
    size_t n = strlen(text);
    text[n] = '\n';
    int rc = gf_file_write(path, text, n + 1, clobber);
    free(text);
    return rc;
}

/* The frequencies, then each channel's powers, each of n_rings numbers. */
static void fill_curves(const struct gf_stats *s, double *number, struct gf_plot_curve *curve) {
    static const char *const channels[] = {"1", "2", "3", "4"}, *const colors[] = {"red", "green",
                                                                                   "blue"};
    static const int color_of[] = {1, 2, 0, 6}; /* near red, green and blue */
    bool named = s->image->color == GF_RGB && s->n_signals == 3;
    for (int64_t r = 0; r < s->n_rings; r++)
        number[r] = s->signal[0].ring[r].frequency;
    for (int64_t c = 0; c < s->n_signals; c++) {
        double *y = number + (c + 1) * s->n_rings;
        for (int64_t r = 0; r < s->n_rings; r++)
            y[r] = s->signal[c].ring[r].mean;
        curve[c] = (struct gf_plot_curve){.x = number, .y = y, .n = s->n_rings};
        curve[c].color = c < 4 ? color_of[c] : 7;
        if (s->n_signals > 1 && c < 4)
            curve[c].name = named ? colors[c] : channels[c];
    }
}

static int write_plot(const struct gf_stats *s, const char *path, bool clobber) {
    const char *slash = strrchr(s->path, '/');
    struct gf_plot_panel panel = {.title = gf_log_name(slash ? slash + 1 : s->path),
                                  .x_label = "cycles/sample",
                                  .y_label = "mean power",
                                  .n = (int)s->n_signals};
    struct gf_plot plot = {.panel = &panel, .n = 1};
    double *number = malloc(((size_t)s->n_signals + 1) * (size_t)s->n_rings * sizeof *number);
    struct gf_plot_curve *curve = malloc((size_t)s->n_signals * sizeof *curve);
    int rc = number && curve ? 0 : gf_fail(GF_ENOMEM, "out of memory for the plot");
    if (!rc) {
        fill_curves(s, number, curve);
        panel.curve = curve;
        rc = gf_plot_write(&plot, path, clobber);
    }
    free(curve);
    free(number);
    return rc;
}

static const struct {
    const char *suffix;
    int (*write)(const struct gf_stats *s, const char *path, bool clobber);
} ways[] = {{".csv", write_csv}, {".json", write_json}, {".png", write_plot}, {".svg", write_plot}};
enum { N_WAYS = sizeof ways / sizeof *ways };

static int way_of(const char *path) {
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < N_WAYS; i++)
        if (!strcasecmp(dot, ways[i].suffix))
            return i;
    return -1;
}

int gf_radial_check(const char *path) {
    if (way_of(path) >= 0)
        return 0;
    return gf_fail(GF_EUSAGE, "--radial=%.60s: the suffix must be .csv, .json, .svg or .png", path);
}

int gf_radial_write(const struct gf_stats *s, const char *path, bool clobber) {
    int way = way_of(path);
    return way < 0 ? gf_radial_check(path) : ways[way].write(s, path, clobber);
}
