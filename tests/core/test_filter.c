/* Filters as core/filter/filter.h defines them, in numbers worked out by hand. What backends make of
 * them is tested in tests/core/backend_filters.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter/edges.h"
#include "core/filter/filter.h"
#include "core/filter/waves.h"
#include "core/base/value/status.h"
#include "tests/test.h"

static struct gf_job filter_job(int ndim, int64_t n0, int64_t n1, int64_t n2) {
    return (struct gf_job){.op = GF_FILTER,
                           .ndim = ndim,
                           .shape = {n0, n1, n2},
                           .channels = 1,
                           .axes = (1u << ndim) - 1,
                           .in_dtype = GF_U8,
                           .n_out = 1,
                           .out = {{.kind = GF_REAL, .dtype = GF_U8}}};
}

static struct gf_lowpass round_one(enum gf_profile profile, int order, double radius) {
    return (struct gf_lowpass){
        .profile = profile, .order = order, .radius = {radius, radius, radius}};
}

/* The filter's value at one index, compiled anew. */
static double value(struct gf_job *job, const struct gf_filter *f, int64_t k0, int64_t k1,
                    int64_t k2) {
    static struct gf_filter_terms t; /* large */
    job->filter = f;
    if (gf_filter_compile(job, &t))
        return NAN;
    double v = gf_filter_value(&t, (int64_t[]){k0, k1, k2});
    gf_filter_terms_free(&t);
    return v;
}

static void check_value(int line, double got, double want) {
    CHECK_MSG(fabs(got - want) <= 1e-14 * (1 + fabs(want)), "line %d: %.17g, not %.17g", line, got,
              want);
}
#define VALUE(f, k0, k1, k2, want) check_value(__LINE__, value(&job, f, k0, k1, k2), want)

static struct gf_filter *new_filter(void) {
    struct gf_filter *f = NULL;
    CHECK_MSG(!gf_filter_new(&f), "%s", gf_message());
    return f;
}

/* L(D) of the three profiles along one axis, where k = 9 of 12 is the frequency -3. */
static void test_profiles(void) {
    struct gf_job job = filter_job(2, 12, 12, 1);
    struct gf_filter *f = new_filter();
    VALUE(f, 3, 4, 0, 1); /* nothing changes nothing */
    struct gf_lowpass l = round_one(GF_GAUSSIAN, 0, 5);
    CHECK(!gf_filter_add_lowpass(f, &l));
    VALUE(f, 0, 0, 0, 1);
    VALUE(f, 5, 0, 0, exp(-0.5));
    VALUE(f, 3, 4, 0, exp(-0.5));
    VALUE(f, 9, 4, 0, exp(-0.5)); /* (-3, 4) */
    VALUE(f, 11, 0, 0, exp(-1 / 50.0));
    VALUE(f, 6, 6, 0, exp(-72 / 50.0));

    f->n_factors = 0;
    l = round_one(GF_IDEAL, 0, 5);
    CHECK(!gf_filter_add_lowpass(f, &l));
    VALUE(f, 3, 4, 0, 1); /* D = R counts in */
    VALUE(f, 9, 4, 0, 1);
    VALUE(f, 5, 1, 0, 0);
    VALUE(f, 7, 0, 0, 1); /* -5 */
    VALUE(f, 6, 0, 0, 0);

    f->n_factors = 0;
    l = round_one(GF_BUTTERWORTH, 2, 5);
    CHECK(!gf_filter_add_lowpass(f, &l));
    VALUE(f, 0, 0, 0, 1);
    VALUE(f, 3, 4, 0, 0.5);
    VALUE(f, 8, 3, 0, 0.5); /* (-4, 3) */
    VALUE(f, 6, 0, 0, 1 / (1 + pow(36 / 25.0, 2)));
    VALUE(f, 1, 0, 0, 1 / (1 + pow(1 / 25.0, 2)));
    gf_filter_free(f);
}

