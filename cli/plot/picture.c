/* Views of spectra, and the marks and rulers drawn over them. */
#include "cli/plot/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/plot/canvas.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"

/* In units of the canvas, of which a picture is about 800 wide, or has one a pixel. */
enum { ACROSS = 800, MARGIN = 62, FONT = 14, TICK = 5, RING = 7, LABEL_GAP = 3 };

static const struct gf_plot_color dark = {{20, 20, 20}}, bright = {{255, 214, 10}};

/* ---- views ---- */

static int64_t longest(const int64_t n[2]) {
    return gf_max(n[0], n[1]);
}

int gf_view_make(const int64_t shape[2], const struct gf_view_wish *wish, struct gf_view *view) {
    const int64_t side = longest(shape), grown = wish->zoom ? gf_max(side, GF_VIEW_LEAST) : side;
    int64_t zoom = wish->zoom ? wish->zoom : gf_max(1, gf_divide_up(wish->least, side));
    for (int i = 0; i < 2; i++) {
        const int64_t n = shape[i], at = wish->at[i] + n / 2;
        if (at < 0 || at >= n)
            return gf_fail(GF_EINVAL,
                           "--zoom: there is no bin %lld along %s; they are %lld to %lld",
                           (long long)wish->at[i], i ? "x" : "y", (long long)-(n / 2),
                           (long long)((n - 1) / 2));
        view->shape[i] = n;
        view->bins[i] = wish->zoom ? gf_min(n, gf_divide_up(n * grown, side * zoom)) : n;
        view->first[i] = gf_min(gf_max(0, at - view->bins[i] / 2), n - view->bins[i]);
    }
    const int64_t bins = longest(view->bins), most = wish->most ? wish->most : bins * zoom;
    zoom = gf_min(zoom, most / bins);
    for (int i = 0; i < 2; i++)
        view->size[i] =
            zoom ? view->bins[i] * zoom : gf_max(1, (view->bins[i] * most + bins / 2) / bins);
    return 0;
}

/* The bins from `from` to before `to` that pixel p shows. */
static void bins_of(const struct gf_view *v, int axis, int64_t p, int64_t *from, int64_t *to) {
    const int64_t bins = v->bins[axis], size = v->size[axis];
    *from = v->first[axis] + p * bins / size;
    *to = v->first[axis] + gf_divide_up((p + 1) * bins, size);
}

static double sample(const struct gf_array *a, int64_t y, int64_t x, int64_t c) {
    const char *p = (char *)a->data + y * a->stride[0] + x * a->stride[1] + c * a->stride[2];
    return gf_sample_get(p, a->dtype);
}

/* The sample shown for rows y[0] .. y[1] - 1 and columns x[0] .. x[1] - 1. */
static double pool_of(const struct gf_array *a, const int64_t y[2], const int64_t x[2], int64_t c,
                      enum gf_pool pool) {
    const double middle = a->dtype == GF_U8 ? 127.5 : 32767.5;
    double best = sample(a, (y[0] + y[1] - 1) / 2, (x[0] + x[1] - 1) / 2, c);
    for (int64_t i = y[0]; i < y[1] && pool != GF_POOL_MIDDLE; i++)
        for (int64_t k = x[0]; k < x[1]; k++) {
            const double v = sample(a, i, k, c);
            const bool better =
                pool == GF_POOL_LARGEST ? v > best : fabs(v - middle) > fabs(best - middle);
            best = better ? v : best;
        }
    return best;
}

void gf_view_draw(const struct gf_view *view, const struct gf_array *from, enum gf_pool pool,
                  unsigned char (*colors)[3], struct gf_array *to, int threads) {
    const int64_t channels = from->shape[2];
#pragma omp parallel for num_threads(threads)
    for (int64_t py = 0; py < view->size[0]; py++)
        for (int64_t px = 0; px < view->size[1]; px++) {
            char *p = (char *)to->data + py * to->stride[0] + px * to->stride[1];
            int64_t y[2], x[2];
            bins_of(view, 0, py, &y[0], &y[1]);
            bins_of(view, 1, px, &x[0], &x[1]);
            for (int64_t c = 0; c < to->shape[2]; c++) {
                const double v = pool_of(from, y, x, c < channels ? c : 0, pool);
                gf_sample_put(p + c * to->stride[2], to->dtype, colors ? colors[(int)v][c] : v);
            }
        }
}

/* ---- what is drawn over them ---- */

