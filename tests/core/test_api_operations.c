/* Operations by the library's header alone: results that are known, their facts, any strides and types, one input after
 * another, bad input, and a caller who asks for the end. */
#include <math.h>

#include "core/api/gpufft.h"
#include "tests/test.h"

enum { SIDE = 32, ALL = SIDE * SIDE };

/* The layout that programs are compiled for. */
_Static_assert(sizeof(struct gpufft_array) == 168 && sizeof(struct gpufft_fact) == 64,
               "a struct changed: append members, and accept the size before");

static struct gpufft *library;

static struct gpufft_array array_of(int type, int64_t h, int64_t w, void *data) {
    return (struct gpufft_array){.size = sizeof(struct gpufft_array),
                                 .type = type,
                                 .rank = 2,
                                 .shape = {h, w},
                                 .data = data};
}

static struct gpufft_operation *opened(const char *name, const char *const *options,
                                       const struct gpufft_array *with, int n) {
    struct gpufft_operation *o;
    const int rc = gpufft_operation_open(library, name, options, with, n, &o);
    CHECK_MSG(!rc, "%s: %s", name, gpufft_message());
    return o;
}

static void run(struct gpufft_operation *o, const struct gpufft_array *in,
                struct gpufft_array *out) {
    const int rc = gpufft_operation_run(o, in, out);
    CHECK_MSG(!rc, "%s", gpufft_message());
}

static double noise(int64_t y, int64_t x) {
    uint32_t v = (uint32_t)(y * 2654435761 + x * 2246822519 + 977);
    v ^= v >> 15;
    v *= 3266489917u;
    v ^= v >> 13;
    return (double)(v * 668265263u >> 8) / 65536;
}

/* The mean of the noise around a place: it has a shape to be recognised by. */
static double field(int64_t y, int64_t x) {
    return (noise(y, x) + noise(y - 1, x) + noise(y, x - 1) + noise(y - 1, x - 1)) / 4;
}

/* The fact of that key from i on, and its first value. */
static int64_t find(const struct gpufft_operation *o, int64_t i, const char *key, double *value) {
    struct gpufft_fact f = {.size = sizeof f};
    for (; gpufft_operation_fact(o, i, &f) > 0; i++)
        if (f.key && !strcmp(f.key, key)) {
            if (f.kind == GPUFFT_FACT_REAL && f.data)
                *value = *(const double *)f.data;
            return i;
        }
    CHECK_MSG(false, "no %s", key);
    return 0;
}

/* ---- results ---- */

/* Two waves, of which one passes, frame by frame, from an array of any order to one of any other. */
static void test_filter(int type, bool turned) {
    static float in[ALL], out[2][ALL];
    static unsigned char bytes[ALL];
    const char *const bins[] = {"lowpass=5,ideal", "edges=periodic", NULL};
    struct gpufft_operation *o;
    NEED((o = opened("filter", bins, NULL, 0)));
    for (int frame = 0; frame < 2; frame++) {
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const double v = 100 + 20 * cos(2 * acos(-1) * 2 * (x + frame) / SIDE) +
                                 20 * cos(2 * acos(-1) * 10 * y / SIDE);
                const int at = turned ? (SIDE - 1 - x) * SIDE + y : y * SIDE + x;
                in[at] = (float)v;
                bytes[at] = (unsigned char)lround(v);
            }
        struct gpufft_array from =
                                array_of(type, SIDE, SIDE, type == GPUFFT_U8 ? (void *)bytes : in),
                            to = array_of(GPUFFT_F32, SIDE, SIDE, out[frame]);
        const int64_t size = type == GPUFFT_U8 ? 1 : 4;
        if (turned) {
            from.data = (char *)from.data + (SIDE - 1) * SIDE * size;
            from.stride[0] = size;
            from.stride[1] = -SIDE * size;
        }
        run(o, &from, &to);
    }
    for (int i = 0; i < 2 * ALL; i++) {
        const int frame = i / ALL, x = i % SIDE;
        const double want = 100 + 20 * cos(2 * acos(-1) * 2 * (x + frame) / SIDE);
        if (!(fabs(out[frame][i % ALL] - want) < (type == GPUFFT_U8 ? 0.5 : 1e-4)))
            CHECK_MSG(false, "frame %d, %d: %g, not %g", frame, i % ALL, out[frame][i % ALL], want);
    }
    CHECK_EQ(
        gpufft_operation_fact(o, 1000, &(struct gpufft_fact){.size = sizeof(struct gpufft_fact)}),
        0);
    gpufft_operation_free(o);
}

