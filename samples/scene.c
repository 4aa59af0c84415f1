/* scene.png: a house by a lake, ray traced. Metres; x to the right, y up, z into the picture.
 *
 * The motifs are chosen for their spectra: the fence puts a row of peaks on the horizontal axis,
 * the boards one on the vertical axis, the roof and the sail lines across it, the waves a haze
 * above and below the centre, and hills, trees and clouds the 1/f background of any photograph. */
#include "samples/land.h"
#include "samples/samples.h"

#include <string.h>

enum material { GROUND, WATER, WALL, ROOF, BRICK, FENCE, PLANKS, SAIL, HULL };

/* A convex body: where n . p <= d for every face. `yaw` turns world into its own x and z, for the
 * texture. */
struct solid {
    int n;
    struct {
        struct vec n;
        double d;
    } face[8];
    struct vec origin, centre;
    double cos_yaw, sin_yaw, radius;
    enum material material;
};

struct tree {
    struct vec foot;
    double height, width;
    int seed;
};

struct hit {
    double t;
    struct vec normal;
    enum material material;
    const struct solid *solid;
};

enum { MAX_SOLIDS = 96, MAX_TREES = 260 };
static struct solid solids[MAX_SOLIDS];
static struct tree trees[MAX_TREES];
static int n_solids, n_trees;

static const struct vec eye = {0, 2.75, 0};
static const double focal = 1.75, horizon = 0.06; /* in half picture heights */
static struct vec sun;
static double half; /* half the picture's size in pixels */

/* ---- The things ---- */

static struct vec to_local(const struct solid *s, struct vec v) {
    return vec(v.x * s->cos_yaw - v.z * s->sin_yaw, v.y, v.x * s->sin_yaw + v.z * s->cos_yaw);
}

static struct vec to_world(const struct solid *s, struct vec v) {
    return vec(v.x * s->cos_yaw + v.z * s->sin_yaw, v.y, -v.x * s->sin_yaw + v.z * s->cos_yaw);
}

static struct solid *new_solid(enum material m, struct vec origin, double yaw, double reach) {
    struct solid *s = &solids[n_solids++];
    memset(s, 0, sizeof *s);
    s->material = m;
    s->origin = s->centre = origin;
    s->cos_yaw = cos(yaw);
    s->sin_yaw = sin(yaw);
    s->radius = reach;
    return s;
}

/* Adds the face n . p <= d, in the solid's own coordinates. */
static void face(struct solid *s, double x, double y, double z, double d) {
    struct vec n = to_world(s, unit(vec(x, y, z)));
    s->face[s->n].n = n;
    s->face[s->n++].d = d + dot(n, s->origin);
}

static struct solid *box(enum material m, struct vec origin, double yaw, struct vec low,
                         struct vec high) {
    struct solid *s = new_solid(m, origin, yaw, 0.51 * length(sub(high, low)));
    s->centre = add(origin, to_world(s, scale(add(low, high), 0.5)));
    face(s, 1, 0, 0, high.x);
    face(s, -1, 0, 0, -low.x);
    face(s, 0, 1, 0, high.y);
    face(s, 0, -1, 0, -low.y);
    face(s, 0, 0, 1, high.z);
    face(s, 0, 0, -1, -low.z);
    return s;
}

static void build_house(void) {
    const struct vec at = {-5.6, 0.75, 24};
    const double yaw = 0.62, pitch = 0.78, wall = 3.0, long_half = 4.6, wide_half = 3.0;
    const double c = cos(pitch), s = sin(pitch);
    const double edge = c * wall + s * wide_half; /* the roof planes through the wall tops */
    struct solid *body =
        box(WALL, at, yaw, vec(-long_half, -2, -wide_half), vec(long_half, 7, wide_half));
    face(body, 0, c, s, edge);
    face(body, 0, c, -s, edge);
    for (int side = -1; side <= 1; side += 2) {
        struct solid *roof = new_solid(ROOF, at, yaw, 9);
        face(roof, 0, c, side * s, edge + 0.2);
        face(roof, 0, -c, -side * s, -edge);
        face(roof, 0, -s, side * c, -s * wall + c * wide_half + 0.7);
        face(roof, 0, 0, -side, 0);
        face(roof, 1, 0, 0, long_half + 0.5);
        face(roof, -1, 0, 0, long_half + 0.5);
    }
    box(BRICK, at, yaw, vec(1.5, 4, -0.3), vec(2.4, 7.3, 0.6));
    box(BRICK, at, yaw, vec(1.4, 7.1, -0.4), vec(2.5, 7.3, 0.7));
}

