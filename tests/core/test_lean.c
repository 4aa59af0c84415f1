/* Jobs that use their output as workspace, out of place and in place: the same numbers as the plan
 * with a workspace of its own gives, and none of that memory. */
#include <math.h>
#include <string.h>

#include "core/base/job/backend.h"
#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/test.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

static int64_t run(void *context, const struct gf_job *job, const struct gf_array *in,
                   struct gf_array *out) {
    struct gf_plan *plan = NULL;
    struct gf_report report;
    int rc = gf_backend_plan(backend, context, job, &plan);
    if (!rc)
        rc = gf_plan_exec(plan, in, out, &report);
    CHECK_MSG(!rc, "%s", gf_message());
    int64_t bytes = plan ? plan->workspace_bytes : -1;
    gf_plan_drop(plan);
    return bytes;
}

/* Largest difference between components, relative to the root of the sum of squares of one. */
static double difference(const struct gf_array *a, const struct gf_array *b) {
    const float *x = a->data, *y = b->data;
    double most = 0, sum = 0;
    int64_t n = 2 * gf_array_count(a);
    for (int64_t i = 0; i < n; i++) {
        double d = fabs((double)x[i] - (double)y[i]);
        most = d > most ? d : most;
        sum += (double)y[i] * (double)y[i];
    }
    return most / sqrt(sum);
}

static void test_shape(void *context, int ndim, int64_t n0, int64_t n1, int64_t n2, bool real) {
    uint64_t seed = 7;
    enum gf_dtype type = real ? GF_F32 : GF_C64;
    struct gf_job job = backends_job(GF_FORWARD, type, GF_SINGLE, ndim, n0, n1, n2);
    struct gf_array in = {0}, out[2] = {{0}, {0}};
    int64_t shape[GF_MAX_RANK];
    char text[160];
    job.out[0].half = real;
    gf_job_in_shape(&job, shape);
    int rc = gf_array_alloc(&in, type, ndim + 1, shape);
    gf_job_out_shape(&job, 0, shape);
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_array_alloc(&out[i], GF_C64, ndim + 1, shape);
    CHECK_MSG(!rc, "%s", gf_message());
    if (rc)
        goto out;
    backends_fill(&in, &seed);
    int64_t roomy = run(context, &job, &in, &out[0]);
    job.lean = true;
    int64_t lean = run(context, &job, &in, &out[1]);
    backends_text(&job, text);
    CHECK_MSG(difference(&out[1], &out[0]) < 1e-6, "lean: %s", text);
    int64_t data = gf_array_count(&out[0]) * (int64_t)gf_dtype_size(GF_C64);
    if (real) /* a workspace may go without the last column of half spectra */
        data -= data / shape[ndim - 1];
    const int64_t scratch = 1 << 13;                      /* may differ by a little */
    const bool same = real && ndim == 3 && roomy == lean; /* half spectra of volumes need none */
    CHECK_MSG(same ? roomy < data || data < 1 << 18 : roomy - lean + scratch >= data,
              "lean: %s: workspace %lld after %lld", text, (long long)lean, (long long)roomy);
    if (!real) {
        run(context, &job, &in, &in);
        CHECK_MSG(difference(&in, &out[0]) < 1e-6, "in place: %s", text);
    }
out:
    gf_array_free(&in);
    gf_array_free(&out[0]);
    gf_array_free(&out[1]);
}

