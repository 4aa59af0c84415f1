/* The load and store steps without any transform between them: the work buffer is filled and read
 * by hand. What they mean end to end is test_backends' business. */
#include <math.h>
#include <string.h>

#include "core/base/value/sample_run.h"
#include "core/base/value/status.h"
#include "core/base/job/loadstore.h"
#include "core/base/job/display.h"
#include "tests/test.h"

static struct gf_job job_of(int ndim, int64_t n0, int64_t n1, unsigned axes, enum gf_dtype in) {
    struct gf_job job = {.ndim = ndim,
                         .shape = {n0, n1},
                         .channels = 1,
                         .axes = axes,
                         .in_dtype = in,
                         .n_out = 1,
                         .out = {{.kind = GF_REAL, .dtype = GF_F32}}};
    return job;
}

static void test_work_shapes(void) {
    struct gf_job job = job_of(2, 6, 7, 3, GF_U8);
    struct gf_work a, b;
    job.channels = 3;
    gf_work_before(&job, &a);
    gf_work_after(&job, &b);
    CHECK(!a.complex && a.extent[0] == 1 && a.extent[1] == 6 && a.extent[2] == 7);
    CHECK(b.complex && b.extent[2] == 4 && b.pitch == 4);
    CHECK_EQ(gf_work_bytes(&a), 3 * 6 * 7 * 4);
    CHECK_EQ(gf_work_bytes(&b), 3 * 6 * 4 * 8);
    job.axes = 1;
    job.luma = true;
    gf_work_after(&job, &b);
    CHECK(b.extent[1] == 4 && b.extent[2] == 7 && b.channels == 1);
    job = job_of(2, 6, 7, 3, GF_C128);
    job.direction = GF_INVERSE;
    job.precision = GF_DOUBLE;
    gf_work_before(&job, &a);
    gf_work_after(&job, &b);
    CHECK(a.complex && b.complex && gf_work_bytes(&a) == 6 * 7 * 16);
    job.real = true;
    gf_work_before(&job, &a);
    gf_work_after(&job, &b);
    CHECK(a.complex && a.extent[2] == 4 && !b.complex && b.extent[2] == 7);
}

static void test_load(void) {
    float buffer[64] = {0};
    struct gf_work w;
    struct gf_report report = {.imag_ratio = 9};
    /* RGBA stored with the rows upside down; luma leaves alpha alone. */
    static uint8_t rgba[2][2][4] = {{{255, 0, 0, 7}, {0, 255, 0, 7}},
                                    {{0, 0, 255, 7}, {1, 1, 1, 7}}};
    struct gf_job job = job_of(2, 2, 2, 3, GF_U8);
    job.channels = 4;
    struct gf_array in = gf_array_wrap(rgba[1], GF_U8, 3, (int64_t[]){2, 2, 4});
    in.stride[0] = -in.stride[0];
    job.luma = true;
    gf_work_before(&job, &w);
    w.pitch = 5;
    w.data = buffer;
    gf_work_load(&job, &in, &w, 1, &report);
    CHECK(buffer[0] == (float)(255 * 0.0722) && fabsf(buffer[1] - 1) < 1e-6f);
    CHECK(buffer[5] == (float)(255 * 0.2126) && buffer[6] == (float)(255 * 0.7152));
    CHECK(report.imag_ratio == 0);
    job.luma = false;
    gf_work_before(&job, &w);
    w.data = buffer;
    gf_work_load(&job, &in, &w, 2, &report);
    CHECK(buffer[0] == 0 && buffer[2] == 255 && buffer[4] == 0 && buffer[12] == 7);
}

/* A centred spectrum of 5 to a real result. Bins 0..4 are stored as 3 4 0 1 2. */
static void test_hermitian(void) {
    float in_data[10] = {7, 0, 5, 0, 1, 2, 3, 4, 9, 6}, buffer[6];
    struct gf_job job = job_of(1, 5, 0, 1, GF_C64);
    struct gf_array in = gf_array_wrap(in_data, GF_C64, 2, (int64_t[]){5, 1});
    struct gf_report report;
    struct gf_work w;
    job.direction = GF_INVERSE;
    job.in_shift = job.real = true;
    gf_work_before(&job, &w);
    w.data = buffer;
    gf_work_load(&job, &in, &w, 1, &report);
    /* F0 = 1+2i, F1 = 3+4i, F2 = 9+6i, F3 = 7, F4 = 5: pairs F1, F4 and F2, F3. */
    static const float want[6] = {1, 0, 4, 2, 8, 3};
    CHECK(!memcmp(buffer, want, sizeof want));
    double kept = 1 + 2 * (16 + 4) + 2 * (64 + 9), lost = 4 + 2 * (1 + 4) + 2 * (1 + 9);
    CHECK(fabs(report.imag_ratio - sqrt(lost / kept)) < 1e-14);
}

