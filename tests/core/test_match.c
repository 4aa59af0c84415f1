/* Templates, sums of windows, scores and peaks, against sums over every window by the definition. */
#include "core/compare/correlate.h"
#include "core/compare/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/halves.h"
#include "core/base/value/status.h"
#include "tests/test.h"

enum { MOST = 4096 };

static double noise(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Sets `at` to the place of sample i of an array in C order. */
static void unravel(const int64_t *shape, int rank, int64_t i, int64_t *at) {
    for (int a = rank - 1; a >= 0; i /= shape[a--])
        at[a] = i % shape[a];
}

/* The sample at place + offset. */
static double *at_offset(const struct gf_array *a, const int64_t *place, const int64_t *offset) {
    int64_t i = 0;
    for (int k = 0; k < a->rank; k++)
        i = i * a->shape[k] + place[k] + offset[k];
    return (double *)a->data + i;
}

/* An image, a template and its weights, of doubles. */
struct rig {
    struct gf_array image, kernel, weight, sum, square, correlation;
    double px[6][MOST];
    double raw[MOST]; /* the template's samples */
    struct gf_match match;
};

static void fill(struct rig *r, int rank, const int64_t *shape, const int64_t *size,
                 bool weighted) {
    struct gf_array *const all[] = {&r->image,       &r->sum,    &r->square,
                                    &r->correlation, &r->kernel, &r->weight};
    uint64_t state = (uint64_t)(shape[0] + 10 * size[0]);
    for (int k = 0; k < 6; k++)
        *all[k] = gf_array_wrap(r->px[k], GF_F64, rank, k < 4 ? shape : size);
    for (int64_t i = 0; i < gf_array_count(&r->image); i++)
        r->px[0][i] = 100 + noise(&state);
    for (int64_t i = 0; i < gf_array_count(&r->kernel); i++) {
        r->px[4][i] = r->raw[i] = 1000 * noise(&state);
        r->px[5][i] = weighted ? fmax(noise(&state) - 0.3, 0) : 1;
    }
    CHECK_EQ(gf_match_prepare(&r->kernel, weighted ? &r->weight : NULL, &r->match), 0);
}

/* The weighted correlation coefficient of the template and the window at a place. */
static double coefficient(const struct rig *r, const int64_t *place) {
    const int64_t n = gf_array_count(&r->kernel), zero[GF_MAX_DIMS] = {0};
    double w = 0, t = 0, x = 0, tt = 0, xx = 0, tx = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < n; i++) {
            int64_t at[GF_MAX_DIMS];
            unravel(r->kernel.shape, r->kernel.rank, i, at);
            const double weight = *at_offset(&r->weight, at, zero);
            const double a = r->raw[i], b = *at_offset(&r->image, place, at);
            if (!pass) {
                w += weight;
                t += weight * a;
                x += weight * b;
            } else {
                tt += weight * (a - t / w) * (a - t / w);
                xx += weight * (b - x / w) * (b - x / w);
                tx += weight * (a - t / w) * (b - x / w);
            }
        }
    return tx / sqrt(tt * xx);
}

/* Makes the sums over one window by the definition, and the scores by the library. */
static void check_scores(int rank, const int64_t *shape, const int64_t *size, bool weighted) {
    static struct rig r;
    fill(&r, rank, shape, size, weighted);
    double worst = 0;
    for (int64_t i = 0; i < gf_array_count(&r.image); i++) {
        int64_t place[GF_MAX_DIMS], at[GF_MAX_DIMS];
        double *const v[] = {r.px[1] + i, r.px[2] + i, r.px[3] + i};
        bool whole = true;
        unravel(shape, rank, i, place);
        for (int a = 0; a < rank; a++)
            whole = whole && place[a] + size[a] <= shape[a];
        *v[0] = *v[1] = *v[2] = 0;
        for (int64_t k = 0; k < gf_array_count(&r.kernel) && whole; k++) {
            unravel(size, rank, k, at);
            const double x = *at_offset(&r.image, place, at);
            *v[0] += r.px[5][k] * x;
            *v[1] += r.px[5][k] * x * x;
            *v[2] += r.px[4][k] * x;
        }
    }
    gf_match_score(&r.match, &r.correlation, &r.square, 0, &r.sum);
    for (int64_t i = 0; i < gf_array_count(&r.image); i++) {
        int64_t place[GF_MAX_DIMS];
        bool whole = true;
        unravel(shape, rank, i, place);
        for (int a = 0; a < rank; a++)
            whole = whole && place[a] + size[a] <= shape[a];
        if (whole)
            worst = fmax(worst, fabs(r.px[1][i] - coefficient(&r, place)));
    }
    CHECK_MSG(worst < 1e-6, "rank %d: scores differ by %g", rank, worst);
}

