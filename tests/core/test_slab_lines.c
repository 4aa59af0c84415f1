/* Single lines in slabs: as in memory but for rounding, and cuts that fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "core/filter/filter.h"
#include "core/schedule/plan.h"
#include "tests/core/backends.h"
#include "tests/core/slab_rig.h"
#include "tests/test.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

/* How far b is from a, as a share of a's size; integers that are shades or rounded may differ by one. */
static double distance(const struct gf_array *a, const struct gf_array *b) {
    const enum gf_dtype real = gf_dtype_is_complex(a->dtype) ? gf_dtype_real(a->dtype) : a->dtype;
    const int64_t unit = (int64_t)gf_dtype_size(real), n = gf_array_bytes(a) / unit;
    double error = 0, size = 0, off = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i * unit;
        const double x = gf_sample_get((char *)a->data + at, real);
        const double y = gf_sample_get((char *)b->data + at, real);
        error += (x - y) * (x - y);
        size += x * x;
        off = fmax(off, fabs(x - y));
    }
    return gf_dtype_is_integer(real) ? (off <= 1 ? 0 : 1) : sqrt(error / fmax(size, 1e-300));
}

/* The line in memory is cut elsewhere, so the two differ by rounding. */
static void check_line(void *context, const struct gf_job *job) {
    struct slab_rig f = {.context = context};
    const struct gf_report *report = f.report;
    char text[160];
    const double bound = job->precision == GF_DOUBLE ? 2e-15 : 1e-6;
    int rc = slab_rig_run(&f, job);
    backends_text(job, text);
    CHECK_MSG(!rc, "%s: %s", text, gf_message());
    for (int i = 0; i < job->n_out && !rc; i++) {
        const double d = distance(&f.whole[i], &f.out[i]), high = report[0].high[i];
        CHECK_MSG(d < bound, "%s: output %d is off by %g", text, i, d);
        CHECK(fabs(high - report[1].high[i]) <= 1e-3 * fabs(high));
        CHECK(llabs(report[0].clipped[i] - report[1].clipped[i]) <= 1);
        CHECK(fabs(report[0].imag_ratio - report[1].imag_ratio) <= 1e-5 * report[0].imag_ratio);
    }
    slab_rig_free(&f);
}

static void test_line_outputs(void *context, struct gf_job job) {
    const bool wide = job.precision == GF_DOUBLE;
    job.norm = GF_NORM_ORTHO;
    for (int i = 0; i < 8; i++) {
        static const enum gf_kind kinds[] = {GF_MAGNITUDE, GF_POWER, GF_REAL, GF_IMAG};
        job.out[0] = (struct gf_output){.kind = kinds[i % 4],
                                        .dtype = i % 2 ? GF_U16 : GF_U8,
                                        .map = GF_MAP_DISPLAY,
                                        .range = i < 4 ? GF_RANGE_AUTO : GF_RANGE_FULL,
                                        .shift = i % 3 == 0};
        check_line(context, &job);
    }
    job.n_out = 2;
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = wide ? GF_C128 : GF_C64};
    job.out[0].shift = true;
    job.out[1] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = wide ? GF_F64 : GF_F32};
    check_line(context, &job);
}

static void test_line_inverse(void *context, struct gf_job job) {
    const bool wide = job.precision == GF_DOUBLE;
    job.direction = GF_INVERSE;
    job.in_dtype = wide ? GF_C128 : GF_C64;
    job.norm = GF_NORM_BACKWARD;
    job.n_out = 1;
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = job.in_dtype};
    check_line(context, &job);
    job.real = true;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = wide ? GF_F64 : GF_F32};
    for (int half = 0; half < 2; half++) {
        job.in_half = half;
        check_line(context, &job);
        job.n_out = 2;
        job.out[1] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
        check_line(context, &job);
        job.n_out = 1;
    }
}

/* Factors and an offset. */
static void test_line_filter(void *context, struct gf_job job) {
    const int x = job.ndim - 1;
    const int64_t n = job.shape[x];
    struct gf_lowpass l = {.profile = GF_GAUSSIAN, .radius = {n / 9., n / 9., n / 9.}};
    struct gf_filter *filter;
    job.op = GF_FILTER;
    job.n_out = 2;
    job.out[0] =
        (struct gf_output){.kind = GF_REAL, .dtype = job.precision == GF_DOUBLE ? GF_F64 : GF_F32};
    job.out[1] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
    CHECK(!gf_filter_new(&filter));
    CHECK(!gf_filter_add_highpass(filter, &l));
    l.profile = GF_BUTTERWORTH;
    l.order = 2;
    l.centre[x] = n / 5.;
    CHECK(!gf_filter_add_notch(filter, &job, &l));
    filter->offset = 17;
    job.filter = filter;
    job.filter_serial = filter->serial;
    check_line(context, &job);
    gf_filter_free(filter);
}

