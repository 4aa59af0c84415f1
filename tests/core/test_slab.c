/* Jobs in slabs: plans that cover every page and row once, and on the CPU the very bytes of the job in
 * one piece. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/filter/filter.h"
#include "core/schedule/plan.h"
#include "tests/core/backends.h"
#include "tests/core/slab_rig.h"
#include "tests/test.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

/* ---- plans ---- */

/* Every piece is in the exchange by itself, and all of them fill it. */
static void check_pieces(const struct gf_slab_plan *p) {
    char *used = calloc((size_t)(p->pages * p->rows), 1);
    int64_t sum = 0, row = p->width * p->number, rows = 0;
    bool good = used != NULL;
    for (int64_t k = 0; k < p->n_blocks && good; k++) {
        struct gf_slab_block b = gf_slab_block(p, k);
        good &= b.before == rows && b.n_low > 0;
        rows += gf_slab_block_rows(&b);
        for (int64_t i = 0; i < p->n_slabs && good; i++) {
            int64_t at = gf_slab_piece_at(p, i, k), bytes = gf_slab_piece_bytes(p, i, k);
            sum += bytes;
            good &= at % row == 0 && at + bytes <= p->exchange_bytes;
            for (int64_t j = at / row; j < (at + bytes) / row && good; j++)
                good &= !used[j]++;
        }
    }
    CHECK_MSG(good && rows == p->rows && sum == p->exchange_bytes,
              "%lldx%lldx%lld in %lld slabs and %lld blocks, paired %d", (long long)p->pages,
              (long long)p->rows, (long long)p->width, (long long)p->n_slabs,
              (long long)p->n_blocks, p->paired);
    free(used);
}

/* A block of pairs has the negatives of its rows. */
static void check_pairs(const struct gf_slab_plan *p) {
    bool good = true;
    for (int64_t k = 0; k < p->n_blocks && p->paired; k++) {
        struct gf_slab_block b = gf_slab_block(p, k);
        for (int64_t i = b.low; i < b.low + b.n_low; i++) {
            int64_t j = i ? p->rows - i : 0;
            good &= (j >= b.low && j < b.low + b.n_low) || (j >= b.high && j < b.high + b.n_high);
        }
    }
    CHECK_MSG(good, "rows without their negatives");
}

static const struct gf_slab_worker alone, packs = {.packs = GF_PACKS_ALL};

static void test_plans(void) {
    static const int64_t memory[] = {1 << 16, 100000, 1 << 18, 1 << 20, 1 << 26};
    for (int n = 0; n < 200; n++)
        for (int m = 0; m < 5; m++) {
            struct gf_job job = backends_job(n % 2 ? GF_INVERSE : GF_FORWARD, GF_F32, GF_SINGLE, 3,
                                             2 + n % 70, 1 + n * 7 % 61, 16 + n * 5 % 50);
            struct gf_slab_plan p;
            if (n % 2) {
                job.in_dtype = GF_C64;
                job.real = job.in_half = true;
                job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
            }
            job.out[0].half = n % 4 == 0;
            if (gf_slab_plan_make(&job, &alone, memory[m], 0, &p))
                continue;
            CHECK_MSG(p.memory_bytes <= memory[m], "%lld bytes of %lld", (long long)p.memory_bytes,
                      (long long)memory[m]);
            check_pieces(&p);
            check_pairs(&p);
        }
}

/* The floors: V is the bytes of the f32 volume. */
static void test_bytes(void) {
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, 64, 64, 64);
    struct gf_slab_plan p;
    const int64_t v = 64 * 64 * 64 * 4;
    job.out[0].half = true;
    CHECK(!gf_slab_plan_make(&job, &packs, 1 << 19, 0, &p));
    CHECK_EQ(gf_slab_bytes_moved(&p), 4 * v + v / 32); /* 33 columns of 32 go out */
    job.out[0].half = false;
    CHECK(!gf_slab_plan_make(&job, &packs, 1 << 19, 0, &p));
    CHECK_EQ(gf_slab_bytes_moved(&p), 5 * v);
    job.out[0] = (struct gf_output){
        .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .range = GF_RANGE_GIVEN};
    job.out[0].high = 1;
    CHECK(!gf_slab_plan_make(&job, &packs, 1 << 19, 0, &p));
    CHECK_EQ(4 * gf_slab_bytes_moved(&p), 13 * v);
    CHECK(p.direct && p.memory_bytes <= 1 << 19);
    job.out[0].kind = GF_IMAG; /* whose mirror image is another sample */
    CHECK(!gf_slab_plan_make(&job, &packs, 1 << 19, 0, &p) && !p.direct);
    CHECK(gf_slab_plan_make(&job, &packs, 1000, 0, &p) == GF_ENOMEM);
    job.op = GF_FILTER;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    CHECK(!gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 1 << 19, 0, &p));
    CHECK_EQ(gf_slab_bytes_moved(&p), 6 * v + 4 * v / 32); /* 33 columns of 32 go four times */
}

