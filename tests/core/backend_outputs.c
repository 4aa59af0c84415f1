/* Outputs, sample by sample, against plain loops: kinds, types, scales, shift, half,
 * norms, luma, strided views; spectra back into pictures; all small sizes. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/core/reference.h"
#include "tests/test.h"

static int64_t pick(struct subject *s, int64_t n) {
    return backends_below(&s->seed, n);
}

/* An array of the shape whose elements lie apart, backwards or with the axes' order turned round,
 * as a view into a larger block: a.base is to be freed. */
static int strided_alloc(struct subject *s, struct gf_array *a, enum gf_dtype t, int rank,
                         const int64_t *shape) {
    int64_t pad[GF_MAX_RANK], offset = 0, step = (int64_t)gf_dtype_size(t);
    bool reverse = pick(s, 2), backwards = pick(s, 3) == 0;
    for (int i = 0; i < rank; i++)
        pad[i] = shape[i] + pick(s, 3);
    *a = (struct gf_array){.dtype = t, .rank = rank};
    for (int i = 0; i < rank; i++) {
        int axis = reverse ? i : rank - 1 - i;
        a->shape[axis] = shape[axis];
        a->stride[axis] = step;
        step *= pad[axis];
        if (backwards && axis == 0) {
            offset = (shape[axis] - 1) * a->stride[axis];
            a->stride[axis] = -a->stride[axis];
        }
    }
    a->base = gf_alloc((size_t)step);
    if (!a->base)
        return gf_fail(GF_ENOMEM, "no memory for a test");
    struct gf_array whole =
        gf_array_wrap(a->base, t, 1, (int64_t[]){step / (int64_t)gf_dtype_size(t)});
    backends_fill(&whole, &s->seed);
    a->data = (char *)a->base + offset;
    return 0;
}

static void check_job(struct subject *s, const struct gf_job *job, bool strided) {
    struct gf_array in = {0}, out[GF_MAX_OUTPUTS] = {{0}};
    struct reference r = {.v = NULL};
    struct gf_report report;
    int64_t shape[GF_MAX_RANK];
    char text[160], wrong[256];
    if (!backends_mine(s))
        return;
    int rc = gf_job_validate(job);
    CHECK_MSG(!rc, "%s: refused: %s", backends_text(job, text), gf_message());
    if (rc)
        return;
    gf_job_in_shape(job, shape);
    if (strided) {
        rc = strided_alloc(s, &in, job->in_dtype, job->ndim + 1, shape);
        for (int i = 0; i < job->n_out && !rc; i++) {
            gf_job_out_shape(job, i, shape);
            rc = strided_alloc(s, &out[i], job->out[i].dtype, job->ndim + 1, shape);
        }
    } else {
        rc = gf_array_alloc(&in, job->in_dtype, job->ndim + 1, shape);
        if (!rc)
            backends_fill(&in, &s->seed);
    }
    if (!rc)
        rc = backends_run(s, job, &in, out, &report);
    CHECK_RAN(s, rc, "%s: %s", backends_text(job, text), gf_message());
    if (rc || !reference_run(job, &in, &r))
        goto out;
    for (int i = 0; i < job->n_out; i++) {
        const struct gf_output *o = &job->out[i];
        int64_t n = reference_check(job, i, &r, &out[i], &report, wrong, sizeof wrong);
        CHECK_MSG(n == 0, "%s: %s as %s%s%s%s scale %d%s: %lld wrong: %s", backends_text(job, text),
                  gf_kind_name(o->kind), gf_dtype_name(o->dtype),
                  o->map == GF_MAP_DISPLAY ? " display" : "", o->shift ? " centred" : "",
                  o->half ? " half" : "", (int)o->scale,
                  o->range == GF_RANGE_GIVEN  ? " range"
                  : o->range == GF_RANGE_AUTO ? " auto"
                                              : "",
                  (long long)n, wrong);
    }
out:
    reference_free(&r);
    gf_array_free(&in);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        gf_array_free(&out[i]);
}

void backends_check(struct subject *s, const struct gf_job *job, bool strided) {
    check_job(s, job, strided);
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}

