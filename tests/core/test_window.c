/* Windows by other formulas than those of the program, and their product with samples of every type
 * and from any place on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/job/job.h"
#include "core/base/value/status.h"
#include "core/base/job/window.h"
#include "tests/test.h"

#define PI 3.14159265358979323846

/* I0(x) is the mean of exp(x cos t) over a circle. */
static double bessel(double x) {
    enum { N = 300 }; /* the error is I_N(x) / I_0(x), e^-90 for x = 500 */
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += exp(x * cos(2 * PI * i / N) - x);
    return sum / N;
}

static double expected(const char *name, double p, int64_t i, int64_t n) {
    const double s = sin(PI * (double)i / (double)n), c = cos(PI * (double)i / (double)n);
    const double x = (2 * (double)i - (double)n) / (double)n; /* -1 .. 1 */
    const double in = 0.5 * (1 - fabs(x)) * (double)n;        /* samples from the nearer end */
    if (!strcmp(name, "hann"))
        return s * s;
    if (!strcmp(name, "hamming"))
        return 0.08 + 0.92 * s * s;
    if (!strcmp(name, "blackman")) /* cos 2t = 8 c^4 - 8 c^2 + 1, cos t = 2 c^2 - 1 */
        return 0.42 - 0.5 * (2 * c * c - 1) + 0.08 * (8 * c * c * c * c - 8 * c * c + 1);
    if (!strcmp(name, "tukey")) {
        const double width = p * (double)n / 2, half = sin(PI / 2 * in / width);
        return in < width ? half * half : 1;
    }
    if (!strcmp(name, "kaiser")) {
        const double y = p * sqrt(1 - x * x);
        return bessel(y) * exp(y - p) / bessel(p);
    }
    return 1;
}

static const struct {
    const char *text, *name;
    double p;
} cases[] = {
    {"none", "none", 0},         {"hann", "hann", 0},          {"hamming", "hamming", 0},
    {"blackman", "blackman", 0}, {"tukey:0", "tukey", 0},      {"tukey:0.3", "tukey", 0.3},
    {"tukey:1", "tukey", 1},     {"kaiser:0", "kaiser", 0},    {"kaiser:8.6", "kaiser", 8.6},
    {"kaiser:40", "kaiser", 40}, {"kaiser:500", "kaiser", 500}};
enum { N_CASES = sizeof cases / sizeof *cases };

static void test_values(void) {
    static const int64_t lengths[] = {1, 2, 3, 4, 7, 64, 101};
    for (int c = 0; c < N_CASES; c++) {
        struct gf_window w;
        char text[GF_WINDOW_TEXT];
        CHECK_MSG(gf_window_parse(cases[c].text, &w), "%s", cases[c].text);
        CHECK_MSG(!strcmp(gf_window_text(&w, text), cases[c].text), "%s is %s", cases[c].text,
                  text);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            const int64_t n = lengths[k];
            const struct gf_job job = {.ndim = 1, .shape = {n}, .axes = 1, .channels = 1};
            struct gf_array weight; /* of ones */
            double most = 0;
            CHECK_EQ(gf_array_alloc(&weight, GF_F64, 2, (int64_t[]){n, 1}), 0);
            double *at = weight.data;
            for (int64_t i = 0; i < n; i++)
                at[i] = 1;
            CHECK_EQ(gf_window_apply(&w, &job, 0, 1, &weight), 0);
            for (int64_t i = 0; i < n; i++) {
                const double want = n == 1 ? 1 : expected(cases[c].name, cases[c].p, i, n);
                most = fmax(most, fabs(at[i] - want));
                if (i && n > 1) /* periodic and even */
                    most = fmax(most, fabs(at[i] - at[n - i]));
            }
            CHECK_MSG(most < 1e-13, "%s of %lld: %g", cases[c].text, (long long)n, most);
            gf_array_free(&weight);
        }
    }
}

