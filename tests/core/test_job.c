/* Jobs that are refused and why, that are equal, shapes, scales; sizes of memory; the table of backends. */
#include <stdlib.h>
#include <string.h>

#include "core/engine/auto.h"
#include "core/base/host/dl.h"
#include "core/base/value/pages.h"
#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "tests/test.h"

/* A plain picture's job; each case spoils one thing. */
static struct gf_job picture(void) {
    struct gf_job job = {.ndim = 2,
                         .shape = {6, 7},
                         .channels = 3,
                         .axes = 3,
                         .in_dtype = GF_U8,
                         .n_out = 1,
                         .out = {{.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY}}};
    return job;
}

static struct gf_job spectrum(void) {
    struct gf_job job = picture();
    job.direction = GF_INVERSE;
    job.in_dtype = GF_C64;
    job.real = true;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
    return job;
}

#define REFUSED(job, code, words) \
    do { \
        int rc_ = gf_job_validate(&(job)); \
        CHECK_MSG(rc_ == (code) && strstr(gf_message(), words), "%s: %d, '%s'", words, rc_, \
                  gf_message()); \
    } while (0)
#define SPOILED(make, spoil, words) \
    do { \
        struct gf_job job = make(); \
        spoil; \
        REFUSED(job, GF_EINVAL, words); \
    } while (0)

static void test_validate(void) {
    struct gf_job job = picture();
    CHECK_EQ(gf_job_validate(&job), 0);
    job = spectrum();
    CHECK_EQ(gf_job_validate(&job), 0);
    SPOILED(picture, job.ndim = 0, "0 axes");
    SPOILED(picture, job.ndim = 4, "4 axes");
    SPOILED(picture, job.axes = 0, "no axis");
    SPOILED(picture, job.axes = 4, "not there");
    SPOILED(picture, job.shape[1] = 0, "axis 1 has an extent of 0");
    SPOILED(picture, job.shape[0] = -5, "axis 0 has an extent of -5");
    SPOILED(picture, job.channels = 0, "0 channels");
    SPOILED(picture, job.in_dtype = GF_N_DTYPES, "input type");
    SPOILED(picture, job.precision = (enum gf_precision)(GF_DOUBLE + 1), "precision");
    SPOILED(picture, job.norm = (enum gf_norm)(GF_NORM_FORWARD + 1), "normalisation");
    SPOILED(picture, job.direction = (enum gf_direction)(GF_INVERSE + 1), "direction");
    SPOILED(picture, job.op = (enum gf_op)(GF_FILTER + 1), "transform");
    SPOILED(picture, job.in_half = true, "forward");
    SPOILED(picture, job.real = true, "forward");
    SPOILED(picture, (job.luma = true, job.channels = 2), "luma needs 3");
    SPOILED(picture, (job.luma = true, job.in_dtype = GF_C64), "luma is made of real");
    SPOILED(picture, job.n_out = 0, "0 outputs");
    SPOILED(picture, job.n_out = GF_MAX_OUTPUTS + 1, "8 outputs");
    SPOILED(picture, job.out[0].kind = GF_COMPLEX, "complex output");
    SPOILED(picture, job.out[0].dtype = GF_C64, "magnitude output");
    SPOILED(picture, job.out[0].kind = GF_N_KINDS, "kind");
    SPOILED(picture, job.out[0].scale = (enum gf_scale)3, "scale");
    SPOILED(picture, (job.in_dtype = GF_C64, job.out[0].half = true), "redundant half");
    SPOILED(picture, job.out[0].range = GF_RANGE_GIVEN, "not above");
    SPOILED(picture, (job.out[0].range = GF_RANGE_GIVEN, job.out[0].low = -1, job.out[0].high = 2),
            "at 0");
    SPOILED(picture, (job.out[0].range = GF_RANGE_GIVEN, job.out[0].high = 1 / 0.0), "not finite");
    SPOILED(picture, (job.out[0].kind = GF_REAL, job.out[0].range = GF_RANGE_GIVEN), "symmetric");
    SPOILED(picture, job.out[0].packed = true, "packed");
    SPOILED(picture, job.out[0].packed_within = true, "packed");
    SPOILED(spectrum, job.luma = true, "luma");
    SPOILED(spectrum, (job.real = false, job.in_half = true), "real result");
    SPOILED(spectrum, job.out[0].shift = true, "only a spectrum");
    SPOILED(spectrum, job.out[0].half = true, "only a spectrum");
    job = picture();
    job.shape[0] = job.shape[1] = 1000000000;
    REFUSED(job, GF_ENOMEM, "");
    job.shape[0] = job.shape[1] = INT64_MAX;
    REFUSED(job, GF_ENOMEM, "");
}

