/* The paint box of the sample makers: vectors, noise, random numbers and an antialiasing loop.
 *
 * Everything random comes from integer hashes, so the pictures are the same on every run. */
#ifndef GF_SAMPLES_PAINT_H
#define GF_SAMPLES_PAINT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define PI 3.14159265358979323846

struct vec {
    double x, y, z;
};

static inline struct vec vec(double x, double y, double z) {
    return (struct vec){x, y, z};
}
static inline struct vec add(struct vec a, struct vec b) {
    return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline struct vec sub(struct vec a, struct vec b) {
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline struct vec mul(struct vec a, struct vec b) {
    return vec(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline struct vec scale(struct vec a, double k) {
    return vec(a.x * k, a.y * k, a.z * k);
}
static inline double dot(struct vec a, struct vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double length(struct vec a) {
    return sqrt(dot(a, a));
}
static inline struct vec unit(struct vec a) {
    return scale(a, 1 / length(a));
}
static inline struct vec lerp(struct vec a, struct vec b, double t) {
    return add(scale(a, 1 - t), scale(b, t));
}
/* The mirror image of direction d at a surface with unit normal n. */
static inline struct vec reflected(struct vec d, struct vec n) {
    return sub(d, scale(n, 2 * dot(d, n)));
}

static inline double clamp(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}
static inline double mix(double a, double b, double t) {
    return a + (b - a) * t;
}
/* 0 at a, 1 at b, without a kink; a > b gives a falling edge. */
static inline double smooth(double a, double b, double v) {
    double t = clamp((v - a) / (b - a), 0, 1);
    return t * t * (3 - 2 * t);
}
static inline double fract(double v) {
    return v - floor(v);
}
static inline double luma(struct vec c) {
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

uint32_t hash3(int x, int y, int z);
/* A number in [0, 1) that belongs to the cell (x, y, z). */
double cell(int x, int y, int z);
/* Gradient noise, about -0.7..0.7, features of size 1; fbm sums octaves of it, each half as large.
 */
double noise2(double x, double y);
double noise3(double x, double y, double z);
double fbm2(double x, double y, int octaves);
double fbm3(double x, double y, double z, int octaves);

/* A small generator (xorshift64*). Seed it with anything but 0. */
struct rng {
    uint64_t state;
};
double rng_uniform(struct rng *r); /* [0, 1) */
double rng_normal(struct rng *r);  /* mean 0, deviation 1; a sum of twelve, so never beyond 6 */

/* The light that reaches the film at (x, y), in pixels from the top left corner; linear RGB. */
typedef struct vec (*paint_fn)(double x, double y);

/* Averages `paint` over every pixel of a width x height picture: four points where the picture is
 * smooth, twenty where they differ; then softens it a little, as a lens does: without that its
 * spectrum would be cut off at Nyquist and fold back. */
void render(int width, int height, paint_fn paint, struct vec *out);

/* Linear light to the encoded 0..1 of a picture file, with a soft shoulder for the highlights. */
struct vec develop(struct vec light);

#endif
