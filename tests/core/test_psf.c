/* Point-spread functions beside many random points, and closed forms. */
#include <math.h>
#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/restore/psf.h"
#include "tests/test.h"

static const double PI = 3.14159265358979323846;
static uint64_t state = 1;

static double uniform(void) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return ((double)(state >> 11) + 0.5) / 0x1p53;
}

static int sample(const struct gf_psf *p, int64_t extent[2], double **v) {
    const int rc = gf_psf_allocate(p, extent, v);
    if (!rc)
        gf_psf_sample(p, extent, *v);
    return rc;
}

/* A random point of the function. */
static void draw(const struct gf_psf *p, double *x, double *y) {
    const double turn = p->angle * PI / 180, t = (uniform() - 0.5) * p->size;
    if (p->shape == GF_PSF_MOTION) {
        *x = t * cos(turn);
        *y = -t * sin(turn); /* counterclockwise, y is down */
        return;
    }
    do {
        *x = (2 * uniform() - 1) * p->size;
        *y = (2 * uniform() - 1) * p->size;
    } while (*x * *x + *y * *y > p->size * p->size);
}

static void test_drawn(struct gf_psf p) {
    enum { POINTS = 400000 };
    int64_t n[2] = {0, 0};
    double *v = NULL, sum = 0, worst = 0;
    CHECK_EQ(sample(&p, n, &v), GF_OK);
    CHECK(n[0] % 2 && n[1] % 2);
    double *drawn = calloc((size_t)(n[0] * n[1]), sizeof *drawn);
    bool outside = !v || !drawn;
    for (int i = 0; i < POINTS && !outside; i++) {
        double x, y;
        draw(&p, &x, &y);
        const int64_t kx = lrint(x) + n[1] / 2, ky = lrint(y) + n[0] / 2;
        outside = kx < 0 || ky < 0 || kx >= n[1] || ky >= n[0];
        if (!outside)
            drawn[ky * n[1] + kx] += 1. / POINTS;
    }
    CHECK_MSG(!outside, "shape %d of %g: too small", p.shape, p.size);
    for (int64_t i = 0; i < n[0] * n[1] && !outside; i++) {
        sum += v[i];
        worst = fmax(worst, fabs(v[i] - drawn[i]) - 5 * sqrt(v[i] / POINTS));
        CHECK_MSG(fabs(v[i] - v[n[0] * n[1] - 1 - i]) < 1e-12, "its own mirror image");
    }
    CHECK_MSG(fabs(sum - 1) < 1e-12, "sum %g", sum);
    CHECK_MSG(worst < 1e-4, "shape %d of %g at %g: %g from points", p.shape, p.size, p.angle,
              worst);
    free(drawn);
    free(v);
}

/* The share of light within a radius is 1 - J0^2 - J1^2 (Rayleigh 1881). */
static void test_airy(void) {
    const struct gf_psf p = {.shape = GF_PSF_AIRY, .size = 6};
    int64_t n[2];
    double *v = NULL;
    CHECK_EQ(sample(&p, n, &v), GF_OK);
    for (double r = 3; r < 20 && v; r += 3) {
        const double u = 3.8317059702075125 * r / p.size, share = 1 - pow(j0(u), 2) - pow(j1(u), 2);
        double sum = 0;
        for (int64_t i = 0; i < n[0] * n[1]; i++)
            sum +=
                hypot((double)(i % n[1] - n[1] / 2), (double)(i / n[1] - n[0] / 2)) <= r ? v[i] : 0;
        CHECK_MSG(fabs(sum - share) < 0.03, "within %g: %g, not %g", r, sum, share);
    }
    free(v);
}

/* Pixels are integrals; functions within a pixel are all of it. */
static void test_pixels(void) {
    const struct gf_psf round[] = {{.shape = GF_PSF_AIRY, .size = 1.5},
                                   {.shape = GF_PSF_MOFFAT, .size = 2, .power = 2.5}};
    const double whole[] = {4 * PI * pow(1.5 / 3.8317059702075125, 2) * 0.9833,
                            PI * 4 / 1.5 * 0.997};
    int64_t n[2];
    double *v = NULL;
    CHECK_EQ(sample(&(struct gf_psf){.shape = GF_PSF_DISK, .size = 1}, n, &v), GF_OK);
    CHECK(n[0] == 3 && v && fabs(v[5] * PI - (sqrt(0.1875) + PI / 6 - 0.5)) < 1e-4);
    free(v);
    for (int i = 0; i < 2; i++) {
        double sum = 0;
        CHECK_EQ(sample(&round[i], n, &v), GF_OK);
        for (int k = 0; k < 2500; k++) {
            const double r = hypot((k % 50 + 0.5) / 50 + 0.5, (k / 50 + 0.5) / 50 - 0.5);
            sum += i ? pow(1 + r * r / 4, -2.5) : pow(j1(2.554470647 * r) / 1.2772353235 / r, 2);
        }
        const double want = sum / 2500 / whole[i], got = v[n[0] / 2 * n[1] + n[1] / 2 + 1];
        CHECK_MSG(fabs(got - want) < 0.01 * want, "%d: %g, not %g", i, got, want);
        free(v);
    }
    for (double r = 0.001; r < 0.5; r *= 3) {
        CHECK_EQ(sample(&(struct gf_psf){.shape = GF_PSF_DISK, .size = r}, n, &v), GF_OK);
        CHECK(n[0] == 1 && n[1] == 1 && v[0] == 1);
        free(v);
    }
}

static void test_psf(void) {
    int64_t n[2];
    double *v = NULL;
    CHECK_EQ(sample(&(struct gf_psf){.shape = GF_PSF_MOTION, .size = 4}, n, &v), GF_OK);
    CHECK(n[0] == 1 && n[1] == 5 && fabs(v[0] - 0.125) < 1e-12 && fabs(v[1] - 0.25) < 1e-12);
    free(v);
    for (double r = 0.3; r < 12; r *= 2.3)
        test_drawn((struct gf_psf){.shape = GF_PSF_DISK, .size = r});
    for (double a = -90; a <= 180; a += 30)
        test_drawn((struct gf_psf){.shape = GF_PSF_MOTION, .size = 1.3 + fabs(a) / 9, .angle = a});
    test_airy();
    test_pixels();
}

int main(void) {
    RUN("point-spread functions are integrals over pixels", test_psf());
    return TEST_END();
}
