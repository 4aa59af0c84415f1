/* A stroke font, drawn with a round pen. */

#include "cli/plot/canvas.h"

/* A glyph is strokes between spaces; a stroke is points: a capital for x, from A = 0, and a small
 * letter for y, from a = -4: e is the baseline, o the height of small letters, s that of capitals.
 * After '~' the points control a quadratic spline with these ends, after '@' a closed one;
 * otherwise straight lines join them. */
static const char *const glyphs[128] = {
    [' '] = "",
    ['!'] = "AsAj AfAe",
    ['"'] = "AsAp DsDp",
    ['#'] = "DsBe IsGe AoJo AjJj",
    ['%'] = "JsAe @AmAsEsEm @FeFkJkJe",
    ['&'] = "~IeBpBsGsGoAkAeGeIk",
    ['\''] = "AsAp",
    ['('] = "~DtApAfDb",
    [')'] = "~AtDpDfAb",
    ['*'] = "DrDl AqGm GqAm",
    ['+'] = "EgEo AkIk",
    [','] = "BfAc",
    ['-'] = "AkFk",
    ['.'] = "AeAf",
    ['/'] = "AcGs",
    ['0'] = "@AeAsHsHe",
    ['1'] = "BpEsEe",
    ['2'] = "~ApAsHsHmEiAe AeHe",
    ['3'] = "~ApAsHsHlDl ~DlHlHeAeAh",
    ['4'] = "GeGsAiIi",
    ['5'] = "HsBsAl ~AlDnIoIeAeAh",
    ['6'] = "@AeAnHnHe ~GsBqAi",
    ['7'] = "AsHsCe",
    ['8'] = "@BlBsGsGl @AeAlHlHe",
    ['9'] = "@AjAsHsHj ~HoGgBe",
    [':'] = "AeAf AnAo",
    [';'] = "BfAc BnBo",
    ['<'] = "HoAkHg",
    ['='] = "AiIi AmIm",
    ['>'] = "AoHkAg",
    ['?'] = "~ApAsHsHmDkDi DfDe",
    ['A'] = "AeEsIe BiHi",
    ['B'] = "AeAs ~AsEsHsHlElAl ~AlFlIlIeFeAe",
    ['C'] = "~IpIsAsAeIeIh",
    ['D'] = "AeAs ~AsEsIsIeEeAe",
    ['E'] = "HsAsAeHe AlGl",
    ['F'] = "HsAsAe AlGl",
    ['G'] = "~IpIsAsAeIeIk IkFk",
    ['H'] = "AsAe IsIe AlIl",
    ['I'] = "AsAe",
    ['J'] = "~FsFjFeAeAi",
    ['K'] = "AsAe IsAj DmIe",
    ['L'] = "AsAeHe",
    ['M'] = "AeAsFgKsKe",
    ['N'] = "AeAsIeIs",
    ['O'] = "@AeAsJsJe",
    ['P'] = "AeAs ~AsFsIsIkFkAk",
    ['Q'] = "@AeAsJsJe GiKd",
    ['R'] = "AeAs ~AsFsIsIkFkAk EkIe",
    ['S'] = "~HpHsAsAlIlIeAeAh",
    ['T'] = "AsIs EsEe",
    ['U'] = "~AsAjAeIeIjIs",
    ['V'] = "AsEeIs",
    ['W'] = "AsDeGsJeMs",
    ['X'] = "AsIe IsAe",
    ['Y'] = "AsElIs ElEe",
    ['Z'] = "AsIsAeIe",
    ['['] = "DsAsAbDb",
    ['\\'] = "AsGc",
    [']'] = "AsDsDbAb",
    ['^'] = "AnDsGn",
    ['_'] = "AcIc",
    ['`'] = "AsCp",
    ['a'] = "@AeAoHoHe HoHe",
    ['b'] = "AsAe @AeAoHoHe",
    ['c'] = "~HmHoAoAeHeHg",
    ['d'] = "HsHe @AeAoHoHe",
    ['e'] = "AjHj ~HjHoAoAeHeHg",
    ['f'] = "~FsCsCpCe AoFo",
    ['g'] = "@AeAoHoHe ~HoHeHaAaAc",
    ['h'] = "AsAe ~AjAoHoHjHe",
    ['i'] = "AoAe AsAr",
    ['j'] = "~CoCeCaAa CsCr",
    ['k'] = "AsAe HoAh CjHe",
    ['l'] = "AsAe",
    ['m'] = "AoAe ~AjAoGoGjGe ~GjGoMoMjMe",
    ['n'] = "AoAe ~AjAoHoHjHe",
    ['o'] = "@AeAoHoHe",
    ['p'] = "AoAa @AeAoHoHe",
    ['q'] = "HoHa @AeAoHoHe",
    ['r'] = "AoAe ~AjAoFo",
    ['s'] = "~GmGoAoAjGjGeAeAg",
    ['t'] = "~CsChCeFe AoFo",
    ['u'] = "~AoAjAeHeHj HoHe",
    ['v'] = "AoDeGo",
    ['w'] = "AoDeFoHeKo",
    ['x'] = "AoGe GoAe",
    ['y'] = "AoDe GoCaAa",
    ['z'] = "AoGoAeGe",
    ['{'] = "~EtCtCkAkAk ~AkCkCbEb",
    ['|'] = "AtAb",
    ['}'] = "~AtCtCkEkEk ~EkCkCbAb",
    ['~'] = "~AjCnFhHl",
};
static const char micro[] = "~AoAjAeHeHj HoHe AoAa", box[] = "AeAsHsHeAe";

/* Units per font size; between characters; of a space. */
enum { UNITS = 20, GAP = 4, BLANK = 3, MOST_POINTS = 256, PIECES = 6 };
static const double pen = 0.085, raised = 0.4, smaller = 0.72;

/* Returns the glyph at *at and advances *at. */
static const char *next_glyph(const char **at) {
    unsigned char c = (unsigned char)**at;
    (*at)++;
    if (c < 128)
        return glyphs[c] ? glyphs[c] : box;
    bool is_micro = c == 0xc2 && (unsigned char)**at == 0xb5;
    while (((unsigned char)**at & 0xc0) == 0x80)
        (*at)++;
    return is_micro ? micro : box;
}

static int glyph_width(const char *glyph) {
    int width = *glyph ? 0 : BLANK;
    for (; *glyph; glyph++)
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
    while (*glyph) {
        char kind = *glyph == '~' || *glyph == '@' ? *glyph++ : 0;
        int n = 0;
        for (; *glyph && *glyph != ' ' && n < 32; glyph += 2)
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
