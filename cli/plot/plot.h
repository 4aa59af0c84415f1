/* Curves over logarithmic axes, as SVG text or as a picture; one layout serves both.
 *
 *     struct gf_plot_curve curve = {.x = f, .y = power, .n = 256};
 *     struct gf_plot_panel panel = {.title = "scene.png", .curve = &curve, .n = 1, …};
 *     struct gf_plot plot = {.panel = &panel, .n = 1};
 *     rc = gf_plot_write(&plot, "radial.svg", true);                                           */
#ifndef GF_CLI_PLOT_PLOT_H
#define GF_CLI_PLOT_PLOT_H

#include "formats/format.h"

enum { GF_PLOT_COLORS = 9 }; /* distinct ones, also to those who confuse red and green */

/* How an axis is divided: 1, 2, 5, 10, or powers of ten where these are too many; powers of two;
 * decades of seconds as us, ms, s. */
enum gf_plot_axis { GF_AXIS_NUMBERS, GF_AXIS_POWERS, GF_AXIS_SECONDS };

struct gf_plot_curve {
    const char *name;    /* written beside its last point; NULL: none */
    const double *x, *y; /* points that are not above 0 are left out */
    int64_t n;
    int color, dash; /* from 0; dash 0 is a whole line */
    bool dots;       /* a dot at each point */
};

struct gf_plot_panel {
    const char *title, *x_label, *y_label;
    enum gf_plot_axis x_axis, y_axis;
    const struct gf_plot_curve *curve;
    int n;
    double level; /* of a line across, 0: none */
};

/* Panels below one another, and lines of text below these. */
struct gf_plot {
    const struct gf_plot_panel *panel;
    int n;
    const char *const *note; /* NULL-terminated, or NULL */
};

/* Whether the path's suffix is one of .svg and .png; and writes the one it names. Curves without a single point
 * leave the axes alone. */
bool gf_plot_has_suffix(const char *path);
int gf_plot_write(const struct gf_plot *plot, const char *path, bool clobber);

#endif
