/* Regular structures seen from the front, and pictures taken of them. */
#include "tests/core/regular_structures.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

enum { LEAVES = 90 };

struct leaf {
    double x, y, rx, ry, shade, slope;
    bool round;
};

/* One picture's choices. */
struct scene {
    uint32_t seed;
    double p, jitter, gap;  /* period, its jitter, the gap between two members: samples */
    double light, dark;     /* the two materials */
    double ratio;           /* a second proportion, 0 .. 1 */
    double tilt[2], far[2]; /* cos and sin; perspective along x and y */
    double slope[2];        /* of the light */
    double width, height;
    int n_before;             /* leaves before the structure */
    struct leaf leaf[LEAVES]; /* behind it, or before it */
};

/* A number in 0 .. 1 from a place. */
static double hash(uint32_t seed, long i, long j) {
    uint32_t h = seed * 0x9e3779b1u ^ (uint32_t)i * 0x85ebca6bu ^ (uint32_t)j * 0xc2b2ae35u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (double)(h ^ h >> 15) / 4294967296.;
}

static double draw(uint32_t *seed, double from, double to) {
    return from + (to - from) * hash(++*seed, 17, 4);
}

/* One member of a row of them: its number, and where in it a place is. */
struct cell {
    long i;
    double in, size;
};

static double edge(const struct scene *s, long i, double p, uint32_t salt) {
    return (double)i * p + fmin(s->jitter, p / 4) * (2 * hash(s->seed + salt, i, 91) - 1);
}

static struct cell find_cell(const struct scene *s, double x, double p, uint32_t salt) {
    long i = (long)floor(x / p);
    if (x < edge(s, i, p, salt))
        i--;
    else if (x >= edge(s, i + 1, p, salt))
        i++;
    double from = edge(s, i, p, salt);
    return (struct cell){i, x - from, edge(s, i + 1, p, salt) - from};
}

static double mix(const struct scene *s, double t) {
    return s->dark + (s->light - s->dark) * t;
}

static double of_leaf(const struct leaf *l, double x) {
    return l->shade + l->slope * (x - l->x) / l->rx;
}

static bool in_leaf(const struct leaf *l, double x, double y) {
    double dx = (x - l->x) / l->rx, dy = (y - l->y) / l->ry;
    return l->round ? dx * dx + dy * dy < 1 : fabs(dx) < 1 && fabs(dy) < 1;
}

static double behind(const struct scene *s, double x, double y) {
    for (int i = s->n_before; i < LEAVES; i++)
        if (in_leaf(&s->leaf[i], x, y))
            return of_leaf(&s->leaf[i], x);
    return 0.5 + 0.3 * y / s->height;
}

/* A letter: strokes on a grid of 4 x 5. */
static bool ink(const struct scene *s, long letter, long line, double x, double y) {
    long i = (long)floor(4 * x), k = (long)floor(5 * y);
    return x > 0 && x < 0.85 && y > 0 && y < 1 &&
           (hash(s->seed + 5, letter * 64 + i, line * 8 + k) < 0.28 || (i == 0 && letter % 3) ||
            (k == 0 && letter % 4 == 1) || (k == 4 && letter % 5 < 2));
}

static bool is_word(const struct scene *s, long letter, long line) {
    return hash(s->seed + 6, letter, line) > 0.17;
}

/* ---- structures ---- */

static double wall(const struct scene *s, double x, double y) {
    struct cell row = find_cell(s, y, s->p, 1);
    double length = s->p * (1.6 + 1.6 * s->ratio);
    double start = hash(s->seed + 2, row.i, 0) * length;
    struct scene loose = *s;
    loose.jitter = length;
    struct cell brick = find_cell(&loose, x + start, length, 1000 + (uint32_t)row.i);
    if (row.in < s->gap || brick.in < s->gap)
        return s->light;
    return s->dark * (0.6 + 0.9 * hash(s->seed + 3, brick.i, row.i)) +
           0.04 * hash(s->seed, (long)(x * 2), (long)(y * 2));
}

static double bond(const struct scene *s, double x, double y) {
    struct cell row = find_cell(s, y, s->p, 1);
    struct cell brick = find_cell(s, x + (double)(row.i & 1) * s->p * 1.25, 2.5 * s->p, 2);
    if (row.in < s->gap || brick.in < s->gap)
        return s->light;
    return s->dark + 0.12 * hash(s->seed + 3, brick.i, row.i);
}

