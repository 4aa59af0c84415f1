/* Views of spectra, and the marks and rulers drawn over them. */
#include "cli/plot/picture.h"

#include <math.h>
#include <stdio.h>

#include "cli/plot/canvas.h"
#include "core/base/value/status.h"

enum { ACROSS = 800, MARGIN = 62, FONT = 14, RING = 7, GROWN = 512 }; /* pixels, up to ACROSS */

/* ---- views ---- */

int gf_view_make(struct gf_view *view, const int64_t shape[2], int64_t zoom, const int at[2],
                 int64_t most, bool rulers) {
    const int64_t side = gf_max(shape[0], shape[1]), grown = gf_max(side, GROWN);
    for (int i = 0; i < 2; i++) {
        const int64_t n = shape[i], middle = at[i] + n / 2;
        if (middle < 0 || middle >= n)
            return gf_fail(GF_EINVAL, "--zoom: there is no bin %d along %s; they are %lld to %lld",
                           at[i], i ? "x" : "y", (long long)-(n / 2), (long long)((n - 1) / 2));
        view->shape[i] = n;
        view->bins[i] = zoom > 1 ? gf_min(n, gf_divide_up(n * grown, side * zoom)) : n;
        view->first[i] = gf_min(gf_max(0, middle - view->bins[i] / 2), n - view->bins[i]);
    }
    const int64_t bins = gf_max(view->bins[0], view->bins[1]);
    if (most && rulers)
        most = gf_min(most - MARGIN, most * ACROSS / (ACROSS + MARGIN) - 1);
    zoom = most ? gf_min(zoom, most / bins) : zoom;
    for (int i = 0; i < 2; i++)
        view->size[i] = zoom ? view->bins[i] * zoom : gf_max(1, view->bins[i] * most / bins);
    view->scale = fmax(1, (double)gf_max(view->size[0], view->size[1]) / ACROSS);
    view->margin = rulers ? (int64_t)ceil(MARGIN * view->scale) : 0;
    return 0;
}

void gf_view_draw(const struct gf_view *view, const struct gf_array *from, bool largest,
                  unsigned char (*colors)[3], int threads, const struct gf_array *picture) {
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < view->size[0] * view->size[1]; k++) {
        const int64_t pixel[2] = {k / view->size[1], k % view->size[1]};
        int64_t low[2], high[2]; /* the bins of this pixel, high beyond the last */
        for (int i = 0; i < 2; i++) {
            low[i] = view->first[i] + pixel[i] * view->bins[i] / view->size[i];
            high[i] = view->first[i] + gf_divide_up((pixel[i] + 1) * view->bins[i], view->size[i]);
            low[i] = largest ? low[i] : (low[i] + high[i] - 1) / 2;
            high[i] = largest ? high[i] : low[i] + 1;
        }
        const unsigned char *p = from->data;
        unsigned char *to = (unsigned char *)picture->data + pixel[0] * picture->stride[0] +
                            (pixel[1] + view->margin) * picture->stride[1];
        int64_t v = 0;
        for (int64_t y = low[0]; y < high[0]; y++)
            for (int64_t x = low[1]; x < high[1]; x++)
                v = gf_max(v, p[y * from->stride[0] + x * from->stride[1]]);
        for (int64_t c = 0; c < picture->shape[2]; c++)
            to[c] = colors[v][c];
    }
}

/* ---- what is drawn over them, in the canvas's units: view->scale pixels ---- */

static const struct gf_plot_color dark = {{20, 20, 20}}, bright = {{255, 214, 10}};

struct box {
    double x, y, width, high;
};

struct overlay {
    const struct gf_view *view;
    const struct gf_notes *notes;
    const struct gf_canvas *canvas;
    double left, right, bottom;         /* of the view in the picture */
    double bin, radius;                 /* size of a bin, and of a ring */
    struct box taken[3 * GF_MAX_MARKS]; /* by rings and labels */
    int n;
};

/* Finds the place of a mark or, with sign -1, of its twin; false if it is not shown. */
static bool find_place(const struct overlay *o, const struct gf_mark *m, int sign,
                       struct gf_point *p) {
    const struct gf_view *v = o->view;
    const int64_t y = sign * m->at[0] + v->shape[0] / 2 - v->first[0];
    const int64_t x = sign * m->at[1] + v->shape[1] / 2 - v->first[1];
    p->y = ((double)y + 0.5) * o->bin;
    p->x = ((double)x + 0.5) * o->bin + o->left;
    return (sign > 0 || m->twin) && y >= 0 && y < v->bins[0] && x >= 0 && x < v->bins[1];
}

