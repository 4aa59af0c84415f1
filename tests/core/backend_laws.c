/* Laws that any transform obeys; they need no reference, so they can be asked at larger sizes. */
#include <math.h>
#include <string.h>

#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/core/reference.h"
#include "tests/test.h"

struct size {
    int ndim;
    int64_t n[3];
    unsigned axes;
};

/* Complex forward of `in` into `out` in double components; both hold `count` pairs of doubles. */
static bool transform(struct subject *s, const struct gf_job *job, struct gf_array *in,
                      struct gf_array *out) {
    struct gf_report report;
    char text[160];
    int rc = backends_run(s, job, in, out, &report);
    CHECK_RAN(s, rc, "%s: %s", backends_text(job, text), gf_message());
    return !rc;
}

static double pair(const struct gf_array *a, int64_t i, int part) {
    return a->dtype == GF_C128 ? ((double *)a->data)[2 * i + part]
                               : (double)((float *)a->data)[2 * i + part];
}

static void set_pair(struct gf_array *a, int64_t i, double re, double im) {
    if (a->dtype == GF_C128) {
        ((double *)a->data)[2 * i] = re;
        ((double *)a->data)[2 * i + 1] = im;
    } else {
        ((float *)a->data)[2 * i] = (float)re;
        ((float *)a->data)[2 * i + 1] = (float)im;
    }
}

/* Position of element i along each axis, and back with a cyclic move. */
static int64_t moved(const struct gf_job *job, int64_t i, const int64_t *by) {
    int64_t at[3], to = 0;
    for (int a = job->ndim - 1; a >= 0; a--) {
        at[a] = i % job->shape[a];
        i /= job->shape[a];
    }
    for (int a = 0; a < job->ndim; a++)
        to = to * job->shape[a] + (at[a] + by[a]) % job->shape[a];
    return to;
}

/* exp(-2 pi i k·by) for bin i. */
static void phase_factor(const struct gf_job *job, int64_t i, const int64_t *by, double *re,
                         double *im) {
    double turn = 0;
    for (int a = job->ndim - 1; a >= 0; a--) {
        int64_t n = job->shape[a], k = i % n;
        i /= n;
        if (job->axes >> a & 1)
            turn += (double)(k * by[a] % n) / (double)n;
    }
    double angle = -2 * 3.14159265358979323846 * (turn - floor(turn));
    *re = cos(angle);
    *im = sin(angle);
}