/* A spent input is the workspace: the same numbers again, and no memory but a column's. */
static void test_spent(void *context, enum gf_precision precision, int64_t n0, int64_t n1,
                       bool real) {
    uint64_t seed = 11;
    bool twice = precision == GF_DOUBLE;
    enum gf_dtype pair = twice ? GF_C128 : GF_C64;
    enum gf_dtype type = !real ? pair : twice ? GF_F64 : GF_F32;
    struct gf_job job = backends_job(GF_FORWARD, type, precision, 2, n0, n1, 1);
    struct gf_array in = {0}, out[2] = {{0}, {0}};
    int64_t shape[GF_MAX_RANK], bytes[2];
    char text[160];
    job.out[0].half = real;
    gf_job_in_shape(&job, shape);
    int rc = gf_array_alloc(&in, type, 3, shape);
    gf_job_out_shape(&job, 0, shape);
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_array_alloc(&out[i], pair, 3, shape);
    CHECK_MSG(!rc, "%s", gf_message());
    if (rc)
        goto out;
    backends_fill(&in, &seed);
    bytes[0] = run(context, &job, &in, &out[0]);
    job.spend_input = true;
    bytes[1] = run(context, &job, &in, &out[1]);
    backends_text(&job, text);
    size_t size = (size_t)gf_array_count(&out[0]) * gf_dtype_size(pair);
    CHECK_MSG(!memcmp(out[0].data, out[1].data, size), "spent: %s", text);
    int64_t input = gf_array_count(&in) * (int64_t)gf_dtype_size(type);
    /* One block of 64 bytes of re and im a row may find no room. */
    CHECK_MSG(bytes[0] - bytes[1] >= input - n0 * 128, "spent: %s: workspace %lld after %lld", text,
              (long long)bytes[1], (long long)bytes[0]);
out:
    gf_array_free(&in);
    gf_array_free(&out[0]);
    gf_array_free(&out[1]);
}

/* Results that no cache holds are written past the caches: there and back gives the input. Rows whose
 * planes are transformed after them need no workspace, and the last column of half spectra no block. */
static void test_large(void *context, const char *there, const char *back) {
    uint64_t seed = 13;
    struct gf_job job[2];
    struct gf_array in = {0}, out = {0}, again = {0};
    int64_t shape[GF_MAX_RANK];
    CHECK(backends_parse(there, &job[0]) && backends_parse(back, &job[1]));
    gf_job_in_shape(&job[0], shape);
    int rc = gf_array_alloc(&in, GF_F32, job[0].ndim + 1, shape);
    if (!rc)
        rc = gf_array_alloc(&again, GF_F32, job[0].ndim + 1, shape);
    gf_job_out_shape(&job[0], 0, shape);
    if (!rc)
        rc = gf_array_alloc(&out, GF_C64, job[0].ndim + 1, shape);
    CHECK_MSG(!rc, "%s", gf_message());
    if (rc)
        goto out;
    backends_fill(&in, &seed);
    memset(out.data, 0xff, (size_t)gf_array_bytes(&out));
    const int64_t bytes = run(context, &job[0], &in, &out);
    CHECK_MSG(job[0].axes != 5 || bytes < gf_array_bytes(&out) / 2, "%s: %lld bytes", there,
              (long long)bytes);
    const int64_t back_bytes = run(context, &job[1], &out, &again);
    CHECK_MSG(job[0].ndim != 3 || back_bytes < gf_array_bytes(&out) * 5 / 4, "%s: %lld bytes", back,
              (long long)back_bytes);
    const float *x = in.data, *y = again.data;
    int64_t wrong = 0;
    for (int64_t i = 0; i < gf_array_count(&in); i++)
        wrong += !(fabs((double)x[i] - (double)y[i]) < 4e-6);
    CHECK_MSG(!wrong, "%s: %lld samples", there, (long long)wrong);
out:
    gf_array_free(&in);
    gf_array_free(&out);
    gf_array_free(&again);
}

