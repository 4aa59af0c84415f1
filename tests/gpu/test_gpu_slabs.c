/* Jobs that pass through a GPU's memory in parts, beside sums in long double, and where the order of
 * the axes is the same beside the job in one piece.
 *
 *     test_gpu_slabs [gpu | all] [BACKEND...]
 *
 * tests/gpu/gpu_limited.h describes `gpu` and `all`. */
#include <string.h>

#include "cli/environment.h"
#include "core/base/value/status.h"
#include "core/gpu/slab.h"
#include "core/filter/filter.h"
#include "core/engine/backends.h"
#include "tests/gpu/gpu_limited.h"
#include "tests/test.h"

/* ---- copies ---- */

/* A complex array of random numbers in parts of some bins, shifted, is what it was. */
static void test_bins(void) {
    uint64_t seed = 7;
    for (int turn = 0; turn < 60; turn++) {
        const int64_t shape[4] = {2 + turn % 5, 1 + turn % 4, 3 + turn % 7, 1 + turn % 2};
        struct gf_array a = {0}, b = {0}, packed = {0};
        CHECK(!gf_array_alloc(&a, GF_C64, 4, shape) && !gf_array_alloc(&b, GF_C64, 4, shape) &&
              !gf_array_alloc(&packed, GF_C64, 4, shape));
        backends_fill(&a, &seed);
        memset(b.data, 0, (size_t)gf_array_bytes(&b));
        const int64_t all = shape[1] * shape[2], each = 1 + turn % 9;
        for (int64_t first = 0; first < all; first += each) {
            struct gf_gpu_slab_copy copy = {.array = a,
                                            .part = {first, gf_min(each, all - first)},
                                            .columns = shape[2],
                                            .shift = {turn & 1, turn & 2, turn & 4},
                                            .packed = packed.data};
            gf_gpu_slab_copy(&copy, 1, 1 + turn % 2);
            copy.array = b;
            copy.unpack = true;
            gf_gpu_slab_copy(&copy, 1, 1 + turn % 2);
        }
        CHECK(!memcmp(a.data, b.data, (size_t)gf_array_bytes(&a)));
        gf_array_free(&a);
        gf_array_free(&b);
        gf_array_free(&packed);
    }
}

/* The contents of a half spectrum's column in the test below: different everywhere. */
static int known(int64_t z, int64_t y, int64_t x) {
    return (int)(z * 49 + y * 7 + x);
}

/* Half spectra in parts of `each` bins, to a whole array of bytes. */
static void spread(const struct gf_array *whole, bool shift, int64_t each) {
    const int64_t *n = whole->shape, columns = n[2] / 2 + 1, all = n[1] * columns;
    uint8_t packed[1024];
    for (int64_t first = 0; first < all; first += each) {
        const int64_t count = first + each < all ? each : all - first;
        for (int64_t i = 0; i < n[0] * count; i++) {
            const int64_t bin = first + i % count;
            packed[i] = (uint8_t)known(i / count, bin / columns, bin % columns);
        }
        const struct gf_gpu_slab_copy copy = {.array = *whole,
                                              .part = {first, count},
                                              .columns = columns,
                                              .shift = {shift, shift, shift},
                                              .mirrors = columns != n[2],
                                              .axes = 7,
                                              .kind = GF_PHASE,
                                              .packed = (char *)packed,
                                              .unpack = true};
        gf_gpu_slab_copy(&copy, 1, 1);
    }
}

/* Every sample of a whole spectrum comes from its half: of a phase about mid-grey, the opposite of the
 * negative frequency's. */
static void test_mirrors(void) {
    for (int turn = 0; turn < 5 * 5 * 5 * 2; turn++) {
        const int64_t n[4] = {1 + turn % 5, 1 + turn / 5 % 5, 2 + turn / 25 % 5, 1};
        const bool shift = turn / 125;
        struct gf_array a = {0};
        CHECK(!gf_array_alloc(&a, GF_U8, 4, n));
        spread(&a, shift, 1 + turn % 6);
        bool good = true;
        for (int64_t i = 0; i < gf_array_count(&a); i++) {
            const int64_t z = i / n[2] / n[1], y = i / n[2] % n[1], x = i % n[2];
            const bool mirrored = x > n[2] / 2;
            const int v = mirrored ? 255 - known((n[0] - z) % n[0], (n[1] - y) % n[1], n[2] - x)
                                   : known(z, y, x);
            const int64_t at[3] = {(z + shift * (n[0] / 2)) % n[0], (y + shift * (n[1] / 2)) % n[1],
                                   (x + shift * (n[2] / 2)) % n[2]};
            good &= ((uint8_t *)a.data)[(at[0] * n[1] + at[1]) * n[2] + at[2]] == v;
        }
        CHECK_MSG(good, "%lldx%lldx%lld, shift %d", (long long)n[0], (long long)n[1],
                  (long long)n[2], shift);
        gf_array_free(&a);
    }
}