static struct gf_output random_output(struct subject *s, const struct gf_job *job) {
    struct gf_output o = {.kind = (enum gf_kind)pick(s, GF_N_KINDS)};
    bool forward = job->direction == GF_FORWARD;
    o.dtype =
        o.kind == GF_COMPLEX ? (pick(s, 2) ? GF_C64 : GF_C128) : (enum gf_dtype)pick(s, GF_F64 + 1);
    if (pick(s, 3) == 0 && o.kind != GF_COMPLEX)
        o.dtype = GF_U8;
    o.map = pick(s, 3) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    o.scale = (enum gf_scale)pick(s, 3);
    o.shift = forward && pick(s, 2);
    o.half = forward && gf_job_is_real(job) && pick(s, 2);
    if (pick(s, 3) == 0) {
        o.range = GF_RANGE_GIVEN;
        o.low = (double)pick(s, 3);
        o.high = o.low + 0.5 + (double)pick(s, 1000);
    } else if (forward && job->channels <= 4 && pick(s, 2)) { /* the sample has all bins */
        o.range = GF_RANGE_AUTO;
    }
    return o;
}

static struct gf_job random_job(struct subject *s) {
    struct gf_job job = {.ndim = 1 + (int)pick(s, 3), .n_out = 1 + (int)pick(s, GF_MAX_OUTPUTS)};
    static const int64_t most[4] = {0, 70, 19, 9};
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = 1 + pick(s, most[job.ndim]);
    job.axes = 1 + (unsigned)pick(s, (1 << job.ndim) - 1);
    job.channels = 1 + pick(s, 5);
    job.direction = (enum gf_direction)(pick(s, 3) == 0);
    job.precision = (enum gf_precision)pick(s, 2);
    job.norm = (enum gf_norm)pick(s, 3);
    job.in_dtype = (enum gf_dtype)pick(s, GF_N_DTYPES);
    if (job.direction == GF_INVERSE) {
        if (pick(s, 4))
            job.in_dtype = pick(s, 2) ? GF_C64 : GF_C128;
        job.in_shift = pick(s, 2);
        job.real = pick(s, 2);
        job.in_half = job.real && pick(s, 2);
        backends_count_part(s, &job);
    } else if (!gf_dtype_is_complex(job.in_dtype) && job.channels >= 3) {
        job.luma = pick(s, 2);
    }
    for (int i = 0; i < job.n_out; i++)
        job.out[i] = random_output(s, &job);
    return job;
}

/* Every kind with every type, mapping, scale, shift, half and norm on an odd and an even shape;
 * four outputs a run. */
static void check_product(struct subject *s) {
    static const int64_t shape[2][3] = {{5, 9, 1}, {4, 5, 6}};
    for (int c = 0; c < 2 * 3 * 2; c++) {
        struct gf_job job = backends_job(GF_FORWARD, c & 1 ? GF_U8 : GF_F32,
                                         (enum gf_precision)(c / 6), c & 1 ? 3 : 2, 0, 0, 0);
        memcpy(job.shape, shape[c & 1], sizeof job.shape);
        job.norm = (enum gf_norm)(c / 2 % 3);
        job.n_out = 0;
        for (int k = 0; k < GF_N_KINDS * GF_N_DTYPES * 2 * 3 * 4; k++) {
            int rest = k;
            struct gf_output o = {.shift = rest % 2, .half = rest / 2 % 2};
            o.scale = (enum gf_scale)((rest /= 4) % 3);
            o.map = (enum gf_map)((rest /= 3) % 2);
            o.dtype = (enum gf_dtype)((rest /= 2) % GF_N_DTYPES);
            o.kind = (enum gf_kind)(rest / GF_N_DTYPES);
            bool shown = o.map == GF_MAP_DISPLAY && gf_dtype_is_integer(o.dtype);
            if ((o.kind == GF_COMPLEX) != gf_dtype_is_complex(o.dtype) ||
                (!shown && (o.scale || o.map)))
                continue; /* not possible, or the same again */
            job.out[job.n_out++] = o;
            if (job.n_out == GF_MAX_OUTPUTS) {
                backends_check(s, &job, false);
                job.n_out = 0;
            }
        }
        if (job.n_out)
            backends_check(s, &job, false);
    }
}

