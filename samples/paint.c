/* Noise, shapes and strokes that the painted samples share. */
#include "samples/paint.h"

uint32_t hash3(int x, int y, int z) {
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

double cell(int x, int y, int z) {
    return hash3(x, y, z) * (1.0 / 4294967296.0);
}

/* The dot product of a random gradient of the lattice point with the offset from it. */
static double slope(int x, int y, int z, double dx, double dy, double dz) {
    uint32_t h = hash3(x, y, z);
    double gx = (int)(h & 1023) - 511.5, gy = (int)(h >> 10 & 1023) - 511.5;
    double gz = (int)(h >> 20 & 1023) - 511.5;
    return (gx * dx + gy * dy + gz * dz) * (1 / 400.0);
}

static double ease(double t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/* floor(), without the library call that it is on an old instruction set. */
static int below(double v) {
    return (int)v - (v < (int)v);
}

double noise2(double x, double y) {
    int ix = below(x), iy = below(y);
    double fx = x - ix, fy = y - iy;
    double u = ease(fx), v = ease(fy);
    double a = mix(slope(ix, iy, 0, fx, fy, 0), slope(ix + 1, iy, 0, fx - 1, fy, 0), u);
    double b =
        mix(slope(ix, iy + 1, 0, fx, fy - 1, 0), slope(ix + 1, iy + 1, 0, fx - 1, fy - 1, 0), u);
    return mix(a, b, v);
}

double noise3(double x, double y, double z) {
    int ix = below(x), iy = below(y), iz = below(z);
    double fx = x - ix, fy = y - iy, fz = z - iz;
    double u = ease(fx), plane[2];
    for (int k = 0; k < 2; k++) {
        double row[2];
        for (int j = 0; j < 2; j++)
            row[j] = mix(slope(ix, iy + j, iz + k, fx, fy - j, fz - k),
                         slope(ix + 1, iy + j, iz + k, fx - 1, fy - j, fz - k), u);
        plane[k] = mix(row[0], row[1], ease(fy));
    }
    return mix(plane[0], plane[1], ease(fz));
}

/* Each octave is turned (by the angle of a 3-4-5 triangle), which hides the lattice. */
double fbm2(double x, double y, int octaves) {
    double sum = 0, weight = 1;
    for (int i = 0; i < octaves; i++) {
        sum += weight * noise2(x, y);
        double t = 2 * (0.8 * x - 0.6 * y) + 19.1;
        y = 2 * (0.6 * x + 0.8 * y) + 7.3;
        x = t;
        weight *= 0.5;
    }
    return sum;
}

double fbm3(double x, double y, double z, int octaves) {
    double sum = 0, weight = 1;
    for (int i = 0; i < octaves; i++) {
        sum += weight * noise3(x, y, z);
        double t = 2 * (0.8 * x - 0.6 * y) + 19.1;
        y = 2 * (0.6 * x + 0.8 * y) + 7.3;
        x = t;
        z = 2 * z + 3.7;
        weight *= 0.5;
    }
    return sum;
}

double rng_uniform(struct rng *r) {
    uint64_t s = r->state;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    r->state = s;
    return (double)(s * 0x2545f4914f6cdd1dULL >> 11) * (1.0 / 9007199254740992.0);
}

double rng_normal(struct rng *r) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_uniform(r);
    return sum;
}

/* The mean of n x n points of the pixel; `spread` gets the range of their brightness. */
static struct vec sample(paint_fn paint, int px, int py, int n, double *spread) {
    struct vec sum = {0, 0, 0};
    double low = 1e9, high = 0;
    for (int k = 0; k < n * n; k++) {
        struct vec c = paint(px + (k % n + 0.5) / n, py + (k / n + 0.5) / n);
        double b = sqrt(luma(c));
        low = fmin(low, b);
        high = fmax(high, b);
        sum = add(sum, c);
    }
    *spread = high - low;
    return scale(sum, 1.0 / (n * n));
}

/* The softness of a lens, sigma 0.63 pixels, along one axis: n steps of `step` from p. */
static void soften(struct vec *p, int n, int64_t step) {
    const double middle = 0.618, side = 0.183, far = 0.008;
    struct vec before = p[0], last = p[0];
    for (int i = 0; i < n; i++) {
        struct vec next = p[(i + 1 < n ? i + 1 : n - 1) * step];
        struct vec after = p[(i + 2 < n ? i + 2 : n - 1) * step], here = p[i * step];
        struct vec sum = add(scale(add(last, next), side), scale(add(before, after), far));
        p[i * step] = add(scale(here, middle), sum);
        before = last;
        last = here;
    }
}

void render(int width, int height, paint_fn paint, struct vec *out) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double spread;
            struct vec c = sample(paint, x, y, 2, &spread);
            if (spread > 0.04)
                c = lerp(c, sample(paint, x, y, 4, &spread), 0.8);
            out[(int64_t)y * width + x] = c;
        }
    }
    for (int y = 0; y < height; y++)
        soften(out + (int64_t)y * width, width, 1);
    for (int x = 0; x < width; x++)
        soften(out + x, height, width);
}

static double film(double v) {
    v = fmax(v, 0);
    v = v * (1 + v * 0.16) / (1 + v * 0.75); /* straight at the foot, 0.66 at 1, bends above */
    v = pow(clamp(v * 1.35, 0, 1), 1 / 2.2);
    return mix(v, smooth(0, 1, v), 0.55); /* some contrast around the middle */
}

struct vec develop(struct vec light) {
    return vec(film(light.x), film(light.y), film(light.z));
}
