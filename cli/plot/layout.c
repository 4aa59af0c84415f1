/* Lays out a plot: axes, grid, curves, and names beside the ends of the curves. */
#include "cli/plot/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/value/status.h"

enum { TOP = 40, BOTTOM = 58, LEFT = 86, RIGHT = 24 }; /* margins */
enum { FONT = 15, TITLE = 17 };                        /* heights */
enum { X_TICKS = 12, Y_TICKS = 8 };                    /* on linear axes */
enum { MOST_DECADES = 14 }; /* points farther below the highest are cut off */

static const struct gf_plot_color black = {{30, 30, 30}}, gray = {{110, 110, 110}},
                                  light = {{228, 228, 228}};

/* Okabe and Ito 2008, "Color universal design", without its yellow, and a grey and a brown. */
static const struct gf_plot_color palette[GF_PLOT_COLORS] = {
    {{0, 114, 178}},  {{213, 94, 0}}, {{0, 158, 115}},   {{204, 121, 167}}, {{230, 159, 0}},
    {{86, 180, 233}}, {{30, 30, 30}}, {{120, 120, 120}}, {{120, 80, 40}},
};

struct drawing {
    const struct gf_plot *p; /* NULL: rulers beside a picture, without a grid */
    const struct gf_canvas *canvas;
    struct gf_plot_axis x, y;
};

static double place(const struct gf_plot_axis *a, double value) {
    return a->first + (value - a->low) / (a->high - a->low) * (a->last - a->first);
}

/* Returns a number as the axis measures it. */
static double on_axis(const struct gf_plot_axis *a, double v) {
    return a->linear ? v : log10(v);
}

static void line(const struct gf_canvas *c, double x0, double y0, double x1, double y1,
                 double width, struct gf_plot_color color) {
    const struct gf_point p[] = {{x0, y0}, {x1, y1}};
    c->line(c->to, p, 2, &(struct gf_stroke){.width = width, .color = color});
}

static void write_text(const struct gf_canvas *c, struct gf_point at, double size,
                       enum gf_anchor anchor, struct gf_plot_color color, const char *text) {
    c->label(c->to, &(struct gf_label){
                        .at = at, .size = size, .anchor = anchor, .color = color, .text = text});
}

/* Darkens light colours for letters, which are thinner than lines. */
static struct gf_plot_color ink(struct gf_plot_color c) {
    double light_of = 0.3 * c.rgb[0] + 0.59 * c.rgb[1] + 0.11 * c.rgb[2];
    for (int i = 0; i < 3 && light_of > 110; i++)
        c.rgb[i] = (unsigned char)(c.rgb[i] * 110 / light_of);
    return c;
}

/* ---- ranges ---- */

static bool is_point(const struct drawing *d, const struct gf_plot_curve *c, int64_t i) {
    return (d->x.linear || c->x[i] > 0) && (d->y.linear || c->y[i] > 0) && isfinite(c->x[i]) &&
           isfinite(c->y[i]);
}