/* ---- runs ---- */

static bool fill_with_zeros;

/* The whole job and the slabs, from the same input. */
static void check_job(void *context, const struct gf_job *job) {
    struct slab_rig f = {.context = context, .zeros = fill_with_zeros};
    const struct gf_report *report = f.report;
    char text[160];
    int rc = slab_rig_run(&f, job);
    backends_text(job, text);
    CHECK_MSG(!rc, "%s: %s", text, gf_message());
    for (int i = 0; i < job->n_out && !rc; i++) {
        CHECK_MSG(slab_rig_same(&f, job, i), "output %d differs: %s", i, text);
        CHECK(report[0].low[i] == report[1].low[i] && report[0].high[i] == report[1].high[i]);
        CHECK_EQ(report[0].clipped[i], report[1].clipped[i]);
        CHECK(fabs(report[0].imag_ratio - report[1].imag_ratio) <= 1e-5 * report[0].imag_ratio);
    }
    slab_rig_free(&f);
}

static const struct {
    int64_t shape[3], channels;
} volumes[] = {
    {{40, 48, 64}, 1}, {{33, 37, 96}, 1}, {{20, 41, 43}, 1},  {{18, 36, 32}, 3}, {{140, 20, 64}, 1},
    {{97, 3, 128}, 1}, {{31, 34, 45}, 1}, {{16, 50, 160}, 1}, {{97, 11, 13}, 1}, {{70, 6, 8}, 1},
    {{200, 2, 2}, 1},  {{80, 40, 4}, 1},  {{40, 33, 7}, 2},
};

/* Real samples: one output of every kind and several types, in the corner and in the centre, full and half. */
static void test_samples(void *context, const struct gf_job *display) {
    static const enum gf_kind kinds[] = {GF_MAGNITUDE, GF_POWER, GF_REAL, GF_IMAG, GF_PHASE};
    static const enum gf_dtype types[] = {GF_U8, GF_U16, GF_F32, GF_F64};
    for (int k = 0; k < 20 && !gf_dtype_is_complex(display->in_dtype); k++) {
        struct gf_job job = *display;
        job.out[0].kind = kinds[k % 5];
        job.out[0].dtype = types[k / 5];
        job.out[0].half = k % 3 == 0;
        job.out[0].shift = k % 2 == 0;
        job.norm = k % 4 ? GF_NORM_ORTHO : GF_NORM_BACKWARD;
        check_job(context, &job);
    }
}

static void test_forward(void *context, enum gf_dtype type, enum gf_precision precision, int k) {
    const int64_t *n = volumes[k].shape;
    struct gf_job job = backends_job(GF_FORWARD, type, precision, 3, n[0], n[1], n[2]);
    const bool real = !gf_dtype_is_complex(type), wide = precision == GF_DOUBLE;
    job.channels = volumes[k].channels;
    for (int half = 0; half <= real; half++) {
        job.out[0].half = half;
        for (int shift = 0; shift < 2; shift++) {
            job.out[0].shift = shift;
            job.norm = shift ? GF_NORM_ORTHO : GF_NORM_BACKWARD;
            check_job(context, &job);
        }
    }
    if (job.channels == 3 && real) {
        job.luma = true;
        check_job(context, &job);
        job.luma = false;
    }
    job.axes = 5;
    check_job(context, &job);
    job.axes = 7;
    job.n_out = 4;
    job.out[0].shift = false;
    job.out[1] =
        (struct gf_output){.kind = GF_PHASE, .dtype = wide ? GF_F64 : GF_F32, .shift = true};
    job.out[2] = (struct gf_output){.kind = GF_MAGNITUDE,
                                    .dtype = GF_U8,
                                    .map = GF_MAP_DISPLAY,
                                    .range = GF_RANGE_GIVEN,
                                    .low = 1,
                                    .high = 100,
                                    .shift = true};
    job.out[3] =
        (struct gf_output){.kind = GF_PHASE, .dtype = GF_U16, .map = GF_MAP_DISPLAY, .half = real};
    check_job(context, &job);
    job.n_out = 1;
    job.out[0] = job.out[2];
    check_job(context, &job);
    test_samples(context, &job);
    for (int range = 0; range < 2; range++)
        for (int i = 0; i < 4; i++) {
            static const enum gf_kind kinds[] = {GF_MAGNITUDE, GF_POWER, GF_REAL, GF_IMAG};
            job.out[0].range = range ? GF_RANGE_AUTO : GF_RANGE_FULL;
            job.out[0].kind = kinds[i];
            check_job(context, &job);
        }
    job.axes = 5;
    check_job(context, &job);
    job.axes = 7;
    job.n_out = 2;
    job.out[1] = job.out[0];
    job.out[0].kind = GF_MAGNITUDE;
    job.out[0].range = GF_RANGE_FULL;
    check_job(context, &job);
}

