/* Draws rows: time over size, an entrant a curve, and the same divided by one entrant's times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/results/results.h"
#include "cli/plot/plot.h"
#include "core/base/status.h"

enum { MOST_GROUPS = 24, MOST_CURVES = 40, MOST_NOTES = 24, TEXT = 96 };

/* Each entrant has its colour in every figure. */
static const struct {
    const char *name;
    int color, dash;
} looks[] = {
    {"openmp", 0, 0},
    {"openmp-1", 0, 1},
    {"fftw", 1, 1},
    {"fftw-measure", 1, 0},
    {"cuda", 2, 0},
    {"opencl", 3, 0},
    {"cufft", 6, 0},
    {"clfft", 4, 0},
    {"mkl", 5, 0},
    {"vkfft", 8, 0},
    {"c", 7, 0},
    {"opengl", 3, 1},
    {"cufftxt", 6, 1},
    {"cufftxt-perm", 4, 1},
    {"cuda-natural", 2, 1},
};

/* One curve: rows of an entrant on a host. */
struct series {
    char name[GF_BENCH_NAME + 8];
    double *x, *y, *ratio; /* of the figure's room */
    int64_t n;
    int color, dash;
};

/* Rows that share their axes: a kind of transforms of as many axes. */
struct group {
    const struct gf_bench_case *like;
    bool sides; /* squares or cubes alone: x is their side */
    int n;
    struct series series[MOST_CURVES];
    char title[2][TEXT], x_label[TEXT], y_label[2][TEXT];
    struct gf_plot_curve curve[2][MOST_CURVES];
};

struct figure {
    const struct gf_bench_results *r;
    const char *relative;
    int n, panels;
    struct group *group;
    struct gf_plot_panel panel[2 * MOST_GROUPS];
    double *room; /* three numbers for each row of each curve */
    char text[MOST_NOTES][2 * TEXT];
    const char *note[MOST_NOTES + 1];
};

static bool all_axes(const struct gf_bench_case *c) {
    return c->job.axes == (1u << c->shape.ndim) - 1;
}

static bool belongs(const struct gf_bench_case *a, const struct gf_bench_case *b) {
    return a->kind == b->kind && a->shape.ndim == b->shape.ndim && all_axes(a) == all_axes(b) &&
           a->job.direction == b->job.direction && a->job.precision == b->job.precision &&
           a->job.wavelet.levels == b->job.wavelet.levels;
}

static bool is_regular(const struct gf_bench_case *c) {
    bool regular = all_axes(c);
    for (int i = 1; i < c->shape.ndim; i++)
        regular = regular && c->shape.n[i] == c->shape.n[0];
    return regular;
}

static struct group *group_of(struct figure *f, const struct gf_bench_case *c) {
    for (int i = 0; i < f->n; i++)
        if (belongs(f->group[i].like, c))
            return &f->group[i];
    if (f->n == MOST_GROUPS)
        return NULL;
    f->group[f->n] = (struct group){.like = c, .sides = true};
    return &f->group[f->n++];
}

static struct series *series_of(struct figure *f, struct group *g,
                                const struct gf_bench_result *result, int64_t *used) {
    struct series s = {.color = 7, .dash = 0};
    bool several = f->r->n_hosts > 1;
    snprintf(s.name, sizeof s.name, several ? "%s [%d]" : "%s", result->row.name, result->host + 1);
    for (int i = 0; i < g->n; i++)
        if (!strcmp(g->series[i].name, s.name))
            return &g->series[i];
    if (g->n == MOST_CURVES)
        return NULL;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (!strcmp(looks[i].name, result->row.name)) {
            s.color = looks[i].color;
            s.dash = (looks[i].dash + (several ? result->host : 0)) % 4;
        }
    s.x = f->room + *used;
    s.y = s.x + f->r->n;
    s.ratio = s.y + f->r->n;
    *used += 3 * (int64_t)f->r->n;
    g->series[g->n] = s;
    return &g->series[g->n++];
}

/* Sorted by size, whatever order they were measured in. */
static void insert(struct series *s, double x, double y, double ratio) {
    int64_t at = s->n++;
    for (; at > 0 && s->x[at - 1] > x; at--) {
        s->x[at] = s->x[at - 1];
        s->y[at] = s->y[at - 1];
        s->ratio[at] = s->ratio[at - 1];
    }
    s->x[at] = x;
    s->y[at] = y;
    s->ratio[at] = ratio;
}

/* How many curves there may be. */
static int64_t count_series(const struct gf_bench_results *r) {
    int64_t n = 0;
    for (int i = 0; i < r->n; i++) {
        int j = 0;
        while (j < i && (r->result[j].host != r->result[i].host ||
                         strcmp(r->result[j].row.name, r->result[i].row.name) ||
                         !belongs(&r->result[j].c, &r->result[i].c)))
            j++;
        n += j == i;
    }
    return n;
}

static int collect(struct figure *f) {
    const struct gf_bench_results *r = f->r;
    int64_t used = 0;
    f->group = calloc(MOST_GROUPS, sizeof *f->group);
    f->room = calloc((size_t)(3 * count_series(r) * r->n + 1), sizeof *f->room);
    if (!f->group || !f->room)
        return gf_fail(GF_ENOMEM, "out of memory for the plot");
    for (int i = 0; i < r->n; i++) {
        struct group *g =
            r->result[i].row.status == GF_BENCH_OK ? group_of(f, &r->result[i].c) : NULL;
        if (g)
            g->sides = g->sides && is_regular(&r->result[i].c);
    }
    for (int i = 0; i < r->n; i++) {
        const struct gf_bench_result *result = &r->result[i];
        if (result->row.status != GF_BENCH_OK)
            continue;
        struct group *g = group_of(f, &result->c);
        struct series *s = g ? series_of(f, g, result, &used) : NULL;
        double size =
            g && g->sides ? (double)result->c.shape.n[0] : (double)gf_rig_points(&result->c.shape);
        if (s)
            insert(s, size, result->row.time.median,
                   result->row.ratio > 0 ? 1 / result->row.ratio : 0);
    }
    return 0;
}