static void test_texts(void) {
    static const char *const bad[] = {"",           "Hann",      "hann:",    "hann:1",
                                      "hann ",      "tukey",     "tukey:",   "tukey:1.1",
                                      "tukey:-1",   "tukey:nan", "kaiser:x", "kaiser:1x",
                                      "kaiser:1e9", "unset",     ":1"};
    struct gf_window w = {0};
    char text[GF_WINDOW_TEXT];
    CHECK(gf_window_is_flat(&w) && !strcmp(gf_window_text(&w, text), "none"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_MSG(!gf_window_parse(bad[i], &w), "'%s' is a window", bad[i]);
}

static void set(struct gf_array *a, int64_t k, double v) {
    if (a->dtype == GF_F64 || a->dtype == GF_C128)
        ((double *)a->data)[k] = v;
    else
        ((float *)a->data)[k] = (float)v;
}

static double get(const struct gf_array *a, int64_t k) {
    return a->dtype == GF_F64 || a->dtype == GF_C128 ? ((double *)a->data)[k]
                                                     : (double)((float *)a->data)[k];
}

/* `count` samples from `first` on, in two channels. */
static void test_part(enum gf_dtype type, const struct gf_job *job, int64_t first, int64_t count) {
    const struct gf_window w = {GF_WINDOW_KAISER, 5};
    const int64_t *n = job->shape, parts = gf_dtype_is_complex(type) ? 4 : 2;
    struct gf_array a;
    double most = 0;
    CHECK_EQ(gf_array_alloc(&a, type, 2, (int64_t[]){count, 2}), 0);
    for (int64_t k = 0; k < count * parts; k++)
        set(&a, k, (double)(k % 13) - 6.5);
    CHECK_EQ(gf_window_apply(&w, job, first, 2, &a), 0);
    for (int64_t k = 0; k < count * parts; k++) {
        int64_t i = first + k / parts;
        double want = (double)(k % 13) - 6.5;
        for (int axis = job->ndim - 1; axis >= 0; i /= n[axis--])
            if (job->axes >> axis & 1)
                want *= n[axis] == 1 ? 1 : expected("kaiser", 5, i % n[axis], n[axis]);
        most = fmax(most, fabs(get(&a, k) - want));
    }
    CHECK_MSG(most < (gf_dtype_real(type) == GF_F64 ? 1e-13 : 1e-6),
              "type %d axes %u from %lld: %g", type, job->axes, (long long)first, most);
    gf_array_free(&a);
}

static void test_products(void) {
    static const enum gf_dtype types[] = {GF_F32, GF_F64, GF_C64, GF_C128};
    static const struct gf_job jobs[] = {{.ndim = 1, .shape = {17}},
                                         {.ndim = 2, .shape = {6, 9}},
                                         {.ndim = 2, .shape = {1, 5}},
                                         {.ndim = 2, .shape = {5, 1}},
                                         {.ndim = 3, .shape = {3, 4, 5}}};
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++)
        for (unsigned axes = 0; axes < 1u << jobs[j].ndim; axes++)
            for (int t = 0; t < 4; t++) {
                struct gf_job job = jobs[j];
                const int64_t all = gf_shape_count(job.shape, job.ndim);
                job.axes = axes;
                test_part(types[t], &job, 0, all);
                test_part(types[t], &job, all / 3, all - all / 3);
                test_part(types[t], &job, all / 2, 1);
            }
}

static void test_means(void) {
    const struct gf_job job = {.ndim = 3, .shape = {3, 8, 7}, .axes = 6};
    const struct gf_window hann = {GF_WINDOW_HANN, 0}, none = {0};
    /* From three samples on a Hann window has the means 1/2 and 3/8 (from five for the square). */
    CHECK(fabs(gf_window_mean(&hann, &job, 1) - 0.25) < 1e-15);
    CHECK(fabs(gf_window_mean(&hann, &job, 2) - 9 / 64.) < 1e-15);
    CHECK(gf_window_mean(&none, &job, 1) == 1 && gf_window_mean(&none, &job, 2) == 1);
}

int main(void) {
    RUN("windows have the values of other formulas", test_values());
    RUN("texts that name no window are refused", test_texts());
    RUN("samples of every type are multiplied from any place on", test_products());
    RUN("means of windows are those of their formulas", test_means());
    return TEST_END();
}