static double fence(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, x, s->p, 1);
    double top = -0.3 * s->height + 3 * hash(s->seed, c.i, 1) + fabs(c.in - c.size / 2);
    bool rail = fmod(fabs(y + s->height), 0.4 * s->height) < 0.06 * s->height;
    if (y > top && (c.in < c.size * (0.45 + 0.4 * s->ratio) || rail))
        return mix(s, 0.6 + 0.4 * hash(s->seed, c.i, 2) - 0.2 * c.in / c.size);
    return behind(s, x, y);
}

static double bars(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, x, s->p, 1);
    double t = c.in / (s->gap + 1);
    return t < 1 ? s->dark + 0.3 * sin(PI * t) : behind(s, x, y);
}

static double stairs(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, y, s->p, 1);
    double t = c.in / c.size, tread = 0.4 + 0.3 * s->ratio;
    if (fabs(x) > 0.45 * s->width)
        return s->dark * 0.8;
    return t < tread ? mix(s, 1 - 0.1 * t) : mix(s, 0.2 + 0.3 * (t - tread) / (1 - tread));
}

static double weave(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1), b = find_cell(s, y, s->p, 2);
    bool over = (a.i + b.i) & 1;
    double across = over ? a.in / a.size : b.in / b.size,
           along = over ? b.in / b.size : a.in / a.size;
    double thread = over ? hash(s->seed, a.i, 7) : hash(s->seed, b.i, 8);
    return mix(s, sin(PI * across) * (0.6 + 0.4 * sin(PI * along))) * (0.8 + 0.3 * thread);
}

static double keyboard(const struct scene *s, double x, double y) {
    struct cell row = find_cell(s, y, s->p, 1);
    struct cell key = find_cell(s, x + s->p * 0.4 * (double)(row.i & 3), s->p, 2);
    if (row.in < s->gap || key.in < s->gap)
        return s->dark * 0.5;
    if (ink(s, key.i, row.i, (key.in / key.size - 0.35) * 3, (row.in / row.size - 0.35) * 3))
        return s->dark * 0.6;
    return mix(s, 0.8 + 0.2 * row.in / row.size);
}

static double facade(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1), b = find_cell(s, y, s->p * (1 + s->ratio), 2);
    double u = a.in / a.size, v = b.in / b.size;
    if (u < 0.25 || u > 0.8 || v < 0.2 || v > 0.8)
        return mix(s, 0.85 + 0.1 * (v < 0.16));
    if (fabs(u - 0.52) < 0.03 || fabs(v - 0.45) < 0.03)
        return s->light;
    return s->dark + 0.5 * pow(hash(s->seed, a.i, b.i), 3) + 0.1 * (u + v < 1);
}

static double roof(const struct scene *s, double x, double y) {
    struct cell b = find_cell(s, y, s->p, 2);
    struct cell a = find_cell(s, x + (double)(b.i & 1) * s->p * 0.6, s->p * 1.2, 1);
    double u = a.in / a.size - 0.5, v = b.in / b.size - 1 + 0.5 * sqrt(fmax(0, 1 - 4 * u * u));
    return mix(s, v > 0 ? 0.15 : 0.5 + 0.3 * v + 0.3 * hash(s->seed, a.i, b.i));
}

static double text(const struct scene *s, double x, double y) {
    struct cell line = find_cell(s, y, s->p, 1);
    double size = s->p * 0.42, u = (x + 0.42 * s->width) / size;
    long letter = (long)floor(u);
    double end = hash(s->seed, line.i, 3) < 0.2 ? hash(s->seed, line.i, 4) : 1;
    if (u < 0 || u * size > 0.84 * s->width * end || !is_word(s, letter, line.i))
        return s->light;
    return ink(s, letter, line.i, u - (double)letter, line.in / (0.6 * s->p) - 0.2) ? s->dark
                                                                                    : s->light;
}

static double drawing(const struct scene *s, double x, double y) {
    for (int i = s->n_before; i < LEAVES; i++) {
        const struct leaf *l = &s->leaf[i];
        if (!in_leaf(l, x, y))
            continue;
        struct leaf inner = *l;
        inner.rx -= 1.5;
        inner.ry -= 1.5;
        double a = PI * l->shade, p = s->p * (0.4 + 0.6 * l->shade);
        double t = (x * cos(a) + y * sin(a)) / p;
        return in_leaf(&inner, x, y) && t - floor(t) > 1.2 / p ? s->light : s->dark;
    }
    return s->light;
}

