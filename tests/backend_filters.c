/* Filters: random ones against plain loops, and what must hold for any of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter.h"
#include "core/status.h"
#include "tests/backends.h"
#include "tests/reference.h"
#include "tests/test.h"

static int64_t pick(struct subject *s, int64_t n) {
    return backends_below(&s->seed, n);
}

/* Between low and high. */
static double between(struct subject *s, double low, double high) {
    return low + (high - low) * (double)pick(s, 1 << 20) / (1 << 20);
}

static struct gf_lowpass random_lowpass(struct subject *s, const struct gf_job *job, bool central) {
    struct gf_lowpass l = {.profile = (enum gf_profile)pick(s, 3)};
    bool circle = pick(s, 2), whole = pick(s, 2);
    double most = 1;
    l.order = l.profile == GF_BUTTERWORTH ? 1 + (int)pick(s, pick(s, 4) ? 4 : GF_MAX_ORDER) : 0;
    for (int i = 0; i < job->ndim; i++)
        most = fmax(most, (double)job->shape[i]);
    double radius = whole ? 1 + (double)pick(s, (int64_t)most) : between(s, 0.3, most);
    for (int i = 0; i < GF_MAX_DIMS; i++) {
        double n = i < job->ndim ? (double)job->shape[i] : 1;
        l.radius[i] = circle ? radius : between(s, 0.3, n + 1);
        if (!central)
            l.centre[i] = whole ? (double)pick(s, (int64_t)n) - floor(n / 2) : between(s, -n, n);
    }
    return l;
}

/* A table of the half spectrum's shape with a real inverse: of a random real kernel, or its power.
 */
static int make_table(struct subject *s, const struct gf_job *job, enum gf_dtype t,
                      struct gf_array *out) {
    struct reference r;
    struct gf_job kernel = *job;
    struct gf_array in = {0}, full = {0};
    int64_t shape[GF_MAX_RANK], index[GF_MAX_RANK] = {0};
    kernel.op = GF_FFT;
    kernel.channels = 1;
    kernel.luma = false;
    kernel.in_dtype = GF_F64;
    kernel.norm = GF_NORM_ORTHO;
    gf_job_in_shape(&kernel, shape);
    int rc = gf_array_alloc(&in, GF_F64, job->ndim + 1, shape);
    if (rc)
        return rc;
    backends_fill(&in, &s->seed);
    rc = reference_run(&kernel, &in, &r) ? 0 : GF_ENOMEM;
    int half = gf_job_half_axis(job);
    shape[half] = shape[half] / 2 + 1;
    if (!rc)
        rc = gf_array_alloc(out, t, job->ndim, shape);
    int64_t count = rc ? 0 : gf_array_count(out);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = 0, rest = i;
        for (int a = job->ndim - 1; a >= 0; rest /= shape[a--])
            index[a] = rest % shape[a];
        for (int a = 0; a < job->ndim; a++)
            at = at * job->shape[a] + index[a];
        struct cld v = r.v[at];
        double power = (double)(v.re * v.re + v.im * v.im);
        float *f = out->data;
        double *d = out->data;
        if (t == GF_F32)
            f[i] = (float)power;
        else if (t == GF_F64)
            d[i] = power;
        else if (t == GF_C64)
            f[2 * i] = (float)v.re, f[2 * i + 1] = (float)v.im;
        else
            d[2 * i] = (double)v.re, d[2 * i + 1] = (double)v.im;
    }
    reference_free(&r);
    gf_array_free(&in);
    gf_array_free(&full);
    return rc;
}

static int add_factor(struct subject *s, const struct gf_job *job, struct gf_filter *f) {
    struct gf_lowpass l = random_lowpass(s, job, true), m = random_lowpass(s, job, true);
    switch (pick(s, 5)) {
    case 0:
        return gf_filter_add_lowpass(f, &l);
    case 1:
        return gf_filter_add_highpass(f, &l);
    case 2:
        return gf_filter_add_band(f, &l, &m, false);
    case 3:
        return gf_filter_add_band(f, &l, &m, true);
    default:
        l = random_lowpass(s, job, false);
        return gf_filter_add_notch(f, job, &l);
    }
}

static int random_filter(struct subject *s, struct gf_job *job, struct gf_filter **out) {
    static const enum gf_dtype types[] = {GF_F32, GF_F64, GF_C64, GF_C128};
    struct reference r;
    int rc = gf_filter_new(out), n = pick(s, 8) ? (int)pick(s, 4) : 3 + (int)pick(s, 20);
    reference_shape(job, &r);
    job->filter = *out;
    for (int i = 0; i < n && !rc; i++) {
        struct gf_filter_factor *last = &(*out)->factor[(*out)->n_factors];
        int before = (*out)->n_factors;
        rc = add_factor(s, job, *out);
        if (!rc && reference_filter_doubtful(job, &r)) {
            *last = (struct gf_filter_factor){.c0 = 0};
            (*out)->n_factors = before;
        }
    }
    if (!rc)
        job->filter_serial = (*out)->serial;
    if (!rc && pick(s, 3) == 0)
        rc = make_table(s, job, types[pick(s, 4)], &(*out)->table);
    if (!rc && pick(s, 2))
        (*out)->offset = between(s, -200, 200);
    return rc;
}

static void random_shape(struct subject *s, struct gf_job *job) {
    static const int64_t most[4] = {0, 90, 40, 14};
    static const int64_t odd_ones[] = {1, 2, 17, 31, 32, 37, 47, 61, 64};
    *job = (struct gf_job){.op = GF_FILTER, .ndim = 1 + (int)pick(s, 3)};
    for (int i = 0; i < job->ndim; i++)
        job->shape[i] = 1 + pick(s, most[job->ndim]);
    if (job->ndim < 3 && pick(s, 2))
        job->shape[pick(s, job->ndim)] = odd_ones[pick(s, 9)];
    if (job->ndim == 1 && pick(s, 4) == 0)
        job->shape[0] = 512 + pick(s, 200);
    job->axes = 1 + (unsigned)pick(s, (1 << job->ndim) - 1);
    job->channels = pick(s, 2) ? 1 : 1 + pick(s, 5);
}

static struct gf_job random_job(struct subject *s) {
    struct gf_job job;
    random_shape(s, &job);
    job.precision = (enum gf_precision)pick(s, 2);
    job.norm = (enum gf_norm)pick(s, 3);
    job.in_dtype = (enum gf_dtype)pick(s, GF_F64 + 1);
    job.luma = job.channels >= 3 && pick(s, 2);
    job.spend_input = pick(s, 4) == 0;
    job.lean = pick(s, 4) == 0;
    job.n_out = pick(s, 3) ? 1 : 1 + (int)pick(s, 3);
    for (int i = 0; i < job.n_out; i++)
        job.out[i] = (struct gf_output){.kind = GF_REAL,
                                        .dtype = pick(s, 2) ? job.in_dtype
                                                            : (enum gf_dtype)pick(s, GF_F64 + 1)};
    return job;
}

static void check_random(struct subject *s, bool strided) {
    struct gf_job job = random_job(s);
    struct gf_filter *f = NULL;
    int rc = random_filter(s, &job, &f);
    CHECK_MSG(!rc, "%s", gf_message());
    if (!rc)
        backends_check(s, &job, strided);
    gf_filter_free(f);
}

void backends_filters(struct subject *s) {
    for (int i = 0; i < (s->full ? 8000 : s->small ? 600 : 1500); i++)
        check_random(s, i & 1);
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}
