/* The sample of bins that an automatic display range is found in, and the range of what is hard to
 * display: nothing but the zero frequency, one wave, spectra whose bins are all alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/job/range.h"
#include "core/engine/backends.h"
#include "tests/test.h"

static struct gf_job job_of(int ndim, int64_t z, int64_t y, int64_t x, enum gf_dtype type) {
    struct gf_job job = {.ndim = ndim, .channels = 1, .in_dtype = type, .n_out = 1};
    int64_t shape[3] = {z, y, x};
    memcpy(job.shape, shape + 3 - ndim, (size_t)ndim * sizeof *shape);
    job.axes = (1u << ndim) - 1;
    job.out[0] = (struct gf_output){
        .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .range = GF_RANGE_AUTO};
    return job;
}

/* Indices are in the array, none twice, the zero frequency first; their weights are all bins. */
static void check_axis(const struct gf_range_axis *a, int64_t n, bool half) {
    int64_t end = half ? n / 2 + 1 : n, sum = 0;
    bool *seen = calloc((size_t)end, 1);
    CHECK(a->count > 0 && a->index[0] == 0);
    for (int i = 0; i < a->count && seen; i++) {
        CHECK(a->index[i] >= 0 && a->index[i] < end && !seen[a->index[i]]);
        CHECK(a->weight[i] > 0);
        seen[a->index[i]] = true;
        sum += a->weight[i];
    }
    CHECK_MSG(llabs(sum - n) <= n / 8, "%d indices weigh %lld of %lld", a->count, (long long)sum,
              (long long)n);
    free(seen);
}

static void test_indices(void) {
    static const int64_t shapes[][3] = {{1, 1, 1},       {1, 1, 2},          {1, 1, 1000000},
                                        {1, 512, 512},   {1, 303, 384},      {1, 1024, 1024},
                                        {1, 4096, 4099}, {1, 1, 33},         {1, 2000, 1},
                                        {64, 70, 96},    {1 << 10, 999, 17}, {1, 32768, 32768}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int real = 0; real < 2; real++) {
            const int64_t *n = shapes[i];
            struct gf_job job = job_of(3, n[0], n[1], n[2], real ? GF_U8 : GF_C64);
            struct gf_range_sample s, again;
            CHECK(!gf_range_sample_make(&job, &s) && !gf_range_sample_make(&job, &again));
            int64_t count = 1;
            uint64_t all = 0;
            for (int a = 0; a < 3; a++) {
                check_axis(&s.axis[a], n[a], real && a == 2);
                count *= s.axis[a].count;
            }
            CHECK(count == s.count && s.count <= 64 << 10 && s.weight[0] == 0);
            for (int64_t k = 0; k < s.count; k++)
                all += s.weight[k];
            CHECK(all <= UINT32_MAX);
            CHECK(!memcmp(s.weight, again.weight, (size_t)s.count * sizeof *s.weight));
            /* Along all axes but the last each index comes with its negative. */
            for (int k = 0; k < s.axis[1].count; k++) {
                bool found = false;
                for (int l = 0; l < s.axis[1].count; l++)
                    found |= (s.axis[1].index[k] + s.axis[1].index[l]) % n[1] == 0;
                CHECK(found || n[2] == 1);
            }
            gf_range_sample_free(&s);
            gf_range_sample_free(&again);
        }
}

/* Runs the job on bytes made by `paint`; the range and the output's levels. */
static bool shown(struct gf_job job, double (*paint)(int64_t y, int64_t x, int64_t n), double *low,
                  double *high, struct gf_array *out) {
    const struct gf_backend *b;
    struct gf_array in;
    struct gf_report report;
    void *context = NULL;
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(&job, shape);
    int rc = gf_backend_find(NULL, "openmp", &b);
    if (!rc)
        rc = gf_array_alloc(&in, job.in_dtype, job.ndim + 1, shape);
    if (!rc)
        rc = gf_array_alloc(out, GF_U8, job.ndim + 1, shape);
    for (int64_t i = 0; i < shape[0] * shape[1] && !rc; i++) {
        double v = paint(i / shape[1], i % shape[1], shape[1]);
        if (job.in_dtype == GF_U8)
            ((uint8_t *)in.data)[i] = (uint8_t)lround(v);
        else
            ((double *)in.data)[i] = v;
    }
    if (!rc)
        rc = b->open(b, NULL, &context);
    if (!rc)
        rc = gf_backend_run(b, context, &job, &in, out, &report);
    CHECK_MSG(!rc, "%d", rc);
    *low = report.low[0];
    *high = report.high[0];
    b->close(context);
    gf_array_free(&in);
    return !rc;
}