static double hatching(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, x + 1.5 * s->jitter * sin(y / 37 + 5 * s->ratio), s->p, 1);
    bool second = behind(s, x, y) < 0.45;
    struct cell d = find_cell(s, 0.7 * x + 0.7 * y, s->p, 2);
    return c.in < 1.3 || (second && d.in < 1.3) ? s->dark : s->light;
}

static double parquet(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1);
    struct cell b = find_cell(s, y + hash(s->seed, a.i, 5) * 7 * s->p, 7 * s->p, 2);
    double grain = sin(a.in * 2.1 + 3 * sin(y / 40 + (double)a.i)) * 0.03;
    return a.in < 1 || b.in < 1 ? s->dark * 0.6
                                : mix(s, 0.5 + 0.4 * hash(s->seed, a.i, b.i)) + grain;
}

static double blinds(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, y, s->p, 1);
    double t = c.in / c.size;
    if (fabs(fmod(fabs(x), 0.4 * s->width) - 0.2 * s->width) < 1.5)
        return s->dark;
    return t < 0.2 * s->ratio ? behind(s, x, y) : mix(s, 1 - 0.7 * t);
}

static double corrugated(const struct scene *s, double x, double y) {
    double normal = 0.9 * cos(2 * PI * x / s->p), light = 0.8 * s->ratio;
    double lambert = fmax(0, (1 + light * normal) / sqrt(1 + normal * normal));
    return mix(s, 0.7 * lambert) * (0.6 + 0.6 * behind(s, x, y));
}

static double graph_paper(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1), b = find_cell(s, y, s->p, 2);
    double curve = 0.2 * s->height * sin(x / s->width * 9 + s->ratio * 7);
    if (fabs(y - curve) < 2)
        return 0.05;
    bool thick = (a.i % 5 == 0 && a.in < 1.8) || (b.i % 5 == 0 && b.in < 1.8);
    return thick ? s->dark : a.in < 1 || b.in < 1 ? mix(s, 0.4) : s->light;
}

static double checkerboard(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1), b = find_cell(s, y, s->p, 2);
    double r = hypot(a.in / a.size - 0.5, b.in / b.size - 0.5);
    if (hash(s->seed, a.i, b.i) < 0.2 * s->ratio && r < 0.35)
        return hash(s->seed + 1, a.i, b.i) < 0.5 ? 0.05 : 0.95;
    return (a.i + b.i) & 1 ? s->light : s->dark;
}

static double barcode(const struct scene *s, double x, double y) {
    long module = (long)floor(x / (s->p * 0.3));
    if (y > 0.3 * s->height)
        return text(s, x, y);
    return hash(s->seed, module, 1) < 0.5 ? s->dark : s->light;
}

static double music(const struct scene *s, double x, double y) {
    double p = s->p * 0.5, staff = y / (11 * p), v = (staff - floor(staff)) * 11;
    long at = (long)floor(x / (3 * p));
    double pitch = floor(9 * hash(s->seed, at, (long)floor(staff))) / 2 + 0.5;
    double dx = x / p - 3 * (double)at - 1.5, dy = v - pitch;
    bool line = v < 4.5 + 1.1 / p && v - floor(v) < 1.1 / p;
    bool note =
        dx * dx / 0.4 + dy * dy / 0.2 < 1 || (fabs(dx - 0.55) < 0.6 / p && dy < 0 && dy > -3);
    return line || note ? s->dark : s->light;
}

static double table(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, 4 * s->p, 1), b = find_cell(s, y, s->p, 2);
    if (a.in < 1 || b.in < 1)
        return mix(s, 0.3);
    double u = (a.in - 4) / (0.4 * s->p), digits = 2 + 5 * hash(s->seed, a.i, b.i);
    long digit = (long)floor(u);
    return u > 0 && u < digits && b.i > -7 &&
                   ink(s, digit + 9 * a.i, b.i, u - (double)digit, b.in / (0.6 * s->p) - 0.3)
               ? s->dark
               : s->light - 0.08 * (double)(b.i & 1);
}

static double tiles(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1), b = find_cell(s, y, s->p, 2);
    return a.in < s->gap || b.in < s->gap ? s->dark
                                          : s->light - 0.15 * s->ratio * hash(s->seed, a.i, b.i);
}

