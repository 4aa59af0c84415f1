/* The layout of a plot, whatever it is drawn on. Private to cli/plot/. */
#ifndef GF_CLI_PLOT_LAYOUT_H
#define GF_CLI_PLOT_LAYOUT_H

#include "cli/plot/canvas.h"
#include "cli/plot/plot.h"

enum { GF_PLOT_WIDTH = 800 };
int gf_plot_height(const struct gf_plot *plot);
/* GF_ENOMEM. */
int gf_plot_draw(const struct gf_plot *plot, const struct gf_canvas *canvas);

#endif
