/* Wavelets: every backend that has them against PyWavelets' numbers and against the definition in
 * plain loops, and what must hold for any transform of this kind.
 *
 *     test_dwt [full | tiny | gpu] [BACKEND...]
 *
 * A backend whose kernels take a second each to build is tried on a sample, a larger one with LONG=1, with `full` on all;
 * `tiny`: a few small sizes, for a simulator; `gpu`: all, on a device that is no processor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/environment.h"
#include "core/engine/backends.h"
#include "core/wavelet/dwt.h"
#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/core/dwt_definition.h"
#include "tests/core/dwt_run.h"
#include "tests/test.h"

struct reference_case {
    int ndim;
    int64_t shape[3];
    unsigned axes;
    int levels;
    enum gf_boundary boundary;
    int64_t packed[3];
    int64_t at; /* in reference_values */
};
#include "tests/core/dwt_reference.inc"

enum extent { SAMPLE, FULL, TINY };

/* LONG=1 tries one job in `every`; other runs one in `of` of these. */
static int every = 1, of = 1, asked;

static bool mine(void) {
    const int i = asked++;
    return i % every == 0 && (every == 1 || case_takes(i / every, of));
}

static void sample(enum extent extent, int every_, int of_) {
    every = extent == FULL ? 1 : every_;
    of = of_;
}

static double relative_error(const struct gf_array *a, const double *exact) {
    double wrong = 0, size = 0;
    for (int64_t i = 0; i < gf_array_count(a); i++) {
        wrong += pow(value(a, i) - exact[i], 2);
        size += exact[i] * exact[i];
    }
    return size > 0 ? sqrt(wrong / size) : sqrt(wrong);
}

static double bound_of(enum gf_dtype real) {
    return real == GF_F64 ? 1e-13 : 1e-6;
}

/* Forward against the definition, and back against the picture. */
static void check_job(struct gf_job job, const char *what) {
    struct gf_array in = {0}, c = {0}, back = {0};
    if (!mine())
        return;
    CHECK_EQ(gf_job_alloc(&job, -1, &in), 0);
    backends_fill(&in, &seed);
    int64_t count = gf_array_count(&in);
    double *picture = malloc((size_t)count * sizeof *picture);
    for (int64_t i = 0; i < count; i++)
        picture[i] = value(&in, i);
    if (run(&job, &in, &c, NULL)) {
        double *exact = malloc((size_t)gf_array_count(&c) * sizeof *exact);
        dwt_define(&job, picture, exact);
        double bound = bound_of(job.out[0].dtype), error = relative_error(&c, exact);
        CHECK_MSG(error <= bound, "%s: error %.3g", what, error);
        free(exact);
        struct gf_job inverse = job;
        inverse.direction = GF_INVERSE;
        inverse.in_dtype = job.out[0].dtype;
        inverse.out[0].dtype = job.in_dtype;
        struct gf_report report;
        if (run(&inverse, &c, &back, &report)) {
            error = relative_error(&back, picture);
            bool whole = gf_dtype_is_integer(job.in_dtype); /* bit for bit */
            CHECK_MSG(error <= (whole ? 0 : bound), "%s: back with error %.3g", what, error);
            CHECK_EQ(report.clipped[0], 0);
        }
    }
    free(picture);
    gf_array_free(&in);
    gf_array_free(&c);
    gf_array_free(&back);
}

/* ---------------------------------------------------------------- tests */

static void test_pywavelets(void) {
    for (size_t i = 0; i < sizeof reference_cases / sizeof *reference_cases; i++) {
        const struct reference_case *r = &reference_cases[i];
        for (int wide = 0; wide < 2; wide++) {
            if (!mine())
                continue;
            enum gf_dtype real = wide ? GF_F64 : GF_F32;
            struct gf_job job = make_job(GF_FORWARD, r->ndim, r->shape, r->axes, r->levels,
                                         r->boundary, real, real);
            struct gf_array in = {0}, c = {0};
            int64_t shape[GF_MAX_RANK];
            gf_job_out_shape(&job, 0, shape);
            CHECK_MSG(!memcmp(shape, r->packed, (size_t)r->ndim * sizeof *shape), "shape %zu", i);
            gf_job_in_shape(&job, shape);
            CHECK_EQ(gf_array_alloc(&in, real, r->ndim + 1, shape), 0);
            for (int64_t k = 0; k < gf_array_count(&in); k++) {
                double v = (double)((37 * k * k + 11 * k) % 251);
                if (wide)
                    ((double *)in.data)[k] = v;
                else
                    ((float *)in.data)[k] = (float)v;
            }
            if (run(&job, &in, &c, NULL)) {
                double error = relative_error(&c, reference_values + r->at);
                CHECK_MSG(error <= bound_of(real), "PyWavelets' case %zu: %.3g", i, error);
            }
            gf_array_free(&in);
            gf_array_free(&c);
        }
    }
}

