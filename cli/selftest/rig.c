/* Signals, transforms and comparisons for cli/selftest/selftest.c. */
#include "cli/selftest/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"

bool gf_rig_is_late(const struct gf_rig *rig) {
    return rig->deadline > 0 && (rig->checks || !rig->once) && gf_now_ms() >= rig->deadline;
}

int64_t gf_rig_points(const struct gf_extents *shape) {
    return gf_shape_count(shape->extent, shape->n);
}

double gf_rig_bound(enum gf_precision p, int64_t points) {
    /* 6e-7 (1.2e-15) at 2^24 points, growing with sqrt(log2 N), plus one step for rounding the
     * result of tiny lengths. */
    double steps = 1 + log2((double)points);
    return (p == GF_DOUBLE ? 1.2e-15 : 6e-7) * sqrt(steps / 25) + 0.2e-15;
}

void gf_rig_random(double complex *x, int64_t n, unsigned seed, bool real) {
    uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
    for (int64_t i = 0; i < 2 * n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        /* 24 bits: exact in single precision. */
        double v = (double)(state >> 40) / (1 << 24) - 0.5;
        if (i % 2 == 0)
            x[i / 2] = v;
        else if (!real)
            x[i / 2] += v * I;
    }
}

static void to_samples(const double complex *x, int64_t n, struct gf_array *a) {
    const int64_t size = (int64_t)gf_dtype_size(a->dtype);
    for (int64_t i = 0; i < n; i++) {
        const double re = creal(x[i]), im = cimag(x[i]);
        gf_sample_run_write((char *)a->data + i * size, a->dtype, size, 1, &re, &im);
    }
}

static void from_samples(const struct gf_array *a, int64_t n, double complex *x) {
    const int64_t size = (int64_t)gf_dtype_size(a->dtype);
    for (int64_t i = 0; i < n; i++) {
        double re, im;
        gf_sample_run_read((const char *)a->data + i * size, a->dtype, size, 1, &re, &im);
        x[i] = re + im * I;
    }
}

/* Allocates the output and fills it. */
static int exec(const struct gf_rig *rig, const struct gf_job *job, const struct gf_array *in,
                struct gf_array *out) {
    int rc = gf_job_validate(job);
    if (!rc)
        rc = gf_job_alloc(job, 0, out);
    return rc ? rc : gf_backend_run(rig->backend, rig->context, job, in, out, NULL);
}

static struct gf_job make_job(const struct gf_rig *rig, const struct gf_extents *shape,
                              enum gf_direction direction, enum gf_dtype in, enum gf_kind kind,
                              enum gf_dtype out) {
    struct gf_job job = {.direction = direction,
                         .ndim = shape->n,
                         .channels = 1,
                         .axes = (1u << shape->n) - 1,
                         .in_dtype = in,
                         .precision = rig->precision,
                         .n_out = 1,
                         .out = {{.kind = kind, .dtype = out}}};
    memcpy(job.shape, shape->extent, sizeof job.shape);
    return job;
}

int gf_rig_transform(const struct gf_rig *rig, const struct gf_extents *shape,
                     enum gf_direction direction, bool real, const double complex *x,
                     double complex *out) {
    const enum gf_dtype pair = rig->precision == GF_DOUBLE ? GF_C128 : GF_C64;
    const struct gf_job job =
        make_job(rig, shape, direction, real ? gf_dtype_real(pair) : pair, GF_COMPLEX, pair);
    struct gf_array a = {0}, b = {0};
    int rc = gf_job_alloc(&job, -1, &a);
    if (!rc) {
        to_samples(x, gf_rig_points(shape), &a);
        rc = exec(rig, &job, &a, &b);
    }
    if (!rc)
        from_samples(&b, gf_rig_points(shape), out);
    gf_array_free(&a);
    gf_array_free(&b);
    return rc;
}