/* Samples that are all zero have no range, and zeros of either sign in their spectrum. */
static void test_zero(void *context) {
    struct gf_job job = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 3, 40, 40, 32);
    job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY};
    fill_with_zeros = true;
    for (int range = 0; range < 2; range++) {
        job.out[0].range = range ? GF_RANGE_AUTO : GF_RANGE_FULL;
        check_job(context, &job);
    }
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64};
    check_job(context, &job);
    job.shape[0] = 41;
    job.shape[1] = 39;
    check_job(context, &job);
    fill_with_zeros = false;
}

static void test_inverse(void *context, enum gf_precision precision, int k) {
    const int64_t *n = volumes[k].shape;
    const bool wide = precision == GF_DOUBLE;
    struct gf_job job =
        backends_job(GF_INVERSE, wide ? GF_C128 : GF_C64, precision, 3, n[0], n[1], n[2]);
    job.channels = volumes[k].channels;
    check_job(context, &job);
    job.real = job.in_half = true;
    job.n_out = 2;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = wide ? GF_F64 : GF_F32};
    job.out[1] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
    check_job(context, &job);
    job.n_out = 1;
    job.norm = GF_NORM_ORTHO;
    check_job(context, &job);
    job.out[0] = job.out[1];
    check_job(context, &job);
    job.in_half = false;
    check_job(context, &job);
    job.axes = 5;
    check_job(context, &job);
}

/* Low, high and band passes of all profiles, notches, an offset: few factors, and so many, or of so
 * high an order, that they become a table. */
static int make_filter(int which, const struct gf_job *job, struct gf_filter **out) {
    struct gf_lowpass l = {.profile = GF_GAUSSIAN, .radius = {5, 6, 7}}, m = {0};
    int rc = gf_filter_new(out);
    m = l;
    m.profile = GF_BUTTERWORTH;
    m.order = which == 3 ? 20 : 2;
    for (int i = 0; i < 3; i++)
        m.radius[i] = 11;
    if (!rc && which != 1)
        rc = gf_filter_add_lowpass(*out, &l);
    if (!rc && which)
        rc = gf_filter_add_band(*out, &l, &m, which == 2);
    m.profile = GF_IDEAL;
    m.centre[0] = m.centre[1] = 3;
    m.centre[2] = -4;
    if (!rc)
        rc = which == 1 ? gf_filter_add_highpass(*out, &m) : gf_filter_add_notch(*out, job, &m);
    (*out)->offset = which ? 17 : 0;
    return rc;
}

static void test_filter(void *context, enum gf_dtype type, enum gf_precision precision, int k) {
    const int64_t *n = volumes[k].shape;
    struct gf_job job = backends_job(GF_FORWARD, type, precision, 3, n[0], n[1], n[2]);
    job.op = GF_FILTER;
    job.channels = volumes[k].channels;
    job.n_out = 2;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    job.out[1] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
    for (int which = 0; which < 4; which++) {
        struct gf_filter *filter;
        job.axes = which == 2 ? 5 : 7;
        job.luma = which == 1 && job.channels == 3;
        CHECK(!make_filter(which, &job, &filter));
        job.filter = filter;
        job.filter_serial = filter->serial;
        for (int cut = 0; cut < 2; cut++) { /* beyond the edges */
            job.counted[0] = cut ? 2 + n[0] / 2 : 0;
            job.counted[1] = cut && which != 2 ? 1 + n[1] / 2 : 0;
            job.counted[2] = cut ? (n[2] > 8 ? n[2] - 7 : 1) : 0;
            check_job(context, &job);
        }
        gf_filter_free(filter);
    }
}

/* Pictures: rows, columns, rows. */
static const struct {
    int64_t shape[2], channels;
} pictures[] = {{{96, 128}, 3}, {{131, 90}, 1}, {{80, 256}, 1}, {{67, 53}, 3}};