static void test_shapes(void) {
    int64_t shape[GF_MAX_RANK];
    struct gf_job job = picture();
    CHECK_EQ(gf_job_half_axis(&job), 1);
    CHECK_EQ(gf_job_points(&job), 42);
    CHECK(gf_job_is_real(&job));
    job.out[0].half = true;
    gf_job_out_shape(&job, 0, shape);
    CHECK(shape[0] == 6 && shape[1] == 4 && shape[2] == 3);
    job.axes = 1;
    CHECK_EQ(gf_job_half_axis(&job), 0);
    CHECK_EQ(gf_job_points(&job), 6);
    job.luma = true;
    gf_job_out_shape(&job, 0, shape);
    CHECK(shape[0] == 4 && shape[1] == 7 && shape[2] == 1);
    gf_job_in_shape(&job, shape);
    CHECK(shape[0] == 6 && shape[1] == 7 && shape[2] == 3);
    job.axes = 0;
    CHECK_EQ(gf_job_half_axis(&job), -1);
    job = spectrum();
    job.in_half = true;
    gf_job_in_shape(&job, shape);
    CHECK(shape[0] == 6 && shape[1] == 4 && shape[2] == 3);
    gf_job_out_shape(&job, 0, shape);
    CHECK(shape[0] == 6 && shape[1] == 7 && shape[2] == 3);
    CHECK(gf_job_is_real(&job));
    job.in_half = job.real = false;
    CHECK(!gf_job_is_real(&job));
}

static void test_scale(void) {
    struct gf_job job = picture();
    job.shape[0] = 4;
    job.shape[1] = 16;
    for (int d = GF_FORWARD; d <= GF_INVERSE; d++) {
        job.direction = (enum gf_direction)d;
        job.norm = GF_NORM_BACKWARD;
        CHECK(gf_job_scale(&job) == (d == GF_FORWARD ? 1 : 1 / 64.0));
        job.norm = GF_NORM_FORWARD;
        CHECK(gf_job_scale(&job) == (d == GF_FORWARD ? 1 / 64.0 : 1));
        job.norm = GF_NORM_ORTHO;
        CHECK(gf_job_scale(&job) == 1 / 8.0);
    }
    CHECK(!strcmp(gf_kind_name(GF_IMAG), "imag"));
    CHECK(!strcmp(gf_kind_name((enum gf_kind)99), "?"));
    CHECK(!strcmp(gf_norm_name(GF_NORM_ORTHO), "ortho"));
}

static void test_arrays(void) {
    struct gf_job job = picture();
    static uint8_t data[6 * 7 * 3];
    struct gf_array in = gf_array_wrap(data, GF_U8, 3, (int64_t[]){6, 7, 3}), out = in;
    CHECK_EQ(gf_job_check_arrays(&job, &in, &out), 0);
    out.shape[1] = 8;
    CHECK_EQ(gf_job_check_arrays(&job, &in, &out), GF_EINVAL);
    CHECK(strstr(gf_message(), "output"));
    out = in;
    out.shape[2] = 4; /* the channels count too */
    CHECK_EQ(gf_job_check_arrays(&job, &in, &out), GF_EINVAL);
    out = in;
    out.rank = 2;
    CHECK_EQ(gf_job_check_arrays(&job, &in, &out), GF_EINVAL);
    out = in;
    in.dtype = GF_I8;
    CHECK_EQ(gf_job_check_arrays(&job, &in, &out), GF_EINVAL);
    CHECK(strstr(gf_message(), "input"));
}