/* A picture there and back has every sample it had. */
static void round_trip(struct subject *s, enum gf_dtype t, int64_t h, int64_t w, bool half,
                       bool shift, enum gf_norm norm) {
    struct gf_job there = backends_job(GF_FORWARD, t, GF_SINGLE, 2, h, w, 1);
    struct gf_job back = backends_job(GF_INVERSE, GF_C64, GF_SINGLE, 2, h, w, 1);
    struct gf_array picture = {0}, spectrum = {0}, result = {0};
    struct gf_report report;
    int64_t shape[GF_MAX_RANK];
    char text[160];
    if (!backends_mine(s))
        return;
    there.channels = back.channels = 3;
    there.norm = back.norm = norm;
    there.out[0].half = back.in_half = half;
    there.out[0].shift = back.in_shift = shift;
    back.real = true;
    back.out[0].kind = GF_REAL;
    back.out[0].dtype = t;
    back.out[0].map = GF_MAP_NUMBER;
    gf_job_in_shape(&there, shape);
    int rc = gf_array_alloc(&picture, t, 3, shape);
    if (!rc) {
        backends_fill(&picture, &s->seed);
        rc = backends_run(s, &there, &picture, &spectrum, &report);
    }
    if (!rc)
        rc = backends_run(s, &back, &spectrum, &result, &report);
    CHECK_RAN(s, rc, "%s: %s", backends_text(&there, text), gf_message());
    if (!rc) {
        CHECK_MSG(!memcmp(picture.data, result.data, (size_t)(h * w * 3) * gf_dtype_size(t)),
                  "%s: does not come back%s%s", backends_text(&there, text), half ? ", half" : "",
                  shift ? ", centred" : "");
        CHECK_MSG(report.imag_ratio < 1e-5, "%s: imaginary part %g", backends_text(&there, text),
                  report.imag_ratio);
        CHECK_EQ(report.clipped[0], 0);
    }
    gf_array_free(&picture);
    gf_array_free(&spectrum);
    gf_array_free(&result);
}

static void check_small_sizes(struct subject *s) {
    for (int64_t h = 1; h <= 17; h++) {
        for (int64_t w = 1; w <= 17; w++) {
            bool even = (h + w) % 2 == 0;
            for (int i = 0; i < 4; i++)
                round_trip(s, i & 1 ? GF_U16 : GF_U8, h, w, i & 2, even ^ (i == 3),
                           (enum gf_norm)((h + 2 * w + i) % 3));
            struct gf_job job =
                backends_job(GF_FORWARD, even ? GF_U8 : GF_U16, GF_SINGLE, 2, h, w, 1);
            job.n_out = 4;
            job.out[0] = (struct gf_output){
                .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .shift = true};
            job.out[1] = (struct gf_output){.kind = GF_PHASE, .dtype = GF_F32, .shift = true};
            job.out[2] = (struct gf_output){.kind = GF_POWER, .dtype = GF_F32, .half = true};
            job.out[3] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64};
            backends_check(s, &job, false);
            job = backends_job(GF_INVERSE, GF_C64, GF_SINGLE, 2, h, w, 1);
            backends_check(s, &job, false);
            job.in_shift = even;
            job.real = true;
            job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
            backends_check(s, &job, false);
            job.in_half = true;
            backends_check(s, &job, false);
        }
    }
}

/* A black picture: nothing to divide by, phases of 0, imaginary parts mid-grey. */
static void check_zeros(struct subject *s) {
    struct gf_job job = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 2, 6, 10, 1);
    static uint8_t zero[6 * 10];
    struct gf_array in = gf_array_wrap(zero, GF_U8, 3, (int64_t[]){6, 10, 1});
    struct gf_array out[GF_MAX_OUTPUTS] = {{0}};
    struct gf_report report;
    job.n_out = 4;
    job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY};
    job.out[1] = (struct gf_output){.kind = GF_PHASE, .dtype = GF_F32};
    job.out[2] = (struct gf_output){.kind = GF_IMAG, .dtype = GF_U8, .map = GF_MAP_DISPLAY};
    job.out[3] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U16, .map = GF_MAP_DISPLAY};
    int rc = backends_run(s, &job, &in, out, &report);
    CHECK_RAN(s, rc, "%s", gf_message());
    for (int i = 0; i < 60 && !rc; i++) {
        CHECK_EQ(((uint8_t *)out[0].data)[i], 0);
        CHECK(((float *)out[1].data)[i] == 0);
        CHECK_EQ(((uint8_t *)out[2].data)[i], 128);
        CHECK_EQ(((uint16_t *)out[3].data)[i], 32768);
    }
    /* Nor does a minus before a zero turn its phase into pi. */
    static float minus[6 * 10];
    for (int i = 0; i < 60; i++)
        minus[i] = -0.0f;
    in = gf_array_wrap(minus, GF_F32, 3, (int64_t[]){6, 10, 1});
    job.in_dtype = GF_F32;
    rc = backends_run(s, &job, &in, out, &report);
    CHECK_RAN(s, rc, "%s", gf_message());
    for (int i = 0; i < 60 && !rc; i++) {
        CHECK_EQ(((uint8_t *)out[0].data)[i], 0);
        CHECK(((float *)out[1].data)[i] == 0);
    }
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        gf_array_free(&out[i]);
}

