/* Jobs that pass through a GPU's memory in parts, beside sums in long double, and where the order of
 * the axes is the same beside the job in one piece.
 *
 *     test_gpu_slabs [gpu] [BACKEND...]
 *
 * `gpu`: on a device that is not the CPU, where kernels are built in no time: all jobs, not a few. */
#include <string.h>

#include "cli/environment.h"
#include "core/base/status.h"
#include "core/gpu/slab_copy.h"
#include "core/session/backends.h"
#include "tests/core/backends.h"
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
            struct gf_gpu_slab_bins bins = {.array = a,
                                            .first = first,
                                            .count = first + each < all ? each : all - first,
                                            .columns = shape[2],
                                            .shift = {turn & 1, turn & 2, turn & 4},
                                            .threads = 1 + turn % 2};
            gf_gpu_slab_copy_bins(&bins, packed.data, false);
            bins.array = b;
            gf_gpu_slab_copy_bins(&bins, packed.data, true);
        }
        CHECK(!memcmp(a.data, b.data, (size_t)gf_array_bytes(&a)));
        gf_array_free(&a);
        gf_array_free(&b);
        gf_array_free(&packed);
    }
}

/* ---- jobs ---- */

/* The memory of the device, in KiB, in which the job is run in slabs; few: on the CPU too. */
struct limited {
    const char *job;
    int64_t kib;
    bool few;
};

static const struct limited jobs[] = {
    {"fwd c64 24x20x40 > complex", 160, true},
    {"fwd f32 25x20x40 > complex half", 120, true},
    {"fwd u8 12x13x64 ch=3 > magnitude u8 display shift auto", 100, true},
    {"fwd u8 24x22x40 ch=3 > magnitude u8 display shift, phase f32 shift, complex, imag u8 display",
     300, false},
    {"fwd f32 24x20x40 > magnitude u8 display shift", 120, true},
    {"fwd u16 20x21x33 luma ch=3 > power f32 shift, complex half", 120, false},
    {"fwd f64 24x20x36 double > complex shift", 300, false},
    {"fwd c64 24x20x40 axes=5 > phase f32 shift, complex shift", 200, false},
    {"fwd c64 40x20x24 axes=1 > complex shift", 160, false},
    {"fwd u8 40x31x24 axes=6 > magnitude u8 display shift", 60, false},
    {"fwd c64 40x31x24 axes=6 > complex shift", 120, false},
    {"inv c64 24x20x40 > complex", 160, true},
    {"inv c64 24x20x40 real half > real u8", 120, true},
    {"inv c64 24x21x41 real centred > real f32, magnitude f32", 200, false},
    {"inv c128 24x20x36 double real half centred ortho > real f64", 300, false},
    {"inv f32 24x20x40 > imag f32", 160, false},
    {"fwd c64 130x240 > complex shift", 160, true},
    {"fwd u8 64x70 ch=4 > magnitude u8 display shift auto", 70, true},
    {"inv c64 130x241 real half > real u8", 120, false},
};

static void check_slabs(struct subject *s, const struct limited *l) {
    struct gf_backend_options options = {
        .threads = 2, .device = s->device, .device_memory = l->kib << 10};
    struct gf_job job;
    struct gf_plan *plan = NULL;
    CHECK_MSG(backends_parse(l->job, &job), "no job: %s", l->job);
    int rc = s->backend->open(&options, &s->context[0]);
    CHECK_MSG(!rc, "%s", gf_message());
    if (rc)
        return;
    s->context[1] = s->context[0];
    rc = s->backend->plan(s->context[0], &job, &plan);
    CHECK_MSG(!rc && plan->in_slabs, "%s: %s", l->job, rc ? gf_message() : "in one piece");
    if (!rc)
        CHECK_MSG(plan->device_bytes <= l->kib << 10, "%s takes %lld bytes of the device", l->job,
                  (long long)plan->device_bytes);
    s->backend->unplan(s->context[0], plan);
    if (!rc) {
        backends_check(s, &job, false);
        backends_check(s, &job, true);
    }
    s->backend->close(s->context[0]);
    s->context[0] = s->context[1] = NULL;
}

/* Too little for a page, and jobs that slabs do not serve. */
static void check_refused(const struct subject *s) {
    static const char *const refused[] = {"fwd c64 24x20x40 > complex", "fwd c64 100000 > complex"};
    struct gf_backend_options options = {.device = s->device, .device_memory = 20 << 10};
    void *context = NULL;
    CHECK(!s->backend->open(&options, &context));
    for (size_t i = 0; context && i < sizeof refused / sizeof *refused; i++) {
        struct gf_job job;
        struct gf_plan *plan = NULL;
        CHECK(backends_parse(refused[i], &job));
        CHECK(s->backend->plan(context, &job, &plan) == GF_ENOMEM);
        CHECK_MSG(strstr(gf_message(), "--max-device-memory"), "%s", gf_message());
    }
    if (context)
        s->backend->close(context);
}

static void test_backend(const struct gf_backend *b, bool gpu) {
    struct gf_gpu_props props;
    char reason[GF_REASON] = "";
    struct subject s = {
        .backend = b, .seed = 20240301, .shards = 1, .device = gf_environment_device()};
    if (b->probe(reason) || gf_backend_device(b, s.device, &props) || (gpu && props.is_cpu)) {
        printf("%s: skipped: %s\n", b->name, *reason ? reason : "no device but the CPU");
        return;
    }
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (jobs[i].few || !props.is_cpu)
            check_slabs(&s, &jobs[i]);
    check_refused(&s);
    test_passed += s.passed;
    test_failed += s.failed;
}

int main(int argc, char **argv) {
    gf_environment_read();
    const bool gpu = argc > 1 && !strcmp(argv[1], "gpu");
    test_bins();
    for (int i = 0; gf_backends[i]; i++) {
        bool wanted = argc == 1 + gpu;
        for (int k = 1; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], gf_backends[i]->name);
        if (wanted && (gf_backends[i] == &gf_backend_opencl || gf_backends[i] == &gf_backend_cuda))
            test_backend(gf_backends[i], gpu);
    }
    return TEST_END();
}