static void test_memory(void) {
    static const struct {
        const char *text;
        int64_t bytes; /* 0: refused */
    } size[] = {
        {"2G", 2ll << 30},
        {"512M", 512 << 20},
        {"1.5GiB", 3ll << 29},
        {"2GB", 2000000000},
        {"1k", 1024},
        {"1kB", 1000},
        {"1t", 1ll << 40},
        {"100", 100},
        {"100B", 100},
        {"1.5", 2}, /* rounded up: a need that is named is enough */
        {"0", 0},
        {"", 0},
        {"G", 0},
        {"-1", 0},
        {"1.5.2", 0},
        {"2Gx", 0},
        {"1e9", 0},
        {" 1", 0},
        {"9999999T", 0},
        {"2iB", 0},
    };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        int64_t bytes = 0;
        int rc = gf_memory_parse(size[i].text, &bytes);
        CHECK_MSG(rc == (size[i].bytes ? 0 : GF_EUSAGE) && bytes == size[i].bytes, "'%s': %d, %lld",
                  size[i].text, rc, (long long)bytes);
    }
    char text[GF_SIZE_TEXT];
    CHECK(!strcmp(gf_memory_text(12ll << 30, text), "12.0 GiB"));
    CHECK(!strcmp(gf_memory_text(1023, text), "1023 B"));
    CHECK(gf_memory_available() > 1 << 20);
    CHECK_EQ(gf_memory_check(1, 0), 0);
    CHECK_EQ(gf_memory_check(8ll << 30, 8ll << 30), 0);
    CHECK_EQ(gf_memory_check(12ll << 30, 8ll << 30), GF_ENOMEM);
    CHECK(!strcmp(gf_message(), "needs 12.0 GiB, limit 8.0 GiB (--max-memory)"));
}

