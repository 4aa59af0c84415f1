/* Inputs and expected outputs: all values from a run in double precision, and a few by definition
 * in long double. */
#include <math.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/environment.h"
#include "cli/selftest/rig.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/sample_value.h"

/* ---- inputs: random samples in each kind's type ---- */

/* Reads element i of a contiguous array. */
static void get(const struct gf_array *a, int64_t i, double *re, double *im) {
    const int64_t size = (int64_t)gf_dtype_size(a->dtype);
    gf_sample_run_read((const char *)a->data + i * size, a->dtype, size, 1, re, im);
}

/* Finds the mirror image of element i along the transformed axes. True if i is on a plane of the
 * halved axis that mirrors onto itself. */
static bool mirror(const struct gf_bench_case *c, const int64_t extent[3], int64_t i, int64_t *m) {
    int64_t rest = i, step = 1;
    int d = c->job.ndim, halved = gf_job_half_axis(&c->job);
    bool own = true;
    *m = 0;
    for (int a = d - 1; a >= 0; a--, step *= extent[a + 1]) {
        int64_t n = c->job.shape[a], k = rest % extent[a], other = k;
        rest /= extent[a];
        if (a == halved)
            own = !k || 2 * k == n;
        else if (c->job.axes >> a & 1)
            other = (n - k) % n;
        *m += other * step;
    }
    return own;
}

/* Makes the planes of the halved axis that mirror onto themselves Hermitian along the other
 * axes. */
static void make_hermitian(const struct gf_bench_case *c, struct gf_array *a) {
    const int64_t count = gf_array_count(a), size = (int64_t)gf_dtype_size(a->dtype);
#pragma omp parallel for schedule(static) /* iterations read no element that another one writes */
    for (int64_t i = 0; i < count; i++) {
        double re, im;
        int64_t m;
        if (!mirror(c, a->shape, i, &m))
            continue;
        get(a, m, &re, &im);
        im = m == i ? 0 : -im;
        if (m <= i)
            gf_sample_run_write((char *)a->data + i * size, a->dtype, size, 1, &re, &im);
    }
}

void gf_bench_fill(const struct gf_bench_case *c, struct gf_array *a) {
    gf_samples_noise(a);
    if (c->kind == GF_BENCH_C2R)
        make_hermitian(c, a);
}

/* ---- expected values ---- */