static void test_shapes(void) {
    static const struct {
        int ndim;
        int64_t shape[3];
        unsigned axes;
        int levels;
        int64_t channels;
    } cases[] = {
        {1, {100000}, 1, 5, 1},      {1, {4099}, 1, 2, 3},       {2, {70, 130}, 3, 3, 1},
        {2, {70, 130}, 1, 3, 1},     {2, {70, 131}, 2, 3, 3},    {2, {33, 4097}, 3, 2, 1},
        {2, {300, 2100}, 3, 4, 1},   {2, {2049, 66}, 3, 3, 2},   {2, {1, 500}, 3, 1, 1},
        {3, {20, 67, 130}, 7, 3, 1}, {3, {16, 32, 64}, 7, 2, 2}, {3, {7, 9, 11}, 1, 1, 1},
        {3, {7, 9, 11}, 2, 2, 1},    {3, {7, 9, 11}, 4, 2, 1},   {3, {7, 9, 11}, 3, 2, 3},
        {3, {7, 9, 11}, 5, 1, 1},    {3, {7, 9, 11}, 6, 1, 1},   {3, {1, 1, 40}, 7, 1, 1},
    };
    static const enum gf_dtype types[] = {GF_F32, GF_F64, GF_U8, GF_U16};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int b = GF_PERIODIC; b <= GF_ZERO; b++)
            for (int t = 0; t < 4; t++) {
                char what[64];
                struct gf_job job = make_job(GF_FORWARD, cases[i].ndim, cases[i].shape,
                                             cases[i].axes, cases[i].levels, (enum gf_boundary)b,
                                             types[t], types[t] == GF_F64 ? GF_F64 : GF_F32);
                job.channels = cases[i].channels;
                snprintf(what, sizeof what, "case %zu %s %s", i,
                         gf_boundary_name(job.wavelet.boundary), gf_dtype_name(types[t]));
                check_job(job, what);
            }
}

/* Every small size comes back, whatever its levels. */
static void test_sizes(void) {
    for (int b = GF_PERIODIC; b <= GF_ZERO; b++) {
        for (int64_t n = 1; n <= 64; n++) {
            int most =
                gf_dwt_max_levels(1, &n, 1, &(struct gf_wavelet){.boundary = (enum gf_boundary)b});
            for (int levels = 1; levels <= most; levels++)
                check_job(
                    make_job(GF_FORWARD, 1, &n, 1, levels, (enum gf_boundary)b, GF_F64, GF_F64),
                    "a line");
        }
        for (int64_t h = 1; h <= 33; h++)
            for (int64_t w = 1; w <= 33; w++) {
                int64_t shape[2] = {h, w};
                int most = gf_dwt_max_levels(2, shape, 3,
                                             &(struct gf_wavelet){.boundary = (enum gf_boundary)b});
                char what[48];
                snprintf(what, sizeof what, "%dx%d", (int)h, (int)w);
                check_job(make_job(GF_FORWARD, 2, shape, 3, (h + w) % 3 ? most : 1,
                                   (enum gf_boundary)b, GF_F32, GF_F32),
                          what);
            }
    }
}

/* At one level, at as many as the shape has, and at some more, at which axes of one sample (periodic) or two
 * stay as they are. */
static void check_levels(int ndim, const int64_t *shape, unsigned axes, enum gf_dtype type) {
    for (int b = GF_PERIODIC; b <= GF_ZERO; b++) {
        const int most = gf_dwt_max_levels(ndim, shape, axes,
                                           &(struct gf_wavelet){.boundary = (enum gf_boundary)b});
        const int levels[] = {1, most, most + 3};
        for (int i = most == 1; i < 3; i++) {
            char what[80];
            snprintf(what, sizeof what, "%dx%dx%d, axes %u, %d levels, %s %s", (int)shape[0],
                     ndim > 1 ? (int)shape[1] : 1, ndim > 2 ? (int)shape[2] : 1, axes, levels[i],
                     gf_boundary_name((enum gf_boundary)b), gf_dtype_name(type));
            check_job(make_job(GF_FORWARD, ndim, shape, axes, levels[i], (enum gf_boundary)b, type,
                               type == GF_F64 ? GF_F64 : GF_F32),
                      what);
        }
    }
}