static double chain_link(const struct scene *s, double x, double y) {
    double a = (x + y) / (1.4 * s->p), b = (x - y) / (1.4 * s->p), w = (1 + s->gap / 3) / s->p;
    return a - floor(a) < w || b - floor(b) < w ? mix(s, a - floor(a) < w ? 1 : 0.8)
                                                : behind(s, x, y);
}

static double books(const struct scene *s, double x, double y) {
    struct cell shelf = find_cell(s, y, 8 * s->p, 1);
    struct cell book = find_cell(s, x, s->p, 10 + (uint32_t)shelf.i);
    double top = s->p * (1 + 2 * hash(s->seed, book.i, shelf.i));
    if (shelf.in < top || book.in < 1)
        return 0.1;
    bool title = ink(s, book.i, shelf.i, book.in / book.size, (shelf.in / s->p - 4));
    return title ? 0.9 : 0.15 + 0.7 * hash(s->seed + 1, book.i, shelf.i);
}

static double solar(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1), b = find_cell(s, y, s->p, 2);
    if (a.in < 1 || b.in < 1)
        return s->light;
    return fabs(a.in / a.size - 0.5) < 0.04 ? mix(s, 0.6) : s->dark * (0.8 + 0.2 * y / s->height);
}

static double knit(const struct scene *s, double x, double y) {
    struct cell a = find_cell(s, x, s->p, 1);
    double u = fabs(a.in / a.size - 0.5), v = (y / s->p) * 1.3 - u;
    v -= floor(v);
    return mix(s, sin(PI * v) * (1 - 1.4 * u)) + 0.05 * hash(s->seed, (long)x, (long)y);
}

static double piano(const struct scene *s, double x, double y) {
    struct cell key = find_cell(s, x, s->p, 1);
    long note = ((key.i % 7) + 7) % 7;
    bool black = note != 0 && note != 3 && key.in < 0.3 * s->p;
    struct cell before = find_cell(s, x + 0.3 * s->p, s->p, 1);
    note = ((before.i % 7) + 7) % 7;
    black = black || (note != 0 && note != 3 && before.in < 0.3 * s->p);
    if (y < 0.1 * s->height)
        return black ? 0.04 + 0.1 * (y < 0.05 * s->height) : key.in < 1 ? 0.3 : s->light;
    return key.in < 1 ? s->dark : s->light - 0.2 * (y > 0.3 * s->height);
}

static double railway(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, y, s->p, 1);
    double side = fabs(fabs(x) - 0.2 * s->width);
    if (side < 3)
        return 0.85;
    if (fabs(x) < 0.3 * s->width && c.in < c.size * 0.45)
        return s->dark + 0.1 * hash(s->seed, c.i, 1);
    return 0.4 + 0.3 * hash(s->seed, (long)floor(x / 2), (long)floor(y / 2));
}

/* The distance from the nearest point of a lattice of triangles, in periods. */
static double from_lattice(double x, double y, long at[2]) {
    double best = 9;
    for (int k = 0; k < 2; k++) {
        double row = floor(y / 1.7320508 + 0.5 - 0.5 * k) + 0.5 * k;
        double column = floor(x + 0.5 - 0.5 * k) + 0.5 * k;
        double d = hypot(x - column, y - row * 1.7320508);
        if (d < best) {
            best = d;
            at[0] = (long)floor(2 * column);
            at[1] = (long)floor(2 * row);
        }
    }
    return best;
}

static double honeycomb(const struct scene *s, double x, double y) {
    long at[2] = {0, 0};
    double d = from_lattice(x / s->p, y / s->p, at);
    return d > 0.5 - s->gap / s->p ? s->light
                                   : s->dark + 0.3 * s->ratio * hash(s->seed, at[0], at[1]);
}

static double siding(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, y, s->p, 1);
    if (in_leaf(&s->leaf[LEAVES - 1], x, y))
        return behind(s, x, y);
    return c.in < 1.5 ? s->dark : mix(s, 0.75 + 0.2 * c.in / c.size);
}

static double seats(const struct scene *s, double x, double y) {
    struct cell b = find_cell(s, y, s->p * 0.9, 2);
    struct cell a = find_cell(s, x + (double)(b.i & 1) * s->p / 2, s->p, 1);
    double d = hypot(a.in / a.size - 0.5, b.in / b.size - 0.5);
    return d < 0.36 ? mix(s, 0.4 + 0.6 * hash(s->seed, a.i, b.i)) : s->dark * 0.7;
}

