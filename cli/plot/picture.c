/* Views of spectra, and the marks and rulers drawn over them. */
#include "cli/plot/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/plot/canvas.h"
#include "core/base/status.h"

/* Pixels, in a picture of at most ACROSS. */
enum { ACROSS = 800, MARGIN = 62, FONT = 14, TICK = 5, RING = 7 };

static const struct gf_plot_color dark = {{20, 20, 20}}, bright = {{255, 214, 10}};

/* ---- views ---- */

int gf_view_make(const int64_t shape[2], const struct gf_view_wish *wish, struct gf_view *view) {
    const int64_t side = gf_max(shape[0], shape[1]);
    const int64_t grown = gf_max(side, wish->zoom ? GF_VIEW_LEAST : 0);
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
    const int64_t bins = gf_max(view->bins[0], view->bins[1]);
    int64_t most = wish->most ? wish->most : bins * zoom;
    if (wish->most && wish->rulers)
        most = gf_min(most - MARGIN, most * ACROSS / (ACROSS + MARGIN) - 1);
    zoom = gf_min(zoom, most / bins);
    for (int i = 0; i < 2; i++)
        view->size[i] = zoom ? view->bins[i] * zoom : gf_max(1, view->bins[i] * most / bins);
    view->scale = fmax(1, (double)gf_max(view->size[0], view->size[1]) / ACROSS);
    view->margin = wish->rulers ? (int64_t)ceil(MARGIN * view->scale) : 0;
    return 0;
}

void gf_view_draw(const struct gf_view *view, const struct gf_array *from, bool largest,
                  unsigned char (*colors)[3], int threads, const struct gf_array *picture) {
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < view->size[0] * view->size[1]; k++) {
        const int64_t pixel[2] = {k / view->size[1], k % view->size[1]};
        int64_t low[2], high[2]; /* the bins of this pixel, high beyond the last */
        for (int i = 0; i < 2; i++) {
            low[i] = pixel[i] * view->bins[i] / view->size[i];
            high[i] = gf_divide_up((pixel[i] + 1) * view->bins[i], view->size[i]);
            low[i] = view->first[i] + (largest ? low[i] : (low[i] + high[i] - 1) / 2);
            high[i] = largest ? view->first[i] + high[i] : low[i] + 1;
        }
        unsigned char v = 0, *to = (unsigned char *)picture->data + pixel[0] * picture->stride[0] +
                                   (pixel[1] + view->margin) * picture->stride[1];
        for (int64_t y = low[0]; y < high[0]; y++)
            for (int64_t x = low[1]; x < high[1]; x++) {
                const unsigned char *p = from->data;
                v = (unsigned char)gf_max(v, p[y * from->stride[0] + x * from->stride[1]]);
            }
        for (int64_t c = 0; c < picture->shape[2]; c++)
            to[c] = colors[v][c];
    }
}

/* ---- what is drawn over them ---- */

struct box {
    double x, y, wide, high;
};

struct overlay {
    const struct gf_view *view;
    const struct gf_notes *notes;
    struct gf_canvas canvas;
    double left, right, bottom; /* of the view in the picture */
    double radius;              /* of a ring */
    struct box *taken;          /* by rings and labels */
    int n;
};

/* Finds the centre of a mark, or of its twin, in the picture; false if it is not shown. */
static bool find_place(const struct overlay *o, const struct gf_mark *m, int sign,
                       struct gf_point *p) {
    const struct gf_view *v = o->view;
    double *to[2] = {&p->y, &p->x};
    bool shown = sign > 0 || m->twin;
    for (int i = 0; i < 2; i++) {
        const int64_t at = sign * m->at[i] + v->shape[i] / 2 - v->first[i];
        *to[i] = ((double)at + 0.5) * (double)v->size[i] / (double)v->bins[i];
        shown = shown && at >= 0 && at < v->bins[i];
    }
    p->x += o->left;
    return shown;
}

/* Draws a dark ring below a bright, narrower one. */
static void draw_ring(struct overlay *o, struct gf_point at) {
    enum { N = 40 };
    const double r = o->radius;
    struct gf_point p[N + 1];
    for (int i = 0; i <= N; i++) {
        const double angle = 2 * 3.141592653589793 * i / N;
        p[i] = (struct gf_point){at.x + r * cos(angle), at.y + r * sin(angle)};
    }
    for (int i = 0; i < 2; i++)
        o->canvas.line(o->canvas.to, p, N + 1,
                       &(struct gf_stroke){.width = (i ? 1.6 : 3.6) * o->view->scale,
                                           .color = i ? bright : dark});
    o->taken[o->n++] = (struct box){at.x - r, at.y - r, 2 * r, 2 * r};
}

static double overlap(const struct box *a, const struct box *b) {
    const double x = fmin(a->x + a->wide, b->x + b->wide) - fmax(a->x, b->x);
    const double y = fmin(a->y + a->high, b->y + b->high) - fmax(a->y, b->y);
    return fmax(x, 0) * fmax(y, 0);
}