/* Axes shorter than the filter, beside short ones and ones of several vectors. */
static void test_thin(void) {
    static const int64_t few[] = {1, 2, 3, 5}, other[] = {1, 2, 3, 4, 5, 8, 31, 130, 517};
    static const enum gf_dtype types[] = {GF_F32, GF_U8, GF_F64};
    for (int i = 0; i < 4 * 9; i++)
        for (int t = 0; t < 3; t++) {
            const int64_t wide[2] = {few[i % 4], other[i / 4]}, tall[2] = {wide[1], wide[0]};
            check_levels(2, wide, 3, types[t]);
            check_levels(2, tall, 3, types[t]);
            check_levels(2, i & 1 ? wide : tall, 1 + (unsigned)t % 2, types[t]);
        }
    for (int i = 0; i < 4 * 4 * 4; i++) {
        const int64_t shape[3] = {few[i / 16], few[i / 4 % 4], few[i % 4]};
        check_levels(3, shape, 7, i % 3 ? GF_F32 : GF_U16);
        check_levels(3, shape, 1 + (unsigned)i % 6, GF_F64);
    }
}

/* Parseval, and details of lines that are straight. */
static void test_laws(void) {
    int64_t shape[3] = {8, 24, 40};
    struct gf_job job = make_job(GF_FORWARD, 3, shape, 7, 3, GF_PERIODIC, GF_F64, GF_F64);
    struct gf_array in = {0}, c = {0};
    int64_t full[4] = {8, 24, 40, 1};
    CHECK_EQ(gf_array_alloc(&in, GF_F64, 4, full), 0);
    backends_fill(&in, &seed);
    if (run(&job, &in, &c, NULL)) {
        double before = 0, after = 0;
        for (int64_t i = 0; i < gf_array_count(&in); i++) {
            before += value(&in, i) * value(&in, i);
            after += value(&c, i) * value(&c, i);
        }
        CHECK_MSG(fabs(before - after) <= 1e-13 * before, "energy %.17g became %.17g", before,
                  after);
    }
    for (int64_t i = 0; i < gf_array_count(&in); i++)
        ((double *)in.data)[i] =
            3 + 2 * (double)(i % 40) - 5 * (double)(i / 40 % 24) + 7 * (double)(i / 960);
    job.wavelet.levels = 1;
    if (run(&job, &in, &c, NULL)) {
        struct gf_dwt_band band[GF_MAX_BANDS];
        int n = gf_dwt_bands(&job, band);
        CHECK_EQ(n, 8);
        double worst = 0, edge = 0;
        for (int b = 1; b < n; b++) {
            struct gf_array v = gf_dwt_band_view(&job, &band[b], &c);
            for (int64_t z = 0; z < 4; z++)
                for (int64_t y = 0; y < 12; y++)
                    for (int64_t x = 0; x < 20; x++) {
                        double d = fabs(*(double *)((char *)v.data + z * v.stride[0] +
                                                    y * v.stride[1] + x * v.stride[2]));
                        bool inside = z > 0 && z < 3 && y > 0 && y < 11 && x > 0 && x < 19;
                        if (inside)
                            worst = fmax(worst, d);
                        else
                            edge = fmax(edge, d);
                    }
        }
        CHECK_MSG(worst < 1e-12, "a ramp has details of %.3g", worst);
        CHECK_MSG(edge > 1, "a ramp's ends have none (%.3g)", edge);
    }
    gf_array_free(&in);
    gf_array_free(&c);
}

static int by_size(const void *a, const void *b) {
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x < y) - (x > y);
}