static double perforated(const struct scene *s, double x, double y) {
    long at[2] = {0, 0};
    double d = from_lattice(x / s->p, y / s->p, at);
    return d < 0.2 + 0.2 * s->ratio ? s->dark * (0.5 + 0.5 * behind(s, x, y)) : s->light;
}

static double striped(const struct scene *s, double x, double y) {
    struct cell c = find_cell(s, x + 2 * s->jitter * sin(y / 60), s->p, 1);
    return mix(s, c.in < c.size / 2 ? 0.1 : 0.9) + 0.04 * hash(s->seed, (long)x, (long)y);
}

static const struct {
    const char *name;
    double (*shade)(const struct scene *s, double x, double y);
    double from, to; /* periods */
} structure[GF_MADE_KINDS] = {
    {"wall", wall, 16, 40},
    {"bond", bond, 10, 40},
    {"fence", fence, 6, 40},
    {"bars", bars, 10, 50},
    {"stairs", stairs, 10, 60},
    {"weave", weave, 4, 20},
    {"keyboard", keyboard, 14, 50},
    {"facade", facade, 12, 60},
    {"roof", roof, 8, 40},
    {"text", text, 12, 36},
    {"drawing", drawing, 5, 16},
    {"hatching", hatching, 5, 14},
    {"parquet", parquet, 8, 40},
    {"blinds", blinds, 6, 30},
    {"corrugated", corrugated, 6, 40},
    {"graph paper", graph_paper, 6, 30},
    {"checkerboard", checkerboard, 8, 50},
    {"barcode", barcode, 8, 30},
    {"music", music, 10, 30},
    {"table", table, 14, 36},
    {"tiles", tiles, 10, 50},
    {"chain link", chain_link, 10, 40},
    {"books", books, 8, 30},
    {"solar", solar, 10, 40},
    {"knit", knit, 8, 24},
    {"piano", piano, 12, 40},
    {"railway", railway, 10, 50},
    {"honeycomb", honeycomb, 8, 40},
    {"siding", siding, 8, 30},
    {"seats", seats, 8, 30},
    {"perforated", perforated, 5, 24},
    {"striped", striped, 6, 40},
};

/* ---- the camera ---- */

static void make_leaves(struct scene *s, uint32_t *seed) {
    for (int i = 0; i < LEAVES; i++) {
        struct leaf *l = &s->leaf[i];
        double size = s->width * (i < s->n_before ? draw(seed, 0.05, 0.2)
                                                  : 0.02 + 0.25 * pow(draw(seed, 0, 1), 3));
        *l = (struct leaf){.x = draw(seed, -0.7, 0.7) * s->width,
                           .y = draw(seed, -0.7, 0.7) * s->height,
                           .rx = size,
                           .ry = size * draw(seed, 0.4, 1.6),
                           .shade = draw(seed, 0.1, 0.9),
                           .slope = draw(seed, -0.1, 0.1),
                           .round = draw(seed, 0, 1) < 0.6};
    }
    /* Large ones are farther away. */
    for (int i = s->n_before; i < LEAVES; i++)
        for (int k = i + 1; k < LEAVES; k++)
            if (s->leaf[k].rx < s->leaf[i].rx) {
                struct leaf l = s->leaf[i];
                s->leaf[i] = s->leaf[k];
                s->leaf[k] = l;
            }
}

static void choose(struct scene *s, uint32_t *seed, double from, double to) {
    s->p = from * pow(to / from, draw(seed, 0, 1));
    s->jitter = floor(draw(seed, 0, 4)) * draw(seed, 0.3, 1);
    s->gap = draw(seed, 1.5, 4);
    s->gap = fmin(s->gap, s->p / 4);
    s->dark = draw(seed, 0.05, 0.35);
    s->light = draw(seed, 0.6, 0.95);
    s->ratio = draw(seed, 0, 1);
    double kind = draw(seed, 0, 1);
    double angle = kind < 0.5 ? 0 : kind < 0.75 ? draw(seed, -0.05, 0.05) : draw(seed, -1.6, 1.6);
    s->tilt[0] = cos(angle);
    s->tilt[1] = sin(angle);
    if (draw(seed, 0, 1) < 0.4) {
        s->far[0] = draw(seed, -0.4, 0.4);
        s->far[1] = draw(seed, -0.4, 0.4);
    }
    s->slope[0] = draw(seed, -0.3, 0.3);
    s->slope[1] = draw(seed, -0.3, 0.3);
    s->n_before = draw(seed, 0, 1) < 0.5 ? 0 : 1 + (int)draw(seed, 0, 5);
}