/* ---- words ---- */

static void describe_group(const struct figure *f, struct group *g) {
    static const char *const sides[] = {"", "points", "side of the square", "side of the cube"};
    const struct gf_bench_case *c = g->like;
    char levels[32] = "";
    if (c->kind == GF_BENCH_DWT)
        snprintf(levels, sizeof levels, " of %d level%s", c->job.wavelet.levels,
                 c->job.wavelet.levels == 1 ? "" : "s");
    for (int k = 0; k < 2; k++) {
        int n =
            snprintf(g->title[k], TEXT, "%s%s, %dD%s, %s, %s precision", gf_bench_kinds[c->kind],
                     levels, c->shape.ndim, all_axes(c) ? "" : " by some axes",
                     gf_bench_directions[c->job.direction], gf_bench_precisions[c->job.precision]);
        if (k)
            snprintf(g->title[k] + n, (size_t)(TEXT - n), ": relative to %s", f->relative);
    }
    snprintf(g->x_label, TEXT, "%s", g->sides ? sides[c->shape.ndim] : "points");
    snprintf(g->y_label[0], TEXT, "time");
    snprintf(g->y_label[1], TEXT, "time / time of %s", f->relative ? f->relative : "");
}

/* "cuda, cufft: NVIDIA H200"; false for a device that an earlier entrant's line has. */
static bool describe_device(const struct gf_bench_host *host, int i, const char *number,
                            char text[2 * TEXT]) {
    const char *name = host->device[i].name;
    int used = snprintf(text, (size_t)2 * TEXT, "%s%s", number, host->device[i].entrant);
    for (int k = 0; k < i; k++)
        if (!strcmp(host->device[k].name, name))
            return false;
    for (int k = i + 1; k < host->n_devices && used < TEXT; k++)
        if (!strcmp(host->device[k].name, name))
            used +=
                snprintf(text + used, (size_t)(2 * TEXT - used), ", %s", host->device[k].entrant);
    snprintf(text + used, (size_t)(2 * TEXT - used), ": %.60s", name);
    return true;
}

static void describe_hosts(struct figure *f) {
    int n = 0;
    for (int h = 0; h < f->r->n_hosts && n < MOST_NOTES; h++) {
        const struct gf_bench_host *host = &f->r->host[h];
        char number[16] = "";
        if (f->r->n_hosts > 1)
            snprintf(number, sizeof number, "[%d] ", h + 1);
        snprintf(f->text[n++], sizeof *f->text, "%s%s, %d core%s, %s, %d thread%s", number,
                 host->cpu, host->cores, host->cores == 1 ? "" : "s", host->isa, host->threads,
                 host->threads == 1 ? "" : "s");
        for (int i = 0; i < host->n_devices && n < MOST_NOTES; i++)
            if (describe_device(host, i, number, f->text[n]))
                n++;
    }
    int noisy = 0;
    for (int i = 0; i < f->r->n; i++)
        noisy += f->r->result[i].row.status == GF_BENCH_OK && f->r->result[i].row.noisy;
    if (noisy && n < MOST_NOTES)
        snprintf(f->text[n++], sizeof *f->text,
                 "noisy: of %d point%s the median exceeds twice the least time", noisy,
                 noisy == 1 ? "" : "s");
    for (int i = 0; i < n; i++)
        f->note[i] = f->text[i];
}

/* ---- panels ---- */

static void add_panel(struct figure *f, struct group *g, bool relative) {
    struct gf_plot_panel *p = &f->panel[f->panels++];
    *p = (struct gf_plot_panel){.title = g->title[relative],
                                .x_label = g->x_label,
                                .y_label = g->y_label[relative],
                                .x_axis = GF_AXIS_POWERS,
                                .y_axis = relative ? GF_AXIS_NUMBERS : GF_AXIS_SECONDS,
                                .curve = g->curve[relative],
                                .n = g->n,
                                .level = relative ? 1 : 0};
    for (int i = 0; i < g->n; i++) {
        const struct series *s = &g->series[i];
        g->curve[relative][i] = (struct gf_plot_curve){.name = s->name,
                                                       .x = s->x,
                                                       .y = relative ? s->ratio : s->y,
                                                       .n = s->n,
                                                       .color = s->color,
                                                       .dash = s->dash,
                                                       .dots = s->n <= 40};
    }
}

int gf_bench_plot(const struct gf_bench_results *r, const char *relative, bool times,
                  const char *path, bool clobber) {
    struct figure f = {.r = r, .relative = relative};
    int rc = collect(&f);
    if (!rc) {
        for (int i = 0; i < f.n; i++) {
            describe_group(&f, &f.group[i]);
            if (times)
                add_panel(&f, &f.group[i], false);
            if (relative)
                add_panel(&f, &f.group[i], true);
        }
        describe_hosts(&f);
        struct gf_plot plot = {.panel = f.panel, .n = f.panels, .note = f.note};
        rc = gf_plot_write(&plot, path, clobber);
    }
    free(f.group);
    free(f.room);
    return rc;
}