static double error_of(const float *a, const float *b) {
    double sum = 0;
    for (int i = 0; i < ALL; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / ALL);
}

static void test_deblur(void) {
    static float sharp[ALL], blurred[ALL], again[ALL];
    struct gpufft_operation *blur =
        opened("filter", (const char *const[]){"convolve=disk:3", "edges=periodic", NULL}, NULL, 0);
    struct gpufft_operation *deblur = opened(
        "filter", (const char *const[]){"deconvolve=disk:3", "edges=periodic", "noise=0.01", NULL},
        NULL, 0);
    NEED(blur && deblur);
    for (int i = 0; i < ALL; i++)
        sharp[i] = (i / SIDE / 4 + i % SIDE / 4) % 2 ? 200 : 50;
    const struct gpufft_array from = array_of(GPUFFT_F32, SIDE, SIDE, sharp);
    struct gpufft_array middle = array_of(GPUFFT_F32, SIDE, SIDE, blurred),
                        to = array_of(GPUFFT_F32, SIDE, SIDE, again);
    run(blur, &from, &middle);
    run(deblur, &middle, &to);
    CHECK_MSG(error_of(blurred, sharp) > 20 &&
                  error_of(again, sharp) < error_of(blurred, sharp) / 2,
              "blurred %g, restored %g", error_of(blurred, sharp), error_of(again, sharp));
    gpufft_operation_free(blur);
    gpufft_operation_free(deblur);
}

static void test_match(void) {
    static double in[ALL], map[ALL], part[5 * 6];
    double v = 0;
    for (int i = 0; i < ALL; i++)
        in[i] = field(i / SIDE, i % SIDE);
    for (int i = 0; i < 30; i++)
        part[i] = field(9 + i / 6, 14 + i % 6);
    const struct gpufft_array from = array_of(GPUFFT_F64, SIDE, SIDE, in),
                              with = array_of(GPUFFT_F64, 5, 6, part);
    struct gpufft_array to = {.size = sizeof to};
    struct gpufft_operation *o = opened("match", (const char *const[]){"peaks=1", NULL}, &with, 1);
    int64_t bytes = 0;
    NEED(o);
    CHECK_EQ(gpufft_operation_describe(o, &from, &to, &bytes), 0);
    CHECK(to.rank == 2 && to.shape[0] == SIDE - 4 && to.shape[1] == SIDE - 5);
    CHECK(to.type == GPUFFT_F64 && bytes > (int64_t)sizeof in);
    to.data = map;
    run(o, &from, &to);
    CHECK(fabs(map[9 * (SIDE - 5) + 14] - 1) < 1e-9);
    find(o, find(o, 0, "peaks", &v), "score", &v);
    CHECK(fabs(v - 1) < 1e-9);
    gpufft_operation_free(o);
}

static void test_register(void) {
    static double in[ALL], out[ALL], reference[ALL];
    double v = 0;
    for (int i = 0; i < ALL; i++) {
        reference[i] = field(i / SIDE, i % SIDE);
        in[i] = field(i / SIDE + 3, i % SIDE - 2);
    }
    const struct gpufft_array from = array_of(GPUFFT_F64, SIDE, SIDE, in),
                              with = array_of(GPUFFT_F64, SIDE, SIDE, reference);
    struct gpufft_array to = array_of(GPUFFT_F64, SIDE, SIDE, out);
    struct gpufft_operation *o =
        opened("register", (const char *const[]){"fill=edge", NULL}, &with, 1);
    NEED(o);
    run(o, &from, &to);
    find(o, 0, "shift", &v);
    CHECK_MSG(fabs(v - 3) < 0.3, "shift %g", v);
    gpufft_operation_free(o);
}

static void test_facts_alone(void) {
    static float in[ALL];
    double v = 0;
    for (int i = 0; i < ALL; i++)
        in[i] = (float)(i % 2 * 4);
    const struct gpufft_array from = array_of(GPUFFT_F32, SIDE, SIDE, in);
    struct gpufft_array to = array_of(GPUFFT_F32, SIDE, SIDE, in);
    struct gpufft_operation *o = opened("stats", NULL, NULL, 0);
    NEED(o);
    CHECK_EQ(gpufft_operation_run(o, &from, &to), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_operation_describe(o, &from, &to, NULL), 0);
    CHECK_EQ(to.rank, 0);
    run(o, &from, NULL);
    find(o, 0, "mean", &v);
    CHECK(fabs(v - 2) < 1e-6);
    gpufft_operation_free(o);
}

