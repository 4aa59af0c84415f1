/* Samples point-spread functions: the share of a disk, a line or an Airy pattern in each pixel. */
#include "core/restore/psf.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/status.h"

static const double FIRST_ZERO = 3.8317059702075125;

/* Points along a line, and along each side of a pixel. */
enum { LINE = 1 << 16, DISK = 32, LEAST_AIRY = 2, AIRY_END = 8 };

static double value_at(const struct gf_psf *p, double x, double y) {
    const double distance = hypot(x, y), v = FIRST_ZERO / p->size * distance;
    const double amplitude = v > 1e-6 ? 2 * j1(v) / v : 1;
    return p->shape == GF_PSF_DISK ? distance <= p->size : amplitude * amplitude;
}

/* Adds up n x n points of the pixel whose middle is (x, y). */
static double pixel_at(const struct gf_psf *p, double x, double y) {
    const double wanted = fmax(ceil(16 / p->size), LEAST_AIRY);
    const int n = p->shape == GF_PSF_DISK ? DISK : (int)fmin(wanted, DISK);
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += value_at(p, x + (i % n + 0.5) / n - 0.5, y + (i / n + 0.5) / n - 0.5);
    return sum;
}

/* The farthest pixel along an axis that has a share of the function. */
static int64_t reach(const struct gf_psf *p, int axis) {
    const double turn = p->angle * M_PI / 180, cosine = fabs(axis ? cos(turn) : sin(turn));
    const double far = p->shape == GF_PSF_DISK   ? p->size
                       : p->shape == GF_PSF_AIRY ? AIRY_END * p->size
                                                 : p->size / 2 * cosine;
    return (int64_t)fmax(ceil(far - 0.5 - 1e-9), 0);
}

int gf_psf_sample(const struct gf_psf *p, int64_t extent[2], double **value) {
    const int64_t far[2] = {reach(p, 0), reach(p, 1)};
    const double turn = p->angle * M_PI / 180;
    double sum = 0;
    for (int i = 0; i < 2; i++)
        extent[i] = 2 * far[i] + 1;
    const int64_t n = extent[0] * extent[1];
    double *v = *value = calloc((size_t)n, sizeof *v);
    if (!v)
        return gf_no_memory();
    for (int i = 0; i < LINE && p->shape == GF_PSF_MOTION; i++) {
        const double t = ((i + 0.5) / LINE - 0.5) * p->size * (1 - 1e-9);
        v[(far[0] - lround(t * sin(turn))) * extent[1] + far[1] + lround(t * cos(turn))]++;
    }
    for (int64_t i = 0; i < n; i++) {
        if (p->shape != GF_PSF_MOTION)
            v[i] = pixel_at(p, (double)(i % extent[1] - far[1]), (double)(i / extent[1] - far[0]));
        sum += v[i];
    }
    for (int64_t i = 0; i < n; i++)
        v[i] /= sum;
    return 0;
}