/* Radii of their own, axes that are not filtered, three axes. */
static void test_axes(void) {
    struct gf_job job = filter_job(2, 20, 20, 1);
    struct gf_filter *f = new_filter();
    struct gf_lowpass l = {.profile = GF_GAUSSIAN, .radius = {2, 4}};
    CHECK(!gf_filter_add_lowpass(f, &l));
    VALUE(f, 2, 0, 0, exp(-0.5));
    VALUE(f, 0, 4, 0, exp(-0.5));
    VALUE(f, 18, 4, 0, exp(-1));
    f->factor[0].a.profile = GF_IDEAL;
    VALUE(f, 2, 0, 0, 1);
    VALUE(f, 0, 4, 0, 1);
    VALUE(f, 1, 3, 0, 1); /* 1/4 + 9/16 */
    VALUE(f, 2, 1, 0, 0);
    f->factor[0].a.profile = GF_BUTTERWORTH;
    f->factor[0].a.order = 3;
    VALUE(f, 0, 4, 0, 0.5);
    VALUE(f, 2, 4, 0, 1 / (1 + 8.0));
    job.axes = 1; /* x is not filtered, whatever its radius */
    f->factor[0].a.radius[1] = 0;
    VALUE(f, 2, 7, 0, 0.5);
    CHECK(!gf_filter_validate(&job));

    job = filter_job(3, 9, 8, 10);
    f->n_factors = 0;
    l = round_one(GF_BUTTERWORTH, 1, 3);
    CHECK(!gf_filter_add_lowpass(f, &l));
    VALUE(f, 2, 2, 1, 0.5);
    VALUE(f, 7, 6, 1, 0.5); /* (-2, -2, 1) */
    VALUE(f, 1, 0, 0, 0.9);
    gf_filter_free(f);
}

/* Products of low passes and what they leave. */
static void test_factors(void) {
    struct gf_job job = filter_job(2, 32, 32, 1);
    struct gf_filter *f = new_filter();
    struct gf_lowpass small = round_one(GF_BUTTERWORTH, 1, 5),
                      large = round_one(GF_BUTTERWORTH, 1, 10);
    const double low = 0.5, wide = 0.8; /* at D = 5 */
    CHECK(!gf_filter_add_highpass(f, &small));
    VALUE(f, 0, 0, 0, 0);
    VALUE(f, 3, 4, 0, 1 - low);
    CHECK(!gf_filter_add_lowpass(f, &large));
    VALUE(f, 3, 4, 0, (1 - low) * wide);
    f->n_factors = 0;
    CHECK(!gf_filter_add_band(f, &small, &large, false));
    VALUE(f, 3, 4, 0, wide * (1 - low));
    VALUE(f, 0, 0, 0, 0);
    VALUE(f, 6, 8, 0, 0.5 * (1 - 0.2));
    f->n_factors = 0;
    CHECK(!gf_filter_add_band(f, &small, &large, true));
    VALUE(f, 3, 4, 0, 1 - wide * (1 - low));
    VALUE(f, 0, 0, 0, 1);
    f->n_factors = 0;
    for (int i = 0; i < GF_MAX_FACTORS; i++)
        CHECK(!gf_filter_add_lowpass(f, &small));
    VALUE(f, 3, 4, 0, pow(0.5, GF_MAX_FACTORS));
    CHECK_EQ(gf_filter_add_lowpass(f, &small), GF_EINVAL);
    gf_filter_free(f);
}

/* A notch and its mirror image; at its own mirror image there is one only. */
static void test_notch(void) {
    struct gf_job job = filter_job(2, 16, 20, 1);
    struct gf_filter *f = new_filter();
    struct gf_lowpass l = round_one(GF_GAUSSIAN, 0, 1);
    l.centre[0] = -3;
    l.centre[1] = 4;
    CHECK(!gf_filter_add_notch(f, &job, &l));
    CHECK_EQ(f->n_factors, 2);
    VALUE(f, 13, 4, 0, 0);
    VALUE(f, 12, 4, 0, (1 - exp(-0.5)) * (1 - exp(-(49 + 64) / 2.0)));
    /* Round the ends: (7, 9) and (-8, -9) are one step apart along y, two along x. */
    f->n_factors = 0;
    l.centre[0] = 7;
    l.centre[1] = 9;
    CHECK(!gf_filter_add_notch(f, &job, &l));
    VALUE(f, 7, 9, 0, 0);
    VALUE(f, 8, 9, 0, (1 - exp(-0.5)) * (1 - exp(-(1 + 4) / 2.0)));
    VALUE(f, 9, 10, 0, (1 - exp(-(4 + 1) / 2.0)) * (1 - exp(-0.5)));
    for (int i = 0; i < 4; i++) {
        f->n_factors = 0;
        l.centre[0] = i & 1 ? -8 : 0;
        l.centre[1] = i & 2 ? 10 : 0;
        CHECK(!gf_filter_add_notch(f, &job, &l));
        CHECK_EQ(f->n_factors, 1);
    }
    job.shape[0] = 15; /* -8 is 7 then, and its mirror image 8 */
    f->n_factors = 0;
    CHECK(!gf_filter_add_notch(f, &job, &l));
    CHECK_EQ(f->n_factors, 2);
    job.axes = 2; /* y does not count */
    f->n_factors = 0;
    CHECK(!gf_filter_add_notch(f, &job, &l));
    CHECK_EQ(f->n_factors, 1);
    gf_filter_free(f);
}