static int64_t count_level(const struct gf_array *a, int level) {
    int64_t n = 0;
    for (int64_t i = 0; i < gf_array_count(a); i++)
        n += ((uint8_t *)a->data)[i] == level;
    return n;
}

static double constant(int64_t y, int64_t x, int64_t n) {
    (void)y;
    (void)x;
    (void)n;
    return 77;
}
static double nothing(int64_t y, int64_t x, int64_t n) {
    return 0 * constant(y, x, n);
}
static double wave(int64_t y, int64_t x, int64_t n) {
    return 1e6 * sin(2 * 3.14159265358979323846 * (double)(37 * y + 101 * x) / (double)n);
}
static double dot(int64_t y, int64_t x, int64_t n) {
    return y == n / 2 && x == n / 3 ? 255 : 0;
}
static double line(int64_t y, int64_t x, int64_t n) {
    (void)y;
    return x == n / 3 ? 255 : 0;
}

static void test_degenerate(void) {
    enum { N = 256 };
    struct gf_array out;
    double low, high;
    if (shown(job_of(2, 1, N, N, GF_U8), constant, &low, &high, &out))
        CHECK(fabs(high / (77.0 * N * N) - 1) < 1e-3 && fabs(low / high - 1e-6) < 1e-8 &&
              count_level(&out, 0) == N * N - 1 && ((uint8_t *)out.data)[0] == 255);
    gf_array_free(&out);
    if (shown(job_of(2, 1, N, N, GF_U8), nothing, &low, &high, &out))
        CHECK(low == 0 && high == 0 && count_level(&out, 0) == N * N);
    gf_array_free(&out);
    if (shown(job_of(2, 1, 1, 1, GF_U8), constant, &low, &high, &out))
        CHECK(fabs(high / 77 - 1) < 1e-3 && count_level(&out, 255) == 1);
    gf_array_free(&out);
    /* A wave about zero: two bins, which the sample does not have, and rounding. */
    struct gf_job job = job_of(2, 1, N, N, GF_F64);
    job.precision = GF_DOUBLE;
    if (shown(job, wave, &low, &high, &out))
        CHECK_MSG(count_level(&out, 255) == 2 && count_level(&out, 0) == N * N - 2,
                  "%g to %g: %lld white, %lld black", low, high, (long long)count_level(&out, 255),
                  (long long)count_level(&out, 0));
    gf_array_free(&out);
    /* All bins are alike: white. */
    if (shown(job_of(2, 1, N, N, GF_U8), dot, &low, &high, &out))
        CHECK(fabs(high / 255 - 1) < 1e-3 && low < 1e-3 && count_level(&out, 255) == N * N);
    gf_array_free(&out);
    /* A row of bins that are alike, the others are nothing. */
    if (shown(job_of(2, 1, N, N, GF_U8), line, &low, &high, &out))
        CHECK(count_level(&out, 255) == N && count_level(&out, 0) == N * N - N);
    gf_array_free(&out);
}

/* Runs the job on openmp; `out` is allocated. */
static bool run_openmp(const struct gf_job *job, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report) {
    const struct gf_backend *b;
    void *context = NULL;
    int rc = gf_backend_find(NULL, "openmp", &b);
    rc = rc ? rc : gf_job_alloc(job, 0, out);
    rc = rc ? rc : b->open(b, NULL, &context);
    rc = rc ? rc : gf_backend_run(b, context, job, in, out, report);
    CHECK_MSG(!rc, "%d", rc);
    if (context)
        b->close(context);
    return !rc;
}