/* ---- values whose squares leave the range of the type ---- */

static double real_at(const struct gf_array *a, int64_t i) {
    return gf_dtype_real(a->dtype) == GF_F32 ? (double)((const float *)a->data)[i]
                                             : ((const double *)a->data)[i];
}

static void real_put(struct gf_array *a, int64_t i, double v) {
    if (gf_dtype_real(a->dtype) == GF_F32)
        ((float *)a->data)[i] = (float)v;
    else
        ((double *)a->data)[i] = v;
}

/* True if v is `want` but for rounding, by which one near the largest number may become Inf. */
static bool is_near(long double v, long double want, long double step, long double least,
                    long double most) {
    if (want > most * (1 + step))
        return v == INFINITY;
    return (want >= most * (1 - step) && v == INFINITY) || fabsl(v - want) <= want * step + least;
}

/* Counts the samples of |F| in out[1], |F|^2 in out[2] and log(1 + |F|) shown in out[3] that differ from
 * the complex spectrum in out[0]; describes the first. */
static int64_t count_wrong(const struct gf_job *job, const struct gf_array *out,
                           const struct gf_report *report, char *wrong, size_t size) {
    const bool single = job->precision == GF_SINGLE;
    const double step = single ? 2e-6 : 1e-14, least = single ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    const long double most = single ? FLT_MAX : DBL_MAX, white = log1pl(report->high[3]);
    int64_t bad = 0, n = gf_array_count(&out[1]);
    for (int64_t i = 0; i < n; i++) {
        long double want = hypotl(real_at(&out[0], 2 * i), real_at(&out[0], 2 * i + 1));
        long double m = real_at(&out[1], i), p = real_at(&out[2], i), shade = 0;
        bool right = is_near(m, want, step, 8 * least, most) &&
                     is_near(p, want * want, 2 * step, 2 * least, most);
        if (job->n_out > 3 && isfinite(white)) {
            shade = white > 0 ? 255 * log1pl(want) / white : 0;
            right &= fabsl(shade - ((const uint8_t *)out[3].data)[i]) <= 1;
        }
        if (!right && !bad++)
            snprintf(wrong, size, "at %lld: |F| %Lg, not %Lg; |F|^2 %Lg; shade %d, not %Lg",
                     (long long)i, m, want, p,
                     job->n_out > 3 ? ((const uint8_t *)out[3].data)[i] : 0, shade);
    }
    return bad;
}

static void check_extreme_job(struct subject *s, const struct gf_job *job, struct gf_array *in,
                              const char *what) {
    struct gf_array out[GF_MAX_OUTPUTS] = {{0}};
    struct gf_report report;
    char text[160], wrong[256] = "";
    int rc = backends_run(s, job, in, out, &report);
    CHECK_RAN(s, rc, "%s: %s", backends_text(job, text), gf_message());
    int64_t n = rc ? 0 : count_wrong(job, out, &report, wrong, sizeof wrong);
    CHECK_MSG(n == 0, "%s, %s: %lld wrong: %s", backends_text(job, text), what, (long long)n,
              wrong);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        gf_array_free(&out[i]);
}