/* The half spectrum, with a table of every type. */
static void test_tabulate(void) {
    static const enum gf_dtype types[] = {GF_F32, GF_F64, GF_C64, GF_C128};
    struct gf_filter *f = new_filter();
    struct gf_lowpass l = round_one(GF_BUTTERWORTH, 1, 2);
    CHECK(!gf_filter_add_lowpass(f, &l));
    for (int i = -1; i < 8; i++) {
        struct gf_job job = filter_job(2, 3, 6, 1);
        enum gf_dtype t = i < 0 ? GF_F32 : types[i / 2];
        bool complex = i >= 0 && gf_dtype_is_complex(t);
        int64_t shape[] = {3, 4};
        struct gf_array a = {0};
        job.filter = f;
        job.precision = i & 1 ? GF_DOUBLE : GF_SINGLE;
        if (i < 0)
            job.precision = GF_DOUBLE;
        gf_array_free(&f->table);
        if (i >= 0)
            CHECK(!gf_array_alloc(&f->table, t, 2, shape));
        for (int k = 0; k < (complex ? 24 : 12) && i >= 0; k++)
            if (gf_dtype_real(t) == GF_F64)
                ((double *)f->table.data)[k] = k + 1;
            else
                ((float *)f->table.data)[k] = (float)k + 1;
        CHECK_MSG(!gf_filter_validate(&job), "%s", gf_message());
        CHECK_MSG(!gf_filter_tabulate(&job, 2, &a), "%s", gf_message());
        enum gf_dtype want = job.precision == GF_DOUBLE ? complex ? GF_C128 : GF_F64
                             : complex                  ? GF_C64
                                                        : GF_F32;
        CHECK_EQ(a.dtype, want);
        CHECK_EQ(a.rank, 2);
        CHECK(a.shape[0] == 3 && a.shape[1] == 4);
        for (int k = 0; k < (complex ? 24 : 12) && a.dtype == want; k++) {
            int at = complex ? k / 2 : k, y = at / 4, x = at % 4;
            double d2 = (y ? 1 : 0) + x * x, h = 1 / (1 + d2 / 4) * (i >= 0 ? k + 1 : 1);
            double got =
                job.precision == GF_DOUBLE ? ((double *)a.data)[k] : (double)((float *)a.data)[k];
            CHECK_MSG(fabs(got - h) <= 1e-6 * h, "type %d, element %d: %g, not %g", i, k, got, h);
        }
        gf_array_free(&a);
    }
    gf_filter_free(f);
}

static int check(const struct gf_job *job) {
    int rc = gf_job_validate(job);
    return rc ? rc : gf_filter_validate(job);
}

static void refused(const struct gf_job *job, const char *why) {
    int rc = check(job);
    CHECK_MSG(rc == GF_EINVAL && strstr(gf_message(), why), "%d, %s, where \"%s\" was expected", rc,
              gf_message(), why);
}