static void widen(struct gf_plot_axis *a, double value) {
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

/* Returns the smallest of 1, 2, 5, 10, … (to any power of ten) of which `length` holds at most
 * `most`, above 0. */
static double step_of(double length, double most) {
    const double decade = pow(10, floor(log10(length / most)));
    const double times = length / most / decade;
    return decade * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* Extends a linear axis to its next ticks. */
static void round_to_ticks(struct gf_plot_axis *a) {
    a->high += a->high > a->low ? 0 : fmax(fabs(a->high), 1);
    const double step = step_of(a->high - a->low, Y_TICKS);
    a->low = step * floor(a->low / step);
    a->high = step * ceil(a->high / step);
}

/* Extends the axis to whole decades, or for few decades to 1, 2 or 5. */
static void round_up(struct gf_plot_axis *a) {
    static const double ends[] = {0, 0.30103, 0.69897, 1};
    double low = floor(a->low + 1e-9), high = floor(a->high - 1e-9);
    int i = 3, j = 0;
    if (a->high - a->low > 2.5) {
        a->low = low;
        a->high = ceil(a->high - 1e-9);
        return;
    }
    while (low + ends[i] > a->low + 1e-9)
        i--;
    while (high + ends[j] < a->high - 1e-9)
        j++;
    a->low = low + ends[i];
    a->high = high + ends[j];
}

static void find_ranges(struct drawing *d) {
    struct gf_plot_axis *x = &d->x, *y = &d->y;
    x->low = y->low = INFINITY;
    x->high = y->high = -INFINITY;
    for (int k = 0; k < d->p->n; k++)
        for (int64_t i = 0; i < d->p->curve[k].n; i++)
            if (is_point(d, &d->p->curve[k], i)) {
                widen(x, on_axis(x, d->p->curve[k].x[i]));
                widen(y, on_axis(y, d->p->curve[k].y[i]));
            }
    if (x->low > x->high) { /* nothing to show */
        x->low = y->low = -1;
        x->high = y->high = 0;
    }
    x->high += x->high > x->low ? 0 : log10(2);
    if (y->linear) {
        round_to_ticks(y);
        return;
    }
    round_up(y);
    y->high += y->high > y->low ? 0 : 1;
    y->low = fmax(y->low, y->high - MOST_DECADES);
}

/* ---- ticks ---- */

struct tick_text {
    char text[32], power[16];
};

/* Returns "0.05", "20", or ten to a power. */
static struct tick_text text_of(int decade, int digit, bool powers) {
    struct tick_text t = {"", ""};
    if (powers) {
        snprintf(t.text, sizeof t.text, digit == 1 ? "10" : "%d\u00b710", digit);
        snprintf(t.power, sizeof t.power, "%d", decade);
    } else {
        snprintf(t.text, sizeof t.text, "%g", digit * pow(10, decade));
    }
    return t;
}

static void draw_tick(const struct drawing *d, bool is_x, double at,
                      const struct tick_text *named) {
    const struct gf_canvas *c = d->canvas;
    const struct gf_plot_axis *a = is_x ? &d->x : &d->y;
    const double slack = 1e-9 * (a->high - a->low);
    if (at < a->low - slack || at > a->high + slack)
        return;
    const double low = fmax(d->y.first, d->y.last); /* y is downwards beside a picture */
    double where = place(a, at), long_tick = named ? 6 : 3, grid = named ? 1 : 0.5;
    struct gf_label label = {.size = FONT, .color = black};
    if (d->p)
        is_x ? line(c, where, d->y.first, where, d->y.last, grid, light)
             : line(c, d->x.first, where, d->x.last, where, grid, light);
    if (is_x) {
        line(c, where, low, where, low + long_tick, 1, gray);
        label.at = (struct gf_point){where, low + 8 + FONT};
        label.anchor = GF_ANCHOR_MIDDLE;
    } else {
        line(c, d->x.first - long_tick, where, d->x.first, where, 1, gray);
        label.at = (struct gf_point){d->x.first - 9, fmax(FONT, where + 0.35 * FONT)};
        label.anchor = GF_ANCHOR_END;
    }
    if (!named)
        return;
    label.text = named->text;
    if (is_x && !d->p)
        label.at.x = fmin(where, a->last - gf_label_width(&label) / 2);
    label.power = *named->power ? named->power : NULL;
    c->label(c->to, &label);
}

static void draw_linear_ticks(const struct drawing *d, bool is_x) {
    const struct gf_plot_axis *a = is_x ? &d->x : &d->y;
    const double most =
        d->p ? is_x ? X_TICKS : Y_TICKS : fabs(a->last - a->first) / (is_x ? 60 : 40);
    const double step = step_of(a->high - a->low, fmax(1, most));
    for (double k = ceil(a->low / step - 1e-9); k * step <= a->high + 1e-9 * step; k++) {
        struct tick_text text = {"", ""};
        snprintf(text.text, sizeof text.text, "%.6g", k * step + 0); /* no -0 */
        draw_tick(d, is_x, k * step, &text);
    }
}

void gf_plot_draw_rulers(const struct gf_canvas *canvas, const struct gf_plot_axis *x,
                         const struct gf_plot_axis *y) {
    const struct drawing d = {.canvas = canvas, .x = *x, .y = *y};
    draw_linear_ticks(&d, true);
    draw_linear_ticks(&d, false);
}

/* Labels every `step`th decade, and 2 and 5 too if there is room. */
static void draw_ticks(const struct drawing *d, bool is_x) {
    const struct gf_plot_axis *a = is_x ? &d->x : &d->y;
    if (a->linear) {
        draw_linear_ticks(d, is_x);
        return;
    }
    const double decades = a->high - a->low;
    const int step = (int)fmax(1, ceil(decades / (is_x ? 13 : 9)));
    const bool digits = decades <= 3.01;
    const bool powers = decades > 6 || a->low < -4 - 1e-9 || a->high > 5 - 1e-9; /* for all ticks */
    for (int k = (int)floor(a->low + 1e-9); k <= a->high + 1e-9; k++) {
        struct tick_text text = text_of(k, 1, powers);
        draw_tick(d, is_x, k, k % step == 0 ? &text : NULL);
        for (int digit = 2; digit <= 9 && decades < 8; digit++) {
            bool named = digits && (digit == 2 || digit == 5);
            text = text_of(k, digit, powers);
            if (digits || is_x)
                draw_tick(d, is_x, k + log10(digit), named ? &text : NULL);
        }
    }
}

static void draw_frame(const struct drawing *d) {
    const struct gf_canvas *c = d->canvas;
    const struct gf_plot *p = d->p;
    double middle = (d->x.first + d->x.last) / 2;
    line(c, d->x.first, d->y.first, d->x.last, d->y.first, 1, gray);
    line(c, d->x.first, d->y.first, d->x.first, d->y.last, 1, gray);
    write_text(c, (struct gf_point){d->x.first, d->y.last - 14}, TITLE, GF_ANCHOR_START, black,
               p->title);
    write_text(c, (struct gf_point){middle, d->y.first + BOTTOM - 12}, FONT, GF_ANCHOR_MIDDLE,
               black, p->x_label);
    c->label(c->to, &(struct gf_label){.at = {20, (d->y.first + d->y.last) / 2},
                                       .size = FONT,
                                       .anchor = GF_ANCHOR_MIDDLE,
                                       .upwards = true,
                                       .color = black,
                                       .text = p->y_label});
}

static void draw_nyquist(const struct drawing *d) {
    const double at = log10(d->p->nyquist); /* -inf if there is none */
    if (at < d->x.low || at > d->x.high)
        return;
    const double x = place(&d->x, at);
    line(d->canvas, x, d->y.first, x, d->y.last, 1, gray);
    write_text(d->canvas, (struct gf_point){x - 4, d->y.last + FONT}, FONT, GF_ANCHOR_END, gray,
               "Nyquist");
}

/* ---- curves and their names ---- */

static int draw_curve(const struct drawing *d, const struct gf_plot_curve *curve,
                      struct gf_plot_color color) {
    const struct gf_canvas *c = d->canvas;
    struct gf_point *p = malloc((size_t)(curve->n ? curve->n : 1) * sizeof *p);
    int64_t n = 0;
    if (!p)
        return gf_no_memory();
    for (int64_t i = 0; i < curve->n; i++)
        if (is_point(d, curve, i))
            p[n++] = (struct gf_point){place(&d->x, on_axis(&d->x, curve->x[i])),
                                       place(&d->y, fmax(on_axis(&d->y, curve->y[i]), d->y.low))};
    c->line(c->to, p, n, &(struct gf_stroke){.width = 2, .color = color});
    if (n == 1)
        c->dot(c->to, p[0], curve->name ? 2.6 : 4, color);
    free(p);
    return 0;
}

/* A name, and the end of its curve. */
struct name {
    int curve;
    double wanted, y; /* wanted and actual position */
    struct gf_point end;
};

static int higher(const void *a, const void *b) {
    double x = ((const struct name *)a)->wanted, y = ((const struct name *)b)->wanted;
    return (x > y) - (x < y);
}

/* Moves names apart, as little as possible: neighbours that would touch move by equal amounts. */
static void spread(struct name *name, int n, double top, double bottom) {
    const double step = fmin(FONT * 1.15, (bottom - top) / (n > 1 ? n - 1 : 1));
    for (int i = 0; i < n; i++)
        name[i].y = fmin(fmax(name[i].wanted, top), bottom);
    for (int round = 0; round < 200; round++)
        for (int i = 0; i + 1 < n; i++) {
            double short_of = step - (name[i + 1].y - name[i].y);
            if (short_of <= 0)
                continue;
            name[i].y = fmax(name[i].y - short_of / 2, top);
            name[i + 1].y = fmin(name[i + 1].y + short_of / 2, bottom);
        }
}

static int find_names(const struct drawing *d, struct name *name) {
    int n = 0;
    for (int k = 0; k < d->p->n; k++) {
        const struct gf_plot_curve *c = &d->p->curve[k];
        int64_t last = c->n - 1;
        while (last >= 0 && !is_point(d, c, last))
            last--;
        if (!c->name || last < 0)
            continue;
        name[n].curve = k;
        name[n].end.x = place(&d->x, on_axis(&d->x, c->x[last]));
        name[n].end.y = place(&d->y, fmax(on_axis(&d->y, c->y[last]), d->y.low));
        name[n].wanted = name[n].end.y;
        n++;
    }
    qsort(name, (size_t)n, sizeof *name, higher);
    return n;
}

/* Draws names at the right, each with a thin line from the end of its curve. */
static int draw_names(const struct drawing *d) {
    struct name *name = calloc((size_t)d->p->n + 1, sizeof *name);
    if (!name)
        return gf_no_memory();
    int n = find_names(d, name);
    spread(name, n, d->y.last + 2, d->y.first - 2);
    for (int i = 0; i < n; i++) {
        struct gf_plot_color color = palette[d->p->curve[name[i].curve].color];
        line(d->canvas, name[i].end.x, name[i].end.y, d->x.last + 14, name[i].y, 0.8, color);
        write_text(d->canvas, (struct gf_point){d->x.last + 18, name[i].y + 0.33 * FONT}, FONT,
                   GF_ANCHOR_START, ink(color), d->p->curve[name[i].curve].name);
    }
    free(name);
    return 0;
}

static double right_margin(const struct gf_plot *plot) {
    double widest = 0;
    for (int k = 0; k < plot->n; k++)
        if (plot->curve[k].name)
            widest =
                fmax(widest,
                     gf_label_width(&(struct gf_label){.size = FONT, .text = plot->curve[k].name}));
    return widest > 0 ? fmin(widest + 30, GF_PLOT_WIDTH / 2.0) : RIGHT;
}

int gf_plot_draw(const struct gf_plot *plot, const struct gf_canvas *canvas) {
    struct drawing d = {
        .p = plot, .canvas = canvas, .x.linear = plot->linear_x, .y.linear = plot->linear_y};
    int rc = 0;
    d.x.first = LEFT;
    d.x.last = GF_PLOT_WIDTH - right_margin(plot);
    d.y.first = GF_PLOT_HEIGHT - BOTTOM;
    d.y.last = TOP;
    find_ranges(&d);
    draw_ticks(&d, false);
    draw_ticks(&d, true);
    draw_frame(&d);
    draw_nyquist(&d);
    for (int k = plot->n - 1; k >= 0 && !rc; k--)
        rc = draw_curve(&d, &plot->curve[k], palette[plot->curve[k].color]);
    return rc ? rc : draw_names(&d);
}