/* Writes a label right, left, below or above of a ring, whichever hides least of what is there. */
static void draw_label(struct overlay *o, const char *text, struct gf_point at) {
    struct gf_label label = {.size = FONT * o->view->scale, .text = text};
    const double wide = gf_label_width(&label), high = label.size, away = o->radius + 3;
    const struct gf_point corner[4] = {{at.x + away, at.y - high / 2},
                                       {at.x - away - wide, at.y - high / 2},
                                       {at.x - wide / 2, at.y + away},
                                       {at.x - wide / 2, at.y - away - high}};
    double least = INFINITY;
    struct box *best = &o->taken[o->n];
    for (int i = 0; i < 4; i++) {
        const struct box b = {fmax(o->left + 2, fmin(corner[i].x, o->right - wide - 2)),
                              fmax(2, fmin(corner[i].y, o->bottom - high - 2)), wide, high};
        double hides = fabs(b.x - corner[i].x) + fabs(b.y - corner[i].y); /* if it was moved */
        for (int k = 0; k < o->n; k++)
            hides += overlap(&b, &o->taken[k]);
        if (hides < least) {
            least = hides;
            *best = b;
        }
    }
    o->n++;
    for (int i = 0; i < 10; i++) { /* nine times in dark around the bright one */
        label.color = i < 9 ? dark : bright;
        label.at.x = best->x + (i < 9 ? i % 3 - 1 : 0);
        label.at.y = best->y + high - 1 + (i < 9 ? i / 3 - 1 : 0);
        o->canvas.label(o->canvas.to, &label);
    }
}

/* Draws all rings first, so that labels avoid them. */
static void draw_marks(struct overlay *o) {
    const struct gf_notes *notes = o->notes;
    struct gf_point p;
    for (int i = 0; i < 2 * notes->n_marks; i++)
        if (find_place(o, &notes->mark[i / 2], i % 2 ? -1 : 1, &p))
            draw_ring(o, p);
    for (int i = 0; i < notes->n_marks; i++)
        if (find_place(o, &notes->mark[i], 1, &p) || find_place(o, &notes->mark[i], -1, &p))
            draw_label(o, notes->mark[i].label, p);
}

/* Draws ticks at round frequencies along x or y, and their numbers. */
static void draw_ruler(const struct overlay *o, int is_x) {
    const struct gf_view *v = o->view;
    const double bins = (double)v->bins[is_x], pixels = (double)v->size[is_x], s = v->scale;
    const double unit = 1 / ((double)v->shape[is_x] * o->notes->spacing[is_x]); /* of a bin */
    const double low = ((double)(v->first[is_x] - v->shape[is_x] / 2) - 0.5) * unit;
    const double step = gf_plot_step(bins * unit, fmax(1, pixels / s / (is_x ? 64 : 32)));
    for (double k = ceil(low / step); k * step <= low + bins * unit; k++) {
        char text[32];
        struct gf_label label = {.size = FONT * s, .color = dark, .text = text};
        const double at = (k * step - low) / unit / bins * pixels;
        struct gf_point tick[2] = {{o->left, at}, {o->left - TICK * s, at}};
        snprintf(text, sizeof text, "%.5g", k * step);
        label.anchor = GF_ANCHOR_END;
        label.at.x = o->left - (TICK + 3) * s;
        label.at.y = fmin(fmax(at + 0.35 * label.size, label.size), o->bottom);
        if (is_x) {
            tick[0] = (struct gf_point){o->left + at, o->bottom};
            tick[1] = (struct gf_point){o->left + at, o->bottom + TICK * s};
            label.anchor = GF_ANCHOR_MIDDLE;
            label.at.x = fmin(tick[0].x, o->right - gf_label_width(&label) / 2);
            label.at.y = o->bottom + (TICK + 3 + FONT) * s;
        }
        o->canvas.line(o->canvas.to, tick, 2, &(struct gf_stroke){.width = s, .color = dark});
        o->canvas.label(o->canvas.to, &label);
    }
}

/* Makes the margins white, and draws both rulers and their unit. */
static void draw_rulers(const struct overlay *o, const struct gf_array *px) {
    const int64_t margin = o->view->margin;
    unsigned char *p = px->data;
    char text[40];
    for (int64_t y = 0; y < px->shape[0]; y++)
        for (int64_t x = 0; x < 3 * px->shape[1]; x++, p++)
            *p = x < 3 * margin || y >= px->shape[0] - margin ? 255 : *p;
    draw_ruler(o, 0);
    draw_ruler(o, 1);
    snprintf(text, sizeof text, "cycles/%s", o->notes->unit);
    o->canvas.label(
        o->canvas.to,
        &(struct gf_label){.at = {o->right - 2, o->bottom + (MARGIN - 12) * o->view->scale},
                           .size = FONT * o->view->scale,
                           .anchor = GF_ANCHOR_END,
                           .color = dark,
                           .text = text});
}

int gf_view_annotate(const struct gf_view *view, const struct gf_notes *notes,
                     const struct gf_array *picture) {
    const double bin = (double)view->size[1] / (double)view->bins[1];
    struct overlay o = {.view = view,
                        .notes = notes,
                        .left = (double)view->margin,
                        .right = (double)picture->shape[1],
                        .bottom = (double)view->size[0],
                        .radius = fmax(RING * view->scale, 1.2 * bin)};
    o.taken = malloc((3 * (size_t)notes->n_marks + 1) * sizeof *o.taken);
    int rc = o.taken ? gf_raster_open(picture, 1, &o.canvas) : gf_no_memory();
    if (!rc)
        draw_marks(&o);
    if (!rc && view->margin)
        draw_rulers(&o, picture);
    gf_raster_close(&o.canvas);
    free(o.taken);
    return rc;
}
