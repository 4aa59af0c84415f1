/* The samples with a formula: zone plate, stars, planet, chirp. */
#include "samples/samples.h"

#include <stdlib.h>

void zoneplate_paint(uint8_t *grey, int size) {
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            /* cos(pi r^2 / size) has r / size cycles a pixel. The argument repeats every
             * 2 * size, so whole numbers keep it exact. */
            int u = x - size / 2, v = y - size / 2;
            double turn = (double)((u * u + v * v) % (2 * size)) / size;
            grey[y * size + x] = (uint8_t)(127.5 + 127 * cos(PI * turn) + 0.5);
        }
}

/* Adds a star's image after Moffat, as a telescope under air makes it; the brightest get the spikes
 * of a mirror's four-armed mount. */
static void add_star(double *sky, int width, int height, double cx, double cy, double flux) {
    const double core = 1.35;
    int reach = (int)clamp(6 + 0.9 * sqrt(flux / 300), 6, 90);
    for (int y = (int)cy - reach; y <= (int)cy + reach; y++)
        for (int x = (int)cx - reach; x <= (int)cx + reach; x++) {
            if (x < 0 || y < 0 || x >= width || y >= height)
                continue;
            double dx = x + 0.5 - cx, dy = y + 0.5 - cy, q = (dx * dx + dy * dy) / (core * core);
            double light = 1 / ((1 + q) * (1 + q) * sqrt(1 + q));
            if (flux > 40000) {
                double a = (0.8 * dx + 0.6 * dy), b = (-0.6 * dx + 0.8 * dy);
                light += 0.014 * exp(-a * a / 0.9 - fabs(b) / 9) +
                         0.014 * exp(-b * b / 0.9 - fabs(a) / 9);
            }
            sky[y * width + x] += flux * light;
        }
}

void stars_paint(uint16_t *grey, int width, int height) {
    double *sky = calloc((size_t)width * height, sizeof *sky);
    if (!sky)
        abort();
    struct rng r = {77};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double u = x / 110.0 + 3.2, v = y / 110.0 + 1.4;
            double bend = fbm2(u + 7, v, 3);
            double gas = fbm2(u + 0.7 * bend, v + 0.7 * bend, 6);
            double along = (x - 0.5 * width) * 0.45 - (y - 0.5 * height) * 0.89 + 60 * bend;
            double band = exp(-along * along / (2 * 75 * 75));
            double dust = smooth(0.0, 0.45, fbm2(u * 1.6 + 20, v * 1.6, 5) * band + 0.05);
            sky[y * width + x] =
                2600 + 22000 * band * fmax(0, 0.32 + gas) * (0.5 + band) * (1 - 0.7 * dust);
        }
    for (int i = 0; i < 1500; i++) {
        /* Numbers fall with brightness as F^-1.1, about as the stars of our own galaxy do. */
        double flux = fmin(650 * pow(1 - rng_uniform(&r), -1 / 1.1), 260000);
        double x = width * rng_uniform(&r), y = height * rng_uniform(&r);
        add_star(sky, width, height, x, y, flux);
    }
    add_star(sky, width, height, 0.31 * width, 0.36 * height, 900000);
    add_star(sky, width, height, 0.74 * width, 0.68 * height, 420000);
    for (int i = 0; i < width * height; i++) {
        /* Photons scatter by the root of their number, the amplifier adds its own. */
        double noisy = sky[i] + rng_normal(&r) * sqrt(90.0 * 90 + 2.5 * fmin(sky[i], 65535));
        grey[i] = (uint16_t)clamp(noisy + 0.5, 0, 65535);
    }
    free(sky);
}