static void check_windows(int rank, const int64_t *shape, const int64_t *size) {
    static struct rig r;
    fill(&r, rank, shape, size, false);
    double worst = 0;
    memcpy(r.px[1], r.px[0], sizeof r.px[0]);
    gf_match_windows(&r.match, &r.sum);
    for (int64_t i = 0; i < gf_array_count(&r.image); i++) {
        int64_t place[GF_MAX_DIMS], at[GF_MAX_DIMS];
        double sum = 0;
        bool whole = true;
        unravel(shape, rank, i, place);
        for (int a = 0; a < rank; a++)
            whole = whole && place[a] + size[a] <= shape[a];
        for (int64_t k = 0; k < gf_array_count(&r.kernel) && whole; k++) {
            unravel(size, rank, k, at);
            sum += *at_offset(&r.image, place, at);
        }
        worst = whole ? fmax(worst, fabs(r.px[1][i] - sum) / sum) : worst;
    }
    CHECK_MSG(worst < 1e-13, "rank %d: sums differ by %g", rank, worst);
}

static void test_sums(void) {
    static const struct {
        int rank;
        int64_t shape[3], size[3];
    } of[] = {{1, {50}, {7}},
              {1, {9}, {9}},
              {2, {13, 17}, {4, 5}},
              {2, {1, 40}, {1, 6}},
              {2, {30, 1}, {30, 1}},
              {2, {12, 12}, {12, 2}},
              {3, {6, 7, 9}, {2, 3, 4}},
              {3, {5, 5, 5}, {1, 5, 1}}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        check_windows(of[i].rank, of[i].shape, of[i].size);
        check_scores(of[i].rank, of[i].shape, of[i].size, false);
        check_scores(of[i].rank, of[i].shape, of[i].size, true);
    }
}

static void test_template(void) {
    double t[] = {0.1, 0.1, 0.1, 0.1}, w[] = {0, 0, 0, 0};
    struct gf_array a = gf_array_wrap(t, GF_F64, 1, (int64_t[]){4}),
                    weight = gf_array_wrap(w, GF_F64, 1, (int64_t[]){4});
    struct gf_match m;
    CHECK_EQ(gf_match_prepare(&a, NULL, &m), GF_EINVAL);
    CHECK(strstr(gf_message(), "flat template"));
    memcpy(t, (double[]){1, 2, 3, 4}, sizeof t);
    CHECK_EQ(gf_match_prepare(&a, &weight, &m), GF_EINVAL);
    CHECK(strstr(gf_message(), "leaves no sample"));
    w[2] = 1; /* of one sample */
    CHECK_EQ(gf_match_prepare(&a, &weight, &m), GF_EINVAL);
    w[0] = -1;
    CHECK_EQ(gf_match_prepare(&a, &weight, &m), GF_EINVAL);
    memcpy(t, (double[]){1e9 + 1, 1e9, 1e9, 1e9}, sizeof t); /* a small difference is one */
    CHECK_EQ(gf_match_prepare(&a, NULL, &m), 0);
    CHECK(fabs(m.energy - 0.75) < 1e-6 && m.count == 4 && m.ndim == 1 && m.shape[0] == 4);
    float single[] = {1, 2, 3, 4};
    a = gf_array_wrap(single, GF_F32, 1, (int64_t[]){4});
    CHECK_EQ(gf_match_prepare(&a, NULL, &m), 0);
    CHECK(single[0] == -1.5f && single[3] == 1.5f && m.energy == 5);
}

static void test_flat(void) {
    double sum[] = {40, 40, 0}, square[] = {160, 400, 0}, correlation[] = {1e-3, 5, 1};
    struct gf_array s = gf_array_wrap(sum, GF_F64, 1, (int64_t[]){3}),
                    q = gf_array_wrap(square, GF_F64, 1, (int64_t[]){3}),
                    c = gf_array_wrap(correlation, GF_F64, 1, (int64_t[]){3});
    const struct gf_match m = {.ndim = 1, .shape = {10}, .count = 10, .energy = 1};
    gf_match_score(&m, &c, &q, 1e-9, &s); /* the first and the last window are flat */
    CHECK(sum[0] == 0 && sum[2] == 0);
    CHECK(fabs(sum[1] - 5 / sqrt(240)) < 1e-15);
}