/* Two waves along y and x as a picture in grey, and as numbers, with and without a window. */
static void test_spectrum(void) {
    static float in[ALL], numbers[ALL];
    static unsigned char grey[ALL];
    const int centre = SIDE / 2 * SIDE + SIDE / 2;
    for (int i = 0; i < ALL; i++)
        in[i] = (float)(5 + 4 * cos(2 * acos(-1) * (i / SIDE) / 8) +
                        2 * cos(2 * acos(-1) * (i % SIDE) / 4));
    const struct gpufft_array from = array_of(GPUFFT_F32, SIDE, SIDE, in);
    struct gpufft_array to = {.size = sizeof to};
    struct gpufft_operation *o =
        opened("spectrum", (const char *const[]){"range=full", "scale=linear", NULL}, NULL, 0);
    NEED(o);
    CHECK_EQ(gpufft_operation_describe(o, &from, &to, NULL), 0);
    CHECK(to.type == GPUFFT_U8 && to.rank == 2 && to.shape[0] == SIDE && to.shape[1] == SIDE);
    to.data = grey;
    run(o, &from, &to);
    CHECK(grey[centre] == 255 && grey[centre + 4 * SIDE] == 102 && grey[centre - 8] == 51);
    to = array_of(GPUFFT_F32, SIDE, SIDE, numbers);
    run(o, &from, &to);
    CHECK(fabs(numbers[centre] - 5. * ALL) < 0.01 && fabs(numbers[centre + 8] - ALL) < 0.01);
    gpufft_operation_free(o);
    NEED((o = opened("spectrum",
                     (const char *const[]){"window=hann", "no-shift", "norm=forward", NULL}, NULL,
                     0)));
    run(o, &from, &to);
    CHECK_MSG(fabs(numbers[0] - 1.25) < 0.01 && fabs(numbers[4 * SIDE] - 0.5) < 0.01, "%g %g",
              numbers[0], numbers[4 * SIDE]);
    gpufft_operation_free(o);
    CHECK_EQ(gpufft_operation_open(library, "spectrum", (const char *const[]){"kind=complex", NULL},
                                   NULL, 0, &o),
             GPUFFT_EUSAGE);
}

/* Wavelets of a picture of any size along both axes or one of them, and back. */
static void test_wavelets(const char *boundary, int levels, const char *axes) {
    static double in[19 * 22], middle[ALL * 2], out[ALL];
    char level[16];
    snprintf(level, sizeof level, "levels=%d", levels);
    const char *const options[] = {level, boundary, axes, NULL};
    struct gpufft_operation *there = opened("dwt", options, NULL, 0),
                            *back = opened("idwt", options, NULL, 0);
    NEED(there && back);
    for (int w = 19; w <= 22; w++) {
        const int h = 38 - w;
        struct gpufft_array from = array_of(GPUFFT_F64, h, w, in), packed = {.size = sizeof packed},
                            to = packed;
        for (int i = 0; i < h * w; i++)
            in[i] = field(i / w, i % w);
        CHECK_EQ(gpufft_operation_describe(there, &from, &packed, NULL), 0);
        packed.data = middle;
        run(there, &from, &packed);
        CHECK_EQ(gpufft_operation_describe(back, &packed, &to, NULL), 0);
        CHECK_EQ(to.shape[0], axes ? h : h + h % 2);
        CHECK_EQ(to.shape[1], w + w % 2);
        to.data = out;
        run(back, &packed, &to);
        double worst = fabs(middle[0] - in[0]) > 1 ? 0 : 1; /* they are no copies */
        for (int i = 0; i < h * w; i++)
            worst = fmax(worst, fabs(out[i / w * to.shape[1] + i % w] - in[i]));
        CHECK_MSG(worst < 1e-10, "%dx%d, %s: error %g", h, w, boundary, worst);
    }
    gpufft_operation_free(there);
    gpufft_operation_free(back);
}