/* Draws a dark line below a bright, narrower one. */
static void draw_line(const struct overlay *o, const struct gf_point *p, int64_t n) {
    const struct gf_canvas *c = o->canvas;
    c->line(c->to, p, n, &(struct gf_stroke){.width = 3.6, .color = dark});
    c->line(c->to, p, n, &(struct gf_stroke){.width = 1.6, .color = bright});
}

static void draw_ring(struct overlay *o, struct gf_point at) {
    struct gf_point p[41];
    for (int i = 0; i < 41; i++) {
        const double angle = 2 * M_PI * i / 40;
        p[i].x = at.x + o->radius * cos(angle);
        p[i].y = at.y + o->radius * sin(angle);
    }
    draw_line(o, p, 41);
    o->taken[o->n++] =
        (struct box){at.x - o->radius, at.y - o->radius, 2 * o->radius, 2 * o->radius};
}

static double overlap(const struct box *a, const struct box *b) {
    const double x = fmin(a->x + a->width, b->x + b->width) - fmax(a->x, b->x);
    const double y = fmin(a->y + a->high, b->y + b->high) - fmax(a->y, b->y);
    return fmax(x, 0) * fmax(y, 0);
}

/* Chooses a label's place beside a ring, where it hides least of the rings, or farther away at the end
 * of a line. A label without a place that covers no other label is left out: its width is 0. */
static void place_label(struct overlay *o, const char *text, struct gf_point at, int n_rings) {
    enum { SIDES = 3, STEPS = 6, STEP = FONT + 3, COVERED = 1000000 };
    const double width = gf_label_width(&(struct gf_label){.size = FONT, .text = text}) + 3;
    const double away = o->radius + 3;
    struct box *best = &o->taken[o->n];
    double least = COVERED;
    *best = (struct box){at.x, at.y, 0, 0};
    for (int i = 0; i < 2 * SIDES * STEPS; i++) { /* right, left, below and above */
        const int side = i / 2 % SIDES, sign = i % 2 ? -1 : 1, step = i / 2 / SIDES;
        const double aside = away + width / 2 + 4 * step, up = side < 2 ? 0 : away + FONT / 2.;
        const double x = at.x - width / 2 + (side < 2 ? (1 - 2 * side) * aside : 0);
        const double y = at.y - FONT / 2. + sign * (up + step * STEP);
        const struct box b = {fmax(o->left + 2, fmin(x, o->right - width - 2)),
                              fmax(2, fmin(y, o->bottom - FONT - 2)), width, FONT};
        double hides = fabs(b.x - x) + fabs(b.y - y) + step * STEP; /* if it was moved */
        for (int k = 0; k < o->n; k++)
            hides += k < n_rings                     ? overlap(&b, &o->taken[k])
                     : overlap(&b, &o->taken[k]) > 0 ? COVERED
                                                     : 0;
        *best = hides < least ? b : *best;
        least = fmin(least, hides);
    }
    o->n++;
    const double x = fmax(best->x, fmin(at.x, best->x + best->width));
    const double y = fmax(best->y, fmin(at.y, best->y + best->high));
    const double distance = hypot(x - at.x, y - at.y), edge = o->radius / distance;
    const struct gf_point leader[] = {{at.x + edge * (x - at.x), at.y + edge * (y - at.y)}, {x, y}};
    if (distance > away + 2)
        draw_line(o, leader, 2);
}

static void draw_label(const struct overlay *o, const char *text, const struct box *at) {
    struct gf_label label = {.size = FONT, .text = text};
    for (int i = 0; i < 10; i++) { /* nine times in dark around the bright one */
        label.color = i < 9 ? dark : bright;
        label.at.x = at->x + (i < 9 ? i % 3 - 1 : 0);
        label.at.y = at->y + FONT - 1 + (i < 9 ? i / 3 - 1 : 0);
        o->canvas->label(o->canvas->to, &label);
    }
}

/* The axis of a ruler from `first` to `last`: the frequencies at the outer edges of the bins. */
static struct gf_plot_axis axis_of(const struct overlay *o, int i, double first, double last) {
    const struct gf_view *v = o->view;
    const double unit = 1 / ((double)v->shape[i] * o->notes->spacing[i]);
    const double low = ((double)(v->first[i] - v->shape[i] / 2) - 0.5) * unit;
    return (struct gf_plot_axis){low, low + (double)v->bins[i] * unit, first, last, true};
}