/* A complex line, or its half, through parts of `each` columns of a matrix and back. Where only the
 * columns up to half are in the parts, the others are conjugates of those. */
static void check_line_copy(int64_t rows, int64_t columns, bool real, bool half, bool shift,
                            int64_t each) {
    const int64_t n = rows * columns, all = real ? columns / 2 + 1 : columns;
    const int64_t shape[4] = {1, 1, half ? n / 2 + 1 : n, 1};
    struct gf_array a = {0}, b = {0}, packed = {0};
    uint64_t seed = 9;
    CHECK(!gf_array_alloc(&a, GF_C64, 4, shape) && !gf_array_alloc(&b, GF_C64, 4, shape) &&
          !gf_array_alloc(&packed, GF_C64, 1, (int64_t[]){rows * each}));
    backends_fill(&a, &seed);
    float *x = a.data;
    for (int64_t k = 0; k < n && real && !half; k++) { /* a spectrum of reals */
        const int64_t m = (n - k) % n, centre = shift ? n / 2 : 0;
        const int64_t from = (k + centre) % n, to = (m + centre) % n;
        x[2 * to] = x[2 * from];
        x[2 * to + 1] = k == m ? 0 : -x[2 * from + 1];
    }
    if (half)
        x[1] = n % 2 ? 0 : (x[n + 1] = 0);
    memset(b.data, 0xff, (size_t)gf_array_bytes(&b));
    for (int64_t first = 0; first < all; first += each) {
        struct gf_gpu_slab_copy copy = {.array = a,
                                        .line = {n, rows, columns},
                                        .part = {first, gf_min(each, all - first)},
                                        .columns = all,
                                        .shift = {false, false, shift},
                                        .mirrors = real,
                                        .kind = GF_COMPLEX,
                                        .packed = packed.data};
        gf_gpu_slab_copy(&copy, 1, 1);
        copy.array = b;
        copy.unpack = true;
        gf_gpu_slab_copy(&copy, 1, 1);
    }
    CHECK_MSG(!memcmp(a.data, b.data, (size_t)gf_array_bytes(&a)),
              "%lldx%lld, real %d, half %d, shift %d, %lld columns each", (long long)rows,
              (long long)columns, real, half, shift, (long long)each);
    gf_array_free(&a);
    gf_array_free(&b);
    gf_array_free(&packed);
}

static void test_line_copies(void) {
    for (int rows = 1; rows < 7; rows++)
        for (int columns = 2; columns < 9; columns++)
            for (int way = 0; way < 5; way++) /* complex, real, half; the first two shifted */
                for (int each = 1; each < 5; each++)
                    check_line_copy(rows, columns, way > 1, way == 4, way % 2, each);
}

/* ---- jobs ---- */

/* The memory of the device, in KiB, in which the job is run in slabs. */
struct limited {
    const char *job;
    int64_t kib;
};