/* An inverse takes what is Hermitian of columns that are not, packed or not. */
static void test_packed_back(void *context, const char *text) {
    uint64_t seed = 17;
    struct gf_job job;
    struct gf_array in = {0}, out[2] = {{0}, {0}};
    int64_t shape[GF_MAX_RANK];
    CHECK(backends_parse(text, &job));
    gf_job_in_shape(&job, shape);
    int rc = gf_array_alloc(&in, GF_C64, job.ndim + 1, shape);
    gf_job_out_shape(&job, 0, shape);
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_array_alloc(&out[i], GF_F32, job.ndim + 1, shape);
    CHECK_MSG(!rc, "%s", gf_message());
    if (rc)
        goto out;
    backends_fill(&in, &seed);
    const int64_t packed = run(context, &job, &in, &out[0]);
    job.lean = true;
    const int64_t whole = run(context, &job, &in, &out[1]);
    const float *x = out[0].data, *y = out[1].data;
    double apart = 0, sum = 0;
    for (int64_t i = 0; i < gf_array_count(&out[0]); i++) {
        apart += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        sum += (double)y[i] * (double)y[i];
    }
    CHECK_MSG(apart < 1e-12 * sum, "%s: %g of %g", text, apart, sum);
    CHECK_MSG(packed < whole, "%s: workspace %lld, not packed %lld", text, (long long)packed,
              (long long)whole);
out:
    gf_array_free(&in);
    gf_array_free(&out[0]);
    gf_array_free(&out[1]);
}

/* z, y, x; 0: no such axis. Both of samples and of complex numbers; the last one of samples alone. */
static const int64_t shapes[][3] = {{64, 64, 0},  {100, 37, 0}, {33, 130, 0}, {41, 43, 0},
                                    {20, 30, 40}, {7, 129, 65}, {37, 128, 0}, {8, 10, 64},
                                    {9, 15, 96},  {16, 1, 32},  {64, 64, 64}};

static const int64_t sizes[][2] = {{64, 64},  {100, 37}, {33, 130}, {70, 62},
                                   {256, 30}, {31, 31},  {9, 96},   {130, 200}};

static const char *const large[][2] = {
    {"fwd f32 132x128x128 > complex half", "inv c64 132x128x128 real half > real f32"},
    {"fwd f32 200x130x64 > complex half", "inv c64 200x130x64 real half > real f32"},
    {"fwd f32 66x130x256 > complex half", "inv c64 66x130x256 real half > real f32"},
    {"fwd f32 132x128x128 axes=5 > complex half",
     "inv c64 132x128x128 axes=5 real half > real f32"},
    {"fwd f32 200x6x2048 axes=5 > complex half", "inv c64 200x6x2048 axes=5 real half > real f32"},
    {"fwd f32 40000x64 > complex half", "inv c64 40000x64 real half > real f32"},
    {"fwd f32 2100x1200 > complex half", "inv c64 2100x1200 real half > real f32"},
};

int main(void) {
    const int n_shapes = sizeof shapes / sizeof *shapes;
    struct gf_backend_options options = {.threads = 2};
    void *context = NULL;
    NEED(!backend->open(backend, &options, &context));
    for (int i = 0; i < 2 * n_shapes - 1; i++) {
        const int64_t *n = shapes[i / 2];
        const bool real = i % 2 == 0;
        const int ndim = n[2] ? 3 : 2;
        RUN(case_name("%s of %dx%dx%d use the output as workspace", real ? "samples" : "numbers",
                      (int)n[0], (int)n[1], (int)n[2]),
            test_shape(context, ndim, n[0], n[1], n[2] ? n[2] : 1, real));
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 4; k++)
            RUN(case_name("a spent input of %dx%d %s %s is the workspace", (int)sizes[i][0],
                          (int)sizes[i][1], k / 2 ? "double" : "single",
                          k % 2 ? "reals" : "numbers"),
                test_spent(context, k / 2 ? GF_DOUBLE : GF_SINGLE, sizes[i][0], sizes[i][1],
                           k % 2));
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        RUN(case_name("%s and back gives the input", large[i][0]),
            test_large(context, large[i][0], large[i][1]));
    RUN("an inverse takes the Hermitian part of columns, packed or not",
        test_packed_back(context, "inv c64 40000x64 real half > real f32"));
    backend->close(context);
    return TEST_END();
}