static int draw_overlay(void *overlay, const struct gf_canvas *canvas) {
    struct overlay *o = overlay;
    const struct gf_notes *notes = o->notes;
    struct gf_point p;
    char text[40];
    o->canvas = canvas;
    for (int i = 0; i < 2 * notes->n_marks; i++) /* all rings first: labels avoid them */
        if (find_place(o, &notes->mark[i / 2], i % 2 ? -1 : 1, &p))
            draw_ring(o, p);
    const int n_rings = o->n;
    const char *label[GF_MAX_MARKS];
    for (int i = 0; i < notes->n_marks; i++)
        if (find_place(o, &notes->mark[i], 1, &p) || find_place(o, &notes->mark[i], -1, &p)) {
            label[o->n - n_rings] = notes->mark[i].label;
            place_label(o, label[o->n - n_rings], p, n_rings);
        }
    for (int i = n_rings; i < o->n; i++) /* over the lines to them */
        if (o->taken[i].width > 0)
            draw_label(o, label[i - n_rings], &o->taken[i]);
    if (!o->view->margin)
        return 0;
    const struct gf_plot_axis x = axis_of(o, 1, o->left, o->right), y = axis_of(o, 0, 0, o->bottom);
    gf_plot_draw_rulers(canvas, &x, &y);
    snprintf(text, sizeof text, "cycles/%s", notes->unit);
    canvas->label(canvas->to, &(struct gf_label){.at = {o->right - 2, o->bottom + MARGIN - 12},
                                                 .size = FONT,
                                                 .anchor = GF_ANCHOR_END,
                                                 .color = dark,
                                                 .text = text});
    return 0;
}

int gf_view_annotate(const struct gf_view *view, const struct gf_notes *notes,
                     const struct gf_array *picture) {
    struct overlay o = {.view = view, .notes = notes};
    unsigned char *p = picture->data;
    for (int64_t y = 0; y < picture->shape[0] && view->margin; y++)
        for (int64_t x = 0; x < 3 * picture->shape[1]; x++, p++)
            *p = x < 3 * view->margin || y >= view->size[0] ? 255 : *p;
    o.left = (double)view->margin / view->scale;
    o.right = (double)picture->shape[1] / view->scale;
    o.bottom = (double)view->size[0] / view->scale;
    o.bin = (double)view->size[1] / (double)view->bins[1] / view->scale;
    o.radius = fmax(RING, 1.2 * o.bin);
    return gf_raster_draw(picture, view->scale, draw_overlay, &o);
}

/* ---- colour maps by a few colours each, with straight lines between them ---- */

const char *const gf_colormap_names[] = {"gray",   "viridis", "magma",    "inferno",
                                         "plasma", "cividis", "twilight", NULL};

/* Eight hexadecimal digits for each colour: its grey, red, green and blue. Chosen as the fewest
 * such that lines between them are nowhere farther than 1.6/255 from the map. */
static const char *const nodes[] = {
    "00000000ffffffff",
    "0044015402450457174821732c443b8448375b8d7d218e8d901fa0889d25ac82aa35b779b84ec36bcb77d153e9c5e0"
    "21f2dde318f8ece51bfffde725",
    "00000004010100050803031217120d3127271258333b0f703d4c117a4f681c8172a02f7f8cca3e729de34e65acf264"
    "5cbbfa7f5ecbfe9d6ce0fec488fffcfdbf",
    "000000040602020e15110a3022240c4f2c3609613a4d0d6c4d6c186e659225687eb9355696d94d3dacef6c23c0f98e"
    "09c7fb9b06cefca80ddbfac228e6f6d746eff2e865f8f3f68afffcffa4",
    "000d08870419068c13370499316700a8428104a7559c179e75c13b829de4695ec1f9973fd6fdb52ee9fbd324fbf2f2"
    "27fff0f921",
    "0000224e11002e6c170132711a0c3470201a386f2f31436d53555c6d86828079afaaa073d1cebc63eae9d34efcfee4"
    "34fffee838",
    "00e2d9e201e1d9e209d4d6dc11bfccd31c9ebbc9297ea4c336698abf416172ba505e4fac5c5b329867521c79704413"
    "5a783711447f301437883b113b94571647a0761f4fac922f50bcae5051c8bc6b59d3c5866adecca186edd7c3b8f7df"
    "d4d6ffe2d9e2"};

void gf_colormap_make(int map, unsigned char rgb[256][3]) {
    unsigned from[4], to[4]; /* grey, red, green, blue */
    for (const char *text = nodes[map]; text[8]; text += 8) {
        sscanf(text, "%2x%2x%2x%2x", &from[0], &from[1], &from[2], &from[3]);
        sscanf(text + 8, "%2x%2x%2x%2x", &to[0], &to[1], &to[2], &to[3]);
        const unsigned span = to[0] - from[0];
        for (unsigned v = from[0]; v <= to[0]; v++)
            for (int c = 1; c < 4; c++)
                rgb[v][c - 1] =
                    (unsigned char)((from[c] * (to[0] - v) + to[c] * (v - from[0]) + span / 2) /
                                    span);
    }
}
