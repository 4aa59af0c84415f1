/* A canvas on pixels: round pens with smooth edges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/canvas.h"
#include "core/base/value/status.h"

/* Collects the coverage of a whole line before painting, so that pieces are not darker where they
 * meet. */
struct raster {
    unsigned char *px;
    unsigned char *cover; /* a byte per pixel; 0 between lines */
    double scale;         /* pixels per unit of the canvas */
    int width, height;
    int left, right, top, bottom; /* bounds of the nonzero bytes */
};

static int clamp(double v, int high) {
    return v < 0 ? 0 : v > high ? high : (int)v;
}

/* Returns the distance of (x, y) from the segment between a and b. */
static double distance(double x, double y, struct gf_point a, struct gf_point b) {
    double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    double t = length > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x - a.x - t * dx, y - a.y - t * dy);
}

static void cover_piece(struct raster *r, struct gf_point a, struct gf_point b, double radius) {
    double reach = radius + 1;
    int x0 = clamp(floor(fmin(a.x, b.x) - reach), r->width);
    int x1 = clamp(ceil(fmax(a.x, b.x) + reach), r->width);
    int y0 = clamp(floor(fmin(a.y, b.y) - reach), r->height);
    int y1 = clamp(ceil(fmax(a.y, b.y) + reach), r->height);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double covered = radius + 0.5 - distance(x + 0.5, y + 0.5, a, b);
            int c = covered <= 0 ? 0 : covered >= 1 ? 255 : (int)(255 * covered);
            unsigned char *at = &r->cover[(size_t)y * (size_t)r->width + (size_t)x];
            *at = c > *at ? (unsigned char)c : *at;
        }
    r->left = x0 < r->left ? x0 : r->left;
    r->top = y0 < r->top ? y0 : r->top;
    r->right = x1 > r->right ? x1 : r->right;
    r->bottom = y1 > r->bottom ? y1 : r->bottom;
}

static void paint(struct raster *r, struct gf_plot_color color) {
    unsigned char *px = r->px;
    for (int y = r->top; y < r->bottom; y++)
        for (int x = r->left; x < r->right; x++) {
            size_t at = (size_t)y * (size_t)r->width + (size_t)x;
            int c = r->cover[at];
            r->cover[at] = 0;
            for (int k = 0; k < 3 && c; k++)
                px[3 * at + (size_t)k] =
                    (unsigned char)((px[3 * at + (size_t)k] * (255 - c) + color.rgb[k] * c + 127) /
                                    255);
        }
    r->left = r->top = 1 << 30;
    r->right = r->bottom = 0;
}

static struct gf_point scaled(const struct raster *r, struct gf_point p) {
    return (struct gf_point){r->scale * p.x, r->scale * p.y};
}

static void draw_line(void *to, const struct gf_point *p, int64_t n,
                      const struct gf_stroke *stroke) {
    struct raster *r = to;
    const double radius = fmax(r->scale * stroke->width / 2, 0.5);
    for (int64_t i = 0; i + 1 < n; i++)
        cover_piece(r, scaled(r, p[i]), scaled(r, p[i + 1]), radius);
    paint(r, stroke->color);
}

static void draw_dot(void *to, struct gf_point p, double radius, struct gf_plot_color color) {
    struct raster *r = to;
    cover_piece(r, scaled(r, p), scaled(r, p), r->scale * radius);
    paint(r, color);
}

static void draw_label(void *to, const struct gf_label *label) {
    const struct gf_canvas canvas = {.to = to, .line = draw_line};
    gf_label_draw(&canvas, label);
}

int gf_raster_draw(const struct gf_array *px, double scale,
                   int (*draw)(void *user, const struct gf_canvas *canvas), void *user) {
    const int height = (int)px->shape[0], width = (int)px->shape[1];
    struct raster r = {.px = px->data, .scale = scale, .width = width, .height = height};
    const struct gf_canvas canvas = {
        .to = &r, .line = draw_line, .dot = draw_dot, .label = draw_label};
    r.left = r.top = 1 << 30;
    r.cover = calloc((size_t)width, (size_t)height);
    int rc = r.cover ? draw(user, &canvas) : gf_no_memory();
    free(r.cover);
    return rc;
}

static int draw_plot(void *plot, const struct gf_canvas *canvas) {
    return gf_plot_draw(plot, canvas);
}

int gf_plot_image(const struct gf_plot *plot, struct gf_image *image) {
    enum { SCALE = 2 };
    const int64_t shape[] = {SCALE * GF_PLOT_HEIGHT, SCALE * GF_PLOT_WIDTH, 3};
    *image = (struct gf_image){.ndim = 2, .color = GF_RGB};
    int rc = gf_array_alloc(&image->px, GF_U8, 3, shape);
    if (rc)
        return rc;
    memset(image->px.data, 255, (size_t)gf_array_bytes(&image->px));
    return gf_raster_draw(&image->px, SCALE, draw_plot, (void *)plot);
}
