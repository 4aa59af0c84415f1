/* A stroke font, drawn with a round pen. */
#include <string.h>

#include "cli/embedded.h"
#include "cli/plot/canvas.h"

/* The glyphs are lines of strokes.font: a character, a space and strokes between spaces. A stroke is
 * points: a capital for x, from A = 0, and a small letter for y, from a = -4: e is the baseline, o
 * the height of small letters, s that of capitals. After '~' the points control a quadratic spline
 * with these ends, after '@' a closed one; otherwise straight lines join them. */
static const char micro[] = "~AoAjAeHeHj HoHe AoAa", box[] = "AeAsHsHeAe";

/* Units per font size; between characters; of a space. */
enum { UNITS = 20, GAP = 4, BLANK = 3, MOST_POINTS = 256, PIECES = 6 };
static const double pen = 0.085, raised = 0.4, smaller = 0.72;

static bool has_ended(const char *glyph) {
    return !*glyph || *glyph == '\n';
}

static const char *find_glyph(unsigned char c) {
    const char *line = (const char *)gf_embedded_find("strokes.font")->bytes;
    while (*line && *line != (char)c)
        line += strcspn(line, "\n") + 1;
    return *line ? line + 2 : box;
}

/* Returns the glyph at *at and advances *at. */
static const char *next_glyph(const char **at) {
    unsigned char c = (unsigned char)**at;
    (*at)++;
    if (c < 128)
        return find_glyph(c);
    bool is_micro = c == 0xc2 && (unsigned char)**at == 0xb5;
    while (((unsigned char)**at & 0xc0) == 0x80)
        (*at)++;
    return is_micro ? micro : box;
}

static int glyph_width(const char *glyph) {
    int width = has_ended(glyph) ? BLANK : 0;
    for (; !has_ended(glyph); glyph++)
        if (*glyph >= 'A' && *glyph <= 'Z' && *glyph - 'A' > width)
            width = *glyph - 'A';
    return width;
}

static double text_width(const char *text, double size) {
    int units = 0;
    while (*text)
        units += glyph_width(next_glyph(&text)) + GAP;
    return (units > GAP ? units - GAP : units) * size / UNITS;
}

double gf_label_width(const struct gf_label *label) {
    double width = text_width(label->text, label->size);
    return label->power ? width + GAP * label->size / UNITS / 2 +
                              text_width(label->power, label->size * smaller)
                        : width;
}

/* ---- strokes ---- */

static struct gf_point between(struct gf_point a, struct gf_point b, double t) {
    return (struct gf_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

/* Adds the quadratic curve from a to b with control point c, without its first point. */
static int add_curve(struct gf_point a, struct gf_point c, struct gf_point b, struct gf_point *out,
                     int n) {
    for (int i = 1; i <= PIECES && n < MOST_POINTS; i++) {
        double t = (double)i / PIECES;
        out[n++] = between(between(a, c, t), between(c, b, t), t);
    }
    return n;
}

/* Computes the points of a spline from its control points. */
static int smooth(const struct gf_point *p, int n, bool closed, struct gf_point *out) {
    int made = 1;
    struct gf_point at = out[0] = closed ? between(p[n - 1], p[0], 0.5) : p[0];
    for (int i = closed ? 0 : 1; i < (closed ? n : n - 1); i++) {
        const bool ends = !closed && i == n - 2;
        struct gf_point to = ends ? p[n - 1] : between(p[i], p[(i + 1) % n], 0.5);
        made = add_curve(at, p[i], to, out, made);
        at = to;
    }
    return made;
}

/* A glyph's origin, unit length and direction. */
struct place {
    struct gf_point origin;
    double unit;
    bool upwards;
};

static struct gf_point on_canvas(const struct place *at, double x, double y) {
    if (at->upwards)
        return (struct gf_point){at->origin.x - y * at->unit, at->origin.y - x * at->unit};
    return (struct gf_point){at->origin.x + x * at->unit, at->origin.y - y * at->unit};
}

static void draw_glyph(const struct gf_canvas *canvas, const char *glyph, const struct place *at,
                       const struct gf_stroke *stroke) {
    struct gf_point control[32], point[MOST_POINTS];
    while (!has_ended(glyph)) {
        char kind = *glyph == '~' || *glyph == '@' ? *glyph++ : 0;
        int n = 0;
        for (; !has_ended(glyph) && *glyph != ' ' && n < 32; glyph += 2)
            control[n++] = on_canvas(at, glyph[0] - 'A', glyph[1] - 'e');
        glyph += *glyph == ' ';
        if (!kind)
            canvas->line(canvas->to, control, n, stroke);
        else if (n > 2)
            canvas->line(canvas->to, point, smooth(control, n, kind == '@', point), stroke);
    }
}

static void draw_text(const struct gf_canvas *canvas, const char *text, struct place at,
                      const struct gf_stroke *stroke) {
    while (*text) {
        const char *glyph = next_glyph(&text);
        draw_glyph(canvas, glyph, &at, stroke);
        at.origin = on_canvas(&at, glyph_width(glyph) + GAP, 0);
    }
}

void gf_label_draw(const struct gf_canvas *canvas, const struct gf_label *label) {
    double width = gf_label_width(label), unit = label->size / UNITS;
    struct gf_stroke stroke = {.width = pen * label->size, .color = label->color};
    struct place at = {.origin = label->at, .unit = unit, .upwards = label->upwards};
    double back = label->anchor == GF_ANCHOR_START ? 0 : label->anchor == GF_ANCHOR_END ? 1 : 0.5;
    at.origin = on_canvas(&at, -back * width / unit, 0);
    draw_text(canvas, label->text, at, &stroke);
    if (!label->power)
        return;
    at.origin =
        on_canvas(&at, text_width(label->text, label->size) / unit + GAP / 2.0, raised * UNITS);
    at.unit *= smaller;
    stroke.width *= 0.9;
    draw_text(canvas, label->power, at, &stroke);
}
