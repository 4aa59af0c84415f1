/* The backend directcompute: the plain jobs that its shaders must do, against plain loops; what it
 * refuses; its memory, marks and clock; and damaged binaries. The compiler takes some seconds a
 * job: a twelfth of the jobs are made, with LONG=1 all of them.
 *
 *     test_directcompute [RANDOM]
 *
 * RANDOM: so many random jobs against openmp, in place of these. */
#include "core/gpu/api/directcompute/library.h"
#include "tests/gpu/shaders.h"

/* Marks in order, that need not have been set, and the time between two. */
static void test_marks(const struct gf_gpu *api, void *gpu) {
    enum { BYTES = 9 << 20, AFTER = 90 };
    struct gf_gpu_buffer *b;
    double seconds = -1;
    unsigned char *from = malloc(BYTES), *to = malloc(BYTES);
    CHECK(from && to && !api->alloc(gpu, BYTES + 8, &b));
    for (int i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(i * 13 + i / 257);
    CHECK(!api->reach(gpu, AFTER));
    check_fails(api->elapsed(gpu, &seconds), GF_EBACKEND, "no two marks");
    CHECK(!api->mark(gpu, 0) && !api->upload(gpu, b, 4, from, BYTES));
    CHECK(!api->mark(gpu, 1) && !api->mark(gpu, AFTER) && !api->reach(gpu, AFTER));
    CHECK(!api->elapsed(gpu, &seconds));
    CHECK_MSG(seconds > 0 && seconds < 60, "%g s", seconds);
    CHECK(!api->download(gpu, to, b, 4, BYTES) && !memcmp(from, to, BYTES));
    CHECK(!api->sync(gpu) && !api->lost(gpu));
    api->free(gpu, b);
    free(from);
    free(to);
}

static void test_memory(void) {
    const struct gf_gpu *api = &gf_gpu_directcompute;
    struct gf_gpu_props props;
    void *gpu;
    CHECK(!gf_gpu_open(gf_environment(), api, NULL, &gpu, &props));
    test_bytes(api, gpu);
    test_host_memory(api, gpu, &props);
    test_marks(api, gpu);
    api->close(gpu);
}

/* Binaries that are cut, are none, or are one only by their head. */
static void test_damage(void) {
    const struct gf_gpu *api = &gf_gpu_directcompute;
    struct gf_gpu_props props;
    struct gf_gpu_kernel *k = NULL;
    uint32_t none[16] = {0};
    void *gpu, *binary;
    size_t bytes;
    CHECK(!gf_gpu_open(gf_environment(), api, NULL, &gpu, &props));
    for (size_t n = 0; n <= sizeof none; n += 8)
        check_fails(api->load(gpu, none, n, "load", 0, &k), GF_EBACKEND, "is damaged");
    none[6] = sizeof none; /* of the right size, without the name */
    check_fails(api->load(gpu, none, sizeof none, "load", 0, &k), GF_EBACKEND, "is damaged");
    memcpy(none, "DXBC", 4);
    check_fails(api->load(gpu, none, sizeof none, "load", 0, &k), GF_EBACKEND, "a kernel");
    check_fails(api->load(gpu, none, sizeof none, "load", 1 << 30, &k), GF_EBACKEND,
                "shared memory");
    check_fails(api->build(gpu, "bad", "void entry( {", "", &binary, &bytes), GF_EBACKEND,
                "building bad for '");
    CHECK(!binary);
    api->unload(gpu, NULL);
    api->close(gpu);
}

/* ---- random jobs ---- */

/* Returns a length of the factors 2, 3, 5 and 7, at least `least`, up to `most`. */
static int64_t smooth(uint64_t *seed, int64_t least, int64_t most) {
    for (;;) {
        const int64_t n = least + backends_below(seed, most - least + 1);
        int64_t rest = n;
        for (int p = 2; p <= 7; p++)
            while (rest % p == 0)
                rest /= p;
        if (rest == 1)
            return n;
    }
}

static const char *one_of(uint64_t *seed, const char *const *list, int n) {
    return list[backends_below(seed, n)];
}

/* Writes a line, picture or volume, complex or real, either way, or its spectrum's picture. */
static void random_job(uint64_t *seed, char text[160]) {
    static const char *const types[] = {"u8", "u16", "i16", "f32"}, *const ranges[] = {"", " auto"};
    const int ndim = 1 + (int)backends_below(seed, 3), which = (int)backends_below(seed, 5);
    const int64_t most = ndim == 1 ? 10000 : ndim == 2 ? 400 : 48;
    char shape[64] = "", axes[24] = "";
    for (int i = 0; i < ndim; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%lld", i ? "x" : "",
                 (long long)smooth(seed, 2, most));
    if (ndim > 1 && which < 4 && backends_below(seed, 3) == 0)
        snprintf(axes, sizeof axes, " axes=%d", 1 + (int)backends_below(seed, (1 << ndim) - 1));
    const char *type = one_of(seed, types, which == 4 ? 2 : 4);
    switch (which) {
    case 0:
        snprintf(text, 160, "fwd c64 %s%s > complex", shape, axes);
        break;
    case 1:
        snprintf(text, 160, "inv c64 %s%s > complex", shape, axes);
        break;
    case 2:
        snprintf(text, 160, "inv c64 %s%s real half > real f32", shape, axes);
        break;
    case 3:
        snprintf(text, 160, "fwd %s %s%s > complex half", type, shape, axes);
        break;
    default:
        snprintf(text, 160, "fwd %s %s > magnitude u8 display shift%s", type, shape,
                 one_of(seed, ranges, 2));
    }
}

/* Against openmp. */
static void test_random(struct subject *s, int n) {
    struct subject yardstick = {.backend = &gf_backend_openmp};
    char text[160];
    CHECK(!gf_backend_openmp.open(
        &gf_backend_openmp,
        &(struct gf_backend_options){.environment = gf_environment(), .threads = 1},
        &yardstick.context[0]));
    yardstick.context[1] = yardstick.context[0];
    for (int i = 0; i < n; i++) {
        random_job(&s->seed, text);
        backends_compare(s, &yardstick, text);
    }
    gf_backend_openmp.close(yardstick.context[0]);
}

int main(int argc, char **argv) {
    struct subject s = {.backend = &gf_backend_directcompute, .shards = 1, .seed = 7};
    char reason[GF_REASON] = "";
    RUN("auto never uses it", CHECK_EQ(s.backend->automatic, 0));
    if (s.backend->probe(s.backend, gf_environment(), reason)) {
        printf("skipped: no Direct3D 11: %s\n", reason);
        return TEST_END();
    }
    printf("# %s\n", reason);
    for (int i = 0; i < 2; i++)
        NEED(!s.backend->open(
            s.backend, &(struct gf_backend_options){.environment = gf_environment(), .threads = 1},
            &s.context[i]));
    if (argc > 1) {
        const int n = atoi(argv[1]);
        RUN_COUNTED(&s, case_name("%d random jobs are those of openmp", n), test_random(&s, n));
    } else {
        RUN_COUNTED(&s, "plain jobs are those of plain loops", test_jobs(&s));
        RUN("jobs that shaders do not do are refused with the reason", test_refusals(&s));
        RUN("memory is taken, filled, copied and given back", test_memory());
        RUN("damaged binaries and wrong texts are refused", test_damage());
    }
    for (int i = 0; i < 2; i++)
        s.backend->close(s.context[i]);
    return TEST_END();
}