static void test_wavelets_refused(void) {
    static double in[ALL], out[ALL];
    const struct gpufft_array from = array_of(GPUFFT_F64, 7, 12, in);
    struct gpufft_array to = array_of(GPUFFT_F64, 7, 12, out);
    static const struct {
        const char *name, *options[3], *text;
        int code;
    } bad[] = {
        {"idwt", {NULL}, "levels=N", GPUFFT_EUSAGE},
        {"idwt", {"levels=max"}, "levels=N", GPUFFT_EUSAGE},
        {"idwt", {"levels=1"}, "no picture has 7 coefficients", GPUFFT_EINVAL},
        {"dwt", {"axes=2"}, "from 0 to 1", GPUFFT_EINVAL},
        {"dwt", {"axes=-3"}, "from 0 to 1", GPUFFT_EINVAL},
        {"dwt", {"axes=0,0"}, "from 0 to 1", GPUFFT_EINVAL},
        {"dwt", {"axes=0,"}, "from 0 to 1", GPUFFT_EINVAL},
        {"dwt", {"axes=x"}, "from 0 to 1", GPUFFT_EINVAL},
        {"dwt", {"axes=1", "levels=9"}, "allows 1 to 4", GPUFFT_EINVAL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gpufft_operation *o = opened(bad[i].name, bad[i].options, NULL, 0);
        NEED(o);
        CHECK_EQ(gpufft_operation_run(o, &from, &to), bad[i].code);
        CHECK_HAS(gpufft_message(), bad[i].text);
        gpufft_operation_free(o);
    }
}

/* ---- bad input ---- */

static void test_refused(void) {
    static float in[2 * ALL], out[2 * ALL]; /* complex ones, too */
    const struct gpufft_array from = array_of(GPUFFT_F32, SIDE, SIDE, in);
    struct gpufft_array to = array_of(GPUFFT_F32, SIDE, SIDE, out);
    struct gpufft_operation *o;
#define OPEN(code, name, ...) \
    CHECK_EQ(gpufft_operation_open(library, name, (const char *const[]){__VA_ARGS__, NULL}, NULL, \
                                   0, &o), \
             code)
    OPEN(GPUFFT_EUSAGE, NULL, "lowpass=5");
    OPEN(GPUFFT_EUSAGE, "sharpen", "lowpass=5");
    OPEN(GPUFFT_EUSAGE, "filter", "lowpass");
    OPEN(GPUFFT_EUSAGE, "filter", "lowpass=");
    OPEN(GPUFFT_EUSAGE, "filter", "=");
    OPEN(GPUFFT_EUSAGE, "filter", "");
    OPEN(GPUFFT_EUSAGE, "filter", "mask=ring.png");
    OPEN(GPUFFT_EINVAL, "match", "peaks=1");
    CHECK(!o);
    CHECK_EQ(gpufft_operation_open(library, "filter", NULL, NULL, 1, &o), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_operation_open(library, "filter", NULL, NULL, -1, &o), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_operation_open(NULL, "filter", NULL, NULL, 0, &o), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_operation_open(library, "filter", NULL, NULL, 0, NULL), GPUFFT_EUSAGE);
    NEED((o = opened("filter", (const char *const[]){"lowpass=5", NULL}, NULL, 0)));
#define RUN_BAD(code, member, value) \
    do { \
        struct gpufft_array bad = from; \
        bad.member = value; \
        CHECK_EQ(gpufft_operation_run(o, &bad, &to), code); \
    } while (0)
    RUN_BAD(GPUFFT_EUSAGE, size, 0);
    RUN_BAD(GPUFFT_EUSAGE, type, 77);
    RUN_BAD(GPUFFT_EUSAGE, rank, 0);
    RUN_BAD(GPUFFT_EUSAGE, rank, 5);
    RUN_BAD(GPUFFT_EUSAGE, channels, 3);
    RUN_BAD(GPUFFT_EINVAL, channels, 2);
    RUN_BAD(GPUFFT_EINVAL, shape[0], 0);
    RUN_BAD(GPUFFT_EINVAL, shape[0], SIDE / 2); /* not the output's */
    RUN_BAD(GPUFFT_EUSAGE, data, NULL);
    RUN_BAD(GPUFFT_EINVAL, data, (char *)in + 1);
    RUN_BAD(GPUFFT_EINVAL, data, out);
    RUN_BAD(GPUFFT_EINVAL, type, GPUFFT_C64);
    CHECK_EQ(gpufft_operation_run(o, NULL, &to), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_operation_run(o, &from, NULL), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_operation_run(NULL, &from, &to), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_operation_fact(NULL, 0, &(struct gpufft_fact){.size = 1}), GPUFFT_EUSAGE);
    to.type = GPUFFT_C64;
    CHECK(gpufft_operation_run(o, &from, &to));
    to.type = GPUFFT_F32;
    in[70] = NAN;
    CHECK_EQ(gpufft_operation_run(o, &from, &to), GPUFFT_EINVAL);
    CHECK(strstr(gpufft_message(), "1 sample is NaN or Inf, the first at [2, 6]"));
    in[70] = 0;
    CHECK_EQ(gpufft_operation_run(o, &from, &to), 0);
    gpufft_operation_free(o);
    gpufft_operation_free(NULL);
}

static void test_closed(void) {
    static float in[ALL], out[ALL];
    const struct gpufft_array from = array_of(GPUFFT_F32, SIDE, SIDE, in);
    struct gpufft_array to = array_of(GPUFFT_F32, SIDE, SIDE, out);
    struct gpufft *kept = library;
    const struct gpufft_options options = {.size = sizeof options, .backend = "openmp"};
    NEED(!gpufft_open(&options, &library));
    struct gpufft_operation *o =
        opened("filter", (const char *const[]){"lowpass=5", NULL}, NULL, 0);
    NEED(o);
    gpufft_close(library);
    library = kept;
    CHECK_EQ(gpufft_operation_run(o, &from, &to), GPUFFT_ECLOSED);
    gpufft_operation_free(o);
}

static int ticks_left;

static int count_down(void *user, double done) {
    (void)user;
    CHECK(done <= 1);
    return ticks_left-- <= 0;
}

/* Iterations end at each tick, and the operation is as good as new. */
static void test_canceled(void) {
    static float in[ALL], out[ALL], want[ALL];
    struct gpufft *kept = library;
    const struct gpufft_options options = {
        .size = sizeof options, .backend = "openmp", .threads = 1, .tick = count_down};
    struct gpufft_array from = array_of(GPUFFT_F32, SIDE, SIDE, in),
                        to = array_of(GPUFFT_F32, SIDE, SIDE, want);
    int canceled = 0;
    for (int i = 0; i < ALL; i++)
        in[i] = (float)field(i / SIDE, i % SIDE);
    NEED(!gpufft_open(&options, &library));
    struct gpufft_operation *o = opened(
        "filter", (const char *const[]){"deconvolve=gaussian:1", "iterations=3", NULL}, NULL, 0);
    NEED(o);
    ticks_left = 1 << 20;
    run(o, &from, &to);
    const int all = (1 << 20) - ticks_left;
    to.data = out;
    for (int i = 0; i < all; i++) {
        ticks_left = i;
        canceled += gpufft_operation_run(o, &from, &to) == GPUFFT_ECANCELED;
    }
    CHECK_MSG(all > 3 && canceled == all, "%d of %d", canceled, all);
    ticks_left = 1 << 20;
    run(o, &from, &to);
    CHECK(!memcmp(out, want, sizeof want));
    gpufft_operation_free(o);
    gpufft_close(library);
    library = kept;
}

int main(void) {
    const struct gpufft_options options = {
        .size = sizeof options, .backend = "openmp", .threads = 2};
    NEED(!gpufft_open(&options, &library));
    RUN("a wave passes", test_filter(GPUFFT_F32, false));
    RUN("it passes from bytes", test_filter(GPUFFT_U8, false));
    RUN("it passes from a turned array", test_filter(GPUFFT_F32, true));
    RUN("it passes from turned bytes", test_filter(GPUFFT_U8, true));
    RUN("a blur is undone", test_deblur());
    RUN("a template is found", test_match());
    RUN("a shift is found", test_register());
    RUN("a measurement has no output", test_facts_alone());
    RUN("a spectrum is a picture", test_spectrum());
    for (int levels = 1; levels <= 3; levels++) {
        RUN("wavelets go there and back", test_wavelets("boundary=periodic", levels, NULL));
        RUN("mirrored wavelets go there and back",
            test_wavelets("boundary=symmetric", levels, NULL));
        RUN("wavelets along an axis go there and back",
            test_wavelets("boundary=zero", levels, "axes=1"));
    }
    RUN("wavelets that cannot be are refused", test_wavelets_refused());
    RUN("bad input is refused", test_refused());
    RUN("a closed library runs nothing", test_closed());
    RUN("an operation ends where its caller asks", test_canceled());
    gpufft_close(library);
    return TEST_END();
}