static void test_multiply(void) {
    float a[] = {1, 2, 3, -4}, b[] = {5, -6, 0, 2};
    const struct gf_array x = gf_array_wrap(a, GF_C64, 1, (int64_t[]){2});
    struct gf_array y = gf_array_wrap(b, GF_C64, 1, (int64_t[]){2});
    gf_cross_power(&x, &y); /* (1 + 2i)(5 + 6i), (3 - 4i)(-2i) */
    CHECK(b[0] == -7 && b[1] == 16 && b[2] == -8 && b[3] == -6);
}

/* ---- peaks ---- */

/* A map of 20x30 with bumps 1 - d^2/50 around places between samples. */
static void test_peaks(void) {
    static double px[20 * 30];
    static const double bump[3][3] = {{0.9, 5.25, 7.5}, {0.8, 5.0, 12.0}, {0.7, 14.75, 21.9}};
    struct gf_array map = gf_array_wrap(px, GF_F64, 2, (int64_t[]){20, 30});
    struct gf_match m = {.ndim = 2, .shape = {4, 4}};
    struct gf_match_peak p[8];
    int n;
    for (int64_t i = 0; i < 600; i++)
        for (int k = 0; k < 3; k++) {
            const double y = (double)(i / 30) - bump[k][1], x = (double)(i % 30) - bump[k][2];
            px[i] = fmax(px[i], bump[k][0] * (1 - (y * y + x * x) / 50));
        }
    CHECK_EQ(gf_match_peaks(&m, &map, 0.5, p, 8, &n), 0);
    CHECK_EQ(n, 3);
    for (int k = 0; k < n; k++)
        CHECK_MSG(fabs(p[k].fine[0] - bump[k][1]) < 1e-9 && fabs(p[k].fine[1] - bump[k][2]) < 1e-9,
                  "bump %d at %g, %g", k, p[k].fine[0], p[k].fine[1]);
    CHECK(p[0].at[0] == 5 && (p[0].at[1] == 7 || p[0].at[1] == 8));
    CHECK(p[0].score > p[1].score && p[1].score > p[2].score);
    m.shape[1] = 6; /* the second one overlaps the first */
    CHECK_EQ(gf_match_peaks(&m, &map, 0.5, p, 8, &n), 0);
    CHECK(n == 2 && p[1].at[0] == 15 && p[1].at[1] == 22);
    CHECK_EQ(gf_match_peaks(&m, &map, 0.5, p, 1, &n), 0);
    CHECK_EQ(n, 1);
    CHECK_EQ(gf_match_peaks(&m, &map, 0.895, p, 8, &n), 0);
    CHECK_EQ(n, 0);
    CHECK_EQ(gf_match_peaks(&m, &map, 0.5, p, 0, &n), 0);
    CHECK_EQ(n, 0);
}

/* Equal scores: the first of a plateau, in C order; edges and corners have no parabola. */
static void test_plateaus(void) {
    float px[3 * 4 * 5];
    struct gf_array map = gf_array_wrap(px, GF_F32, 3, (int64_t[]){3, 4, 5});
    const struct gf_match m = {.ndim = 3, .shape = {1, 1, 2}};
    struct gf_match_peak p[60];
    int n;
    for (int i = 0; i < 60; i++)
        px[i] = 0.75;
    CHECK_EQ(gf_match_peaks(&m, &map, 0.5, p, 60, &n), 0);
    CHECK(n == 1 && p[0].at[0] == 0 && p[0].at[1] == 0 && p[0].at[2] == 0 && p[0].fine[2] == 0);
    px[59] = 1;
    px[0] = -1;
    CHECK_EQ(gf_match_peaks(&m, &map, 0.5, p, 60, &n), 0);
    CHECK(p[0].at[0] == 2 && p[0].at[1] == 3 && p[0].at[2] == 4 && p[0].fine[0] == 2);
    for (int i = 0; i < 60; i++)
        px[i] = -0.5;
    CHECK_EQ(gf_match_peaks(&m, &map, 1e-9, p, 60, &n), 0);
    CHECK_EQ(n, 0);
}

int main(void) {
    RUN("sums of windows are sums by the definition", test_sums());
    RUN("a template is weighted, and a flat one is refused", test_template());
    RUN("flat windows score 0", test_flat());
    RUN("cross powers multiply with the conjugate", test_multiply());
    RUN("peaks between samples are found, apart from each other", test_peaks());
    RUN("the first of equal scores is the peak", test_plateaus());
    return TEST_END();
}
