/* Noise of pictures that are clipped, and the spectrum of a sharp picture from half a spectrum. */
#include <math.h>
#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/restore/noise.h"
#include "core/restore/wiener.h"
#include "tests/test.h"

/* A normal variable. */
static double normal(void) {
    static uint32_t state = 3;
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        state = state * 1664525 + 1013904223;
        sum += state / 0x1p32;
    }
    return sum;
}

/* Half of a picture is noise about the end of its type, where most samples are clipped: the noise is that of
 * the other half. */
static double measure_half(enum gf_dtype type, double end, double middle, double white) {
    struct gf_array a;
    struct gf_noise noise;
    CHECK_EQ(gf_array_alloc(&a, type, 3, (int64_t[]){128, 128, 1}), GF_OK);
    const double high = white > 0 ? white : type == GF_U8 ? 255 : 65535;
    for (int i = 0; i < 128 * 128; i++) {
        const double v = fmin(fmax(rint((i % 128 < 64 ? end : middle) + 6 * normal()), 0), high);
        if (type == GF_U8)
            ((uint8_t *)a.data)[i] = (uint8_t)v;
        else
            ((uint16_t *)a.data)[i] = (uint16_t)v;
    }
    CHECK_EQ(gf_noise_estimate(&a, 2, white, 1, 2, &noise), GF_OK);
    gf_array_free(&a);
    return noise.deviation;
}

static void test_noise_clipped(void) {
    const double got[] = {
        measure_half(GF_U8, -5, 100, 0),        measure_half(GF_U8, 260, 100, 0),
        measure_half(GF_U16, -5, 1000, 0),      measure_half(GF_U16, 65540, 1000, 0),
        measure_half(GF_U16, 4100, 1000, 4095), measure_half(GF_U8, 248, 100, 0),
    };
    for (int i = 0; i < 6; i++)
        CHECK_MSG(fabs(got[i] / 6 - 1) < 0.1, "picture %d: %g, not 6", i, got[i]);
}

/* A half spectrum's bins count twice but for the zero frequency's column and Nyquist's. So a picture's prior is
 * that of the picture turned by 90 degrees, though one has its strong waves in such columns and the other in
 * rows. */
static void check_turned(int n) {
    struct gf_prior prior[2];
    for (int turned = 0; turned < 2; turned++) {
        const int m = n / 2 + 1;
        const struct gf_job forward = {
            .ndim = 2,
            .shape = {n, n},
            .channels = 1,
            .axes = 3,
            .in_dtype = GF_F64,
            .precision = GF_DOUBLE,
            .n_out = 1,
            .out = {{.kind = GF_COMPLEX, .dtype = GF_C128, .half = true}}};
        struct gf_array g, h;
        NEED(!gf_array_alloc(&g, GF_C128, 3, (int64_t[]){n, m, 1}) &&
             !gf_array_alloc(&h, GF_F32, 2, (int64_t[]){n, m}));
        for (int i = 0; i < n * m; i++) {
            const int kx = i % m, ky = i / m > n / 2 ? n - i / m : i / m, along = turned ? ky : kx;
            const double strong = 2 * along == n ? 30 : !along ? 10 : 1;
            ((float *)h.data)[i] = (float)exp(-hypot(kx, ky) / n);
            ((double *)g.data)[2 * i] = strong * n * (5 + 100 / (1 + hypot(kx, ky)));
            ((double *)g.data)[2 * i + 1] = 0;
        }
        CHECK_EQ(gf_prior_make(&forward, &g, &h, 9, (const uint8_t[GF_ROUNDING_BANDS]){0}, 1,
                               &prior[turned]),
                 GF_OK);
        gf_array_free(&g);
        gf_array_free(&h);
    }
    CHECK(prior[0].mean > 0 && fabs(prior[1].mean / prior[0].mean - 1) < 1e-9);
    for (int i = 0; i < GF_PRIOR_BANDS; i++)
        CHECK_MSG(fabs(prior[1].ratio[i] - prior[0].ratio[i]) <= 1e-9 * prior[0].ratio[i],
                  "band %d of %d: %g, not %g", i, n, prior[1].ratio[i], prior[0].ratio[i]);
}

int main(void) {
    RUN("clipped areas do not count as noise", test_noise_clipped());
    for (int n = 15; n < 17; n++)
        RUN(case_name("a picture of %dx%d has its prior when turned", n, n), check_turned(n));
    return TEST_END();
}
