/* Curves over logarithmic axes: scales, grid, labels and lines. */
#include "cli/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot_text.h"
#include "core/base/status.h"

enum { WIDTH = 640, HEIGHT = 440, LEFT = 84, RIGHT = 18, TOP = 36, BOTTOM = 64, SCALE = 2 };
enum { MOST_DECADES = 14 }; /* points farther below the highest one are not worth the room */

struct color {
    unsigned char rgb[3];
};

static const struct color black = {{0, 0, 0}}, gray = {{96, 96, 96}}, light = {{224, 224, 224}};

/* A logarithmic axis: low and high are powers of ten's exponents, first and last are pixels. */
struct axis {
    double low, high;
    int first, last;
};

struct canvas {
    unsigned char *px;
    struct axis x, y;
};

static void dot(struct canvas *c, int x, int y, struct color color) {
    if (x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT)
        memcpy(c->px + 3 * (y * WIDTH + x), color.rgb, 3);
}

static void bar(struct canvas *c, int x, int y, int width, int height, struct color color) {
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            dot(c, x + i, y + j, color);
}

static int text_width(const char *text) {
    return (int)strlen(text) * GF_GLYPH_STEP * SCALE - SCALE;
}

/* With its left top corner at x, y; `down` writes it from bottom to top, x being its top. */
static void write_text(struct canvas *c, int x, int y, const char *text, bool upwards) {
    for (int k = 0; text[k]; k++)
        for (int j = 0; j < GF_GLYPH_HEIGHT; j++)
            for (int i = 0; i < GF_GLYPH_WIDTH; i++) {
                int along = (k * GF_GLYPH_STEP + i) * SCALE, across = j * SCALE;
                if (!(gf_glyph_row(text[k], j) >> (GF_GLYPH_WIDTH - 1 - i) & 1))
                    continue;
                if (upwards)
                    bar(c, x + across, y - along, SCALE, SCALE, black);
                else
                    bar(c, x + along, y + across, SCALE, SCALE, black);
            }
}

static int place(const struct axis *a, double log_value) {
    return a->first + (int)lround((log_value - a->low) / (a->high - a->low) * (a->last - a->first));
}

/* ---- ranges ---- */

static bool is_point(const struct gf_curve *c, int64_t i) {
    return c->x[i] > 0 && c->y[i] > 0 && isfinite(c->x[i]) && isfinite(c->y[i]);
}

static void find_range(const struct gf_plot *p, struct axis *x, struct axis *y) {
    x->low = y->low = INFINITY;
    x->high = y->high = -INFINITY;
    for (int k = 0; k < p->n; k++)
        for (int64_t i = 0; i < p->curve[k].n; i++) {
            if (!is_point(&p->curve[k], i))
                continue;
            double u = log10(p->curve[k].x[i]), v = log10(p->curve[k].y[i]);
            x->low = fmin(x->low, u);
            x->high = fmax(x->high, u);
            y->low = fmin(y->low, v);
            y->high = fmax(y->high, v);
        }
    if (x->low > x->high) { /* nothing to show */
        x->low = y->low = -1;
        x->high = y->high = 0;
    }
    x->high += x->high > x->low ? 0 : 1;
    y->high = ceil(y->high);
    y->low = fmax(floor(y->low), y->high - MOST_DECADES);
    y->low -= y->high > y->low ? 0 : 1;
}

/* ---- ticks ---- */

/* "0.05", "20", "1E7": as short as it stays readable. */
static void tick_text(double log_value, int digit, char text[32]) {
    if (log_value > -4 && log_value < 4)
        snprintf(text, 32, "%g", digit * pow(10, round(log_value)));
    else
        snprintf(text, 32, "%de%d", digit, (int)round(log_value));
}

static void tick_x(struct canvas *c, double decade, int digit) {
    double at = decade + log10(digit);
    char text[32];
    if (at < c->x.low - 1e-9 || at > c->x.high + 1e-9)
        return;
    int x = place(&c->x, at);
    bool named = digit == 1 || digit == 2 || digit == 5;
    bar(c, x, c->y.last, 1, c->y.first - c->y.last, light);
    bar(c, x, c->y.first, 1, named ? 8 : 4, gray);
    tick_text(decade, digit, text);
    /* Over more than four decades there is room for powers of ten only. */
    if (digit == 1 || (named && c->x.high - c->x.low < 4))
        write_text(c, x - text_width(text) / 2, c->y.first + 12, text, false);
}