static void test_validation(void) {
    struct gf_job good = filter_job(2, 8, 10, 1), job = good;
    refused(&job, "no filter");
    struct gf_filter *f = new_filter(), *other = new_filter();
    CHECK(f->serial != other->serial);
    good.filter = f;
    CHECK_MSG(!check(&good), "%s", gf_message());
    job = good;
    job.direction = GF_INVERSE;
    refused(&job, "takes real samples");
    job = good;
    job.in_dtype = GF_C64;
    refused(&job, "takes real samples");
    job = good;
    job.out[0].kind = GF_MAGNITUDE;
    refused(&job, "results are real numbers");
    job = good;
    job.out[0].map = GF_MAP_DISPLAY;
    refused(&job, "results are real numbers");
    job = good;
    job.out[0].half = true;
    refused(&job, "results are real numbers");
    struct gf_lowpass l = round_one(GF_BUTTERWORTH, 0, 3);
    CHECK(!gf_filter_add_lowpass(f, &l));
    refused(&good, "order 0");
    f->factor[0].a.order = GF_MAX_ORDER + 1;
    refused(&good, "order 65");
    f->factor[0].a.order = GF_MAX_ORDER;
    CHECK(!check(&good));
    f->factor[0].a.order = 2;
    f->factor[0].a.profile = (enum gf_profile)GF_N_PROFILES;
    refused(&good, "no such profile: 3");
    f->factor[0].a.profile = GF_BUTTERWORTH;
    CHECK(!check(&good));
    f->factor[0].a.radius[1] = 0;
    refused(&good, "not above 0");
    f->factor[0].a.radius[1] = INFINITY;
    refused(&good, "not finite");
    f->factor[0].a.radius[1] = 1;
    f->factor[0].a.centre[0] = NAN;
    refused(&good, "not finite");
    f->factor[0].a.centre[0] = 0;
    f->offset = NAN;
    refused(&good, "offset");
    f->offset = 0;
    CHECK(!gf_array_alloc(&f->table, GF_F32, 2, (int64_t[]){8, 10}));
    refused(&good, "half spectrum's shape");
    gf_array_free(&f->table);
    CHECK(!gf_array_alloc(&f->table, GF_U8, 2, (int64_t[]){8, 6}));
    refused(&good, "half spectrum's shape");
    gf_array_free(&f->table);
    CHECK(!gf_array_alloc(&f->table, GF_F32, 2, (int64_t[]){8, 6}));
    CHECK_MSG(!check(&good), "%s", gf_message());
    gf_filter_free(f);
    gf_filter_free(other);
    gf_filter_free(NULL);
}

/* Two waves over a constant: one whose mean is not 0, and one of two samples a period, whose sine is 0
 * everywhere. */
static void test_waves(void) {
    enum { H = 71, W = 90 };
    struct gf_array a, b;
    struct gf_sinusoid wave[] = {{.frequency = {0.1234, -0.203}}, {.frequency = {0, 0.5}}};
    CHECK(!gf_array_alloc(&a, GF_F64, 3, (int64_t[]){H, W, 2}));
    CHECK(!gf_array_alloc(&b, GF_F64, 3, (int64_t[]){H, W, 2}));
    double *p = a.data, mean[2] = {0, 0}, worst = 0, moved[2] = {0, 0};
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 2; c++) {
                double v = 50 + (10 - 4 * c) * cos(2 * acos(-1) * (0.1234 * y - 0.203 * x) + 1) +
                           (x % 2 ? -3 : 3);
                p[(y * W + x) * 2 + c] = v;
                mean[c] += v / (H * W);
            }
    gf_array_copy(&b, &a);
    CHECK(!gf_waves_subtract(&a, 2, 1, wave, 2));
    CHECK(fabs(wave[0].amplitude - 10) < 1e-9 && fabs(wave[1].amplitude - 3) < 1e-9);
    for (int i = 0; i < 2 * H * W; i++) {
        worst = fmax(worst, fabs(p[i] - mean[i % 2]));
        moved[i % 2] += (p[i] - mean[i % 2]) / (H * W);
    }
    CHECK_MSG(worst < 1e-9, "%g", worst);
    CHECK(fabs(moved[0]) < 1e-12 && fabs(moved[1]) < 1e-12);
    CHECK(!gf_waves_subtract(&b, 2, 3, wave, 2));
    CHECK(!memcmp(a.data, b.data, sizeof(double) * 2 * H * W));
    /* Factors that are known are not fitted: of a constant they take the wave, but for its mean. */
    const double known[2][2] = {{3, -4}, {0, 0}};
    wave[0].known = known[0];
    for (int i = 0; i < 2 * H * W; i++)
        p[i] = 7;
    CHECK(!gf_waves_subtract(&a, 2, 1, wave, 1) && wave[0].amplitude == 5);
    double turn = 2 * acos(-1) * (0.1234 - 0.203), x = p[(W + 1) * 2], at_first = p[0];
    CHECK(fabs((x - at_first) - (3 - 3 * cos(turn) + 4 * sin(turn))) < 1e-9);
    CHECK(p[1] == 7 && p[2 * H * W - 1] == 7);
    for (int i = 0; i < 2 * H * W; i += 2)
        moved[0] += (p[i] - 7) / (H * W);
    CHECK(fabs(moved[0]) < 1e-12);
    gf_array_free(&a);
    gf_array_free(&b);
}