static const struct limited jobs[] = {
    {"fwd c64 24x20x40 > complex", 160},
    {"fwd f32 25x20x40 > complex half", 120},
    {"fwd u8 12x13x64 ch=3 > magnitude u8 display shift auto", 110},
    {"fwd f32 509x5x6 > complex, phase f32 shift, phase u8 display", 150},
    {"fwd u8 24x22x40 ch=3 > magnitude u8 display shift, phase f32 shift, complex, imag u8 display",
     300},
    {"fwd f32 24x20x40 > magnitude u8 display shift", 120},
    {"fwd u16 20x21x33 luma ch=3 > power f32 shift, complex half", 120},
    {"fwd f64 24x20x36 double > complex shift", 300},
    {"fwd c64 24x20x40 axes=5 > phase f32 shift, complex shift", 200},
    {"fwd c64 40x20x24 axes=1 > complex shift", 160},
    {"fwd u8 40x31x24 axes=6 > magnitude u8 display shift", 60},
    {"fwd c64 40x31x24 axes=6 > complex shift", 120},
    {"fwd u8 9x40x37 axes=6 > magnitude u8 display shift auto", 70},
    {"fwd u16 9x40x37 luma ch=3 axes=6 > power u8 display auto, magnitude u8 display shift", 150},
    {"inv c64 24x20x40 > complex", 160},
    {"inv c64 24x20x40 real half > real u8", 120},
    {"inv c64 24x21x41 real centred > real f32, magnitude f32", 200},
    {"inv c128 24x20x36 double real half centred ortho > real f64", 300},
    {"inv f32 24x20x40 > imag f32", 160},
    {"fwd c64 130x240 > complex shift", 160},
    {"fwd u8 64x70 ch=4 > magnitude u8 display shift auto", 70},
    {"inv c64 130x241 real half > real u8", 120},
    {"fwd f32 24x20x40 > real f32 | low-gaussian=6 offset=3", 160},
    {"fwd u8 25x21x33 ch=3 > real u8, real f32 | notch-ideal=3@5 reject-butterworth=8/3", 300},
    {"fwd u16 24x20x40 ch=3 luma > real u16 | band-gaussian=9", 200},
    {"fwd f32 24x20x40 axes=5 > real f32 | low-butterworth=5/2 offset=2", 160},
    {"fwd f64 24x11x36 double > real f64 | high-ideal=7", 300},
    {"fwd u8 130x240 ch=2 > real u8 | high-gaussian=20 offset=100", 160},
    {"fwd f32 131x241 > real f32 | low-butterworth=20/40", 200},
    {"fwd f32 24x20x40 > real f32 | real high-gaussian=8", 200},
    {"fwd f32 130x240 > real f32 | complex offset=1", 250},
    {"fwd f32 36x10x60 > real f32 | notch-gaussian=2@5 notch-gaussian=3@-8 notch-gaussian=4@11",
     220},
    {"fwd f32 20000x16 > real f32 | low-gaussian=900", 2000},
    {"fwd c64 16384 > complex", 150},
    {"fwd f32 16128 > complex half", 120},
    {"inv c64 16384 > complex", 150},
    {"inv c64 16128 real half > real u8", 120},
    {"fwd f32 16128 > real f32 | low-gaussian=900 offset=3", 150},
    {"fwd c64 30030 > complex", 240},
    {"fwd c64 30030 ch=2 > complex shift, magnitude f32 shift", 400},
    {"fwd c128 6561 double ortho > complex shift", 170},
    {"fwd f32 30030 > complex half", 200},
    {"fwd u8 30031 > complex", 200},
    {"fwd u8 27027 ch=3 > complex shift, phase f32", 400},
    {"fwd f32 20000 luma ch=3 > complex half, power f32 shift", 300},
    {"fwd f32 30030 > magnitude u8 display shift", 200},
    {"fwd u8 30030 > magnitude u8 display", 150},
    {"fwd f32 16128 > magnitude u8 display auto shift", 150},
    {"fwd f32 130x240x1 > complex half, phase f32 shift", 250},
    {"inv c64 16128x1 centred > complex", 150},
    {"fwd c64 8008 ch=2 > power u8 display auto, phase f32", 200},
    {"fwd u8 15015 > imag u8 display auto, real u8 display auto", 150},
    {"fwd f64 10010 double > complex half", 200},
    {"inv c64 30030 > complex", 240},
    {"inv c64 30030 ch=2 centred ortho > complex", 400},
    {"inv c64 30030 real half > real u8", 200},
    {"inv c64 27027 ch=2 real half > real f32", 300},
    {"inv c64 30030 real centred > real f32, magnitude f32", 300},
    {"inv c128 10010 double real > real f64", 300},
    {"fwd f32 30030 > real f32 | low-gaussian=900 offset=3", 300},
    {"fwd u8 27027 ch=2 > real u8, real f32 | band-gaussian=900", 400},
    {"fwd f32 30030 > real f32 | complex offset=1", 400},
    {"fwd f64 10010 double > real f64 | high-butterworth=300/2", 400},
};

/* Whether a line's first output has the numbers as they are. */
static bool is_plain_line(const struct gf_job *job) {
    const struct gf_output *o = &job->out[0];
    const enum gf_kind kind = job->direction == GF_INVERSE && job->real ? GF_REAL : GF_COMPLEX;
    return job->ndim == 1 && job->n_out == 1 && job->op == GF_FFT && o->kind == kind && !o->shift &&
           !gf_dtype_is_integer(o->dtype);
}

static void check_slabs(struct subject *s, const struct limited *l) {
    const struct gf_backend_options options = {.environment = gf_environment(),
                                               .threads = 2,
                                               .device = s->device,
                                               .device_memory = l->kib << 10};
    struct limited_job j;
    int rc = limited_open(s, &options, l->job, &j);
    CHECK_MSG(!rc && j.plan->in_slabs, "%s: %s", l->job, rc ? gf_message() : "in one piece");
    if (!rc) {
        CHECK_MSG(j.plan->device_bytes <= l->kib << 10, "%s takes %lld bytes of the device", l->job,
                  (long long)j.plan->device_bytes);
        limited_check(s, &j);
        if (is_plain_line(&j.job))
            backends_measure(s, &j.job);
    }
    limited_close(s, &j);
}