static double see(const struct scene *s, double (*shade)(const struct scene *, double, double),
                  double x, double y) {
    for (int i = 0; i < s->n_before; i++)
        if (in_leaf(&s->leaf[i], x, y))
            return of_leaf(&s->leaf[i], x);
    double far = 1 + s->far[0] * x / s->width + s->far[1] * y / s->height;
    double u = (s->tilt[0] * x + s->tilt[1] * y) / far, v = (s->tilt[0] * y - s->tilt[1] * x) / far;
    double light = 1 + s->slope[0] * x / s->width + s->slope[1] * y / s->height;
    return shade(s, u, v) * light;
}

/* Each sample is the mean of 2 x 2 rays; channels differ as tinted materials do. */
static void expose(const struct scene *s, double (*shade)(const struct scene *, double, double),
                   struct gf_made_picture *p) {
    double gain[3], lift[3];
    for (int c = 0; c < 3; c++) {
        gain[c] = p->channels > 1 ? 0.75 + 0.25 * hash(s->seed, c, 50) : 1;
        lift[c] = p->channels > 1 ? 0.15 * hash(s->seed, c, 51) : 0;
    }
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += see(s, shade, x + 0.25 + 0.5 * (k & 1) - s->width / 2,
                           y + 0.25 + 0.5 * (k >> 1) - s->height / 2);
            for (int c = 0; c < p->channels; c++)
                p->px[(y * p->width + x) * p->channels + c] = (float)(lift[c] + gain[c] * sum / 4);
        }
}

static void add_noise(struct gf_made_picture *p, uint32_t seed, double sigma) {
    for (long i = 0; i < (long)p->width * p->height * p->channels; i++)
        p->px[i] += (float)(sigma * 1.7 * (hash(seed, i, 1) + hash(seed, i, 2) - 1) * 1.4);
}

static bool take(struct scene *s, uint32_t seed,
                 double (*shade)(const struct scene *, double, double), struct gf_made_picture *p) {
    int longest = p->width > p->height ? p->width : p->height;
    float *room = malloc((size_t)longest * sizeof *room);
    p->px = malloc((size_t)p->width * (size_t)p->height * (size_t)p->channels * sizeof *p->px);
    if (!room || !p->px) {
        free(room);
        free(p->px);
        return false;
    }
    double sigma = draw(&seed, 0, 1.5), noise = draw(&seed, 0, 1);
    expose(s, shade, p);
    gf_made_blur(p, sigma, room);
    add_noise(p, seed, 0.03 * noise * noise);
    if (p->white == 255 && draw(&seed, 0, 1) < 0.4)
        gf_made_lose(p, draw(&seed, 40, 95));
    free(room);
    return true;
}

bool gf_made_thing(int number, int most, struct gf_made_picture *p) {
    uint32_t seed = 7919u * (uint32_t)number + 1;
    struct scene s = {.seed = seed};
    int kind = number % GF_MADE_KINDS;
    *p = (struct gf_made_picture){.kind = structure[kind].name};
    p->width = (int)(200 * pow(most / 200., draw(&seed, 0, 1)));
    p->height = (int)fmin(most, fmax(200, p->width * draw(&seed, 0.6, 1.3)));
    p->channels = draw(&seed, 0, 1) < 0.5 ? 1 : 3;
    p->white = draw(&seed, 0, 1) < 0.15 ? 65535 : 255;
    s.width = p->width;
    s.height = p->height;
    choose(&s, &seed, structure[kind].from, structure[kind].to);
    make_leaves(&s, &seed);
    p->period = s.p;
    return take(&s, seed, structure[kind].shade, p);
}

bool gf_made_shapes(int number, int width, int height, struct gf_made_picture *p) {
    uint32_t seed = 104729u * (uint32_t)number + 3;
    struct scene s = {.seed = seed, .tilt = {1, 0}, .width = width, .height = height};
    *p = (struct gf_made_picture){
        .width = width, .height = height, .channels = 1, .white = 255, .kind = "shapes"};
    make_leaves(&s, &seed);
    return take(&s, seed, behind, p);
}

const char *gf_made_kind(int number) {
    return structure[number % GF_MADE_KINDS].name;
}

void gf_made_free(struct gf_made_picture *p) {
    free(p->px);
    p->px = NULL;
}
