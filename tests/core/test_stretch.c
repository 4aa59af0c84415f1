/* Quantiles and stretching of samples, and holes in them, by plain definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/holes.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/stretch.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A random array, with NaN, Inf and both signs; its row stride may be longer than its rows. */
static struct gf_array make(uint32_t *seed, enum gf_dtype t, bool padded) {
    const int64_t shape[] = {1 + random_next(seed) % 40, 1 + random_next(seed) % 90,
                             1 + random_next(seed) % 3};
    const int64_t wide[] = {shape[0], shape[1] + (padded ? 7 : 0), shape[2]};
    struct gf_array a;
    CHECK(gf_array_alloc(&a, t, 3, wide) == 0);
    gf_samples_noise(&a);
    struct gf_array cut = gf_array_slice(&a, 1, 0, shape[1]);
    cut.base = a.base;
    for (int i = 0; i < 5; i++) {
        const int64_t y = random_next(seed) % shape[0], x = random_next(seed) % shape[1];
        char *p = (char *)cut.data + y * cut.stride[0] + x * cut.stride[1];
        gf_sample_put(p, t, i == 0 ? NAN : i == 1 ? INFINITY : i == 2 ? -1e30 : i == 3 ? 1e-30 : 0);
    }
    return cut;
}

/* All finite samples in order, as f32 holds them; returns their number. */
static int64_t sorted(const struct gf_array *a, double *v) {
    int64_t n = 0;
    for (int64_t y = 0; y < a->shape[0]; y++)
        for (int64_t x = 0; x < a->shape[1]; x++)
            for (int64_t c = 0; c < a->shape[2]; c++) {
                const double s = gf_sample_get((char *)a->data + y * a->stride[0] +
                                                   x * a->stride[1] + c * a->stride[2],
                                               a->dtype);
                if (isfinite(s))
                    v[n++] = (double)(float)s;
            }
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n;
}

static void test_quantiles(void) {
    static const double parts[][2] = {{0, 1}, {0.01, 0.999}, {0.5, 0.5}, {0.25, 0.75}};
    uint32_t seed = 5;
    double *v = malloc(40 * 90 * 3 * sizeof *v), range[2];
    for (int i = 0; i < 200; i++) {
        struct gf_array a = make(&seed, i % 2 ? GF_F32 : GF_F64, i % 3 == 0);
        const int64_t n = sorted(&a, v);
        const double *part = parts[i % 4];
        CHECK(gf_samples_quantiles(&a, part, range) == 0);
        for (int k = 0; k < 2 && n; k++) {
            const double want = v[(int64_t)(part[k] * (double)(n - 1) + 0.5)];
            CHECK_MSG(range[k] >= want && range[k] <= want, "%g, not %g", range[k], want);
        }
        gf_array_free(&a);
    }
    free(v);
}

static void test_stretch(void) {
    uint32_t seed = 9;
    for (int i = 0; i < 100; i++) {
        struct gf_array a = make(&seed, i % 2 ? GF_F32 : GF_F64, i % 3 == 0), to;
        const enum gf_dtype t = i % 5 ? GF_U8 : GF_U16;
        const double range[2] = {-0.25, i % 7 ? 0.3 : -0.25}, white = t == GF_U8 ? 255 : 65535;
        CHECK(gf_array_alloc(&to, t, 3, a.shape) == 0);
        gf_samples_stretch(&to, &a, range);
        bool same = true;
        for (int64_t y = 0; y < a.shape[0]; y++)
            for (int64_t x = 0; x < a.shape[1]; x++)
                for (int64_t c = 0; c < a.shape[2]; c++) {
                    const double s = gf_sample_get((char *)a.data + y * a.stride[0] +
                                                       x * a.stride[1] + c * a.stride[2],
                                                   a.dtype);
                    const double is = gf_sample_get((char *)to.data + y * to.stride[0] +
                                                        x * to.stride[1] + c * to.stride[2],
                                                    t);
                    double want = i % 7 ? (s + 0.25) / 0.55 * white : 0;
                    want = isnan(want) ? 0 : fmin(fmax(want, 0), white);
                    same = same && fabs(is - want) <= 0.5 + 1e-6 * white;
                }
        CHECK(same);
        gf_array_free(&a);
        gf_array_free(&to);
    }
}

/* A plane that is linear is filled as such but near holes at its edges; known samples stay. */
static void test_fill(void) {
    enum { H = 60, W = 80, C = 2 };
    uint32_t seed = 3;
    static float px[H * W * C], before[H * W * C];
    static unsigned char hole[H * W * C];
    struct gf_array a = gf_array_wrap(px, GF_F32, 3, (const int64_t[]){H, W, C});
    for (int round = 0; round < 20; round++) {
        int64_t wrong = 0, marked = 0;
        double worst = 0;
        for (int i = 0; i < H * W * C; i++) {
            const int y = i / (W * C), x = i / C % W, c = i % C;
            const bool block = round % 2 && y > 20 && y < 30 && x > 30 && x < 45;
            px[i] = before[i] = (float)(3 * y - 2 * x + 100 * c);
            if (block || random_next(&seed) % 20 == 0)
                px[i] = random_next(&seed) % 2 ? NAN : -INFINITY;
        }
        static float with[H * W * C];
        memcpy(with, px, sizeof px);
        CHECK(gf_holes_fill(&a, hole) == 0);
        for (int i = 0; i < H * W * C; i++) {
            const int y = i / (W * C), x = i / C % W;
            wrong += hole[i] != !isfinite(with[i]) || (!hole[i] && px[i] != before[i]);
            marked += hole[i];
            if (y > 4 && x > 4 && y < H - 5 && x < W - 5)
                worst = fmax(worst, fabs((double)px[i] - (double)before[i]));
        }
        CHECK_MSG(!wrong && marked > 100 && worst < 12, "%g", worst);
        gf_holes_put_back(&a, hole, C);
        CHECK(gf_array_nonfinite(&a, NULL) == marked);
    }
    for (int i = 0; i < H * W * C; i++)
        px[i] = NAN;
    CHECK(gf_holes_fill(&a, NULL) == 0 && px[0] >= 0 && px[0] <= 0);
}

/* Samples that are no numbers become 0, or the mean of their channel's numbers; complex ones if either part is
 * none. */
static void test_mend(void) {
    const float was[] = {1, 10, NAN, -INFINITY, 5, 20, 6, INFINITY};
    const float mean[] = {1, 10, 4, 15, 5, 20, 6, 15}, zero[] = {1, 10, 0, 0, 5, 20, 6, 0};
    const float numbers[] = {1, 10, 3, 15, 5, 20, 3, 15};
    float px[8];
    for (int with = 0; with < 2; with++) {
        struct gf_array a = gf_array_wrap(px, GF_F32, 2, (int64_t[]){4, 2});
        memcpy(px, was, sizeof px);
        gf_samples_mend(&a, with);
        CHECK(!memcmp(px, with ? mean : zero, sizeof px));
    }
    struct gf_array a = gf_array_wrap(px, GF_C64, 2, (int64_t[]){4, 1});
    memcpy(px, was, sizeof px);
    gf_samples_mend(&a, true);
    CHECK(!memcmp(px, numbers, sizeof px));
}

int main(void) {
    RUN("samples that are no numbers become 0 or the channel's mean", test_mend());
    RUN("quantiles are those of sorted samples", test_quantiles());
    RUN("samples are stretched, rounded and clipped", test_stretch());
    RUN("holes are filled from around them and known samples stay", test_fill());
    return TEST_END();
}
