/* Curves over logarithmic or linear axes, as SVG text or as an image; one layout serves both.
 *
 *     struct gf_plot_curve curve = {.x = f, .y = power, .n = 256};
 *     struct gf_plot plot = {.title = "scene.png", .curve = &curve, .n = 1, …};
 *     rc = gf_plot_write(&plot, "radial.svg", true);                                           */
#ifndef GF_CLI_PLOT_PLOT_H
#define GF_CLI_PLOT_PLOT_H

#include "formats/format.h"

enum { GF_PLOT_COLORS = 9 }; /* distinct ones, also to those who confuse red and green */

struct gf_plot_curve {
    const char *name; /* written beside its last point; NULL: none, and a single point is a mark */
    const double *x, *y; /* points that a logarithmic axis lacks are left out */
    int64_t n;
    int color; /* 0 to GF_PLOT_COLORS - 1 */
};

struct gf_plot {
    const char *title, *x_label, *y_label;
    bool linear_x, linear_y; /* else logarithmic */
    const struct gf_plot_curve *curve;
    int n;
    double nyquist; /* an x that is marked, or 0 */
};

/* Returns the kind of a curve's file by its suffix: .csv, .json, or .svg and .png. GF_EUSAGE for
 * others; `option` named the file. */
enum gf_plot_file { GF_PLOT_CSV, GF_PLOT_JSON, GF_PLOT_DRAWING };
int gf_plot_file(const char *option, const char *path);

/* Writes the format that the suffix names. A curve without points leaves only the axes. */
int gf_plot_write(const struct gf_plot *plot, const char *path, bool clobber);

/* Draws the plot as an image of u8, twice as large as its layout, which the caller frees, also after a
 * failure. GF_ENOMEM. */
enum { GF_PLOT_WIDTH = 800, GF_PLOT_HEIGHT = 420 };
int gf_plot_image(const struct gf_plot *plot, struct gf_image *image);

#endif