static void draw_ticks(struct canvas *c) {
    for (double d = floor(c->x.low); d <= c->x.high; d++)
        for (int digit = 1; digit <= 9; digit++)
            tick_x(c, d, digit);
    int step = c->y.high - c->y.low > 8 ? 2 : 1;
    for (double d = c->y.low; d <= c->y.high; d++) {
        char text[32];
        int y = place(&c->y, d);
        bar(c, c->x.first, y, c->x.last - c->x.first, 1, light);
        bar(c, c->x.first - 6, y, 6, 1, gray);
        tick_text(d, 1, text);
        if ((int)(d - c->y.low) % step == 0)
            write_text(c, c->x.first - 10 - text_width(text), y - GF_GLYPH_HEIGHT, text, false);
    }
}

static void draw_frame(struct canvas *c, const struct gf_plot *p) {
    int width = c->x.last - c->x.first, height = c->y.first - c->y.last;
    bar(c, c->x.first, c->y.last, width, 1, gray);
    bar(c, c->x.first, c->y.first, width, 1, gray);
    bar(c, c->x.first, c->y.last, 1, height, gray);
    bar(c, c->x.last, c->y.last, 1, height + 1, gray);
    write_text(c, (WIDTH - text_width(p->title)) / 2, 10, p->title, false);
    write_text(c, c->x.first + (width - text_width(p->x_label)) / 2, HEIGHT - 24, p->x_label,
               false);
    write_text(c, 6, c->y.first - (height - text_width(p->y_label)) / 2, p->y_label, true);
}

/* ---- curves ---- */

static struct color curve_color(const struct gf_plot *p, int k) {
    static const struct color several[] = {{{200, 0, 0}}, {{0, 140, 0}}, {{0, 0, 220}}};
    if (p->n == 1)
        return black;
    return k < 3 ? several[k] : gray;
}

static void draw_line(struct canvas *c, int x0, int y0, int x1, int y1, struct color color) {
    int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
    for (int i = 0; i <= steps; i++) {
        double t = steps ? (double)i / steps : 0;
        int x = (int)lround(x0 + t * (x1 - x0)), y = (int)lround(y0 + t * (y1 - y0));
        if (y < c->y.first)
            bar(c, x, y, 2, 2, color);
    }
}

static void draw_curve(struct canvas *c, const struct gf_curve *curve, struct color color) {
    int last_x = 0, last_y = 0;
    bool begun = false;
    for (int64_t i = 0; i < curve->n; i++) {
        if (!is_point(curve, i))
            continue;
        int x = place(&c->x, log10(curve->x[i]));
        int y = place(&c->y, fmax(log10(curve->y[i]), c->y.low - 1));
        draw_line(c, begun ? last_x : x, begun ? last_y : y, x, y, color);
        begun = true;
        last_x = x;
        last_y = y;
    }
}

int gf_plot_draw(const struct gf_plot *plot, struct gf_image *image) {
    const int64_t shape[] = {HEIGHT, WIDTH, 3};
    struct canvas c = {.x = {.first = LEFT, .last = WIDTH - RIGHT},
                       .y = {.first = HEIGHT - BOTTOM, .last = TOP}};
    *image = (struct gf_image){.ndim = 2, .color = GF_RGB};
    int rc = gf_array_alloc(&image->px, GF_U8, 3, shape);
    if (rc)
        return rc;
    c.px = image->px.data;
    memset(c.px, 255, (size_t)WIDTH * HEIGHT * 3);
    find_range(plot, &c.x, &c.y);
    draw_ticks(&c);
    draw_frame(&c, plot);
    for (int k = plot->n - 1; k >= 0; k--)
        draw_curve(&c, &plot->curve[k], curve_color(plot, k));
    return 0;
}