static void test_picture(void *context, enum gf_precision precision, int k) {
    const bool wide = precision == GF_DOUBLE;
    const enum gf_dtype numbers = wide ? GF_C128 : GF_C64, reals = wide ? GF_F64 : GF_F32;
    const int64_t *n = pictures[k].shape;
    for (int real = 0; real < 2; real++) {
        struct gf_job job = backends_job(GF_FORWARD,
                                         !real  ? numbers
                                         : wide ? GF_U8
                                                : GF_F32,
                                         precision, 2, n[0], n[1], 0);
        job.channels = pictures[k].channels;
        for (int half = 0; half <= (real && n[1] % 32); half++)
            for (int shift = 0; shift < 2; shift++) {
                job.out[0].half = half;
                job.out[0].shift = shift;
                check_job(context, &job);
            }
        job.out[0].half = false;
        job.n_out = 3;
        job.norm = GF_NORM_ORTHO;
        job.out[1] = (struct gf_output){.kind = GF_PHASE, .dtype = reals, .shift = true};
        job.out[2] = (struct gf_output){.kind = GF_MAGNITUDE,
                                        .dtype = GF_U8,
                                        .map = GF_MAP_DISPLAY,
                                        .range = GF_RANGE_AUTO,
                                        .shift = true};
        check_job(context, &job);
        job.n_out = 1;
        job.out[0] = job.out[2];
        check_job(context, &job);
        job.out[0].range = GF_RANGE_FULL;
        check_job(context, &job);
        job.luma = real && job.channels == 3;
        check_job(context, &job);
    }
    struct gf_job job = backends_job(GF_INVERSE, numbers, precision, 2, n[0], n[1], 0);
    job.channels = pictures[k].channels;
    check_job(context, &job);
    for (int half = 0; half < 2; half++) {
        job.real = true;
        job.in_half = half;
        job.n_out = 2;
        job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = reals};
        job.out[1] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
        check_job(context, &job);
    }
}

static void test_picture_filter(void *context, enum gf_precision precision, int k) {
    const int64_t *n = pictures[k].shape;
    for (int which = 0; which < 4; which++) {
        struct gf_filter *filter;
        struct gf_job job = backends_job(GF_FORWARD, precision == GF_DOUBLE ? GF_F64 : GF_U8,
                                         precision, 2, n[0], n[1], 0);
        job.op = GF_FILTER;
        job.channels = pictures[k].channels;
        job.n_out = 2;
        job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
        job.out[1] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
        CHECK(!make_filter(which, &job, &filter));
        job.filter = filter;
        job.filter_serial = filter->serial;
        check_job(context, &job);
        job.counted[0] = n[0] / 2;
        job.counted[1] = n[1] - 9;
        check_job(context, &job);
        gf_filter_free(filter);
    }
}

static void test_volume(void *context, int k) {
    test_forward(context, GF_F32, GF_SINGLE, k);
    test_forward(context, GF_C64, GF_SINGLE, k);
    test_forward(context, k % 2 ? GF_U8 : GF_F64, GF_DOUBLE, k);
    test_inverse(context, GF_SINGLE, k);
    test_inverse(context, GF_DOUBLE, k);
    test_filter(context, k % 2 ? GF_F32 : GF_U8, GF_SINGLE, k);
    test_filter(context, k % 2 ? GF_U8 : GF_F64, GF_DOUBLE, k);
}

/* "40x48x64"; valid until the next call. */
static const char *extents(const int64_t *shape, int ndim) {
    static char text[64];
    int used = 0;
    for (int a = 0; a < ndim; a++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "%s%d", a ? "x" : "", (int)shape[a]);
    return text;
}

int main(void) {
    void *context = NULL;
    RUN("plans cover every page and row once", test_plans());
    RUN("the bytes moved are those of the formulas", test_bytes());
    int rc =
        backend->open(backend, &(struct gf_backend_options){.threads = SLAB_RIG_THREADS}, &context);
    NEED(!rc);
    for (size_t k = 0; k < sizeof volumes / sizeof *volumes; k++)
        RUN(case_name("a volume of %s in slabs has the bytes of one piece",
                      extents(volumes[k].shape, 3)),
            test_volume(context, (int)k));
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures; k++)
        RUN(
            case_name("a picture of %s in slabs has the bytes of one piece",
                      extents(pictures[k].shape, 2)),
            for (int wide = 0; wide < 2; wide++) {
                test_picture(context, wide ? GF_DOUBLE : GF_SINGLE, (int)k);
                test_picture_filter(context, wide ? GF_DOUBLE : GF_SINGLE, (int)k);
            });
    RUN("samples that are all zero in slabs have the bytes of one piece", test_zero(context));
    backend->close(context);
    return TEST_END();
}
