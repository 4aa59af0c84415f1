/* Samples point-spread functions: the share of a disk, a line or an Airy pattern in each pixel. */
#include "core/restore/psf.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/status.h"

static const double PI = 3.14159265358979323846, FIRST_ZERO = 3.8317059702075125;

enum { LINES = 64, AIRY_END = 8 };

static double overlap(double from, double to, double pixel) {
    return fmax(0, fmin(to, pixel + 0.5) - fmax(from, pixel - 0.5));
}

/* Adds up the chords of the disk within the pixel, on lines parallel to the x axis. */
static double disk_at(const struct gf_psf *p, double x, double y) {
    double sum = 0;
    for (int i = 0; i < LINES; i++) {
        const double line = y + (i + 0.5) / LINES - 0.5, square = p->size * p->size - line * line;
        if (square > 0)
            sum += overlap(-sqrt(square), sqrt(square), x);
    }
    return sum;
}

/* The range of t, in [from, to], for which t times `direction` is within half of `centre`. */
static void clip(double direction, double centre, double *from, double *to) {
    if (fabs(direction) < 1e-12) {
        *to = fabs(centre) < 0.5 ? *to : *from;
        return;
    }
    const double a = (centre - 0.5) / direction, b = (centre + 0.5) / direction;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
}

/* The length of the line within the pixel. */
static double motion_at(const struct gf_psf *p, double x, double y) {
    double from = -p->size / 2, to = p->size / 2;
    clip(cos(p->angle * PI / 180), x, &from, &to);
    clip(-sin(p->angle * PI / 180), y, &from, &to);
    return fmax(0, to - from);
}

static double airy_at(const struct gf_psf *p, double x, double y) {
    const int n = (int)fmin(fmax(8, ceil(16 / p->size)), LINES);
    double sum = 0;
    for (int i = 0; i < n * n; i++) {
        const double dx = (i % n + 0.5) / n - 0.5, dy = (i / n + 0.5) / n - 0.5;
        const double v = FIRST_ZERO / p->size * hypot(x + dx, y + dy);
        const double amplitude = v > 1e-6 ? 2 * j1(v) / v : 1;
        sum += amplitude * amplitude;
    }
    return sum;
}

/* The farthest pixel along an axis that has a share of the function. */
static int64_t reach(const struct gf_psf *p, int axis) {
    const double turn = p->angle * PI / 180, cosine = fabs(axis ? cos(turn) : sin(turn));
    const double far = p->shape == GF_PSF_DISK   ? p->size
                       : p->shape == GF_PSF_AIRY ? AIRY_END * p->size
                                                 : p->size / 2 * cosine;
    return (int64_t)ceil(far - 0.5 - 1e-9);
}

int gf_psf_sample(const struct gf_psf *p, int64_t extent[2], double **value) {
    static double (*const at[])(const struct gf_psf *p, double x, double y) = {
        [GF_PSF_DISK] = disk_at, [GF_PSF_MOTION] = motion_at, [GF_PSF_AIRY] = airy_at};
    int64_t far[2];
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        far[i] = reach(p, i) > 0 ? reach(p, i) : 0;
        extent[i] = 2 * far[i] + 1;
    }
    const int64_t n = extent[0] * extent[1];
    *value = malloc((size_t)n * sizeof **value);
    if (!*value)
        return gf_no_memory();
    for (int64_t i = 0; i < n; i++) {
        const double x = (double)(i % extent[1] - far[1]), y = (double)(i / extent[1] - far[0]);
        sum += (*value)[i] = at[p->shape](p, x, y);
    }
    for (int64_t i = 0; i < n; i++)
        (*value)[i] /= sum;
    return 0;
}
