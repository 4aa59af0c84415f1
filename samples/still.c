/* still.png: a still life under a window, ray marched over distance functions. y is up, the table
 * is y = 0, z points away from the eye.
 *
 * It is as unlike the landscape as can be, large smooth bodies before a plain wall, so that the
 * exchange of the two phases shows at once which half of the spectrum holds the picture. */
#include "samples/samples.h"

#include <stddef.h>

enum thing { VASE, BALL, PEAR, ORANGE, APPLE, BOOK, STEM, CLOTH, CURTAIN, N_THINGS };

static const struct vec eye = {0.1, 2.75, -4.4}, look_at = {0.05, 1.2, 3.2};
static const double wall_z = 6.2;
static struct vec lamp, right, up, ahead;
static double half;

/* Spheres around the things: outside of one, the distance to it is all that is asked. */
static const struct {
    struct vec centre;
    double radius;
} bound[N_THINGS] = {
    [VASE] = {{-1.15, 1.7, 3.5}, 1.95},   [BALL] = {{0.74, 0.85, 3.7}, 0.86},
    [PEAR] = {{1.75, 1.05, 2.55}, 0.95},  [ORANGE] = {{-0.35, 0.5, 1.75}, 0.53},
    [APPLE] = {{-1.75, 0.5, 1.75}, 0.64}, [BOOK] = {{1.8, 0.17, 2.45}, 1.15},
    [STEM] = {{1.78, 1.8, 2.55}, 0.3},
};

/* The vase's radius at height y: foot, belly, neck and lip. */
static double vase_radius(double y) {
    double belly = 0.98 * exp(-(y - 1.45) * (y - 1.45) / 0.72);
    double foot = 0.50 * exp(-y * y / 0.05), lip = 0.33 * smooth(2.75, 3.3, y);
    return 0.24 + belly + foot * 0.8 + lip;
}

/* The union of two bodies with the joint rounded over k. */
static double blend(double a, double b, double k) {
    double h = fmax(k - fabs(a - b), 0) / k;
    return fmin(a, b) - h * h * k * 0.25;
}

static double ball(struct vec p, struct vec c, double r) {
    return length(sub(p, c)) - r;
}

static double capsule(struct vec p, struct vec a, struct vec b, double r) {
    struct vec pa = sub(p, a), ba = sub(b, a);
    return length(sub(pa, scale(ba, clamp(dot(pa, ba) / dot(ba, ba), 0, 1)))) - r;
}

static struct vec book_local(struct vec p) {
    struct vec d = sub(p, bound[BOOK].centre);
    return vec(0.94 * d.x + 0.342 * d.z, d.y, -0.342 * d.x + 0.94 * d.z);
}

static double distance_to(enum thing thing, struct vec p) {
    struct vec c = bound[thing].centre, d = sub(p, c);
    double r = hypot(d.x, d.z);
    switch (thing) {
    case VASE: {
        double shell = r - vase_radius(p.y);
        if (p.y > 1.5) /* hollow above */
            shell = fmax(shell, -0.07 - shell);
        return fmax(fmax(shell * 0.62, p.y - 3.3), -p.y);
    }
    case BALL:
        return ball(p, c, 0.85);
    case PEAR:
        return blend(ball(p, vec(c.x, 0.86, c.z), 0.52), ball(p, vec(c.x + 0.05, 1.48, c.z), 0.24),
                     0.55);
    case ORANGE:
        return ball(p, c, 0.5 + 0.008 * noise3(p.x * 22, p.y * 22, p.z * 22)) * 0.9;
    case APPLE: { /* a fat ring closed over its axis: dimples above and below */
        double ring = hypot(r - 0.20, d.y * (d.y > 0 ? 1.0 : 0.92)) - 0.41;
        double stem = capsule(p, vec(c.x, c.y + 0.15, c.z), vec(c.x + 0.1, c.y + 0.55, c.z), 0.025);
        return fmin((r < 0.2 ? fmax(ring, d.y - 0.36 - 0.3 * r) : ring) * 0.8, stem);
    }
    case BOOK: {
        struct vec q = book_local(p);
        double x = fabs(q.x) - 0.88, y = fabs(q.y) - 0.17, z = fabs(q.z) - 0.66;
        double page_edge = fabs(q.y) < 0.125 && q.x > -0.8 ? 0.045 : 0; /* the boards stand proud */
        x += page_edge * (q.x > 0);
        z += page_edge;
        return length(vec(fmax(x, 0), fmax(y, 0), fmax(z, 0))) + fmin(fmax(x, fmax(y, z)), 0) -
               0.01;
    }
    default:
        return capsule(p, vec(1.80, 1.62, 2.55), vec(1.90, 2.02, 2.52), 0.035);
    }
}