/* Too little for a page, and jobs that slabs do not serve. */
static void check_refused(const struct subject *s) {
    static const char *const refused[] = {"fwd c64 24x20x40 > complex", "fwd c64 100003 > complex"};
    struct gf_backend_options options = {
        .environment = gf_environment(), .device = s->device, .device_memory = 20 << 10};
    void *context = NULL;
    CHECK(!s->backend->open(s->backend, &options, &context));
    for (size_t i = 0; context && i < sizeof refused / sizeof *refused; i++) {
        struct gf_job job;
        struct gf_plan *plan = NULL;
        CHECK(backends_parse(refused[i], &job));
        CHECK(gf_backend_plan(s->backend, context, &job, &plan) == GF_ENOMEM);
        CHECK_MSG(strstr(gf_message(), "--max-device-memory"), "%s", gf_message());
    }
    if (context)
        s->backend->close(context);
}

/* ---- failures ---- */

static int pin(void *gpu, int64_t bytes, void **host) {
    *host = NULL;
    int rc = limited_fails();
    return rc ? rc : gf_gpu_opencl.pin(gpu, bytes, host);
}
static int lock(void *gpu, void *host, int64_t bytes, bool *locked) {
    *locked = false;
    int rc = limited_fails();
    return rc ? rc : gf_gpu_opencl.lock(gpu, host, bytes, locked);
}
static int copy_rows(void *gpu, void *other, const struct gf_gpu_move *rows) {
    int rc = rows->from.host ? limited_fails() : 0;
    return rc ? rc : gf_gpu_opencl.rows(gpu, other, rows);
}
/* One job with the call failing; false where it fails. */
static bool run_failing(const struct gf_gpu_context *c, const struct gf_job *job, int at,
                        const struct gf_array *in, struct gf_array *out) {
    struct gf_gpu_shared *p = NULL;
    struct gf_report report;
    limited_failing.calls = 0;
    limited_failing.at = at;
    int rc = gf_gpu_slabs_plan(c, job, &p);
    if (!rc)
        rc = gf_gpu_shared_exec(p, in, out, &report);
    if (!rc) /* and again, with what is kept */
        rc = gf_gpu_shared_exec(p, in, out, &report);
    gf_gpu_shared_drop(p);
    CHECK_EQ(limited_failing.held, 0);
    return !rc;
}

/* Whichever call fails, the job fails or gives the same; nothing is left on the device. */
static void test_failures(void) {
    struct gf_gpu api = limited_opencl();
    struct gf_backend_options options = {.environment = gf_environment(),
                                         .threads = 1,
                                         .device = gf_environment_device(),
                                         .device_memory = 150 << 10};
    void *context = NULL;
    struct gf_job job;
    struct gf_array in = {0}, out = {0}, again = {0};
    char reason[GF_REASON];
    if (gf_backend_opencl.probe(&gf_backend_opencl, NULL, reason))
        return;
    limited_failing.error = GF_ENOMEM;
    api.pin = pin;
    api.lock = lock;
    api.rows = copy_rows;
    CHECK(!gf_gpu_run_open(&api, &options, &context));
    CHECK(!limited_arrays("fwd c64 24x20x40 > complex", &job, &in, &out, &again));
    CHECK(context && run_failing(context, &job, 0, &in, &out));
    int failed = 0;
    for (int all = limited_failing.calls, at = 1; context && at <= all; at += at < 60 ? 1 : 7) {
        memset(again.data, 0xff, (size_t)gf_array_bytes(&again));
        const bool ran = run_failing(context, &job, at, &in, &again);
        failed += !ran;
        CHECK_MSG(!ran || !memcmp(again.data, out.data, (size_t)gf_array_bytes(&out)),
                  "call %d of %d failed, and the result differs", at, all);
    }
    CHECK(failed > 20);
    if (context)
        gf_gpu_run_close(context);
    limited_free(&in, &out, &again);
}

static void test_backend(const struct gf_backend *b, const struct limited_args *args) {
    struct gf_gpu_props props;
    struct subject s;
    if (!limited_subject(args, b, gf_environment_device(), &s, &props))
        return;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        /* None but automatic ranges transform lines beside the slabs. */
        if (strstr(jobs[i].job, "x64 ch=3 > magnitude u8 display shift auto") ||
            limited_runs(args, &props, i, 28))
            RUN_COUNTED(&s,
                        case_name("%s: %s in %lld KiB is right", b->name, jobs[i].job,
                                  (long long)jobs[i].kib),
                        check_slabs(&s, &jobs[i]));
    RUN(case_name("%s: jobs that slabs do not serve are refused", b->name), check_refused(&s));
}

int main(int argc, char **argv) {
    gf_environment_read();
    const struct limited_args args = limited_args_read(argc, argv);
    RUN("a shifted array in parts of some bins is what it was", test_bins());
    RUN("every sample of a whole spectrum comes from its half", test_mirrors());
    RUN("lines are copied in parts of any width", test_line_copies());
    if (!args.gpu)
        RUN("a call of the device that fails fails the job and leaves nothing", test_failures());
    test_backend(&gf_backend_opencl, &args);
    test_backend(&gf_backend_cuda, &args);
    return TEST_END();
}