/* Lengths that make slabs with and without a middle, a row in one piece, odd halves, odd lengths
 * and a prime in one row. */
static void test_lines(void *context, enum gf_precision precision) {
    static const struct {
        int64_t shape[3], channels;
        int ndim;
    } lines[] = {{{20480, 0, 0}, 1, 1},       {{9 * 5 * 7 * 2 * 27, 0, 0}, 1, 1},
                 {{8192, 0, 0}, 3, 1},        {{3, 6006, 0}, 2, 2},
                 {{2, 3, 4096}, 1, 3},        {{5, 64, 0}, 1, 2},
                 {{31 * 37 * 7, 0, 0}, 1, 1}, {{2, 2187, 0}, 3, 2},
                 {{3, 251, 0}, 1, 2}};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        const int64_t *n = lines[k].shape;
        for (int type = 0; type < 3; type++) {
            const enum gf_dtype reals = precision == GF_DOUBLE ? GF_F64 : GF_F32;
            const enum gf_dtype in = type == 0         ? GF_U8
                                     : type == 1       ? reals
                                     : reals == GF_F64 ? GF_C128
                                                       : GF_C64;
            struct gf_job job =
                backends_job(GF_FORWARD, in, precision, lines[k].ndim, n[0], n[1], n[2]);
            job.channels = lines[k].channels;
            job.axes = 1u << (job.ndim - 1);
            check_line(context, &job);
            job.out[0].half = type < 2;
            check_line(context, &job);
            job.out[0].half = false;
            if (type < 2)
                test_line_filter(context, job);
            if (type != 1)
                test_line_outputs(context, job);
            if (type == 2)
                test_line_inverse(context, job);
        }
    }
}

/* Rows that fit, and lengths that no divisor cuts into such. */
static void test_line_plans(void) {
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 1, 1 << 27, 0, 0);
    struct gf_slab_plan p;
    const int64_t v = INT64_C(4) << 27;
    job.out[0].half = true;
    CHECK(!gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 96 << 20, 0, &p));
    CHECK_EQ(gf_slab_bytes_moved(&p), 6 * v + 8);
    CHECK(p.memory_bytes <= 96 << 20 && p.pages * p.rows == 1 << 26);
    CHECK(p.slots == 2 && p.row_slots == 2);
    CHECK(8 * p.block_units >= 1 << 19); /* runs */
    CHECK(8 * p.slab_pages / p.pages >= 1 << 19);
    CHECK(!gf_slab_plan_make(&job, &(struct gf_slab_worker){.makes_input = true}, 96 << 20, 0, &p));
    CHECK(p.slots == 1 && p.row_slots == 1 && p.memory_bytes <= 96 << 20);
    CHECK(8 * p.block_units >= 1 << 20);
    CHECK(8 * p.slab_pages / p.pages >= 1 << 20);
    CHECK(!gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 8 << 20, 0, &p));
    CHECK(p.slots == 1 && p.memory_bytes <= 8 << 20); /* of two slots the runs were too short */
    job.shape[0] = 3 * ((1 << 25) + 1); /* odd: all numbers of a complex line in between */
    CHECK(!gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 96 << 20, 0, &p));
    CHECK(p.exchange_bytes == 8 * job.shape[0] && !p.real);
    job.out[0].half = false;
    job.in_dtype = GF_C64;
    job.shape[0] = 1000003; /* a prime */
    CHECK(!gf_slab_refuses(&job));
    CHECK_EQ(gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 8 << 20, 0, &p), GF_ENOMEM);
    CHECK(strstr(gf_message(), "no two factors") != NULL);
}

int main(void) {
    void *context = NULL;
    RUN("lines are cut into rows that fit, whatever their length", test_line_plans());
    int rc =
        backend->open(backend, &(struct gf_backend_options){.threads = SLAB_RIG_THREADS}, &context);
    NEED(!rc);
    RUN("lines in slabs are as in memory in single", test_lines(context, GF_SINGLE));
    RUN("lines in slabs are as in memory in double", test_lines(context, GF_DOUBLE));
    backend->close(context);
    return TEST_END();
}