static void build_fence(void) {
    const double z = 4.6, pitch = 0.245;
    for (int i = -15; i <= 15; i++) {
        double x = i * pitch, foot = 0.7, top = 1.56;
        struct solid *picket =
            box(FENCE, vec(x, 0, z), 0, vec(-0.058, foot, 0), vec(0.058, top, 0.03));
        face(picket, 1, 0.75, 0, (top - 0.06) * 0.6);
        face(picket, -1, 0.75, 0, (top - 0.06) * 0.6);
    }
    box(FENCE, vec(0, 0, z), 0, vec(-5, 1.0, 0.035), vec(5, 1.08, 0.08));
    box(FENCE, vec(0, 0, z), 0, vec(-5, 1.32, 0.035), vec(5, 1.40, 0.08));
}

static void build_pier(void) {
    const struct vec at = {3.1, 0, 12};
    const double yaw = 0.16;
    box(PLANKS, at, yaw, vec(-0.8, 0.42, -1.5), vec(0.8, 0.52, 13));
    for (int i = 0; i < 5; i++)
        for (int side = -1; side <= 1; side += 2)
            box(PLANKS, at, yaw, vec(side * 0.85 - 0.08, -1, 1 + i * 2.8),
                vec(side * 0.85 + 0.08, 1.0, 1.16 + i * 2.8));
}

static void build_boat(void) {
    const struct vec at = {19, 0, 62};
    struct solid *sail = new_solid(SAIL, at, 0.35, 12);
    face(sail, 0, 0, 1, 0.03);
    face(sail, 0, 0, -1, 0.03);
    face(sail, -1, 0, 0, 0);
    face(sail, 0, -1, 0, -1.3);
    face(sail, 0.86, 0.36, 0, 3.5);
    struct solid *jib = new_solid(SAIL, at, 0.35, 12);
    face(jib, 0, 0, 1, 0.03);
    face(jib, 0, 0, -1, 0.03);
    face(jib, 1, 0, 0, -0.25);
    face(jib, 0, -1, 0, -1.1);
    face(jib, -0.92, 0.32, 0, 2.55);
    struct solid *hull = box(HULL, at, 0.35, vec(-3.2, -0.5, -0.9), vec(3.9, 0.75, 0.9));
    face(hull, -0.7, -0.7, 0, 1.75);
    face(hull, 0.8, -0.6, 0, 2.75);
    box(HULL, at, 0.35, vec(-0.2, 0.5, -0.05), vec(-0.08, 9.6, 0.05));
}

static void plant(double x, double z, double height, int seed) {
    trees[n_trees++] = (struct tree){vec(x, fmax(land_height(x, z), 0) - 0.2, z), height,
                                     height * (0.17 + 0.06 * cell(seed, 1, 5)), seed};
}

static void plant_trees(void) {
    struct rng r = {2024};
    plant(-11.5, 33, 13.5, 1);
    plant(-8.2, 35, 15.5, 2);
    plant(-14.5, 30, 12, 3);
    plant(-4.6, 34, 10.5, 4);
    plant(-1.2, 33.5, 7.5, 5);
    plant(0.6, 32, 4.8, 6);
    while (n_trees < MAX_TREES) {
        double z = LAND_FAR_SHORE + 8 + 190 * rng_uniform(&r) * rng_uniform(&r);
        double x = (2 * rng_uniform(&r) - 1) * z * 0.66;
        double clearing = noise2(x * 0.014 + 5, z * 0.014);
        double tall = 7 + 10 * rng_uniform(&r);
        if (clearing > -0.12 && land_height(x, z) > 0.2)
            plant(x, z, tall, 100 + n_trees);
    }
}