/* Blocks one behind the other, whose room is used again once all behind them are given back. */
static void test_huge_page(void) {
    enum { BYTES = 300000 };
    int own = 0;
    void *small = gf_alloc(BYTES); /* opens none for itself */
    CHECK(small && !gf_huge_page_give(small) && !gf_huge_page_take(BYTES, false));
    char *a = gf_huge_page_take(BYTES, true), *b = gf_huge_page_take(BYTES, false);
    gf_free(small);
    CHECK(!gf_huge_page_give(&own) && !gf_huge_page_give(NULL));
    if (!a) /* a build with a sanitizer */
        return;
    CHECK((uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0 && b >= a + BYTES);
    memset(a, 1, BYTES);
    memset(b, 2, BYTES);
    CHECK(a[BYTES - 1] == 1 && b[BYTES - 1] == 2);
    CHECK(!gf_huge_page_take(GF_HUGE_PAGE - BYTES, false) && !gf_huge_page_take(SIZE_MAX, false));
    CHECK(gf_huge_page_give(a));
    char *c = gf_huge_page_take(BYTES, false);
    CHECK(c >= b + BYTES);
    CHECK(gf_huge_page_give(c) && gf_huge_page_give(b));
    CHECK(gf_huge_page_take(BYTES, false) == a && gf_huge_page_give(a));
    struct gf_array array;
    CHECK_EQ(gf_array_alloc(&array, GF_U8, 1, (int64_t[]){BYTES}), 0);
    CHECK(array.data == a); /* arrays lie there */
    gf_array_free(&array);
    CHECK(gf_huge_page_take(GF_HUGE_PAGE - 64, false) == a &&
          gf_huge_page_give(a)); /* all is free */
}

/* One field set to what its job does not have; every field of struct gf_job has a line below. */
#define DIFFERS(change) \
    do { \
        struct gf_job other = everything(); \
        other.change; \
        CHECK_MSG(!gf_job_equal(&job, &other), "equal in spite of %s", #change); \
        CHECK_MSG(!gf_job_equal(&other, &job), "equal the other way in spite of %s", #change); \
    } while (0)

/* Padding is not 0 here, so that jobs compared as bytes would differ. */
static struct gf_job everything(void) {
    static unsigned char fill = 0x5a;
    struct gf_job job;
    memset(&job, fill++, sizeof job);
    job.direction = GF_FORWARD;
    job.ndim = 2;
    job.shape[0] = 6;
    job.shape[1] = 7;
    job.channels = 3;
    job.axes = 3;
    memset(job.counted, 0, sizeof job.counted);
    job.in_dtype = GF_U8;
    job.luma = job.in_shift = job.in_half = job.real = job.lean = job.spend_input = job.placed =
        false;
    job.precision = GF_SINGLE;
    job.norm = GF_NORM_BACKWARD;
    job.elsewhere = 0;
    memset(&job.whole, 0, sizeof job.whole);
    job.line = 0;
    job.in_pitch = job.out_pitch = 0;
    job.n_out = 2;
    job.op = GF_FFT;
    job.filter = NULL;
    job.filter_serial = 4;
    job.wavelet.name = WAVELET_D4;
    job.wavelet.levels = 2;
    job.wavelet.boundary = GF_PERIODIC;
    job.wavelet.threshold = GF_KEEP_ALL;
    job.wavelet.percent = false;
    job.wavelet.amount = 5;
    for (int i = 0; i < job.n_out; i++) {
        struct gf_output *out = &job.out[i];
        out->kind = GF_MAGNITUDE;
        out->dtype = GF_U8;
        out->map = GF_MAP_DISPLAY;
        out->scale = GF_SCALE_LOG;
        out->range = GF_RANGE_FULL;
        out->shift = out->half = out->packed = out->packed_within = false;
        out->low = 0;
        out->high = 1;
    }
    return job;
}

static void test_equal(void) {
    const struct gf_job job = everything(), same = everything();
    CHECK(gf_job_equal(&job, &same) && gf_job_equal(&job, &job));
    CHECK(memcmp(&job, &same, sizeof job) != 0);
    DIFFERS(direction = GF_INVERSE);
    DIFFERS(ndim = 1);
    DIFFERS(ndim = 3);
    DIFFERS(shape[0] = 7);
    DIFFERS(shape[1] = 6);
    DIFFERS(channels = 1);
    DIFFERS(axes = 1);
    DIFFERS(counted[1] = 6);
    DIFFERS(in_dtype = GF_U16);
    DIFFERS(luma = true);
    DIFFERS(in_shift = true);
    DIFFERS(in_half = true);
    DIFFERS(real = true);
    DIFFERS(placed = true);
    DIFFERS(lean = true);
    DIFFERS(spend_input = true);
    DIFFERS(precision = GF_DOUBLE);
    DIFFERS(norm = GF_NORM_ORTHO);
    DIFFERS(elsewhere = 5);
    DIFFERS(whole.axes = 3);
    DIFFERS(whole.shape[1] = 9);
    DIFFERS(whole.first[0] = 1);
    DIFFERS(whole.step = 2);
    DIFFERS(line = 42);
    DIFFERS(in_pitch = 9);
    DIFFERS(out_pitch = 9);
    DIFFERS(n_out = 1);
    DIFFERS(op = GF_DWT);
    DIFFERS(filter = (const struct gf_filter *)&job);
    DIFFERS(filter_serial = 5);
    DIFFERS(wavelet.levels = 1);
    DIFFERS(wavelet.boundary = GF_ZERO);
    DIFFERS(wavelet.name = N_WAVELETS);
    DIFFERS(wavelet.threshold = GF_SOFT);
    DIFFERS(wavelet.percent = true);
    DIFFERS(wavelet.amount = 5.5);
    DIFFERS(out[0].kind = GF_POWER);
    DIFFERS(out[1].kind = GF_PHASE);
    DIFFERS(out[1].dtype = GF_F32);
    DIFFERS(out[1].map = GF_MAP_NUMBER);
    DIFFERS(out[1].scale = GF_SCALE_SQRT);
    DIFFERS(out[1].range = GF_RANGE_GIVEN);
    DIFFERS(out[1].low = 0.5);
    DIFFERS(out[1].high = 2);
    DIFFERS(out[1].shift = true);
    DIFFERS(out[1].half = true);
    DIFFERS(out[1].packed = true);
    DIFFERS(out[1].packed_within = true);
}

static void test_table(void) {
    const struct gf_backend *b = NULL;
    struct gf_job job = picture();
    struct gf_outlook outlook = {.backends = gf_backends, .runs = 1};
    struct gf_choice choice;
    CHECK_EQ(gf_backend_find(NULL, "fftx", &b), GF_EUSAGE);
    CHECK(strstr(gf_message(), "did you mean 'fftw'") && strstr(gf_message(), "openmp"));
    CHECK_EQ(gf_backend_find(NULL, "wavelets", &b), GF_EUSAGE);
    CHECK(!strstr(gf_message(), "did you mean") && strstr(gf_message(), "openmp"));
    CHECK_EQ(gf_backend_find(NULL, "a name far longer than any backend's", &b), GF_EUSAGE);
    CHECK_EQ(gf_backend_find(NULL, "openmp", &b), 0);
    CHECK(b == &gf_backend_openmp);
    CHECK_EQ(gf_auto_choose(&job, &outlook, &choice), 0);
    CHECK(choice.backend && choice.backend->automatic && choice.why[0]);
    CHECK(!strchr(choice.why, '\n') && !choice.no_device[0]);
    for (int i = 0; gf_backends[i]; i++) {
        char reason[GF_REASON] = "";
        int rc = gf_backends[i]->probe(gf_backends[i], NULL, reason);
        CHECK_MSG((rc == 0 || rc == GF_EABSENT) && reason[0], "%s: %d '%s'", gf_backends[i]->name,
                  rc, reason);
        CHECK_EQ(gf_backend_find(NULL, gf_backends[i]->name, &b), rc);
        CHECK(b == (rc ? NULL : gf_backends[i]));
    }
}

/* Seconds or milliseconds behind `word` in auto's reason. */
static double seconds_after(const char *why, const char *word) {
    const char *at = strstr(why, word);
    char *unit = NULL;
    double v = at ? strtod(at + strlen(word), &unit) : -1;
    return unit && !strncmp(unit, " ms", 3) ? v * 1e-3 : v;
}

/* Tables of a length with a large prime, and kernels that are still to be compiled, count. */
static int times_cold;

static bool is_cold(const struct gf_environment *e) {
    (void)e;
    times_cold++;
    return true;
}

static void test_weights(void) {
    static const struct gf_backend *const host[] = {&gf_backend_openmp, NULL};
    struct gf_job job = picture();
    struct gf_choice plain, other;
    struct gf_outlook outlook = {.backends = host, .threads = 1, .runs = 1};
    job.ndim = 1;
    job.axes = 1;
    job.channels = 1;
    job.shape[0] = (int64_t)1 << 24;
    CHECK_EQ(gf_auto_choose(&job, &outlook, &plain), 0);
    job.shape[0] = 16777213; /* a prime: a convolution's spectrum comes first */
    CHECK_EQ(gf_auto_choose(&job, &outlook, &other), 0);
    double a = seconds_after(plain.why, "about "), b = seconds_after(other.why, "about ");
    CHECK_MSG(a > 0 && b > a + 1, "'%s', '%s'", plain.why, other.why);
    /* The cache is looked at where it decides alone: a GPU is too late for the short line anyway. */
    outlook.is_cold = is_cold;
    job.shape[0] = 1 << 10;
    CHECK_EQ(gf_auto_choose(&job, &outlook, &plain), 0);
    CHECK_EQ(times_cold, 0);
    job.shape[0] = 1 << 27;
    CHECK_EQ(gf_auto_choose(&job, &outlook, &other), 0);
    CHECK_EQ(times_cold, 1);
    a = seconds_after(plain.why, "would take ");
    b = seconds_after(other.why, "would take ");
    CHECK_MSG(a > 0 && b > a + 0.3, "'%s', '%s'", plain.why, other.why);
}

static void test_library(void) {
    struct {
        double (*cosine)(double);
    } table = {NULL};
    static const struct gf_dl_symbol symbols[] = {{"cos", 0}, {NULL, 0}};
    static const struct gf_dl_symbol odd[] = {{"no_such_function", 0}, {NULL, 0}};
    static const char *const names[] = {"libnone.so.9", "libm.so.6", NULL};
    static const char *const nothing[] = {"libnone.so.9", "libnone.so.8", NULL};
    void *handle;
    CHECK_EQ(gf_dl_open(names, symbols, &table, &handle), 0);
    CHECK(table.cosine && table.cosine(0) == 1);
    void *more = NULL, *none = &more;
    char file[512], short_of[4];
    gf_dl_find(handle, "sin", &more);
    gf_dl_find(handle, "no_such_function", &none);
    CHECK(more && !none);
    CHECK(gf_dl_file(more, file, sizeof file) && strstr(file, "libm"));
    CHECK(!gf_dl_file(more, short_of, sizeof short_of));
    CHECK(!gf_dl_file(&more, file, sizeof file));
    gf_dl_close(handle);
    CHECK_EQ(gf_dl_open(nothing, symbols, &table, &handle), GF_EABSENT);
    CHECK(strstr(gf_message(), "libnone.so.9") && strstr(gf_message(), "libnone.so.8"));
    CHECK_EQ(gf_dl_open(names, odd, &table, &handle), GF_EABSENT);
    CHECK(strstr(gf_message(), "no_such_function") && !handle);
}

int main(void) {
    RUN("jobs that cannot be done are refused with the reason", test_validate());
    RUN("outputs have the shapes that the job implies", test_shapes());
    RUN("each norm scales each direction as defined", test_scale());
    RUN("jobs differ if one of their fields does", test_equal());
    RUN("arrays that do not fit the job are refused", test_arrays());
    RUN("room in huge pages is used again once given back", test_huge_page());
    RUN("sizes of memory are parsed, or refused", test_memory());
    RUN("backends are found by name, and unknown names get a hint", test_table());
    RUN("small jobs get one thread and the host", test_weights());
    RUN("the first library that opens and has all symbols is taken", test_library());
    return TEST_END();
}