static double nearest(struct vec p, enum thing *which) {
    double best = 1e9;
    for (int i = 0; i < CLOTH; i++) {
        double d = length(sub(p, bound[i].centre)) - bound[i].radius;
        if (d < 0.1)
            d = distance_to((enum thing)i, p);
        else
            d += 0.02;
        if (d < best) {
            best = d;
            *which = (enum thing)i;
        }
    }
    return best;
}

/* The curtain's folds, as the depth of the wall. */
static double folds(double x) {
    double fall = smooth(1.0, 2.6, x) + smooth(-3.4, -4.2, x);
    return wall_z - fall * (0.55 + 0.30 * sin(7.5 * x + 0.8 * sin(2.1 * x)) + 0.06 * sin(23 * x));
}

static bool march(struct vec from, struct vec dir, double limit, double *t, enum thing *which) {
    double s = 0.01;
    for (int i = 0; i < 160 && s < limit; i++) {
        double d = nearest(add(from, scale(dir, s)), which);
        if (d < 0.0008) {
            *t = s;
            return true;
        }
        s += d;
    }
    return false;
}

static struct vec normal_at(struct vec p) {
    const double e = 0.0012;
    enum thing w;
    struct vec g = {nearest(vec(p.x + e, p.y, p.z), &w) - nearest(vec(p.x - e, p.y, p.z), &w),
                    nearest(vec(p.x, p.y + e, p.z), &w) - nearest(vec(p.x, p.y - e, p.z), &w),
                    nearest(vec(p.x, p.y, p.z + e), &w) - nearest(vec(p.x, p.y, p.z - e), &w)};
    return unit(add(g, vec(0, 1e-9, 0)));
}

/* How much of the window is seen from p: 1 in the open, falling off over a soft edge. */
static double window_light(struct vec p) {
    double s = 0.03, seen = 1;
    enum thing w;
    for (int i = 0; i < 90 && s < 7; i++) {
        double d = nearest(add(p, scale(lamp, s)), &w);
        seen = fmin(seen, 0.5 + 0.5 * d * 7 / s);
        if (seen <= 0)
            return 0;
        s += clamp(fabs(d) * 0.8, 0.02, 0.2);
    }
    return seen * seen * (3 - 2 * seen);
}

/* How open the half space above p is: five probes along the normal. */
static double openness(struct vec p, struct vec n) {
    double shut = 0, weight = 1;
    enum thing w;
    for (int i = 1; i <= 5; i++) {
        double h = 0.09 * i;
        shut += weight * (h - fmin(nearest(add(p, scale(n, h)), &w), p.y + n.y * h));
        weight *= 0.75;
    }
    return clamp(1 - 1.5 * shut, 0.12, 1);
}

static struct vec vase_color(struct vec p) {
    const struct vec clay = {0.52, 0.20, 0.08}, black = {0.025, 0.02, 0.02};
    double a = atan2(p.z - bound[VASE].centre.z, p.x - bound[VASE].centre.x) / (2 * PI);
    double y = p.y;
    if (y > 1.72 && y < 2.14) { /* a meander of twelve keys, drawn on a grid of 7 x 7 */
        static const char key[7][8] = {"#######", "#......", "#.####.", "#.#..#.",
                                       "#.##.#.", "#....#.", "######."};
        int col = (int)(fract(a * 18) * 7), row = (int)((2.14 - y) / 0.06);
        return key[row > 6 ? 6 : row][col] == '#' ? black : clay;
    }
    if (y > 0.42 && y < 0.9) /* rays rising from the foot */
        return fabs(fract(a * 15) - 0.5) < 0.5 * (0.9 - y) / 0.48 ? black : clay;
    if ((y > 1.05 && y < 1.12) || (y > 1.6 && y < 1.66) || (y > 2.2 && y < 2.26) || y > 3.18)
        return clay;
    if (y > 1.18 && y < 1.54) /* waves */
        return y < 1.36 + 0.10 * sin(2 * PI * a * 26) ? clay : black;
    return black;
}