/* In single precision: orders up to 8, and circles whose squares are exact as floats. */
static bool is_exact(enum gf_profile profile, int order, double radius,
                     enum gf_precision precision) {
    static struct gf_filter_terms t; /* large */
    struct gf_job job = filter_job(2, 12, 12, 1);
    struct gf_filter *f = new_filter();
    const struct gf_lowpass l = round_one(profile, order, radius);
    job.filter = f;
    job.precision = precision;
    CHECK(!gf_filter_add_lowpass(f, &l) && !gf_filter_compile(&job, &t));
    const bool exact = gf_filter_is_exact(&job, &t);
    gf_filter_terms_free(&t);
    gf_filter_free(f);
    return exact;
}

static void test_exact(void) {
    CHECK(is_exact(GF_BUTTERWORTH, 8, 5, GF_SINGLE) && !is_exact(GF_BUTTERWORTH, 9, 5, GF_SINGLE));
    CHECK(is_exact(GF_IDEAL, 0, 4096, GF_SINGLE) && !is_exact(GF_IDEAL, 0, 4097, GF_SINGLE));
    CHECK(is_exact(GF_GAUSSIAN, 0, 4097, GF_SINGLE));
    CHECK(is_exact(GF_BUTTERWORTH, 9, 5, GF_DOUBLE) && is_exact(GF_IDEAL, 0, 4097, GF_DOUBLE));
}

/* Taper's samples by hand: the end, mirrored, fades into the mirrored beginning. Along both axes. */
static void check_taper(enum gf_dtype type) {
    struct gf_array a;
    const int64_t n[] = {16, 3}, length[] = {18, 4};
    double u[18], v[4];
    CHECK(gf_edges_length(GF_EDGES_TAPER, n[0]) == length[0]);
    CHECK(gf_edges_length(GF_EDGES_TAPER, n[1]) == length[1]);
    for (int i = 0; i < 16; i++)
        u[i] = i * i;
    for (int i = 0; i < 3; i++)
        v[i] = 1 + 5 * i;
    const double c = (1 + sqrt(0.5)) / 2; /* (1 + cos 45 degrees) / 2 */
    u[16] = c * u[15] + (1 - c) * u[1];
    u[17] = (1 - c) * u[14] + c * u[0];
    v[3] = 0.5 * v[2] + 0.5 * v[0];
    CHECK(!gf_array_alloc(&a, type, 3, (int64_t[]){18, 4, 1}));
    for (int i = 0; i < 16 * 3; i++)
        gf_real_put(a.data, i / 3 * 4 + i % 3, type == GF_F64, u[i / 3] * v[i % 3]);
    gf_edges_fill(GF_EDGES_TAPER, n, 2, &a);
    for (int i = 0; i < 18 * 4; i++) {
        const double got = gf_real_get(a.data, i, type == GF_F64), want = u[i / 4] * v[i % 4];
        CHECK_MSG(fabs(got - want) <= 1e-5 * (1 + want), "sample %d: %g, not %g", i, got, want);
    }
    gf_array_free(&a);
}

int main(void) {
    RUN("profiles have their values at known distances", test_profiles());
    RUN("axes have radii of their own, or are not filtered", test_axes());
    RUN("low passes and high passes multiply", test_factors());
    RUN("a notch has its mirror image, but not twice where both meet", test_notch());
    RUN("tables of every type fill half spectra", test_tabulate());
    RUN("filters that do not fit a job are refused", test_validation());
    RUN("waves are measured and removed to rounding", test_waves());
    RUN("high orders and large circles are not exact in single precision", test_exact());
    RUN("taper fades the mirrored end into the mirrored beginning, in f32", check_taper(GF_F32));
    RUN("taper fades the mirrored end into the mirrored beginning, in f64", check_taper(GF_F64));
    return TEST_END();
}