/* A spectrum, |F|, |F|^2, and |F| to look at. */
static struct gf_job extreme_job(enum gf_precision precision, bool complex, int64_t h, int64_t w) {
    static const enum gf_dtype type[2][2] = {{GF_F32, GF_F64}, {GF_C64, GF_C128}};
    struct gf_job job = backends_job(GF_FORWARD, type[complex][precision], precision, 2, h, w, 1);
    job.n_out = 4;
    job.out[1] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = type[0][precision]};
    job.out[2] = (struct gf_output){.kind = GF_POWER, .dtype = type[0][precision]};
    job.out[3] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY};
    return job;
}

/* Noise times a factor, down to subnormal numbers. */
static void check_scaled_noise(struct subject *s) {
    static const int64_t shape[][2] = {{5, 9}, {48, 40}, {64, 256}, {1, 600}};
    static const double factor[2][6] = {{1, 1e18, 1e30, 1e-18, 1e-25, 1e-35},
                                        {1, 1e152, 1e250, 1e-152, 1e-160, 1e-290}};
    char what[64];
    for (int c = 0; c < 2 * 2 * 2 * 4 * 7; c++) {
        bool single = c % 2 == 0, subnormal = c / 32 == 6;
        struct gf_job job = extreme_job(single ? GF_SINGLE : GF_DOUBLE, c & 2, shape[c / 8 % 4][0],
                                        shape[c / 8 % 4][1]);
        struct gf_array in;
        int64_t dims[GF_MAX_RANK];
        /* The range of what is subnormal is not to be had in single precision. */
        job.n_out = subnormal ? 3 : 4;
        for (int i = 0; i < job.n_out; i++) {
            job.out[i].shift = c & 4;
            job.out[i].half = !(c & 4) && !(c & 2);
        }
        gf_job_in_shape(&job, dims);
        if (!backends_mine(s) || gf_array_alloc(&in, job.in_dtype, 3, dims))
            continue;
        backends_fill(&in, &s->seed);
        double by = subnormal ? (single ? 1e-40 : 1e-310) : factor[!single][c / 32];
        for (int64_t i = 0; i < gf_array_count(&in) * (c & 2 ? 2 : 1); i++)
            real_put(&in, i, real_at(&in, i) * by);
        snprintf(what, sizeof what, "noise times %g%s%s", by, c & 4 ? ", centred" : "",
                 job.out[0].half ? ", half" : "");
        check_extreme_job(s, &job, &in, what);
        gf_array_free(&in);
    }
}

/* Complex samples that are transformed along an axis of one sample are their own spectrum: every
 * pair of numbers of all sizes, so that neighbours differ, some too large for a result. */
static void check_extreme_pairs(struct subject *s) {
    static const double number[2][12] = {
        {0, -0.0, 1e-45, -3e-45, 2e-39, -1e-30, 1e-20, -1, 3e18, -2e19, 2.1e38, -3.4e38},
        {0, -0.0, 5e-324, -2e-323, 1e-310, -1e-200, 1e-160, -1, 1e153, -1e155, 1e308, -1.7e308}};
    for (int precision = 0; precision < 2; precision++) {
        struct gf_job job = extreme_job((enum gf_precision)precision, true, 1, 144);
        struct gf_array in;
        job.axes = 1;
        job.n_out = 3;
        if (!backends_mine(s) || gf_array_alloc(&in, job.in_dtype, 3, (int64_t[]){1, 144, 1}))
            continue;
        for (int i = 0; i < 288; i++)
            real_put(&in, i, number[precision][i % 2 ? i / 2 % 12 : i / 24]);
        check_extreme_job(s, &job, &in, "pairs of all sizes");
        gf_array_free(&in);
    }
}

/* |F|^2 that only the norm's factor brings back into range. */
static void check_scaled_power(struct subject *s) {
    struct gf_job job = extreme_job(GF_SINGLE, false, 64, 64);
    struct gf_array in;
    job.norm = GF_NORM_FORWARD;
    if (!backends_mine(s) || gf_array_alloc(&in, GF_F32, 3, (int64_t[]){64, 64, 1}))
        return;
    backends_fill(&in, &s->seed);
    for (int64_t i = 0; i < 64 * 64; i++)
        real_put(&in, i, real_at(&in, i) * 1e18);
    check_extreme_job(s, &job, &in, "noise times 1e18, norm forward");
    gf_array_free(&in);
}