/* Pixels for a unit of the canvas. */
static double scale_of(int64_t side) {
    return fmax(1, (double)side / ACROSS);
}

int64_t gf_picture_size(const struct gf_view *view, bool rulers, int64_t size[2]) {
    const int64_t margin = rulers ? (int64_t)ceil(MARGIN * scale_of(longest(view->size))) : 0;
    for (int i = 0; i < 2; i++)
        size[i] = view->size[i] + margin;
    return margin;
}

int64_t gf_picture_most(int64_t most) {
    const double share = (double)ACROSS / (ACROSS + MARGIN);
    return gf_min(most - MARGIN, (int64_t)((double)most * share) - 1);
}

struct overlay {
    const struct gf_view *view;
    struct gf_canvas canvas;
    double scale, left, width, height; /* the view on the canvas: left to width, 0 to height */
};

/* The centre of a bin on the canvas; false if it is not shown. */
static bool find_place(const struct overlay *o, int64_t y, int64_t x, struct gf_point *p) {
    const struct gf_view *v = o->view;
    const int64_t at[2] = {y + v->shape[0] / 2 - v->first[0], x + v->shape[1] / 2 - v->first[1]};
    p->y = ((double)at[0] + 0.5) * (double)v->size[0] / (double)v->bins[0] / o->scale;
    p->x = ((double)at[1] + 0.5) * (double)v->size[1] / (double)v->bins[1] / o->scale + o->left;
    return at[0] >= 0 && at[0] < v->bins[0] && at[1] >= 0 && at[1] < v->bins[1];
}

/* Draws in dark, wider, below the bright lines. */
static void draw_ring(const struct overlay *o, struct gf_point at, double radius) {
    enum { N = 40 };
    struct gf_point p[N + 1];
    for (int i = 0; i <= N; i++) {
        const double angle = 2 * 3.141592653589793 * i / N;
        p[i] = (struct gf_point){at.x + radius * cos(angle), at.y + radius * sin(angle)};
    }
    o->canvas.line(o->canvas.to, p, N + 1, &(struct gf_stroke){.width = 3.6, .color = dark});
    o->canvas.line(o->canvas.to, p, N + 1, &(struct gf_stroke){.width = 1.6, .color = bright});
}

static void draw_outlined(const struct overlay *o, struct gf_label label) {
    const struct gf_point at = label.at;
    label.color = dark;
    for (int i = 0; i < 9; i++) {
        label.at = (struct gf_point){at.x + i % 3 - 1, at.y + (double)(i / 3) - 1};
        o->canvas.label(o->canvas.to, &label);
    }
    label.at = at;
    label.color = bright;
    o->canvas.label(o->canvas.to, &label);
}

struct box {
    double left, top, right, bottom;
};

static double overlap(const struct box *a, const struct box *b) {
    const double x = fmin(a->right, b->right) - fmax(a->left, b->left);
    const double y = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
    return x > 0 && y > 0 ? x * y : 0;
}

/* Writes a label right, left, below or above of a ring, whichever hides least of the boxes before it,
 * and adds its own box. */
static void place_label(const struct overlay *o, const char *text, struct gf_point at,
                        double radius, struct box *taken, int *n) {
    struct gf_label label = {.size = FONT, .anchor = GF_ANCHOR_START, .text = text};
    const double wide = gf_label_width(&label), high = FONT, away = radius + LABEL_GAP;
    const double x[4] = {at.x + away, at.x - away - wide, at.x - wide / 2, at.x - wide / 2};
    const double y[4] = {at.y - high / 2, at.y - high / 2, at.y + away, at.y - away - high};
    struct box best = {0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double left = fmax(o->left + 2, fmin(x[i], o->width - wide - 2));
        const double top = fmax(2, fmin(y[i], o->height - high - 2));
        const struct box b = {left, top, left + wide, top + high};
        double hides = fabs(left - x[i]) + fabs(top - y[i]); /* it had to be moved */
        for (int k = 0; k < *n; k++)
            hides += overlap(&b, &taken[k]);
        if (hides < least) {
            least = hides;
            best = b;
        }
    }
    taken[(*n)++] = best;
    label.at = (struct gf_point){best.left, best.bottom - 1};
    draw_outlined(o, label);
}

