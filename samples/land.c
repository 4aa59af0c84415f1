/* The ground of scene.c: the near bank with its grass, the far shore, hills and mountains. */
#include "samples/land.h"

/* How far the near bank reaches into the lake. */
static double bank(double x) {
    return 12.5 + 27 * smooth(3.5, -4, x) + 1.2 * noise2(x * 0.35, 4.5);
}

static double mountains(double x, double z) {
    double ridge = 0, weight = 1, u = x * 0.0021 + 3.15, v = z * 0.0021 + 0.4;
    for (int i = 0; i < 7; i++) {
        double r = 1 - fabs(noise2(u, v)) * 1.6;
        ridge += weight * r * r;
        double t = 2.03 * (0.8 * u - 0.6 * v) + 5.2;
        v = 2.03 * (0.6 * u + 0.8 * v) + 1.7;
        u = t;
        weight *= 0.46;
    }
    return 165 * (ridge - 0.55) * smooth(330, 950, z);
}

static double grass(double x, double z) {
    double tuft = 0.5 + noise2(x * 2.1, z * 2.1);
    double blade = noise2(x * 27, z * 15) + 0.6 * noise2(x * 61 + 9, z * 33);
    return tuft * (0.06 + 0.09 * blade);
}

/* The far country, tabulated once: walking a ray over it asks a hundred times for each point. */
enum { FAR_STEP = 4, FAR_W = 2 * 1700 / FAR_STEP + 1, FAR_D = 2480 / FAR_STEP + 1 };
static float far_table[FAR_D][FAR_W];

static double far_land(double x, double z) {
    double shore = LAND_FAR_SHORE + 14 * noise2(x * 0.02, 0.7);
    double y = clamp((z - shore) * 0.06, -2, 40);
    y += smooth(0, 120, z - shore) * 9 * fbm2(x * 0.012, z * 0.012, 4);
    return y + mountains(x, z);
}

void land_survey(void) {
    for (int j = 0; j < FAR_D; j++)
        for (int i = 0; i < FAR_W; i++)
            far_table[j][i] = (float)far_land((i - FAR_W / 2) * FAR_STEP, j * FAR_STEP);
}

static double far_lookup(double x, double z) {
    double u = clamp(x / FAR_STEP + FAR_W / 2, 0, FAR_W - 1.01);
    double v = clamp(z / FAR_STEP, 0, FAR_D - 1.01);
    int i = (int)u, j = (int)v;
    return mix(mix(far_table[j][i], far_table[j][i + 1], u - i),
               mix(far_table[j + 1][i], far_table[j + 1][i + 1], u - i), v - j);
}

/* Seen from height y; far above the ground it need not be exact, and is not. */
static double near_land(double x, double y, double z) {
    if (y > 1.7)
        return 1.2;
    double near = clamp((bank(x) - z) * 0.16, -2, 0.85);
    near += 0.12 * noise2(x * 0.5, z * 0.5);
    if (near > 0 && z < 16 && y < near + 0.5)
        near += grass(x, z);
    return near;
}

double land_height(double x, double z) {
    return z < 60 ? near_land(x, 0, z) : far_land(x, z);
}

static double above_land(struct vec p) {
    return p.y - (p.z < 60 ? near_land(p.x, p.y, p.z) : far_lookup(p.x, p.z));
}

struct vec land_normal(double x, double z, double step) {
    return unit(vec(land_height(x - step, z) - land_height(x + step, z), 2 * step,
                    land_height(x, z - step) - land_height(x, z + step)));
}

double land_hit(struct vec from, struct vec dir, double t, double limit) {
    double last = t;
    while (t < limit) {
        struct vec p = add(from, scale(dir, t));
        double above = above_land(p);
        if (above < 0) {
            for (int i = 0; i < 12; i++) {
                double m = 0.5 * (last + t);
                p = add(from, scale(dir, m));
                if (above_land(p) < 0)
                    t = m;
                else
                    last = m;
            }
            return t;
        }
        if (dir.y > 0 && p.y > 330)
            break;
        last = t;
        t += fmax(0.38 * above, 0.012 + 0.0022 * t);
    }
    return -1;
}