/* The finaliser of SplitMix64; chooses the positions to compare. */
static uint64_t hash(uint64_t i) {
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* An error above this multiple of gpufft's promise is not rounding. Other libraries promise less:
 * MKL exceeds it several times for prime factors. */
enum { TOLERANCE = 30, BLOCK = 1024 };
/* Above this many points a run in double takes too long; only the samples are compared. */
static const int64_t most_points = (int64_t)1 << 26;
/* Share of a picture's pixels that may be off by one level; none may be off by more. */
static const double most_beside = 1e-3;
/* An automatic range is exact to 1/2000, a tenth of a level. */
static const double most_beside_auto = 2e-2;

/* True if the output is bytes. */
static bool levels(const struct gf_bench_case *c) {
    return gf_bench_is_picture(c->kind) || c->kind == GF_BENCH_FILTER;
}

double gf_bench_promise(const struct gf_bench_case *c, enum gf_precision p) {
    if (levels(c))
        return c->kind == GF_BENCH_PICTURE ? most_beside_auto : most_beside;
    return gf_rig_bound(p, gf_job_points(&c->job));
}

static double limit_of(const struct gf_bench_case *c, enum gf_precision p) {
    return (levels(c) ? 1 : TOLERANCE) * gf_bench_promise(c, p);
}

struct wave {
    long double re, im;
};

static struct wave times(struct wave a, struct wave b) {
    return (struct wave){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(sign 2 pi i j k / n); reduces the angle in integers. */
static struct wave wave(int64_t n, int64_t j, int64_t k, int sign) {
    const long double turn = 2 * 3.14159265358979323846264338327950288L;
    int64_t rest = (int64_t)((unsigned __int128)j * (unsigned __int128)k % (unsigned __int128)n);
    long double angle = turn * (long double)rest / (long double)n;
    return (struct wave){cosl(angle), sign * sinl(angle)};
}

/* A bin counts twice if half a spectrum leaves out its conjugate. */
static int weight(int64_t n, int64_t k) {
    return k && 2 * k != n ? 2 : 1;
}

/* Returns the output at j by definition. Rows are cut into blocks that share a short table of
 * waves. */
static struct wave sum(const struct gf_bench_case *c, const struct gf_array *in, const int64_t n[3],
                       const int64_t j[3]) {
    int64_t start_at[3], count[3], extent[3] = {1, 1, 1};
    int d = c->job.ndim, sign = c->job.direction == GF_FORWARD ? -1 : 1;
    bool half = c->kind == GF_BENCH_C2R, on[3];
    int halved = 3 - d + gf_job_half_axis(&c->job);
    for (int a = 0; a < 3; a++) {
        on[a] = gf_bench_axis_on(c, a);
        if (a >= 3 - d)
            extent[a] = in->shape[a - (3 - d)];
        start_at[a] = on[a] ? 0 : j[a];
        count[a] = on[a] ? extent[a] : 1;
    }
    int64_t blocks = gf_divide_up(count[2], BLOCK), size = (int64_t)gf_dtype_size(in->dtype);
    long double sum_re = 0, sum_im = 0;
    struct wave table[BLOCK];
    for (int64_t x = 0; x < BLOCK && x < count[2]; x++)
        table[x] = on[2] ? wave(n[2], j[2], x, sign) : (struct wave){1, 0};
#pragma omp parallel
    {
        struct wave mine = {0, 0};
        double re[BLOCK], im[BLOCK];
#pragma omp for schedule(static)
        for (int64_t b = 0; b < count[0] * count[1] * blocks; b++) {
            int64_t start = b % blocks * BLOCK, row;
            const int64_t at[3] = {start_at[0] + b / blocks / count[1],
                                   start_at[1] + b / blocks % count[1], start_at[2] + start};
            struct wave s = {0, 0}, factor = {1, 0};
            for (int a = 0; a < 3; a++)
                if (on[a])
                    factor = times(factor, wave(n[a], j[a], at[a], sign));
            row = (at[0] * extent[1] + at[1]) * extent[2] + at[2];
            const int64_t some = count[2] - start < BLOCK ? count[2] - start : BLOCK;
            gf_sample_run_read((const char *)in->data + row * size, in->dtype, size, some, re, im);
            for (int64_t x = 0; x < some; x++) {
                struct wave v = times((struct wave){re[x], im[x]}, table[x]);
                int k = half ? weight(n[halved], at[halved] + (halved == 2 ? x : 0)) : 1;
                s.re += k * v.re;
                s.im += k * v.im;
            }
            s = times(s, factor);
            mine.re += s.re;
            mine.im += s.im;
        }
#pragma omp critical(gf_bench_sum) /* a reduction of long doubles needs a library with clang */
        {
            sum_re += mine.re;
            sum_im += mine.im;
        }
    }
    return (struct wave){sum_re, half ? 0 : sum_im};
}

/* Returns the largest magnitude of a picture, which maps to white: the largest sum of a batch,
 * since samples are not negative. */
static long double whitest(const struct gf_bench_case *c, const struct gf_array *in,
                           const int64_t n[3]) {
    long double most = 0;
    int64_t j[3] = {0, 0, 0}, batches[3];
    for (int a = 0; a < 3; a++)
        batches[a] = gf_bench_axis_on(c, a) ? 1 : n[a];
    for (j[0] = 0; j[0] < batches[0]; j[0]++)
        for (j[1] = 0; j[1] < batches[1]; j[1]++)
            for (j[2] = 0; j[2] < batches[2]; j[2]++)
                most = fmaxl(most, sum(c, in, n, j).re);
    return most;
}

/* Returns the filtered value at j by convolution: a low pass of radius R bins is a Gaussian with
 * sigma n / (2 pi R) samples, 8 / pi for R = n / 16. */
static long double blurred(const struct gf_bench_case *c, const struct gf_array *in,
                           const int64_t n[3], const int64_t j[3]) {
    enum { REACH = 24 };
    const long double pi = 3.14159265358979323846264338327950288L, sigma = 8 / pi;
    long double weight[2 * REACH + 1], sum = 0;
    int64_t reach[3];
    for (int d = -REACH; d <= REACH; d++)
        weight[d + REACH] = expl(-d * d / (2 * sigma * sigma)) / (sqrtl(2 * pi) * sigma);
    for (int a = 0; a < 3; a++)
        /* a single sample is unchanged */
        reach[a] = n[a] > 1 && gf_bench_axis_on(c, a) ? REACH : 0;
    for (int64_t z = -reach[0]; z <= reach[0]; z++)
        for (int64_t y = -reach[1]; y <= reach[1]; y++)
            for (int64_t x = -reach[2]; x <= reach[2]; x++) {
                const int64_t d[3] = {z, y, x};
                long double w = 1;
                int64_t at = 0;
                for (int a = 0; a < 3; a++) {
                    at = at * n[a] + ((j[a] + d[a]) % n[a] + n[a]) % n[a];
                    w *= reach[a] ? weight[d[a] + REACH] : 1;
                }
                sum += w * ((const unsigned char *)in->data)[at];
            }
    return sum;
}

static void take_samples(const struct gf_bench_case *c, const struct gf_array *in,
                         struct gf_bench_reference *r) {
    int d = c->job.ndim;
    int64_t n[3] = {1, 1, 1}, out[GF_MAX_RANK];
    gf_job_out_shape(&c->job, 0, out);
    for (int i = 0; i < d; i++)
        n[3 - d + i] = c->job.shape[i];
    long double white = NAN; /* an automatic range allows only a comparison of the whole result */
    if (c->kind == GF_BENCH_PICTURE_FULL)
        white = log1pl(whitest(c, in, n));
    for (int i = 0; i < GF_BENCH_SAMPLES; i++) {
        int64_t j[3] = {0, 0, 0};
        r->at[i] = 0;
        for (int a = 0; a < d; a++) {
            uint64_t h = hash((uint64_t)(100 * i + a)) >> 1;
            int64_t at = (int64_t)(h % (uint64_t)out[a]);
            r->at[i] = r->at[i] * out[a] + at;
            bool shift = c->job.out[0].shift && c->job.axes >> a & 1;
            j[3 - d + a] = shift ? (at + out[a] - out[a] / 2) % out[a] : at;
        }
        struct wave v = {0, 0};
        if (c->kind == GF_BENCH_DWT)
            v.re = gf_bench_wavelet_value(c, in, j);
        else if (c->kind == GF_BENCH_FILTER)
            v.re = roundl(blurred(c, in, n, j));
        else
            v = sum(c, in, n, j);
        if (gf_bench_is_picture(c->kind))
            v = (struct wave){roundl(255 * log1pl(hypotl(v.re, v.im)) / white), 0};
        r->re[i] = v.re;
        r->im[i] = v.im;
    }
}

/* Returns the share of levels that are off by one; 2 if any is off by more. */
static double levels_error(const struct gf_bench_reference *r, const struct gf_array *out) {
    const unsigned char *got = out->data, *want = r->full.data;
    int64_t count = r->full.data ? gf_array_count(out) : GF_BENCH_SAMPLES, beside = 0, far = 0;
    for (int i = 0; i < GF_BENCH_SAMPLES; i++)
        far += fabsl(got[r->at[i]] - r->re[i]) > 1;
    if (!want)
        for (int i = 0; i < GF_BENCH_SAMPLES; i++)
            beside += !isnan(r->re[i]) && got[r->at[i]] != (int)r->re[i];
#pragma omp parallel for reduction(+ : beside, far) schedule(static)
    for (int64_t i = 0; i < (want ? count : 0); i++) {
        beside += got[i] != want[i];
        far += abs(got[i] - want[i]) > 1;
    }
    return far ? 2 : (double)beside / (double)count;
}

/* Returns the error at the sampled positions relative to r->rms. */
static double sampled_error(const struct gf_bench_reference *r, const struct gf_array *out) {
    long double sum = 0;
    for (int i = 0; i < GF_BENCH_SAMPLES; i++) {
        double re, im;
        get(out, r->at[i], &re, &im);
        sum += (re - r->re[i]) * (re - r->re[i]) + (im - r->im[i]) * (im - r->im[i]);
    }
    return (double)sqrtl(sum / GF_BENCH_SAMPLES) / r->rms;
}

static double full_error(const struct gf_bench_reference *r, const struct gf_array *out) {
    double error = 0, energy = 0;
#pragma omp parallel for reduction(+ : error, energy) schedule(static)
    for (int64_t i = 0; i < gf_array_count(out); i++) {
        double re, im, want_re, want_im;
        get(out, i, &re, &im);
        get(&r->full, i, &want_re, &want_im);
        error += (re - want_re) * (re - want_re) + (im - want_im) * (im - want_im);
        energy += want_re * want_re + want_im * want_im;
    }
    return sqrt(error / energy);
}

/* Computes the whole output in double precision. `full` stays empty without enough room. */
static int run_double(const struct gf_bench *b, const struct gf_bench_case *c, int64_t room,
                      struct gf_array *full) {
    const struct gf_backend *backend = NULL;
    struct gf_backend_options options = {.environment = gf_environment(),
                                         .threads = b->host.threads};
    struct gf_bench_case wide = *c;
    struct gf_array in = {0};
    struct gf_plan *plan = NULL;
    void *context = NULL;
    wide.filter = NULL;
    wide.job.precision = GF_DOUBLE;
    bool picture = levels(c), wavelet = c->kind == GF_BENCH_DWT;
    if (c->points > (wavelet ? 16 : picture ? 4 : 1) * most_points)
        return 0;
    /* openmp is faster, and may judge pictures and wavelets because the samples check it. */
    int rc = gf_backend_find(gf_environment(), picture || wavelet ? "openmp" : "fftw", &backend);
    if (rc)
        rc = gf_backend_find(gf_environment(), "openmp", &backend);
    if (!rc)
        rc = gf_bench_case_make(&wide);
    if (!rc)
        rc = backend->open(backend, &options, &context);
    if (!rc)
        rc = gf_backend_plan(backend, context, &wide.job, &plan);
    if (rc || wide.bytes_in + wide.bytes_out + plan->workspace_bytes > room)
        goto out;
    rc = gf_job_alloc(&wide.job, -1, &in);
    if (!rc)
        rc = gf_job_alloc(&wide.job, 0, full);
    if (rc)
        goto out;
    gf_bench_fill(&wide, &in);
    rc = gf_plan_exec(plan, &in, full, NULL);
out:
    gf_array_free(&in);
    gf_plan_drop(plan);
    if (context)
        backend->close(context);
    gf_bench_case_free(&wide);
    if (rc)
        gf_array_free(full);
    return rc;
}

/* The expected RMS of a result for noise in [-0.5, 0.5), whose mean square is 1/12. Wavelets
 * preserve it. */
static double usual_size(const struct gf_bench_case *c) {
    double points = c->kind == GF_BENCH_DWT ? 1 : (double)gf_job_points(&c->job);
    return sqrt(points / (c->kind == GF_BENCH_R2C || c->kind == GF_BENCH_DWT ? 12 : 6));
}

int gf_bench_reference_make(const struct gf_bench *b, const struct gf_bench_case *c,
                            const struct gf_array *in, int64_t room, struct gf_bench_reference *r) {
    *r = (struct gf_bench_reference){.rms = usual_size(c)};
    take_samples(c, in, r);
    int rc = run_double(b, c, room, &r->full);
    if (rc || !r->full.data)
        return rc == GF_ENOMEM ? 0 : rc;
    if (levels(c)) {
        if (levels_error(r, &r->full) > 1)
            gf_array_free(&r->full);
        return 0;
    }
    double sum = 0;
    for (int64_t i = 0; i < gf_array_count(&r->full); i++) {
        double re, im;
        get(&r->full, i, &re, &im);
        sum += re * re + im * im;
    }
    r->rms = sqrt(sum / (double)gf_array_count(&r->full));
    /* The reference is checked as well. */
    if (sampled_error(r, &r->full) <= limit_of(c, GF_DOUBLE))
        return 0;
    gf_array_free(&r->full);
    r->rms = usual_size(c);
    return 0;
}

double gf_bench_reference_error(const struct gf_bench_case *c, const struct gf_bench_reference *r,
                                const struct gf_array *out, bool *wrong) {
    if (levels(c)) {
        double beside = levels_error(r, out);
        /* Few pixels do not allow a share of one in a thousand. */
        *wrong = beside > (r->full.data && gf_array_count(out) >= 4096
                               ? gf_bench_promise(c, c->job.precision)
                               : 1);
        return beside;
    }
    double limit = limit_of(c, c->job.precision);
    double sampled = sampled_error(r, out), all = r->full.data ? full_error(r, out) : 0;
    *wrong = !(sampled <= limit && all <= limit); /* NaN is wrong */
    /* In double precision the reference run is no more accurate than this one. */
    bool whole = r->full.data && c->job.precision == GF_SINGLE;
    return whole || all > limit ? all : sampled;
}

void gf_bench_reference_free(struct gf_bench_reference *r) {
    gf_array_free(&r->full);
}
