/* Errors against long double: every small length, primes, random shapes and axes. */
#include <string.h>

#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/core/reference.h"
#include "tests/test.h"

static bool only_small_factors(const struct gf_job *job) {
    for (int i = 0; i < job->ndim; i++) {
        int64_t n = job->axes >> i & 1 ? job->shape[i] : 1;
        for (int p = 2; p <= 13; p++)
            while (n % p == 0)
                n /= p;
        if (n > 1)
            return false;
    }
    return true;
}

void backends_measure(struct subject *s, const struct gf_job *job) {
    struct gf_array in = {0}, out[GF_MAX_OUTPUTS] = {{0}};
    struct reference r = {.v = NULL};
    struct gf_report report;
    char text[160];
    double error, bound = reference_bound(job);
    if (!backends_mine(s))
        return;
    int rc = gf_job_alloc(job, -1, &in);
    if (!rc) {
        backends_fill(&in, &s->seed);
        rc = backends_run(s, job, &in, out, &report);
    }
    CHECK_RAN(s, rc, "%s: %s", backends_text(job, text), gf_message());
    if (rc || !reference_run(job, &in, &r))
        goto out;
    error = reference_error(job, 0, &r, &out[0]);
    CHECK_MSG(error <= bound, "%s: error %.3g, allowed %.3g", backends_text(job, text), error,
              bound);
    if (gf_job_points(job) == 1)
        CHECK_MSG(error == 0, "%s: error %.3g for a single point", backends_text(job, text), error);
    if (job->direction == GF_INVERSE && job->real && !job->in_half) {
        double off = report.imag_ratio - r.imag_ratio;
        CHECK_MSG((off < 0 ? -off : off) <= 1e-6 * r.imag_ratio + 1e-14,
                  "%s: imaginary part %.9g of the real one, not %.9g", backends_text(job, text),
                  report.imag_ratio, r.imag_ratio);
    }
    struct worst *w = &s->worst[job->precision][!only_small_factors(job)];
    if (error / bound > w->ratio) {
        w->ratio = error / bound;
        w->error = error;
        backends_text(job, w->what);
    }
out:
    reference_free(&r);
    gf_array_free(&in);
    gf_array_free(&out[0]);
}

/* Rows enough that a short length's error is an average and not one rounding's luck. The quick run
 * takes two of the five transforms at the longer lengths, others at each. */
static void measure_length(struct subject *s, int64_t n) {
    int64_t rows = n < 256 ? 256 / n : 1;
    for (int p = GF_SINGLE; p <= GF_DOUBLE; p++) {
        struct gf_job job = backends_job(GF_FORWARD, GF_F32, (enum gf_precision)p, 2, rows, n, 1);
        job.axes = 2;
        for (int which = 0; which < 5; which++) {
            if (n > 128 && !s->full && (n + p + which) % 5 > 1)
                continue;
            struct gf_job j = backends_variant(job, which);
            backends_measure(s, &j);
        }
    }
}

static bool is_prime(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return false;
    return n > 1;
}

static void measure_shape(struct subject *s) {
    int64_t limit = s->full ? 60000 : 8000;
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 2, 1, 1, 1);
    job.ndim = 2 + (int)backends_below(&s->seed, 2);
    job.axes = 1 + (unsigned)backends_below(&s->seed, (1 << job.ndim) - 1);
    job.channels = 1 + backends_below(&s->seed, 4);
    job.norm = (enum gf_norm)backends_below(&s->seed, 3);
    int64_t room = limit / job.channels;
    for (int i = 0; i < job.ndim; i++) { /* the longest axis may come anywhere */
        int64_t most = i == job.ndim - 1 ? room : room < 150 ? room : 150;
        job.shape[i] = 1 + backends_below(&s->seed, most);
        room /= job.shape[i];
    }
    int a = (int)backends_below(&s->seed, job.ndim);
    int64_t swap = job.shape[a];
    job.shape[a] = job.shape[job.ndim - 1];
    job.shape[job.ndim - 1] = swap;
    int which = (int)backends_below(&s->seed, 5);
    for (int p = GF_SINGLE; p <= GF_DOUBLE; p++) {
        job.precision = (enum gf_precision)p;
        struct gf_job j = backends_variant(job, which);
        backends_measure(s, &j);
    }
}

/* The yardstick itself: the fast transform against the definition. */
static void check_reference(uint64_t *seed) {
    static const int64_t length[] = {1, 2, 3, 4, 5, 7, 8, 12, 61, 64, 67, 97, 134, 201, 256, 360};
    static struct cld in[360], fast[360], slow[360];
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        int64_t n = length[i], shape[3] = {1, 1, n};
        for (int sign = -1; sign <= 1; sign += 2) {
            long double error = 0, norm = 0;
            for (int64_t j = 0; j < n; j++) {
                in[j].re = (long double)backends_below(seed, 2001) / 1000 - 1;
                in[j].im = (long double)backends_below(seed, 2001) / 1000 - 1;
            }
            memcpy(fast, in, sizeof in);
            CHECK(reference_transform(fast, shape, 4, sign));
            reference_naive(n, in, slow, sign);
            for (int64_t j = 0; j < n; j++) {
                long double re = fast[j].re - slow[j].re, im = fast[j].im - slow[j].im;
                error += re * re + im * im;
                norm += slow[j].re * slow[j].re + slow[j].im * slow[j].im;
            }
            CHECK_MSG(error <= 1e-36L * norm, "reference of %d points is wrong", (int)n);
        }
    }
}

void backends_accuracy(struct subject *s) {
    check_reference(&s->seed);
    for (int64_t n = 1; n <= 1024; n++)
        measure_length(s, n);
    for (int64_t n = 1025; n <= 4099; n++)
        if (is_prime(n) && (s->full || backends_below(&s->seed, 10) == 0))
            measure_length(s, n);
    for (int i = 0; i < 200; i++)
        measure_shape(s);
    measure_length(s, 1 << 14);
    if (s->full) {
        static const int64_t length[] = {1 << 20, 65537, 99991, 177147, 1000000, 1000003, 371293};
        for (size_t i = 0; i < sizeof length / sizeof *length; i++)
            measure_length(s, length[i]);
        for (int i = 0; i < 800; i++)
            measure_shape(s);
    }
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}
