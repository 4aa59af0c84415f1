/* Writes a plot as SVG with text elements, or by its suffix as an image. */
#include <string.h>
#include <strings.h>

#include "cli/plot/canvas.h"
#include "cli/text.h"
#include "core/base/value/status.h"
#include "formats/files.h"

static void print_color(FILE *f, const char *what, struct gf_plot_color c) {
    fprintf(f, " %s=\"#%02x%02x%02x\"", what, c.rgb[0], c.rgb[1], c.rgb[2]);
}

static void print_text(FILE *f, const char *text) {
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int n = gf_text_sequence(p);
        if (*p == '&' || *p == '<' || *p == '>')
            fprintf(f, "&#%d;", *p);
        else if (n && *p >= ' ')
            fwrite(p, 1, (size_t)n, f);
        else
            fputc('?', f);
        p += n ? n : 1;
    }
}

static void draw_line(void *to, const struct gf_point *p, int64_t n,
                      const struct gf_stroke *stroke) {
    FILE *f = to;
    fprintf(f, "<polyline fill=\"none\" stroke-width=\"%.4g\"", stroke->width);
    print_color(f, "stroke", stroke->color);
    fprintf(f, " points=\"");
    for (int64_t i = 0; i < n; i++)
        fprintf(f, "%s%.1f,%.1f", i ? " " : "", p[i].x, p[i].y);
    fprintf(f, "\"/>\n");
}

static void draw_dot(void *to, struct gf_point p, double radius, struct gf_plot_color color) {
    fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2g\"", p.x, p.y, radius);
    print_color(to, "fill", color);
    fprintf(to, "/>\n");
}

static void draw_label(void *to, const struct gf_label *label) {
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *f = to;
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.3g\"", label->at.x, label->at.y,
            label->size);
    if (label->anchor)
        fprintf(f, " text-anchor=\"%s\"", anchors[label->anchor]);
    if (label->upwards)
        fprintf(f, " transform=\"rotate(-90 %.1f %.1f)\"", label->at.x, label->at.y);
    print_color(f, "fill", label->color);
    fputc('>', f);
    print_text(f, label->text);
    if (label->power) {
        fprintf(f, "<tspan dy=\"%.3g\" font-size=\"%.3g\">", -0.4 * label->size,
                0.72 * label->size);
        print_text(f, label->power);
        fprintf(f, "</tspan>");
    }
    fprintf(f, "</text>\n");
}

static int write_svg(const struct gf_plot *plot, const char *path, bool clobber) {
    struct gf_text t;
    int rc = gf_text_open(&t);
    if (rc)
        return rc;
    struct gf_canvas canvas = {.to = t.f, .line = draw_line, .dot = draw_dot, .label = draw_label};
    fprintf(t.f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
            "stroke-linejoin=\"round\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            GF_PLOT_WIDTH, GF_PLOT_HEIGHT, GF_PLOT_WIDTH, GF_PLOT_HEIGHT);
    rc = gf_plot_draw(plot, &canvas);
    fprintf(t.f, "</svg>\n");
    return gf_text_save(&t, rc, path, clobber);
}

/* ---- files ---- */

int gf_plot_file(const char *option, const char *path) {
    static const char *const suffixes[] = {".csv", ".json", ".svg", ".png"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 4; i++)
        if (!strcasecmp(dot, suffixes[i]))
            return i < GF_PLOT_DRAWING ? i : GF_PLOT_DRAWING;
    return gf_fail(GF_EUSAGE, "%s=%.60s: the suffix must be .csv, .json, .svg or .png", option,
                   path);
}

int gf_plot_write(const struct gf_plot *plot, const char *path, bool clobber) {
    struct gf_write_options options = {.level = -1};
    struct gf_image image = {0};
    const char *dot = strrchr(path, '.');
    if (dot && !strcasecmp(dot, ".svg"))
        return write_svg(plot, path, clobber);
    int rc = gf_plot_image(plot, &image);
    if (!rc)
        rc = gf_image_write(path, gf_format_by_suffix(path), &image, &options, clobber);
    gf_image_free(&image);
    return rc;
}
