/* A plot to a file, by its suffix. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/plot/plot.h"
#include "formats/files.h"

static bool ends_in(const char *path, const char *suffix) {
    const char *dot = strrchr(path, '.');
    return dot && !strcasecmp(dot, suffix);
}

bool gf_plot_has_suffix(const char *path) {
    return ends_in(path, ".svg") || ends_in(path, ".png");
}

int gf_plot_write(const struct gf_plot *plot, const char *path, bool clobber) {
    struct gf_write_options options = {.level = -1};
    struct gf_image image = {0};
    char *text = NULL;
    size_t size = 0;
    bool svg = ends_in(path, ".svg");
    int rc = svg ? gf_plot_svg(plot, &text, &size) : gf_plot_image(plot, &image);
    if (!rc && svg)
        rc = gf_file_write(path, text, size, clobber);
    else if (!rc)
        rc = gf_image_write(path, gf_format_by_suffix(path), &image, &options, clobber);
    free(text);
    gf_image_free(&image);
    return rc;
}