static void test_threshold(enum gf_dtype real) {
    int64_t shape[2] = {32, 48}, full[3] = {32, 48, 1};
    struct gf_job job = make_job(GF_FORWARD, 2, shape, 3, 2, GF_PERIODIC, real, real);
    struct gf_array in = {0}, plain = {0}, cut = {0}, back = {0};
    struct gf_dwt_band band[GF_MAX_BANDS];
    int n = gf_dwt_bands(&job, band);
    CHECK_EQ(gf_array_alloc(&in, real, 3, full), 0);
    backends_fill(&in, &seed);
    CHECK(run(&job, &in, &plain, NULL));
    double details[32 * 48];
    int64_t count = 0;
    for (int64_t i = 0; i < 32 * 48; i++)
        if (i / 48 >= 8 || i % 48 >= 12)
            details[count++] = value(&plain, i);
    qsort(details, (size_t)count, sizeof *details, by_size);
    CHECK_EQ(n, 7);
    static const double amounts[] = {0, 0.1, 0.35, 10, 50, 100};
    for (int mode = 0; mode < 4 * 6; mode++) {
        double amount = amounts[mode / 4], limit = amount;
        bool soft = mode & 1, percent = mode & 2;
        int64_t keep = llround((double)count * amount / 100);
        if (percent)
            limit = keep == count ? 0
                    : keep == 0   ? INFINITY
                                  : fabs(details[soft ? keep : keep - 1]);
        job.wavelet.threshold = soft ? GF_SOFT : GF_HARD;
        job.wavelet.percent = percent;
        job.wavelet.amount = amount;
        CHECK(run(&job, &in, &cut, NULL));
        int wrong = 0;
        int64_t kept = 0;
        for (int64_t i = 0; i < 32 * 48; i++) {
            double v = value(&plain, i), w = v;
            bool detail = i / 48 >= 8 || i % 48 >= 12;
            if (detail && soft)
                w = fabs(v) > limit ? copysign(fabs(v) - limit, v) : 0;
            else if (detail && fabs(v) < limit)
                w = 0;
            kept += detail && value(&cut, i) != 0;
            wrong += fabs(value(&cut, i) - w) > 1e-6;
        }
        CHECK_MSG(!wrong, "%s threshold %g%s: %d wrong", soft ? "soft" : "hard", amount,
                  percent ? "%" : "", wrong);
        if (percent)
            CHECK_EQ(kept, keep);
        /* The same before an inverse: the thresholded file's picture. */
        struct gf_job inverse = job;
        struct gf_array expected = {0};
        inverse.direction = GF_INVERSE;
        CHECK(run(&inverse, &plain, &back, NULL));
        inverse.wavelet.threshold = GF_KEEP_ALL;
        CHECK(run(&inverse, &cut, &expected, NULL));
        double far = 0, largest = 0; /* two kernels may round differently */
        for (int64_t i = 0; i < 32 * 48; i++) {
            far = fmax(far, fabs(value(&back, i) - value(&expected, i)));
            largest = fmax(largest, fabs(value(&expected, i)));
        }
        CHECK_MSG(far <= (real == GF_F64 ? 1e-15 : 1e-6) * largest, "%g of %g", far, largest);
        gf_array_free(&expected);
    }
    gf_array_free(&in);
    gf_array_free(&plain);
    gf_array_free(&cut);
    gf_array_free(&back);
}

/* A picture of the pyramid, beside the numbers of the same run. */
static void test_display(void) {
    int64_t shape[2] = {21, 34}, full[3] = {21, 34, 2};
    struct gf_job job = make_job(GF_FORWARD, 2, shape, 3, 2, GF_SYMMETRIC, GF_U16, GF_U8);
    struct gf_array in = {0}, out[2] = {{0}, {0}};
    struct gf_report report;
    job.channels = 2;
    job.n_out = 2;
    job.out[0].map = GF_MAP_DISPLAY;
    job.out[1].kind = GF_REAL;
    job.out[1].dtype = GF_F32;
    CHECK_EQ(gf_array_alloc(&in, GF_U16, 3, full), 0);
    backends_fill(&in, &seed);
    if (!run(&job, &in, out, &report))
        return;
    struct gf_dwt_band band[GF_MAX_BANDS];
    int n = gf_dwt_bands(&job, band);
    int64_t covered = 0;
    for (int b = 0; b < n; b++) {
        struct gf_array seen = gf_dwt_band_view(&job, &band[b], &out[0]);
        struct gf_array exact = gf_dwt_band_view(&job, &band[b], &out[1]);
        double low = INFINITY, high = -INFINITY;
        int wrong = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t y = 0; y < seen.shape[0]; y++)
                for (int64_t x = 0; x < seen.shape[1] * 2; x++) {
                    double v = (double)((float *)((char *)exact.data + y * exact.stride[0]))[x];
                    v = b ? fabs(v) : v;
                    if (!pass) {
                        low = b ? 0 : fmin(low, v);
                        high = fmax(high, v);
                        continue;
                    }
                    int grey = ((uint8_t *)seen.data)[y * seen.stride[0] + x];
                    wrong += fabs(grey - 255 * (v - low) / (high - low)) > 0.501;
                }
        CHECK_MSG(!wrong, "band %s: %d samples of the picture are wrong", band[b].name, wrong);
        covered += gf_array_count(&seen);
        if (!b)
            CHECK_EQ(llround(report.high[0]), llround(high));
    }
    int64_t black = 0, gaps = gf_array_count(&out[0]) - covered;
    for (int64_t i = 0; i < gf_array_count(&out[1]); i++)
        black += value(&out[1], i) == 0 && value(&out[0], i) == 0;
    CHECK_MSG(gaps > 0 && black >= gaps, "%d gaps, %d black", (int)gaps, (int)black);
    gf_array_free(&in);
    gf_array_free(&out[0]);
    gf_array_free(&out[1]);
}

