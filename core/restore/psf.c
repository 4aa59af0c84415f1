/* Samples point-spread functions: the share of a disk, a line or an Airy pattern in each pixel. */
#include "core/restore/psf.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/status.h"

static const double FIRST_ZERO = 3.8317059702075125;

/* Points along a line, and columns of a pixel. */
enum { LINE = 1 << 16, COLUMNS = 256, AIRY_END = 8 };
/* From this size on a pixel's centre is its mean to 2e-4. */
static const double SMOOTH = 64;
static const double MOFFAT_LEFT = 0.003;

static double value_at(const struct gf_psf *p, double x, double y) {
    const double distance = hypot(x, y), v = FIRST_ZERO / p->size * distance;
    const double amplitude = v > 1e-6 ? 2 * j1(v) / v : 1;
    return p->shape == GF_PSF_AIRY ? amplitude * amplitude
                                   : pow(1 + distance * distance / p->size / p->size, -p->power);
}

/* The disk's area within the pixel whose middle is (x, y): the parts of its columns. */
static double disk_in(double radius, double x, double y) {
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++) {
        const double at = x - 0.5 + (i + 0.5) / COLUMNS;
        const double half = sqrt(fmax(radius * radius - at * at, 0));
        sum += fmax(fmin(y + 0.5, half) - fmax(y - 0.5, -half), 0);
    }
    return sum / COLUMNS;
}

/* The integral over that pixel: Gauss' rule of 3 x 3 points in cells that are no larger than half the
 * size. */
static double pixel_at(const struct gf_psf *p, double x, double y) {
    static const double at[] = {-0.3872983346207417, 0, 0.3872983346207417};
    static const double weight[] = {5. / 18, 8. / 18, 5. / 18};
    const int n = (int)fmin(fmax(ceil(2 / p->size), 1), COLUMNS);
    double sum = 0;
    if (p->shape == GF_PSF_DISK)
        return disk_in(p->size, x, y);
    if (p->size >= SMOOTH)
        return value_at(p, x, y);
    for (int i = 0; i < 9 * n * n; i++) {
        const int k = i % 9, cell = i / 9;
        sum += weight[k % 3] * weight[k / 3] *
               value_at(p, x - 0.5 + (cell % n + 0.5 + at[k % 3]) / n,
                        y - 0.5 + (cell / n + 0.5 + at[k / 3]) / n);
    }
    return sum / n / n;
}

/* The farthest pixel along an axis that has a share of the function. */
static int64_t reach(const struct gf_psf *p, int axis) {
    const double turn = p->angle * M_PI / 180, cosine = fabs(axis ? cos(turn) : sin(turn));
    const double far =
        p->shape == GF_PSF_DISK   ? p->size
        : p->shape == GF_PSF_AIRY ? AIRY_END * p->size
        : p->shape == GF_PSF_MOFFAT
            ? fmin(p->size * sqrt(pow(MOFFAT_LEFT, 1 / (1 - p->power)) - 1), AIRY_END * GF_PSF_MOST)
            : p->size / 2 * cosine;
    return (int64_t)fmax(ceil(far - 0.5 - 1e-9), 0);
}

/* Evaluates an eighth of a round function, up to `far` pixels from the centre along each axis. One
 * within a pixel is all of it. */
static void fill_round(const struct gf_psf *p, int64_t far, double *v) {
    for (int64_t y = 0; y <= far; y++)
        for (int64_t x = y; x <= far; x++) {
            const double value = far ? pixel_at(p, (double)x, (double)y) : 1;
            for (int k = 0; k < 8; k++) {
                const int64_t down = (k & 1 ? y : x) * (k & 2 ? -1 : 1);
                const int64_t right = (k & 1 ? x : y) * (k & 4 ? -1 : 1);
                v[(far + down) * (2 * far + 1) + far + right] = value;
            }
        }
}

int gf_psf_allocate(const struct gf_psf *p, int64_t extent[2], double **value) {
    for (int i = 0; i < 2; i++)
        extent[i] = 2 * reach(p, i) + 1;
    *value = calloc((size_t)(extent[0] * extent[1]), sizeof **value);
    return *value ? 0 : gf_no_memory();
}

void gf_psf_sample(const struct gf_psf *p, const int64_t extent[2], double *v) {
    const int64_t far[2] = {extent[0] / 2, extent[1] / 2}, n = extent[0] * extent[1];
    const double turn = p->angle * M_PI / 180;
    double sum = 0;
    for (int i = 0; i < LINE && p->shape == GF_PSF_MOTION; i++) {
        const double t = ((i + 0.5) / LINE - 0.5) * p->size * (1 - 1e-9);
        v[(far[0] - lround(t * sin(turn))) * extent[1] + far[1] + lround(t * cos(turn))]++;
    }
    if (p->shape != GF_PSF_MOTION)
        fill_round(p, far[0], v);
    for (int64_t i = 0; i < n; i++)
        sum += v[i];
    for (int64_t i = 0; i < n; i++)
        v[i] /= sum;
}