/* Rings first, then labels, so that a label avoids all rings. */
static void draw_marks(const struct overlay *o, const struct gf_notes *notes, struct box *taken) {
    const double bin = (double)o->view->size[1] / (double)o->view->bins[1] / o->scale;
    const double radius = fmax(RING, 1.2 * bin);
    struct gf_point p;
    int n = 0;
    for (int i = 0; i < notes->n_marks; i++)
        for (int sign = 1; sign >= (notes->mark[i].twin ? -1 : 1); sign -= 2)
            if (find_place(o, sign * notes->mark[i].at[0], sign * notes->mark[i].at[1], &p)) {
                draw_ring(o, p, radius);
                taken[n++] = (struct box){p.x - radius, p.y - radius, p.x + radius, p.y + radius};
            }
    for (int i = 0; i < notes->n_marks; i++) {
        const struct gf_mark *m = &notes->mark[i];
        if (find_place(o, m->at[0], m->at[1], &p) ||
            (m->twin && find_place(o, -m->at[0], -m->at[1], &p)))
            place_label(o, m->label, p, radius, taken, &n);
    }
}

/* Draws one ruler: ticks at round frequencies, and their numbers. */
static void draw_ruler(const struct overlay *o, const struct gf_notes *notes, bool is_x) {
    const struct gf_view *v = o->view;
    const double bins = (double)v->bins[is_x], pixels = (double)v->size[is_x] / o->scale;
    const double unit = 1 / ((double)v->shape[is_x] * notes->spacing[is_x]); /* of a bin */
    const double low = ((double)(v->first[is_x] - v->shape[is_x] / 2) - 0.5) * unit;
    const double step = gf_plot_step(bins * unit, fmax(1, pixels / (is_x ? 64 : 32)));
    const struct gf_stroke stroke = {.width = 1, .color = dark};
    for (double k = ceil(low / step); k * step <= low + bins * unit; k++) {
        char text[32];
        const double at = (k * step - low) / unit / bins * pixels;
        const double x = is_x ? o->left + at : o->left, y = is_x ? o->height : at;
        const struct gf_point tick[] = {{x, y}, {is_x ? x : x - TICK, is_x ? y + TICK : y}};
        snprintf(text, sizeof text, "%.5g", k * step);
        struct gf_label label = {.at = {x - TICK - 3, y + 0.35 * FONT},
                                 .size = FONT,
                                 .anchor = GF_ANCHOR_END,
                                 .color = dark,
                                 .text = text};
        if (is_x) {
            const double half = gf_label_width(&label) / 2;
            label.at = (struct gf_point){fmin(x, o->width - half), y + TICK + 3 + FONT};
            label.anchor = GF_ANCHOR_MIDDLE;
        } else {
            label.at.y = fmin(fmax(label.at.y, FONT), o->height);
        }
        o->canvas.line(o->canvas.to, tick, 2, &stroke);
        o->canvas.label(o->canvas.to, &label);
    }
}

/* Makes the margins white, and draws both rulers and their unit. */
static void draw_rulers(const struct overlay *o, const struct gf_notes *notes,
                        const struct gf_array *px, int64_t margin) {
    unsigned char *at = px->data;
    char text[40];
    for (int64_t y = 0; y < px->shape[0]; y++)
        for (int64_t x = 0; x < 3 * px->shape[1]; x++, at++)
            *at = x < 3 * margin || y >= px->shape[0] - margin ? 255 : *at;
    draw_ruler(o, notes, false);
    draw_ruler(o, notes, true);
    snprintf(text, sizeof text, "cycles/%s", notes->unit);
    o->canvas.label(o->canvas.to, &(struct gf_label){.at = {o->width - 2, o->height + MARGIN - 12},
                                                     .size = FONT,
                                                     .anchor = GF_ANCHOR_END,
                                                     .color = dark,
                                                     .text = text});
}

int gf_picture_annotate(const struct gf_view *view, const struct gf_notes *notes,
                        const struct gf_array *px) {
    int64_t size[2];
    const int64_t margin = gf_picture_size(view, notes->rulers, size);
    struct overlay o = {.view = view, .scale = scale_of(longest(view->size))};
    struct box *taken = malloc(3 * (size_t)notes->n_marks * sizeof *taken + 1);
    o.left = (double)margin / o.scale;
    o.width = (double)size[1] / o.scale;
    o.height = (double)view->size[0] / o.scale;
    int rc = taken ? gf_raster_open(px, o.scale, &o.canvas) : gf_no_memory();
    if (!rc)
        draw_marks(&o, notes, taken);
    if (!rc && notes->rulers)
        draw_rulers(&o, notes, px, margin);
    gf_raster_close(&o.canvas);
    free(taken);
    return rc;
}
