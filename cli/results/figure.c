/* Draws rows: time over size with a curve for each entrant, and the same divided by one entrant's
 * times. */
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

/* Cases that share their axes: of one kind and as many axes. Each curve is an entrant on a host. */
struct group {
    const struct gf_bench_case *like;
    bool sides; /* only squares or cubes: x is their side */
    int n;
    char name[MOST_CURVES][GF_BENCH_NAME + 8];
    char title[2][TEXT], y_label[2][TEXT];
    struct gf_plot_curve curve[2][MOST_CURVES]; /* times, and times over those of `relative` */
};

/* A row, and where it is drawn. */
struct point {
    const struct gf_bench_result *of;
    struct gf_plot_curve *curve;
    double x;
};

struct figure {
    const struct gf_bench_results *r;
    const char *relative;
    int n, panels;
    struct group *group;
    struct gf_plot_panel panel[2 * MOST_GROUPS];
    struct point *point;
    double *room; /* the sizes of all points, then their times, then their ratios */
    char text[MOST_NOTES][2 * TEXT];
    const char *note[MOST_NOTES + 1];
};

static bool all_axes(const struct gf_bench_case *c) {
    return c->job.axes == (1u << c->job.ndim) - 1;
}

static bool belongs(const struct gf_bench_case *a, const struct gf_bench_case *b) {
    return a->kind == b->kind && a->job.ndim == b->job.ndim && all_axes(a) == all_axes(b) &&
           a->job.direction == b->job.direction && a->job.precision == b->job.precision &&
           a->job.wavelet.levels == b->job.wavelet.levels;
}

static bool is_regular(const struct gf_bench_case *c) {
    bool regular = all_axes(c);
    for (int i = 1; i < c->job.ndim; i++)
        regular = regular && c->job.shape[i] == c->job.shape[0];
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

/* The result's curve of times, NULL when there is no room for another. */
static struct gf_plot_curve *curve_of(const struct figure *f, struct group *g,
                                      const struct gf_bench_result *result) {
    char name[sizeof *g->name];
    bool several = f->r->n_hosts > 1;
    struct gf_plot_curve *c = g->curve[0];
    snprintf(name, sizeof name, several ? "%s [%d]" : "%s", result->row.name, result->host + 1);
    for (; c < g->curve[0] + g->n; c++)
        if (!strcmp(c->name, name))
            return c;
    if (g->n == MOST_CURVES)
        return NULL;
    *c = (struct gf_plot_curve){.name = strcpy(g->name[g->n++], name), .color = 7};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (!strcmp(looks[i].name, result->row.name)) {
            c->color = looks[i].color;
            c->dash = (looks[i].dash + (several ? result->host : 0)) % 4;
        }
    return c;
}

/* Sorts by curve, then by size, whatever order the rows were measured in. */
static int compare_points(const void *a, const void *b) {
    const struct point *p = a, *q = b;
    if (p->curve != q->curve)
        return p->curve < q->curve ? -1 : 1;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->of > q->of) - (p->of < q->of);
}

/* Fills f->point[], sorted; returns how many there are. */
static size_t find_points(struct figure *f) {
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->r->n; i++) {
            const struct gf_bench_result *of = &f->r->result[i];
            struct group *g = of->row.status == GF_BENCH_OK ? group_of(f, &of->c) : NULL;
            struct gf_plot_curve *c = g ? curve_of(f, g, of) : NULL;
            if (g && !pass)
                g->sides = g->sides && is_regular(&of->c);
            else if (c)
                f->point[n++] = (struct point){
                    of, c, g->sides ? (double)of->c.job.shape[0] : (double)of->c.points};
        }
    qsort(f->point, n, sizeof *f->point, compare_points);
    return n;
}

static int collect(struct figure *f) {
    const size_t most = (size_t)f->r->n;
    f->group = calloc(MOST_GROUPS, sizeof *f->group);
    f->point = calloc(most + 1, sizeof *f->point);
    f->room = calloc(3 * most + 1, sizeof *f->room);
    if (!f->group || !f->point || !f->room)
        return gf_no_memory();
    const size_t n = find_points(f);
    for (size_t i = 0; i < n; i++) {
        const struct gf_bench_row *row = &f->point[i].of->row;
        struct gf_plot_curve *c = f->point[i].curve;
        double *x = f->room + i, *y = x + most;
        *x = f->point[i].x;
        *y = row->time.median;
        y[most] = row->ratio > 0 ? 1 / row->ratio : 0;
        if (!c->n++) {
            c->x = x;
            c->y = y;
        }
    }
    return 0;
}

/* ---- words ---- */

/* Writes "cuda, cufft: NVIDIA H200"; false for a device that an earlier line names. */
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
    static const char *const sides[] = {"", "points", "side of the square", "side of the cube"};
    const struct gf_bench_case *c = g->like;
    const char *to = relative ? f->relative : "";
    char levels[32] = "";
    if (c->kind == GF_BENCH_DWT)
        snprintf(levels, sizeof levels, " of %d level%s", c->job.wavelet.levels,
                 c->job.wavelet.levels == 1 ? "" : "s");
    snprintf(g->title[relative], TEXT, "%s%s, %dD%s, %s, %s precision%s%s", gf_bench_kinds[c->kind],
             levels, c->job.ndim, all_axes(c) ? "" : " by some axes",
             gf_bench_directions[c->job.direction], gf_bench_precisions[c->job.precision],
             relative ? ": relative to " : "", to);
    snprintf(g->y_label[relative], TEXT, "%s%s", relative ? "time / time of " : "time", to);
    f->panel[f->panels++] =
        (struct gf_plot_panel){.title = g->title[relative],
                               .x_label = g->sides ? sides[c->job.ndim] : "points",
                               .y_label = g->y_label[relative],
                               .x_axis = GF_AXIS_POWERS,
                               .y_axis = relative ? GF_AXIS_NUMBERS : GF_AXIS_SECONDS,
                               .curve = g->curve[relative],
                               .n = g->n,
                               .level = relative ? 1 : 0};
    for (int i = 0; i < g->n; i++) {
        g->curve[1][i] = g->curve[0][i];
        g->curve[1][i].y += f->r->n;
        g->curve[0][i].dots = g->curve[1][i].dots = g->curve[0][i].n <= 40;
    }
}

int gf_bench_plot(const struct gf_bench_results *r, const char *relative, bool times,
                  const char *path, bool clobber) {
    struct figure f = {.r = r, .relative = relative};
    int rc = collect(&f);
    if (!rc) {
        for (int i = 0; i < f.n; i++) {
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
    free(f.point);
    free(f.room);
    return rc;
}