static void test_validation(void) {
    int64_t shape[2] = {16, 16};
    const struct gf_job good = make_job(GF_FORWARD, 2, shape, 3, 2, GF_ZERO, GF_F32, GF_F32);
    struct gf_job job = good;
    CHECK_EQ(gf_job_validate(&job), 0);
#define REFUSED(change) \
    job = good; \
    change; \
    CHECK_EQ(gf_job_validate(&job), GF_EINVAL)
    REFUSED(job.wavelet.levels = 0);
    REFUSED(job.wavelet.levels = GF_MAX_LEVELS + 1);
    REFUSED(job.wavelet.boundary = (enum gf_boundary)3);
    REFUSED(job.wavelet.name = N_WAVELETS);
    REFUSED(job.in_dtype = GF_C64);
    REFUSED(job.luma = true);
    REFUSED(job.out[0].kind = GF_MAGNITUDE);
    REFUSED(job.out[0].dtype = GF_U8); /* as numbers */
    REFUSED(job.out[0].shift = true);
    REFUSED(job.op = (enum gf_op)2);
    REFUSED((job.wavelet.threshold = GF_HARD, job.wavelet.amount = -1));
    REFUSED((job.wavelet.threshold = GF_SOFT, job.wavelet.amount = NAN));
    REFUSED(
        (job.wavelet.threshold = GF_SOFT, job.wavelet.percent = true, job.wavelet.amount = 101));
    int64_t n[2] = {1024, 5};
    CHECK_EQ(gf_dwt_max_levels(1, n, 1, &(struct gf_wavelet){.boundary = GF_PERIODIC}), 10);
    CHECK_EQ(gf_dwt_max_levels(1, n, 1, &(struct gf_wavelet){.boundary = GF_ZERO}), 10);
    CHECK_EQ(gf_dwt_max_levels(2, n, 3, &(struct gf_wavelet){.boundary = GF_PERIODIC}), 3);
    CHECK_EQ(gf_dwt_max_levels(2, n, 3, &(struct gf_wavelet){.boundary = GF_SYMMETRIC}), 2);
    CHECK_EQ(gf_dwt_max_levels(2, n, 1, &(struct gf_wavelet){.boundary = GF_SYMMETRIC}), 10);
}

/* Bands lie in the packed array and do not touch each other. */
static void test_layout(void) {
    for (int b = GF_PERIODIC; b <= GF_ZERO; b++) {
        int64_t shape[3] = {5, 12, 9}, packed[GF_MAX_RANK];
        struct gf_job job =
            make_job(GF_FORWARD, 3, shape, 7, 2, (enum gf_boundary)b, GF_F32, GF_F32);
        struct gf_dwt_band band[GF_MAX_BANDS];
        gf_dwt_shape(&job, true, packed);
        char *taken = calloc((size_t)(packed[0] * packed[1] * packed[2]), 1);
        int n = gf_dwt_bands(&job, band), twice = 0;
        CHECK_EQ(n, 15);
        CHECK(!strcmp(band[0].name, "aaa2") && !strcmp(band[1].name, "aad2") &&
              !strcmp(band[n - 1].name, "ddd1"));
        for (int i = 0; i < n; i++)
            for (int64_t z = 0; z < band[i].extent[0]; z++)
                for (int64_t y = 0; y < band[i].extent[1]; y++)
                    for (int64_t x = 0; x < band[i].extent[2]; x++) {
                        int64_t at = ((band[i].start[0] + z) * packed[1] + band[i].start[1] + y) *
                                         packed[2] +
                                     band[i].start[2] + x;
                        twice += taken[at]++ > 0;
                    }
        CHECK_EQ(twice, 0);
        free(taken);
    }
}