static bool solid_hit(const struct solid *s, struct vec from, struct vec dir, struct hit *hit) {
    struct vec oc = sub(s->centre, from);
    double along = dot(oc, dir);
    if (dot(oc, oc) - along * along > s->radius * s->radius)
        return false;
    double enter = 1e-4, leave = hit->t;
    int which = -1;
    for (int i = 0; i < s->n; i++) {
        double slant = dot(s->face[i].n, dir), gap = s->face[i].d - dot(s->face[i].n, from);
        if (slant < 0 && gap / slant > enter) {
            enter = gap / slant;
            which = i;
        } else if (slant > 0) {
            leave = fmin(leave, gap / slant);
        } else if (slant == 0 && gap < 0) {
            return false;
        }
    }
    if (which < 0 || enter >= leave)
        return false;
    *hit = (struct hit){enter, s->face[which].n, s->material, s};
    return true;
}

/* A conifer is a cut-out that faces the camera, shaded as if it were round. */
static bool tree_hit(const struct tree *tree, struct vec from, struct vec dir, double limit,
                     double *t, struct vec *color) {
    double at = (tree->foot.z - from.z) / dir.z;
    if (at <= 0 || at >= limit)
        return false;
    double u = from.x + dir.x * at - tree->foot.x, y = from.y + dir.y * at - tree->foot.y;
    double v = y / tree->height;
    if (v < 0 || v > 1 || fabs(u) > tree->width)
        return false;
    double s = tree->seed * 7.31, span = tree->width * pow(1 - v, 0.8);
    double tier = fract(v * 9 * (0.8 + 0.5 * v) + 0.45 * noise2(u / tree->width * 2 + s, v * 3) +
                        fabs(u) / tree->width * 0.9);
    span *= 0.62 + 0.38 * (1 - tier) + 0.25 * noise2(v * 26 + s, u > 0 ? 3.3 : 8.1);
    bool trunk = v < 0.1 && fabs(u) < tree->width * 0.09;
    if ((v < 0.05 || fabs(u) > span) && !trunk)
        return false;
    double leaf = fbm2(u / tree->height * 55 + s, v * 42, 3);
    double round = clamp(u / (span + 1e-6), -1, 1);
    if (!trunk && fabs(round) > 0.72 && leaf < -0.15)
        return false;
    struct vec n = unit(vec(round + 0.5 * leaf, 0.45 + 0.3 * leaf, -sqrt(1.05 - round * round)));
    double light = 0.22 + 1.15 * fmax(0, dot(n, sun));
    light *= (1 - 0.6 * tier) * (0.8 + 0.7 * leaf);
    struct vec green =
        lerp(vec(0.045, 0.085, 0.035), vec(0.11, 0.13, 0.04), cell(tree->seed, 2, 2));
    *color = scale(trunk ? vec(0.12, 0.08, 0.06) : green, fmax(light, 0.05) * 1.9);
    *t = at;
    return true;
}

/* ---- Light ---- */

static struct vec sky(struct vec dir) {
    double up = fmax(dir.y, 0.001);
    struct vec c = lerp(vec(0.76, 0.81, 0.87), vec(0.08, 0.19, 0.46), 1 - exp(-up * 3.9));
    /* Clouds on a flat ceiling; lit where the cover thins towards the sun. */
    double k = 1.15 / (up + 0.13), x = dir.x * k + 2.45, z = dir.z * k * 0.9 + 7.2;
    double cover = fbm2(x, z, 6) + 0.13;
    double toward = fbm2(x + sun.x * 0.22, z - 0.22, 5) + 0.13;
    double dense = smooth(0.0, 0.5, cover);
    double bright = clamp(0.86 + 0.75 * (cover - toward), 0.5, 1.35);
    return lerp(c, scale(vec(1.0, 0.985, 0.96), bright * 1.12), dense * smooth(0.0, 0.1, up));
}

static double sunlit(struct vec p) {
    struct hit h = {60, {0, 0, 0}, GROUND, NULL};
    for (int i = 0; i < n_solids; i++)
        if (solid_hit(&solids[i], p, sun, &h))
            return 0;
    return 1;
}

