/* The head: ellipsoids within ellipsoids, after the phantom of Shepp and Logan (1974) in three
 * dimensions, with more anatomy and the greys of a T1-weighted scan. Millimetres are not meant: a
 * unit is the width of a voxel, x to the right, y backwards, z upwards, the origin in the middle.
 */
#include "samples/samples.h"

enum { AIR = 4, BONE = 26, FLUID = 42, MUSCLE = 96, GREY = 118, WHITE = 172, FAT = 226 };

/* Below 1 inside; near 1 the distance to the surface is about (value - 1) * smallest radius. */
static double ellipsoid(struct vec p, double cx, double cy, double cz, double rx, double ry,
                        double rz) {
    double x = (p.x - cx) / rx, y = (p.y - cy) / ry, z = (p.z - cz) / rz;
    return sqrt(x * x + y * y + z * z);
}

/* How deep p lies under the skull's outer shape, in voxels. */
static double depth_in_skull(struct vec p) {
    return (1 - ellipsoid(p, 0, 1, 5, 23.5, 28, 24.5)) * 25;
}

static bool in_head(struct vec p) {
    if (ellipsoid(p, 0, 1, 5, 26, 30.5, 26.7) < 1)
        return true; /* cranium */
    if (ellipsoid(p, 0, -10, -14, 17.5, 17.5, 19) < 1)
        return true; /* face */
    if (ellipsoid(p, 0, -28, -9, 3.2, 4, 5.5) < 1)
        return true; /* nose */
    if (ellipsoid(p, 25.5, 3, -3, 2.5, 4.5, 6) < 1 || ellipsoid(p, -25.5, 3, -3, 2.5, 4.5, 6) < 1)
        return true;                                        /* ears */
    return p.z < -6 && hypot(p.x / 15, (p.y - 8) / 16) < 1; /* neck */
}

static double brain(struct vec p, double depth) {
    /* Folds: the fluid reaches down, and the grey layer follows it. */
    double fold = fabs(fbm3(p.x * 0.2, p.y * 0.2, p.z * 0.2, 2));
    double cleft = p.z > -2 ? fabs(p.x) - 0.7 : 9; /* between the halves */
    double under = fmin(depth - 3.2, cleft) + 11 * (fold - 0.12);
    if (fmin(depth - 3.2, cleft) < 0 || (under < 0.4 && depth < 8.5))
        return FLUID;
    double side = fabs(p.x), slant = side - 3.2 - 0.14 * fabs(p.y - 1);
    if (ellipsoid(vec(slant, p.y, p.z), 0, 0, 8 - 0.012 * p.y * p.y, 2.3, 12.5, 4.6) < 1 ||
        ellipsoid(p, 0, 2, 0, 1.2, 5, 4.5) < 1)
        return FLUID; /* side ventricles and the third one */
    if (ellipsoid(vec(side, p.y, p.z), 8.5, 1, 3, 3.4, 6.5, 4) < 1)
        return GREY + 14; /* the nuclei in the depth */
    return under < 3.4 ? GREY : WHITE;
}

/* The parts below the brain: cerebellum, stem, eyes, nose, mouth, spine. */
static double below(struct vec p) {
    double side = fabs(p.x), q = ellipsoid(p, 0, 15, -9.5, 15, 9, 7.5);
    if (p.z < -2 && hypot(p.x, p.y - 5 - 0.1 * p.z) < 3.6)
        return WHITE - 12; /* stem and cord */
    if (q < 1)
        return q > 0.93 ? FLUID : GREY + 22 + 22 * sin(3.1 * p.z + 0.4 * p.y);
    double eye = ellipsoid(vec(side, p.y, p.z), 9.5, -20.5, -6.5, 4.6, 4.6, 4.6);
    if (eye < 1)
        return ellipsoid(vec(side, p.y, p.z), 9.5, -23.6, -6.5, 2.2, 1.2, 2.2) < 1 ? MUSCLE + 40
               : eye > 0.88                                                        ? MUSCLE
                                                                                   : FLUID + 14;
    if (eye < 1.5)
        return FAT - 20;
    if (ellipsoid(vec(side, p.y, p.z), 2.6, -20, -13, 1.9, 8, 6.5) < 1 ||
        ellipsoid(vec(side, p.y, p.z), 9.5, -15, -15.5, 4, 5, 4.5) < 1)
        return AIR; /* nose and sinuses */
    if (ellipsoid(p, 0, -2.5, -22, 2.6, 3, 17) < 1)
        return AIR; /* throat */
    double jaw = hypot(side / 13.5, (p.y + 8) / 16);
    if (p.z < -21 && p.z > -30 && p.y < 0 && jaw < 1 && jaw > 0.82)
        return p.z > -24.5 ? BONE + 50 : BONE + 10;
    if (ellipsoid(p, 0, -11, -22.5, 8, 9, 4) < 1)
        return MUSCLE + 26; /* tongue */
    double spine = hypot(p.x / 5.5, (p.y - 5 - 0.1 * p.z) / 5.5);
    if (p.z < -15 && spine < 1.25)
        return spine < 0.85 ? FLUID : fract(p.z / 6) < 0.2 ? MUSCLE : BONE + 40;
    return MUSCLE + 26 * noise3(side * 0.22, p.y * 0.22, p.z * 0.11);
}

static double tissue(struct vec p) {
    if (!in_head(p))
        return AIR;
    double depth = depth_in_skull(p);
    bool vault = p.z > -3.5 - 4 * smooth(-12, 10, p.y); /* the base falls to the back */
    if (vault && depth > 2.4)
        return brain(p, depth);
    if (vault && depth > 0)
        return BONE + (fabs(depth - 1.2) < 0.4 ? 60 : 0); /* marrow between two hard layers */
    double fat = fmin(depth + 2.2, 30);
    if (vault)
        return fat < 0.6 ? MUSCLE : FAT;
    struct vec out = vec(p.x * 1.09, p.y * 1.09 - 0.4, p.z);
    return in_head(out) ? below(p) : FAT - 26;
}

void head_fill(uint8_t *voxels) {
    const double deep = 2.0; /* the distance of slices, in voxel widths */
    for (int z = 0; z < HEAD_DEPTH; z++)
        for (int y = 0; y < HEAD_HEIGHT; y++)
            for (int x = 0; x < HEAD_WIDTH; x++) {
                double sum = 0;
                for (int k = 0; k < 36; k++) {
                    struct vec p = {x + (k % 3 + 0.5) / 3 - HEAD_WIDTH / 2,
                                    y + (k / 3 % 3 + 0.5) / 3 - HEAD_HEIGHT / 2,
                                    (z + (k / 9 + 0.5) / 4 - HEAD_DEPTH / 2) * deep};
                    sum += tissue(p);
                }
                double grain = fbm3(x * 0.21 + 50, y * 0.21, z * 0.42, 3);
                double v = sum / 36 * (1 + 0.09 * grain);
                voxels[(z * HEAD_HEIGHT + y) * HEAD_WIDTH + x] = (uint8_t)clamp(v + 0.5, 0, 255);
            }
}