/* ---------------------------------------------------------------- which, and how much */

static void test_tiny(void) {
    static const int64_t shapes[][3] = {{9, 14, 1}, {5, 6, 7}, {1, 11, 1}, {70, 5, 1}};
    for (int i = 0; i < 4; i++)
        for (int b = GF_PERIODIC; b <= GF_ZERO; b++)
            check_job(make_job(GF_FORWARD, i == 1 ? 3 : 2, shapes[i], i == 1 ? 7 : 3, i % 2 + 1,
                               (enum gf_boundary)b, i % 3 ? GF_F32 : GF_U8, GF_F32),
                      "tiny");
}

static void test_all(enum extent extent) {
    const char *name = backend->name;
    asked = 0;
    sample(extent, 13, 5); /* one of five */
    RUN(case_name("%s gives PyWavelets' numbers", name), test_pywavelets());
    sample(extent, 13, 12);
    RUN(case_name("%s transforms shapes as defined", name), test_shapes());
    sample(extent, 7, 12); /* few kernels serve all sizes */
    RUN(case_name("%s transforms sizes as defined", name), test_sizes());
    sample(extent, 47, 12);
    RUN(case_name("%s transforms thin arrays as defined", name), test_thin());
    RUN(case_name("%s obeys the laws of wavelets", name), test_laws());
    RUN(case_name("%s thresholds float coefficients", name), test_threshold(GF_F32));
    if (extent == FULL)
        RUN(case_name("%s thresholds double coefficients", name), test_threshold(GF_F64));
    RUN(case_name("%s displays coefficients", name), test_display());
}

static void test_backend(enum extent extent, bool gpu) {
    char reason[GF_REASON], number[16];
    struct gf_plan *plan = NULL;
    int64_t shape[2] = {8, 8};
    struct gf_job job = make_job(GF_FORWARD, 2, shape, 3, 1, GF_PERIODIC, GF_F32, GF_F32);
    struct gf_backend_options options = {
        .environment = gf_environment(), .threads = 1, .device = gf_environment_device()};
    if (backend->probe(backend, gf_environment(), reason))
        return;
    if (gpu && !(options.device = find_gpu(number))) {
        printf("%s: skipped: no device but the CPU\n", backend->name);
        return;
    }
    if (backend->open(backend, &options, &contexts[0]))
        return;
    int rc = gf_backend_plan(backend, contexts[0], &job, &plan);
    if (rc)
        RUN(case_name("%s refuses wavelets with a remedy", backend->name),
            CHECK(rc == GF_EUNABLE && strstr(gf_message(), "--backend=openmp"));
            CHECK(backend != &gf_backend_openmp && backend != &gf_backend_opencl &&
                  backend != &gf_backend_cuda));
    if (rc) {
        printf("%s: %s\n", backend->name, gf_message());
    } else {
        gf_plan_drop(plan);
        options.threads = 2;
        NEED(!backend->open(backend, &options, &contexts[1]));
        if (extent == TINY)
            RUN(case_name("%s transforms a few shapes as defined", backend->name), test_tiny());
        else
            test_all(backend->list ? extent : FULL);
        backend->close(contexts[1]);
    }
    backend->close(contexts[0]);
}

int main(int argc, char **argv) {
    gf_environment_read();
    enum extent extent = SAMPLE;
    bool gpu = false, named = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "full"))
            extent = FULL;
        else if (!strcmp(argv[i], "tiny"))
            extent = TINY;
        else if (!strcmp(argv[i], "gpu"))
            gpu = true;
        else
            named = true;
    }
    RUN("wavelets that no job has are refused", test_validation());
    RUN("bands lie in the packed array and do not touch each other", test_layout());
    for (int i = 0; gf_backends[i]; i++) {
        bool wanted = !named;
        backend = gf_backends[i];
        for (int k = 1; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], backend->name);
        if (wanted)
            test_backend(gpu ? FULL : extent, gpu);
    }
    return TEST_END();
}