static struct vec cloth_color(struct vec p) {
    double x = (0.83 * p.x + 0.56 * p.z) / 0.52, z = (-0.56 * p.x + 0.83 * p.z) / 0.52;
    x += 0.05 * noise2(p.x * 1.1, p.z * 1.1);
    z += 0.05 * noise2(p.x * 1.1 + 9, p.z * 1.1);
    bool dark = ((int)floor(x) + (int)floor(z)) & 1;
    double weave = 1 + 0.16 * noise2(p.x * 34, p.z * 34);
    return scale(dark ? vec(0.10, 0.13, 0.24) : vec(0.80, 0.77, 0.70), weave);
}

static struct vec color_of(enum thing thing, struct vec p, double *gloss) {
    *gloss = 0.25;
    double grain = fbm3(p.x * 5, p.y * 5, p.z * 5, 4);
    switch (thing) {
    case VASE:
        *gloss = p.y > 2.5 ? 0.35 : 0.7; /* the hollow neck would mirror everything, small */
        return vase_color(p);
    case BALL:
        *gloss = 1;
        return vec(1.0, 0.76, 0.38); /* brass: the tint of what it mirrors */
    case PEAR: {
        struct vec c = lerp(vec(0.42, 0.46, 0.08), vec(0.58, 0.33, 0.08), smooth(-0.6, 0.6, grain));
        return scale(c, noise3(p.x * 40, p.y * 40, p.z * 40) > 0.42 ? 0.55 : 1);
    }
    case ORANGE:
        return scale(vec(0.80, 0.33, 0.04), 0.95 + 0.3 * grain);
    case APPLE: {
        struct vec d = sub(p, bound[APPLE].centre);
        double streak = noise2(atan2(d.z, d.x) * 9, d.y * 1.5) + 0.8 * d.y + 0.3 * grain;
        *gloss = 0.5;
        if (hypot(d.x, d.z) < 0.14 && d.y > 0.38)
            return vec(0.12, 0.07, 0.03);
        return lerp(vec(0.44, 0.03, 0.03), vec(0.62, 0.42, 0.09), smooth(0.1, 0.75, streak));
    }
    case BOOK: {
        struct vec q = book_local(p);
        *gloss = 0.1;
        if (fabs(q.y) < 0.125 && q.x > -0.8)
            return scale(vec(0.82, 0.77, 0.63), 0.85 + 0.3 * noise2(q.y * 130, 0.5 + q.x));
        return scale(vec(0.10, 0.22, 0.16), 1 + 0.5 * grain);
    }
    case STEM:
        return vec(0.10, 0.07, 0.03);
    case CLOTH:
        *gloss = 0;
        return cloth_color(p);
    default:
        *gloss = 0;
        double damask = sin(p.x * 9 + p.y * 9) * sin(p.x * 9 - p.y * 9);
        if (folds(p.x) < wall_z - 0.03)
            return vec(0.30, 0.07, 0.07);
        return scale(vec(0.42, 0.44, 0.41), 1 + 0.10 * damask + 0.12 * fbm2(p.x, p.y, 4));
    }
}