bool gf_rig_round_trip(struct gf_rig *rig, const struct gf_extents *shape, enum gf_dtype dtype,
                       int channels, bool half) {
    const enum gf_dtype pair = rig->precision == GF_DOUBLE ? GF_C128 : GF_C64;
    struct gf_array picture = {0}, spectrum = {0}, back = {0};
    struct gf_job there = make_job(rig, shape, GF_FORWARD, dtype, GF_COMPLEX, pair);
    struct gf_job again = make_job(rig, shape, GF_INVERSE, pair, GF_REAL, dtype);
    there.channels = again.channels = channels;
    there.out[0].half = again.in_half = half;
    again.real = true;
    int rc = gf_job_alloc(&there, -1, &picture);
    if (!rc) {
        gf_samples_noise(&picture);
        rc = exec(rig, &there, &picture, &spectrum);
    }
    if (!rc)
        rc = exec(rig, &again, &spectrum, &back);
    bool same = !rc && !memcmp(picture.data, back.data, (size_t)gf_array_bytes(&picture));
    gf_array_free(&picture);
    gf_array_free(&spectrum);
    gf_array_free(&back);
    return same;
}

struct root {
    long double re, im;
};

/* Transforms a line of n points, `stride` elements apart, by definition; k*j mod n keeps the angle
 * exact. Real arithmetic, because the compiler's complex product tests for NaN. */
static void reference_line(const double complex *x, double complex *out, int64_t n, int64_t stride,
                           const struct root *root) {
    for (int64_t k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (int64_t j = 0, at = 0; j < n; j++) {
            long double a = creal(x[j * stride]), b = cimag(x[j * stride]);
            re += a * root[at].re - b * root[at].im;
            im += a * root[at].im + b * root[at].re;
            at += k;
            at = at < n ? at : at - n;
        }
        out[k] = (double)re + (double)im * I;
    }
}

static void reference_axis(double complex *x, int64_t total, int64_t n, int64_t stride,
                           struct root *root, double complex *line) {
    const long double tau = 6.283185307179586476925286766559005768L;
    for (int64_t k = 0; k < n; k++) {
        root[k].re = cosl(tau * (long double)k / (long double)n);
        root[k].im = -sinl(tau * (long double)k / (long double)n);
    }
    for (int64_t start = 0; start < total; start++) {
        if (start / stride % n)
            continue; /* not the first point of a line */
        reference_line(x + start, line, n, stride, root);
        for (int64_t k = 0; k < n; k++)
            x[start + k * stride] = line[k];
    }
}

int gf_rig_reference(const struct gf_extents *shape, const double complex *x, double complex *out) {
    int64_t total = gf_rig_points(shape), stride = 1;
    struct root *root = malloc((size_t)total * sizeof *root);
    double complex *line = malloc((size_t)total * sizeof *line);
    int rc = root && line ? 0 : gf_no_memory();
    if (rc)
        goto out;
    memcpy(out, x, (size_t)total * sizeof *out);
    for (int i = shape->n - 1; i >= 0; i--) {
        reference_axis(out, total, shape->extent[i], stride, root, line);
        stride *= shape->extent[i];
    }
out:
    free(root);
    free(line);
    return rc;
}

static void note_problem(struct gf_rig *rig, const char *what, const struct gf_extents *shape,
                         const char *how) {
    char text[GF_SHAPE_TEXT];
    rig->failed++;
    if (rig->problem[0])
        return;
    snprintf(rig->problem, sizeof rig->problem, "%s, %s: %.100s", what,
             gf_shape_text(shape->extent, shape->n, text), how);
}

void gf_rig_compare(struct gf_rig *rig, const char *what, const struct gf_extents *shape,
                    int transforms, const double complex *got, const double complex *want) {
    int64_t n = gf_rig_points(shape);
    double error = 0, size = 0, bound = transforms * gf_rig_bound(rig->precision, n);
    for (int64_t i = 0; i < n; i++) {
        double complex d = got[i] - want[i];
        error += creal(d) * creal(d) + cimag(d) * cimag(d);
        size += creal(want[i]) * creal(want[i]) + cimag(want[i]) * cimag(want[i]);
    }
    double ratio = sqrt(error / (size > 0 ? size : 1));
    rig->checks++;
    if (!(ratio <= rig->worst)) /* a NaN counts as the worst */
        rig->worst = ratio;
    if (!(ratio <= bound)) {
        char how[64];
        snprintf(how, sizeof how, "error %.2g, bound %.2g", ratio, bound);
        note_problem(rig, what, shape, how);
    }
}

void gf_rig_check(struct gf_rig *rig, const char *what, const struct gf_extents *shape, bool ok) {
    rig->checks++;
    if (!ok)
        note_problem(rig, what, shape, "wrong");
}