/* The power of a constant picture overflows where it has any: it clips to white. */
static void check_clipped_power(struct subject *s) {
    for (int c = 0; c < 2 * 2 * 3; c++) {
        struct gf_job job = extreme_job((enum gf_precision)(c % 2), c & 2, 8, 16);
        struct gf_array in, out[GF_MAX_OUTPUTS] = {{0}};
        struct gf_report report;
        char text[160];
        job.n_out = 1;
        job.out[0] = (struct gf_output){.kind = GF_POWER,
                                        .dtype = GF_U8,
                                        .map = GF_MAP_DISPLAY,
                                        .scale = (enum gf_scale)(c / 4)};
        if (!backends_mine(s) || gf_array_alloc(&in, job.in_dtype, 3, (int64_t[]){8, 16, 1}))
            continue;
        for (int i = 0; i < 128 * (c & 2 ? 2 : 1); i++)
            real_put(&in, i, c % 2 ? 1e160 : 1e25);
        int rc = backends_run(s, &job, &in, out, &report);
        CHECK_RAN(s, rc, "%s: %s", backends_text(&job, text), gf_message());
        for (int i = 0; i < 128 && !rc; i++)
            CHECK_MSG(((uint8_t *)out[0].data)[i] == (i ? 0 : 255), "%s: power overflows: %d at %d",
                      backends_text(&job, text), ((uint8_t *)out[0].data)[i], i);
        gf_array_free(&in);
        gf_array_free(&out[0]);
    }
}

/* The imaginary part of an inverse beside the real one does not depend on how large the numbers are. */
static void check_scaled_energy(struct subject *s) {
    static const double factor[] = {1, 1e19, 1e21, 1e37, 1e-19, 1e-24, 1e-30};
    struct gf_job job = backends_job(GF_INVERSE, GF_C64, GF_SINGLE, 2, 48, 40, 1);
    struct gf_array in, out = {0};
    struct gf_report report;
    double ratio = 0, kept = 0;
    job.real = true;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    if (!backends_mine(s) || gf_array_alloc(&in, GF_C64, 3, (int64_t[]){48, 40, 1}))
        return;
    backends_fill(&in, &s->seed);
    for (int f = 0; f < 7; f++) {
        for (int64_t i = 0; i < 2 * gf_array_count(&in); i++)
            real_put(&in, i, real_at(&in, i) * (f ? factor[f] / factor[f - 1] : 1));
        const int rc = backends_run(s, &job, &in, &out, &report);
        CHECK_RAN(s, rc, "%s", gf_message());
        if (rc)
            break;
        ratio = f ? ratio : report.imag_ratio;
        kept = f ? kept : report.kept;
        CHECK_MSG(ratio > .5 && fabs(report.imag_ratio - ratio) < 1e-5 * ratio &&
                      fabs(report.kept / kept / factor[f] / factor[f] - 1) < 1e-5,
                  "numbers times %g: imaginary part %g of the real one, energy %g; not %g, %g",
                  factor[f], report.imag_ratio, report.kept, ratio, kept);
    }
    gf_array_free(&in);
    gf_array_free(&out);
}

static void check_extremes(struct subject *s) {
    check_scaled_energy(s);
    check_clipped_power(s);
    check_scaled_noise(s);
    check_extreme_pairs(s);
    check_scaled_power(s);
}

/* Runs with long rows and many planes, where work is dealt out to threads. */
static void check_large(struct subject *s) {
    struct gf_job job = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 2, 37, 2500, 1);
    job.channels = 4;
    job.luma = true;
    job.n_out = 2;
    job.out[0] = (struct gf_output){
        .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .shift = true};
    job.out[1] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64, .shift = true};
    backends_check(s, &job, true);
    job.luma = false;
    job.axes = 1;
    backends_check(s, &job, false);
    job = backends_job(GF_INVERSE, GF_C64, GF_SINGLE, 3, 6, 40, 1100);
    job.axes = 5;
    job.in_shift = job.real = true;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    backends_check(s, &job, true);
    job.axes = 3;
    backends_check(s, &job, false);
}

void backends_outputs(struct subject *s) {
    check_zeros(s);
    check_extremes(s);
    check_small_sizes(s);
    check_product(s);
    check_large(s);
    for (int i = 0; i < (s->full ? 40000 : s->small ? 1500 : 4000); i++) {
        struct gf_job job = random_job(s);
        backends_check(s, &job, i & 1);
    }
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}