/* The end of a ray: on a thing, on the table or on the wall. */
static struct vec trace(struct vec from, struct vec dir, enum thing *thing, struct vec *normal) {
    double limit = 30, t;
    *thing = CURTAIN;
    if (dir.y < 0) {
        limit = -from.y / dir.y;
        *thing = CLOTH;
    }
    if (dir.z > 0 && from.z + dir.z * limit > wall_z - 1) { /* secant steps onto the folds */
        double s = (wall_z - 1 - from.z) / dir.z;
        for (int i = 0; i < 40; i++)
            s += 0.45 * (folds(from.x + dir.x * s) - from.z - dir.z * s) / dir.z;
        if (s < limit) {
            limit = s;
            *thing = CURTAIN;
        }
    }
    enum thing near;
    bool solid = march(from, dir, limit, &t, &near);
    struct vec p = add(from, scale(dir, solid ? t : limit));
    if (solid) {
        *thing = near;
        *normal = normal_at(p);
    } else if (*thing == CLOTH) {
        *normal = unit(vec(0.10 * noise2(p.x * 1.4, p.z * 1.4), 1, 0.10 * noise2(p.z * 1.4, p.x)));
    } else {
        *normal = unit(vec((folds(p.x + 0.01) - folds(p.x - 0.01)) / 0.02, 0, -1));
    }
    return p;
}

static struct vec light_at(struct vec from, struct vec dir, int depth) {
    enum thing thing;
    struct vec n;
    struct vec p = trace(from, dir, &thing, &n);
    if (dir.z <= 0 && thing == CURTAIN) { /* the room behind the eye, and its window */
        bool pane = dir.x < -0.28 && dir.x > -0.80 && dir.y > 0.18 && dir.y < 0.80 &&
                    fabs(dir.x + 0.54) > 0.025 && fabs(dir.y - 0.5) > 0.025;
        return pane ? vec(2.6, 2.7, 2.8) : scale(vec(0.15, 0.13, 0.11), 1 + 0.6 * dir.y);
    }
    double gloss;
    struct vec tint = color_of(thing, p, &gloss), c;
    struct vec lifted = add(p, scale(n, 0.004));
    double direct = fmax(0, dot(n, lamp));
    if (direct > 0)
        direct *= window_light(lifted);
    double open = openness(p, n);
    /* The window is near, at the left: its light falls off across the table and the wall. */
    double fall = 1.25 / (1 + 0.10 * (p.x + 2) * (p.x + 2) * (p.x > -2));
    struct vec light = scale(vec(1.75, 1.62, 1.42), direct * fall);
    light = add(light, scale(vec(0.20, 0.22, 0.26), open * (0.65 + 0.35 * n.y)));
    if (n.y < 0.4) /* the cloth throws some of it back */
        light = add(light, scale(vec(0.16, 0.14, 0.11), open * (0.4 - n.y) * exp(-0.7 * p.y)));
    c = mul(tint, light);
    if (gloss > 0 && !depth) {
        double one = 1 - fabs(dot(n, dir));
        double fresnel = gloss * (0.05 + 0.3 * one * one * one * one * one);
        if (thing == BALL) {
            c = add(scale(c, 0.05), scale(mul(tint, light_at(lifted, reflected(dir, n), 1)), 0.56));
        } else if (gloss >= 0.7) {
            c = add(scale(c, 1 - fresnel), scale(light_at(lifted, reflected(dir, n), 1), fresnel));
        } else {
            double shine = fmax(0, dot(n, unit(sub(lamp, dir))));
            c = add(c, scale(vec(1, 0.97, 0.9), gloss * 0.9 * direct * pow(shine, 40)));
        }
    }
    return c;
}

static struct vec paint(double x, double y) {
    double u = (x - half) / half, v = (half - y) / half;
    struct vec dir = add(add(scale(right, u), scale(up, v)), scale(ahead, 2.55));
    struct vec c = light_at(eye, unit(dir), 0);
    return scale(c, 1 - 0.16 * (u * u + v * v)); /* the lens darkens towards the corners */
}

void still_paint(struct vec *rgb, int size) {
    half = 0.5 * size;
    lamp = unit(vec(-0.66, 0.62, -0.50));
    ahead = unit(sub(look_at, eye));
    right = unit(vec(ahead.z, 0, -ahead.x));
    up = vec(ahead.y * right.z - ahead.z * right.y, ahead.z * right.x - ahead.x * right.z,
             ahead.x * right.y - ahead.y * right.x);
    render(size, size, paint, rgb);
}
