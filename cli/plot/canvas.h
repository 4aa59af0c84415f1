/* The canvas of a plot: lines, dots and text, in pixels from the top left corner. Private to
 * cli/plot/. */
#ifndef GF_CLI_PLOT_CANVAS_H
#define GF_CLI_PLOT_CANVAS_H

#include "cli/plot/plot.h"

struct gf_plot_color {
    unsigned char rgb[3];
};

struct gf_point {
    double x, y;
};

enum gf_anchor { GF_ANCHOR_START, GF_ANCHOR_MIDDLE, GF_ANCHOR_END };

/* `at` is on the baseline; `upwards`: the text reads from bottom to top. */
struct gf_label {
    struct gf_point at;
    double size; /* of the font */
    enum gf_anchor anchor;
    bool upwards;
    struct gf_plot_color color;
    const char *text;  /* UTF-8 */
    const char *power; /* exponent after it, or NULL */
};

struct gf_stroke {
    double width;
    struct gf_plot_color color;
};

struct gf_canvas {
    void *to;
    void (*line)(void *to, const struct gf_point *p, int64_t n, const struct gf_stroke *stroke);
    void (*dot)(void *to, struct gf_point p, double radius, struct gf_plot_color color);
    void (*label)(void *to, const struct gf_label *label);
};

/* Returns the label's width in font.c's font, close to that of browsers' fonts. */
double gf_label_width(const struct gf_label *label);
/* Draws the text as lines in that font. */
void gf_label_draw(const struct gf_canvas *canvas, const struct gf_label *label);

/* layout.c: draws the plot on any canvas. */
enum { GF_PLOT_WIDTH = 800, GF_PLOT_HEIGHT = 420 };
/* GF_ENOMEM. */
int gf_plot_draw(const struct gf_plot *plot, const struct gf_canvas *canvas);

/* raster.c: draws the plot as an image, which the caller frees, also after a failure.
 * GF_ENOMEM. */
int gf_plot_image(const struct gf_plot *plot, struct gf_image *image);

/* Returns the smallest of 1, 2, 5, 10, … (to any power of ten) of which `length` holds at most
 * `most`, above 0. */
double gf_plot_step(double length, double most);

#endif
