/* Curves over logarithmic axes, drawn into a grey or coloured picture of bytes. */
#ifndef GF_CLI_PLOT_H
#define GF_CLI_PLOT_H

#include "formats/format.h"

struct gf_curve {
    const double *x, *y; /* points that are not above 0 are left out */
    int64_t n;
};

struct gf_plot {
    const char *title, *x_label, *y_label;
    const struct gf_curve *curve; /* one is black; several are red, green, blue, then greys */
    int n;
};

/* The caller frees `image`. Curves without a single point leave the axes alone. */
int gf_plot_draw(const struct gf_plot *plot, struct gf_image *image);

#endif