static struct vec ground_color(struct vec p, struct vec n) {
    double patch = fbm2(p.x * 0.4, p.z * 0.4, 4);
    if (p.z < 60) {
        double fine = p.z < 16 ? land_height(p.x, p.z) - land_height(p.x + 0.05, p.z + 0.3) : 0;
        struct vec green = lerp(vec(0.10, 0.17, 0.04), vec(0.25, 0.26, 0.08),
                                clamp(0.4 + 0.9 * patch + 1.2 * fine, 0, 1));
        double sand = smooth(0.28, 0.08, p.y + 0.06 * patch);
        return scale(lerp(green, vec(0.36, 0.31, 0.24), sand), 0.86);
    }
    double coarse = fbm2(p.x * 0.03, p.z * 0.03, 5);
    struct vec meadow = lerp(vec(0.10, 0.16, 0.05), vec(0.24, 0.25, 0.10), 0.5 + coarse);
    struct vec rock = scale(vec(0.27, 0.25, 0.24), 1 + 0.7 * coarse);
    struct vec c = lerp(meadow, rock, smooth(50, 105, p.y + 40 * coarse + 60 * (0.8 - n.y)));
    double snow = smooth(120, 165, p.y + 45 * coarse) * smooth(0.42, 0.66, n.y);
    return lerp(c, vec(0.93, 0.95, 1.0), snow);
}

/* A window of four panes at (u, v) of the wall, in metres from its lower left corner. */
static bool window_color(double u, double v, struct vec *c) {
    if (u < 0 || u > 1.2 || v < 0 || v > 1.3)
        return false;
    bool bar =
        u < 0.1 || u > 1.1 || v < 0.1 || v > 1.2 || fabs(u - 0.6) < 0.05 || fabs(v - 0.7) < 0.05;
    *c = bar ? vec(0.85, 0.84, 0.8) : scale(vec(0.08, 0.11, 0.15), 0.6 + 0.6 * v + 0.5 * u);
    return true;
}

static struct vec solid_color(const struct hit *h, struct vec world) {
    const struct solid *s = h->solid;
    struct vec p = to_local(s, sub(world, s->origin)), n = to_local(s, h->normal), c;
    switch (h->material) {
    case WALL:
        if (fabs(n.z) > 0.9) { /* the long side: clapboard, two windows and a door */
            if (window_color(p.x + 3.6, p.y - 0.9, &c) || window_color(p.x - 2.0, p.y - 0.9, &c))
                return c;
            if (fabs(p.x) < 0.6 && p.y < 2.2)
                return fabs(p.x) < 0.5 && p.y < 2.1 ? vec(0.05, 0.10, 0.09) : vec(0.8, 0.8, 0.76);
            double board = fract(p.y / 0.28);
            return scale(vec(0.58, 0.13, 0.08),
                         (board < 0.26 ? 0.25 : 0.8 + 0.3 * board) *
                             (1 + 0.3 * noise2(p.x * 0.7, floor(p.y / 0.28))));
        }
        if (window_color(p.z + 0.6, p.y - 1.0, &c) || window_color(p.z + 0.6, p.y - 3.4, &c))
            return c;
        return scale(vec(0.60, 0.14, 0.09), fract(p.z / 0.32) < 0.25
                                                ? 0.3
                                                : 1 + 0.25 * noise2(floor(p.z / 0.32) + 0.5, p.y));
    case ROOF: {
        double along = length(vec(0, p.y - 6, p.z)) / 0.46, row = floor(along);
        double tile = p.x / 0.42 + 0.5 * fract(row * 0.5), edge = fract(along);
        double tone = 0.75 + 0.5 * cell((int)floor(tile), (int)row, 3);
        tone *= edge > 0.7 ? 0.3 : 1;
        return scale(vec(0.20, 0.19, 0.20), tone * (fract(tile) < 0.12 ? 0.7 : 1));
    }
    case BRICK:
        return scale(vec(0.38, 0.22, 0.17), fract(p.y / 0.2) < 0.2 ? 0.6 : 1);
    case FENCE:
        return scale(vec(0.86, 0.85, 0.82),
                     0.92 + 0.18 * noise3(world.x * 30, world.y * 3, world.z * 9));
    case PLANKS:
        return scale(vec(0.36, 0.29, 0.22), (n.y > 0.9 && fract(p.z / 0.3) < 0.14 ? 0.3 : 1) *
                                                (0.85 + 0.4 * cell((int)floor(p.z / 0.3), 2, 9)));
    case SAIL:
        return scale(vec(0.95, 0.93, 0.88), fract(p.y / 1.1) < 0.07 ? 0.8 : 1);
    default:
        return p.y > 0.45 ? vec(0.75, 0.72, 0.68) : vec(0.07, 0.09, 0.16);
    }
}