static void check_size(struct subject *s, const struct size *size, enum gf_precision p) {
    enum gf_dtype t = p == GF_DOUBLE ? GF_C128 : GF_C64;
    struct gf_job job =
        backends_job(GF_FORWARD, t, p, size->ndim, size->n[0], size->n[1], size->n[2]);
    job.axes = size->axes;
    struct gf_array x = {0}, y = {0}, z = {0}, fx = {0}, fy = {0}, fz = {0};
    int64_t shape[GF_MAX_RANK], by[3] = {0, 0, 0};
    char text[160];
    if (!backends_mine(s))
        return;
    double tolerance = 4 * reference_bound(&job), points = (double)gf_job_points(&job);
    double error = 0;
    long double norm = 0, energy = 0; /* double would lose what is to be measured */
    gf_job_in_shape(&job, shape);
    if (gf_array_alloc(&x, t, job.ndim + 1, shape) || gf_array_alloc(&y, t, job.ndim + 1, shape) ||
        gf_array_alloc(&z, t, job.ndim + 1, shape)) {
        CHECK_MSG(0, "%s", gf_message());
        goto out;
    }
    int64_t count = gf_array_count(&x);
    backends_text(&job, text);
    for (int a = 0; a < job.ndim; a++)
        if (job.axes >> a & 1)
            by[a] = backends_below(&s->seed, job.shape[a]);

    /* An impulse at `by` of every batch: a wave of size 1 everywhere. */
    for (int64_t i = 0; i < count; i++) {
        bool origin = true;
        for (int64_t a = job.ndim - 1, rest = i; a >= 0; rest /= job.shape[a--])
            origin = origin && (!(job.axes >> a & 1) || rest % job.shape[a] == by[a]);
        set_pair(&x, i, origin, 0);
    }
    if (!transform(s, &job, &x, &fx))
        goto out;
    for (int64_t i = 0; i < count; i++) {
        double re, im;
        phase_factor(&job, i, by, &re, &im);
        error += pow(pair(&fx, i, 0) - re, 2) + pow(pair(&fx, i, 1) - im, 2);
    }
    CHECK_MSG(sqrt(error / (double)count) <= tolerance, "%s: impulse: error %.3g, allowed %.3g",
              text, sqrt(error / (double)count), tolerance);

    /* F(0.5 x - 0.25 y) = 0.5 F(x) - 0.25 F(y); Parseval with x; F of y moved by `by`. */
    backends_fill(&x, &s->seed);
    backends_fill(&y, &s->seed);
    for (int64_t i = 0; i < count; i++)
        set_pair(&z, i, 0.5 * pair(&x, i, 0) - 0.25 * pair(&y, i, 0),
                 0.5 * pair(&x, i, 1) - 0.25 * pair(&y, i, 1));
    if (!transform(s, &job, &x, &fx) || !transform(s, &job, &y, &fy) ||
        !transform(s, &job, &z, &fz))
        goto out;
    error = 0;
    for (int64_t i = 0; i < count; i++) {
        for (int part = 0; part < 2; part++) {
            double want = 0.5 * pair(&fx, i, part) - 0.25 * pair(&fy, i, part);
            error += pow(pair(&fz, i, part) - want, 2);
            norm += powl(pair(&fx, i, part), 2);
            energy += powl(pair(&x, i, part), 2);
        }
    }
    CHECK_MSG(sqrt(error / (double)norm) <= tolerance, "%s: linearity: error %.3g, allowed %.3g",
              text, sqrt(error / (double)norm), tolerance);
    double lost = (double)(1 - norm / points / energy);
    CHECK_MSG(fabs(lost) <= tolerance, "%s: Parseval: energy lost %.3g, allowed %.3g", text, lost,
              tolerance);
    for (int64_t i = 0; i < count; i++)
        set_pair(&z, moved(&job, i, by), pair(&x, i, 0), pair(&x, i, 1));
    if (!transform(s, &job, &z, &fz))
        goto out;
    error = 0;
    for (int64_t i = 0; i < count; i++) {
        double re, im, a = pair(&fx, i, 0), b = pair(&fx, i, 1);
        phase_factor(&job, i, by, &re, &im);
        error += pow(pair(&fz, i, 0) - (a * re - b * im), 2) +
                 pow(pair(&fz, i, 1) - (a * im + b * re), 2);
    }
    CHECK_MSG(sqrt(error / (double)norm) <= tolerance,
              "%s: shift theorem: error %.3g, allowed %.3g", text, sqrt(error / (double)norm),
              tolerance);
out:
    gf_array_free(&x);
    gf_array_free(&y);
    gf_array_free(&z);
    gf_array_free(&fx);
    gf_array_free(&fy);
    gf_array_free(&fz);
}

void backends_laws(struct subject *s) {
    static const struct size size[] = {
        {1, {1 << 16, 1, 1}, 1}, {1, {65537, 1, 1}, 1},   {1, {60060, 1, 1}, 1},
        {1, {1, 1, 1}, 1},       {2, {256, 256, 1}, 3},   {2, {243, 250, 1}, 3},
        {2, {127, 263, 1}, 3},   {2, {64, 1000, 1}, 1},   {2, {64, 1000, 1}, 2},
        {2, {1, 5000, 1}, 3},    {2, {5000, 1, 1}, 3},    {3, {32, 32, 32}, 7},
        {3, {31, 37, 29}, 7},    {3, {20, 48, 36}, 5},    {3, {20, 48, 36}, 2},
        {3, {512, 16, 16}, 7},   {2, {2048, 2048, 1}, 3}, {3, {128, 128, 128}, 7},
        {1, {1 << 22, 1, 1}, 1}, {2, {1021, 2039, 1}, 3}, {2, {1080, 1920, 1}, 3},
    };
    size_t count = sizeof size / sizeof *size - (s->full ? 0 : 5);
    for (size_t i = 0; i < count; i++) {
        check_size(s, &size[i], GF_SINGLE);
        check_size(s, &size[i], GF_DOUBLE);
    }
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}