/* Strong bins in the columns of x frequency 0 and Nyquist, which packed half spectra share: the range is that
 * of the sample's bins in the whole spectrum. */
static void check_columns(enum gf_kind kind, int64_t nz, int64_t ny, int64_t nx) {
    struct gf_job job = job_of(3, nz, ny, nx, GF_F32), whole = job;
    struct gf_array in = {0}, out = {0}, spectrum = {0};
    struct gf_report report, other;
    struct gf_range_sample s;
    uint32_t state = 1;
    double range[2];
    job.out[0].kind = kind;
    job.channels = whole.channels = 2;
    whole.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64};
    NEED(!gf_array_alloc(&in, GF_F32, 4, (int64_t[]){nz, ny, nx, 2}));
    for (int64_t row = 0; row < nz * ny; row++)
        for (int c = 0; c < 2; c++) {
            const int even = (int)((state = state * 1664525 + 1013904223) >> 24) - 128;
            const int odd = (int)((state = state * 1664525 + 1013904223) >> 24) - 128;
            for (int64_t x = 0; x < nx; x++) {
                state = state * 1664525 + 1013904223;
                ((float *)in.data)[(row * nx + x) * 2 + c] =
                    (float)((c ? 3 : 1) * even + (x % 2 ? -2 : 2) * odd) + (float)state / 0x1p30F;
            }
        }
    if (run_openmp(&job, &in, &out, &report) && run_openmp(&whole, &in, &spectrum, &other) &&
        !gf_range_sample_make(&job, &s)) {
        const struct gf_range_energy energy = gf_range_energy(&job, &in);
        float *value = malloc((size_t)s.count * 2 * sizeof *value);
        uint32_t *key = malloc((size_t)s.count * sizeof *key);
        int64_t n = 0;
        NEED(value && key);
        for (int c = 0; c < s.axis[3].count; c++)
            for (int z = 0; z < s.axis[0].count; z++)
                for (int y = 0; y < s.axis[1].count; y++)
                    for (int x = 0; x < s.axis[2].count; x++) {
                        const int64_t at = (s.axis[0].index[z] * ny + s.axis[1].index[y]) * nx +
                                           s.axis[2].index[x];
                        const float *bin =
                            (float *)spectrum.data + 2 * (at * 2 + s.axis[3].index[c]);
                        memcpy(value + 2 * n++, bin, 2 * sizeof *bin);
                    }
        CHECK_EQ(n, s.count);
        gf_range_find(&job, 0,
                      &(struct gf_range_bins){&s, value, false, key, gf_range_rms(&job, &energy)},
                      range);
        range[0] = kind == GF_MAGNITUDE ? range[0] : -range[1];
        CHECK_MSG(fabs(report.low[0] / range[0] - 1) < 2e-3 &&
                      fabs(report.high[0] / range[1] - 1) < 2e-3,
                  "%dx%dx%d, kind %d: %g to %g, not %g to %g", (int)nz, (int)ny, (int)nx, (int)kind,
                  report.low[0], report.high[0], range[0], range[1]);
        free(value);
        free(key);
        gf_range_sample_free(&s);
    }
    gf_array_free(&in);
    gf_array_free(&out);
    gf_array_free(&spectrum);
}

static void test_columns(void) {
    static const int64_t shapes[][3] = {{8, 6, 32}, {12, 33, 64}, {1, 48, 64}, {3, 24, 2200}};
    for (int i = 0; i < 4; i++) {
        check_columns(GF_MAGNITUDE, shapes[i][0], shapes[i][1], shapes[i][2]);
        check_columns(GF_IMAG, shapes[i][0], shapes[i][1], shapes[i][2]);
        check_columns(GF_REAL, shapes[i][0], shapes[i][1], shapes[i][2]);
    }
}

int main(void) {
    RUN("an automatic range is that of the whole spectrum's bins", test_columns());
    RUN("sampled bins are distinct and within the half spectrum", test_indices());
    RUN("spectra of a constant, a wave and noise have a display range", test_degenerate());
    return TEST_END();
}