static struct vec wave_normal(struct vec p, double t) {
    double calm = 1 / (1 + t * 0.012);
    double gust = 0.7 + 0.9 * noise2(p.x * 0.05 + 3, p.z * 0.022);
    double dx = 0, dz = 0;
    for (int i = 0; i < 4; i++) { /* two octaves of ripples and two of swell, crests along x */
        double k = 0.55 * (1 << i), a = 0.028 * calm * gust;
        dx += a * 0.7 * noise2(p.x * k * 0.6 + 11 * i, p.z * k + 5);
        dz += a * 1.9 * noise2(p.x * k * 0.6 + 37 + 7 * i, p.z * k * 1.2);
    }
    return unit(vec(dx, 1, dz));
}

static struct vec light_at(struct vec from, struct vec dir, int depth);

static struct vec water(struct vec p, struct vec dir, double t) {
    struct vec n = wave_normal(p, t), r = reflected(dir, n);
    r.y = fabs(r.y) + 0.002;
    double facing = fabs(dot(dir, n)), one = 1 - facing;
    double fresnel = 0.04 + 0.96 * one * one * one * one * one;
    struct vec deep = vec(0.03, 0.075, 0.085);
    return lerp(deep, light_at(p, unit(r), 1), clamp(fresnel * 1.05 + 0.12, 0, 1));
}

static struct vec light_at(struct vec from, struct vec dir, int depth) {
    const double far = 2400;
    struct hit h = {far, {0, 1, 0}, GROUND, NULL};
    bool none = true;
    if (dir.y < 0) {
        h.t = -from.y / dir.y;
        h.material = WATER;
        none = h.t >= far;
    }
    for (int i = 0; i < n_solids; i++)
        none &= !solid_hit(&solids[i], from, dir, &h);
    /* From the eye, nothing near is higher than the grass, 1.4 m. */
    double start = depth ? 2 : dir.y < 0 ? fmin(60, (1.4 - from.y) / dir.y) : 60;
    double t = dir.y < 0.4 ? land_hit(from, dir, start, h.t) : -1;
    if (t > 0) {
        h = (struct hit){t, {0, 1, 0}, GROUND, NULL};
        none = false;
    }
    struct vec leaf = {0, 0, 0}, tint;
    bool is_tree = false;
    for (int i = 0; i < n_trees; i++)
        if (tree_hit(&trees[i], from, dir, h.t, &t, &tint)) {
            h.t = t;
            leaf = tint;
            is_tree = true;
        }
    if (none && !is_tree)
        return sky(dir);
    struct vec p = add(from, scale(dir, h.t)), c;
    if (is_tree) {
        c = leaf;
    } else if (h.material == WATER) {
        c = depth ? sky(dir) : water(p, dir, h.t);
    } else {
        if (h.material == GROUND) {
            h.normal = land_normal(p.x, p.z, 0.01 + 0.0015 * h.t);
            c = ground_color(p, h.normal);
        } else {
            c = solid_color(&h, p);
        }
        struct vec lifted = add(p, scale(h.normal, 0.02 + 0.0005 * h.t));
        double direct = fmax(0, dot(h.normal, sun));
        if (direct > 0 && h.t < 90)
            direct *= sunlit(lifted);
        struct vec light = scale(vec(1.75, 1.6, 1.35), direct);
        light = add(light, scale(vec(0.25, 0.30, 0.39), 0.55 + 0.4 * h.normal.y));
        c = mul(c, light);
    }
    double haze = 1 - exp(-h.t / 2900);
    return lerp(c, vec(0.62, 0.70, 0.80), haze);
}

static struct vec paint(double x, double y) {
    struct vec dir = unit(vec((x - half) / half, (half - y) / half - horizon, focal));
    return light_at(eye, dir, 0);
}

void scene_paint(struct vec *rgb, int size) {
    half = 0.5 * size;
    sun = unit(vec(-0.62, 0.55, -0.42));
    n_solids = n_trees = 0;
    land_survey();
    build_house();
    build_fence();
    build_pier();
    build_boat();
    plant_trees();
    render(size, size, paint, rgb);
}