/* One point of the planet's picture: premultiplied colour, and its alpha. */
static struct vec planet_at(double x, double y, double *alpha) {
    const struct vec light = unit(vec(-0.62, -0.42, 0.66));
    double u = 0.95 * x + 0.31 * y, v = -0.31 * x + 0.95 * y; /* along and across the ring */
    double r = sqrt(x * x + y * y), ring = hypot(u, v / 0.30);
    double glow = 0.45 * exp(-fmax(r - 1, 0) * fmax(r - 1, 0) / 0.11);
    struct vec c = scale(vec(0.45, 0.65, 1.0), glow);
    *alpha = glow;
    if (r < 1) {
        double z = sqrt(1 - r * r), lit = fmax(0, x * light.x + y * light.y + z * light.z);
        double width = asin(clamp(v * 0.95 - z * 0.3, -1, 1));
        double belt = 0.5 + 0.5 * sin(width * 13 + 0.5 * noise2(u * 3, v * 9));
        c = lerp(vec(0.93, 0.80, 0.58), vec(0.68, 0.46, 0.30), belt);
        double shade = fabs(v - 0.16) < 0.07 ? 0.55 : 1; /* the ring's shadow */
        c = scale(c, 0.08 + 1.0 * lit * shade);
        *alpha = 1;
    }
    if (ring > 1.3 && ring < 2.2 && (r > 1 || v > 0)) {
        double gap = 1 - exp(-(ring - 1.9) * (ring - 1.9) / 0.002);
        double cover = gap * (0.55 + 0.4 * noise2(ring * 16, 0.5)) * smooth(1.3, 1.36, ring) *
                       smooth(2.2, 2.1, ring);
        cover = clamp(cover * 1.3, 0, 0.95);
        double dark = r < 1.35 && u > 0.35 && v < 0 ? 0.4 : 1; /* behind, in the planet's shadow */
        c = add(scale(c, 1 - cover), scale(vec(0.86, 0.78, 0.66), cover * dark));
        *alpha = *alpha * (1 - cover) + cover;
    }
    return c;
}

void planet_paint(uint8_t *rgba, int width, int height) {
    const double radius = 0.31 * height;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            struct vec sum = {0, 0, 0};
            double cover = 0, alpha;
            for (int k = 0; k < 36; k++) {
                double u = (x + (k % 6 + 0.5) / 6 - 0.5 * width) / radius;
                double v = (y + (k / 6 + 0.5) / 6 - 0.5 * height) / radius;
                sum = add(sum, planet_at(u, v, &alpha));
                cover += alpha;
            }
            struct vec c = scale(sum, 1 / fmax(cover, 1e-6));
            uint8_t *p = rgba + 4 * (y * width + x);
            p[0] = (uint8_t)(255 * sqrt(clamp(c.x, 0, 1)) + 0.5);
            p[1] = (uint8_t)(255 * sqrt(clamp(c.y, 0, 1)) + 0.5);
            p[2] = (uint8_t)(255 * sqrt(clamp(c.z, 0, 1)) + 0.5);
            p[3] = (uint8_t)(255 * clamp(cover / 36, 0, 1) + 0.5);
        }
}

/* A bent stroke, slower at its ends. */
void shake_paint(uint8_t *grey) {
    enum { POINTS = 4000 };
    double path[SHAKE_SIZE * SHAKE_SIZE] = {0}, most = 0;
    for (int i = 0; i < POINTS; i++) {
        double t = 2 * (i + 0.5) / POINTS - 1, u = 1.5 * t - 0.5 * t * t * t;
        double x = 16 + 12 * u, y = 16 - 5 * u + 6 * sin(2.6 * u);
        int left = (int)x, top = (int)y;
        double fx = x - left, fy = y - top;
        double *p = path + top * SHAKE_SIZE + left;
        p[0] += (1 - fx) * (1 - fy);
        p[1] += fx * (1 - fy);
        p[SHAKE_SIZE] += (1 - fx) * fy;
        p[SHAKE_SIZE + 1] += fx * fy;
    }
    for (int i = 0; i < SHAKE_SIZE * SHAKE_SIZE; i++)
        most = fmax(most, path[i]);
    for (int i = 0; i < SHAKE_SIZE * SHAKE_SIZE; i++)
        grey[i] = (uint8_t)(255 * path[i] / most + 0.5);
}

void chirp_play(float *line, int n) {
    for (int i = 0; i < n; i++) {
        double t = i, rise = (0.30 - 0.02) / n;
        double tones = 1.0 * sin(2 * PI * 0.05 * t) + 0.5 * sin(2 * PI * 0.12 * t);
        double chirp = 0.7 * sin(2 * PI * (0.02 * t + 0.5 * rise * t * t));
        line[i] = (float)(tones + chirp);
    }
}