/* From the half spectrum of 2 x 5 reals to the full one, centred. */
static void test_mirror(void) {
    float data[12], got[20];
    for (int i = 0; i < 12; i++)
        data[i] = (float)(20 * (i + 1));
    struct gf_job job = job_of(2, 2, 5, 3, GF_U8);
    struct gf_array out = gf_array_wrap(got, GF_C64, 3, (int64_t[]){2, 5, 1});
    struct gf_report report;
    struct gf_work w;
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64, .shift = true};
    job.norm = GF_NORM_FORWARD; /* a tenth */
    gf_work_after(&job, &w);
    w.data = data;
    CHECK(!gf_work_store(&job, &w, 0, &out, 1, &report));
    /* Row 1 comes first, column 0 is in the middle; its imaginary part is dropped. */
    static const float want[20] = {22, -24, 18, -20, 14, 0, 18, 20, 22, 24,
                                   10, -12, 6,  -8,  2,  0, 6,  8,  10, 12};
    CHECK(!memcmp(got, want, sizeof want));
}

static void test_numbers(void) {
    double v[6] = {-0.5, 0.49, 254.5, 255.49, 300, NAN};
    CHECK_EQ(gf_sample_run_round(GF_U8, 6, v), 3);
    CHECK(v[0] == 0 && v[1] == 0 && v[2] == 255 && v[3] == 255 && v[4] == 255 && v[5] == 0);
    double re[5] = {-1, 0, -0.0, 0, 1e300}, im[5] = {-0.0, -0.0, 0, 2, 1e300};
    gf_sample_run_kind(GF_PHASE, 5, re, im);
    CHECK(re[0] == atan2(0, -1) && re[1] == 0 && re[2] == 0 && re[3] == atan2(1, 0));
    double big[2] = {3e200, 3e-200}, other[2] = {4e200, 4e-200};
    gf_sample_run_kind(GF_MAGNITUDE, 2, big, other);
    CHECK(fabs(big[0] / 5e200 - 1) < 1e-15 && fabs(big[1] / 5e-200 - 1) < 1e-15);
}

static double level(struct gf_output o, double high, double v) {
    struct gf_display d = gf_display_make(&o, o.low, high);
    gf_display_run(&d, 1, &v);
    return v;
}

static void test_display(void) {
    struct gf_output o = {.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY};
    CHECK(level(o, 100, 0) == 0 && level(o, 100, 100) == 255 && level(o, 100, 1e9) == 255);
    CHECK(level(o, 100, 9) == round(255 * log(10) / log(101)));
    CHECK(level(o, 0, 0) == 0);
    o.scale = GF_SCALE_LINEAR;
    CHECK(level(o, 100, 50) == 128);
    o.range = GF_RANGE_GIVEN;
    o.low = 20;
    CHECK(level(o, 30, 20) == 0 && level(o, 30, 3) == 0 && level(o, 30, 22) == 51);
    o.scale = GF_SCALE_SQRT;
    o.low = 0;
    o.dtype = GF_U16;
    CHECK(level(o, 4, 1) == 32768);
    o.kind = GF_PHASE;
    CHECK(level(o, 0, 0) == 32768 && level(o, 0, -4) == 0 &&
          level(o, 0, 3.1415926535897932) == 65535);
    o.kind = GF_IMAG;
    o.dtype = GF_U8;
    CHECK(level(o, 2, 0) == 128 && level(o, 2, -2) == 0 && level(o, 2, 2) == 255);
    CHECK(level(o, 0, 0) == 128 && level(o, 2, NAN) == 0);
}

static double white_of(const struct gf_job *job, const struct gf_work *w) {
    struct gf_report report;
    float shown[8];
    struct gf_array out = gf_job_array(job, 0, shown);
    return gf_work_store(job, w, 0, &out, 1, &report) ? NAN : report.high[0];
}

static void test_range(void) {
    float data[8] = {3, 4, -8, 0, 0, -9, 1, 1};
    struct gf_job job = job_of(1, 4, 0, 1, GF_C64);
    struct gf_work w;
    job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY};
    gf_work_after(&job, &w);
    w.data = data;
    CHECK(gf_output_scans(&job, 0));
    CHECK(white_of(&job, &w) == 9);
    job.out[0].kind = GF_POWER;
    CHECK(white_of(&job, &w) == 81);
    job.out[0].kind = GF_REAL;
    CHECK(white_of(&job, &w) == 8);
    job.out[0].range = GF_RANGE_GIVEN;
    job.out[0].high = 7;
    CHECK(!gf_output_scans(&job, 0));
    CHECK(white_of(&job, &w) == 7);
    job.out[0].dtype = GF_F32;
    CHECK(white_of(&job, &w) == 0);
    /* Samples that are never negative: the zero frequency has it, here of three lines. */
    job = job_of(2, 3, 2, 2, GF_U16);
    job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY};
    float lines[12] = {5, 0, 9, 0, 6, 0, 9, 0, 7, 0, 9, 0};
    gf_work_after(&job, &w);
    w.data = lines;
    CHECK(!gf_output_scans(&job, 0));
    CHECK(white_of(&job, &w) == 7);
    job.in_dtype = GF_I16;
    CHECK(gf_output_scans(&job, 0));
    CHECK(white_of(&job, &w) == 9);
}

int main(void) {
    RUN("work buffers have the shapes that the job implies", test_work_shapes());
    RUN("samples are loaded flipped, shifted and as luma", test_load());
    RUN("a centred spectrum is folded to its Hermitian half", test_hermitian());
    RUN("a half spectrum is mirrored to the centred whole", test_mirror());
    RUN("numbers are rounded, clipped and turned into kinds", test_numbers());
    RUN("display levels follow scale and range", test_display());
    RUN("the display range is that of the largest values", test_range());
    return TEST_END();
}
