/* The GPU interfaces themselves: one small kernel built, saved, loaded, launched and timed on the
 * first device of each that there is, and their messages when something is wrong. */
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/environment.h"
#include "core/gpu/api/cuda/library.h"
#include "core/gpu/common.h"
#include "core/gpu/cache/kernel_cache.h"
#include "core/base/value/status.h"
#include "core/vendor/cufft_library.h"
#include "tests/test.h"

/* The drivers and the compilers within them keep some memory to the end. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\nleak:libcuda\n"
           "leak:libnvrtc\nleak:libnvidia\n";
}

enum { ITEMS = 64, N = 64 * 100 };

static const char source[] =
    "#line 1 \"kernels/tiny.cl\"\n"
    "#ifdef __OPENCL_VERSION__\n"
    "#define KERNEL __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void\n"
    "#define GLOBAL __global\n"
    "#define TILE , __local float *tile\n"
    "#define DECLARE\n"
    "#define LID (int)get_local_id(0)\n"
    "#define GID (long)get_group_id(0)\n"
    "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
    "typedef long wide;\n"
    "#else\n"
    "#define KERNEL extern \"C\" __global__ void\n"
    "#define GLOBAL\n"
    "#define TILE\n"
    "#define DECLARE extern __shared__ float tile[];\n"
    "#define LID (int)threadIdx.x\n"
    "#define GID (long long)blockIdx.x\n"
    "#define BARRIER __syncthreads()\n"
    "typedef long long wide;\n"
    "#endif\n"
    "struct args { wide add, at; };\n"
    "/* Each group's 64 numbers in reverse, times FACTOR, plus one of the arguments. */\n"
    "KERNEL turn(GLOBAL float *to, GLOBAL const float *from, GLOBAL float *none,\n"
    "            struct args a TILE) {\n"
    "    DECLARE\n"
    "    tile[LID + a.at] = from[GID * 64 + LID];\n"
    "    BARRIER;\n"
    "    to[GID * 64 + LID] = tile[63 - LID + a.at] * FACTOR + a.add;\n"
    "    if (none) none[0] = 1;\n"
    "}\n"
    "#ifdef MISTAKE\n"
    "KERNEL wrong(GLOBAL float *to) { to[0] = undeclared_name; }\n"
    "#endif\n"
    "KERNEL plain(GLOBAL float *to) { to[GID * 64 + LID] = FACTOR; }\n";

static char folder[64];
static float input[N], output[N];

struct args {
    int64_t add, at;
};

/* Runs the kernel over all the input; `at`, in floats, is its offset in the tile. */
static int run(const struct gf_gpu *api, void *gpu, struct gf_gpu_kernel *kernel,
               struct gf_gpu_buffer *to, struct gf_gpu_buffer *from, int64_t at) {
    struct args args = {3, at};
    struct gf_gpu_launch launch = {.kernel = kernel,
                                   .groups = N / ITEMS,
                                   .group = ITEMS,
                                   .local_bytes = (ITEMS + at) * (int64_t)sizeof(float),
                                   .n_buffers = 3,
                                   .buffer = {to, from, NULL},
                                   .args = &args,
                                   .args_bytes = sizeof args};
    return api->launch(gpu, &launch);
}

static int wrong_results(const float *data, float factor) {
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += data[i] != input[i / ITEMS * ITEMS + ITEMS - 1 - i % ITEMS] * factor + 3;
    return wrong;
}

/* ---- memory ---- */

static void test_memory(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *p) {
    struct gf_gpu_buffer *b = NULL, *huge = (void *)1;
    CHECK_EQ(api->alloc(gpu, 0, &b), 0);
    CHECK_EQ(api->upload(gpu, b, 0, input, 0), 0);
    CHECK_EQ(api->upload(gpu, b, 0, input, 1), GF_EBACKEND);
    api->free(gpu, b);
    api->free(gpu, NULL);
    CHECK_EQ(api->alloc(gpu, (int64_t)1 << 60, &huge), GF_ENOMEM);
    CHECK(huge == NULL);
    CHECK_MSG(strstr(gf_message(), "no room") && strstr(gf_message(), p->name), "%s", gf_message());
    CHECK_EQ(api->alloc(gpu, p->memory + 1, &huge), GF_ENOMEM);
    CHECK_EQ(api->alloc(gpu, -1, &huge), GF_ENOMEM);
    CHECK(api->free_bytes(gpu) > 0 && api->free_bytes(gpu) <= p->memory);

    CHECK_EQ(api->alloc(gpu, 1000, &b), 0);
    char bytes[1000], back[1000];
    memset(bytes, 'x', sizeof bytes);
    CHECK_EQ(api->upload(gpu, b, 0, bytes, 1000), 0);
    memset(bytes, 0, sizeof bytes); /* the upload has copied it */
    static const int piece[][2] = {{16, 160}, {301, 1}, {402, 6}, {500, 500}};
    for (int i = 0; i < 4; i++)
        CHECK_EQ(api->clear(gpu, b, piece[i][0], piece[i][1]), 0);
    CHECK_EQ(api->upload(gpu, b, 700, "hello", 5), 0);
    CHECK_EQ(api->download(gpu, back, b, 1, 999), 0);
    CHECK_EQ(api->sync(gpu), 0);
    int wrong = 0;
    for (int i = 1; i < 1000; i++) {
        char expected = 'x';
        for (int j = 0; j < 4; j++)
            if (i >= piece[j][0] && i < piece[j][0] + piece[j][1])
                expected = 0;
        if (i >= 700 && i < 705)
            expected = "hello"[i - 700];
        wrong += back[i - 1] != expected;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(api->download(gpu, back, b, 900, 101), GF_EBACKEND);
    CHECK_EQ(api->clear(gpu, b, -1, 2), GF_EBACKEND);
    CHECK_EQ(api->clear(gpu, b, 1001, 0), GF_EBACKEND);
    api->free(gpu, b);

    void *host = NULL, *more = NULL;
    CHECK_EQ(api->pin(gpu, 0, &host), 0);
    api->unpin(gpu, host);
    api->unpin(gpu, NULL);
    CHECK_EQ(api->pin(gpu, (int64_t)1 << 60, &host), GF_ENOMEM);
    CHECK_EQ(api->pin(gpu, 5000, &host), 0);
    CHECK_EQ(api->pin(gpu, 5000, &more), 0);
    CHECK_EQ(api->alloc(gpu, 5000, &b), 0);
    CHECK(gf_gpu_native(b) != NULL);
    if (host && more && b) {
        memset(host, 7, 5000);
        memset(more, 0, 5000);
        CHECK_EQ(api->upload(gpu, b, 0, host, 5000), 0);
        CHECK_EQ(api->download(gpu, (char *)more + 100, b, 0, 4900), 0);
        CHECK_EQ(api->sync(gpu), 0);
        CHECK(((char *)more)[99] == 0 && !memcmp((char *)more + 100, host, 4900));
    }
    api->free(gpu, b);
    api->unpin(gpu, host);
    api->unpin(gpu, more);
}

/* Rows to the device and back, packed there, from an array whose rows are `pitch` bytes apart, of which two pages are
 * touched: more than 2 GiB apart is no copy of rows for CUDA. */
static void check_rows(const struct gf_gpu *api, void *gpu, int64_t pitch) {
    enum { WIDTH = 100, PAGE = 4096 };
    char *host = mmap(NULL, (size_t)pitch + PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct gf_gpu_buffer *b = NULL;
    bool locked[2] = {false, false};
    CHECK(host != MAP_FAILED && !api->alloc(gpu, 1000, &b));
    if (host == MAP_FAILED || !b)
        return;
    const struct gf_gpu_end there = {.buffer = b, .offset = 8};
    const struct gf_gpu_end here = {.host = host, .pitch = pitch};
    struct gf_gpu_move up = {.from = here, .to = there, .bytes = WIDTH, .count = 2};
    const struct gf_gpu_move down = {.from = there, .to = here, .bytes = WIDTH, .count = 2};
    const bool apart = pitch > PAGE;
    for (int i = 0; i < WIDTH; i++) {
        host[i] = (char)i;
        host[pitch + i] = (char)(2 * i);
    }
    const int rc = api->lock(gpu, host, PAGE, &locked[0]);
    if (rc == GF_EUNSUPP) { /* OpenCL on a GPU, where rows are copied from what pin() gave alone */
        api->free(gpu, b);
        munmap(host, (size_t)pitch + PAGE);
        return;
    }
    CHECK_EQ(rc, 0);
    CHECK_EQ(apart ? api->lock(gpu, host + pitch, PAGE, &locked[1]) : 0, 0);
    CHECK(!locked[0] || api->is_locked(gpu, host, PAGE));
    CHECK_EQ(api->rows(gpu, gpu, &up), 0);
    CHECK_EQ(api->sync(gpu), 0);
    memset(host, 0, WIDTH);
    memset(host + pitch, 0, WIDTH);
    CHECK_EQ(api->rows(gpu, gpu, &down), 0);
    CHECK_EQ(api->sync(gpu), 0);
    int wrong = 0;
    for (int i = 0; i < WIDTH; i++)
        wrong += host[i] != (char)i || host[pitch + i] != (char)(2 * i);
    CHECK_EQ(wrong, 0);
    up.count = 10; /* beyond the buffer's end */
    CHECK(api->rows(gpu, gpu, &up) < 0);
    if (locked[0])
        api->unlock(gpu, host);
    if (locked[1])
        api->unlock(gpu, host + pitch);
    api->free(gpu, b);
    munmap(host, (size_t)pitch + PAGE);
}

/* ---- kernels ---- */

static void test_kernels(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *p) {
    struct gf_gpu_kernel *k = NULL, *none = (void *)1;
    struct gf_gpu_buffer *to = NULL, *from = NULL;
    void *binary = NULL;
    size_t bytes = 0;
    double seconds = -1;
    int rc = api->build(gpu, "tiny.cl", source, " -DFACTOR=2.0f  -DUNUSED ", &binary, &bytes);
    CHECK_MSG(!rc && bytes > 0, "%s", gf_message());
    if (rc)
        return;
    /* All the tile there is, where that is more than what needs no asking. */
    int64_t at = p->local_bytes / (int64_t)sizeof(float) - ITEMS;
    CHECK_MSG(!api->load(gpu, binary, bytes, "turn", p->local_bytes, &k), "%s", gf_message());
    CHECK(api->load(gpu, binary, bytes, "no_such_entry", 0, &none) == GF_EBACKEND && !none);
    none = (void *)1;
    CHECK(api->load(gpu, binary, bytes, "turn", p->local_bytes + 1, &none) == GF_EBACKEND && !none);
    none = (void *)1;
    CHECK(api->load(gpu, "nonsense", 8, "turn", 0, &none) == GF_EBACKEND && !none);
    api->unload(gpu, NULL);
    CHECK_EQ(api->alloc(gpu, sizeof input, &from), 0);
    CHECK_EQ(api->alloc(gpu, sizeof input, &to), 0);
    if (!k || !from || !to)
        goto out;
    CHECK_EQ(api->elapsed(gpu, &seconds), GF_EBACKEND); /* nothing marked yet */
    CHECK_EQ(api->upload(gpu, from, 0, input, sizeof input), 0);
    for (int i = 0; i < 600; i++) /* far more than our ring of events holds */
        CHECK_EQ(run(api, gpu, k, to, from, 0), 0);
    CHECK_EQ(api->clear(gpu, to, 0, sizeof input), 0);
    CHECK_EQ(api->mark(gpu, 0), 0);
    rc = run(api, gpu, k, to, from, at);
    CHECK_MSG(!rc, "%s: all of the tile, %lld bytes: %s", api->name, (long long)p->local_bytes,
              gf_message());
    CHECK_EQ(api->mark(gpu, 1), 0);
    CHECK_MSG(!api->elapsed(gpu, &seconds), "%s", gf_message());
    CHECK_MSG(seconds > 0 && seconds < 10, "%g s", seconds);
    CHECK_EQ(api->download(gpu, output, to, 0, sizeof output), 0);
    CHECK_EQ(api->sync(gpu), 0);
    CHECK_EQ(wrong_results(output, 2), 0);
    CHECK_EQ(api->mark(gpu, 0), 0);
    CHECK_EQ(api->mark(gpu, 1), 0);
    CHECK(!api->elapsed(gpu, &seconds) && seconds >= 0 && seconds < 1);

    struct gf_gpu_launch no_groups = {.kernel = k, .groups = 0, .group = ITEMS};
    CHECK_EQ(api->launch(gpu, &no_groups), GF_EBACKEND);
    CHECK(!api->lost(gpu));
    CHECK_EQ(api->sync(gpu), 0);
out:
    api->unload(gpu, k);
    api->free(gpu, from);
    api->free(gpu, to);
    free(binary);
}

/* A kernel with neither arguments nor a tile; and the compiler's complaints. */
static void test_builds(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *p) {
    struct gf_gpu_kernel *k = NULL;
    struct gf_gpu_buffer *to = NULL;
    void *binary = (void *)1;
    size_t bytes = 1;
    int rc = api->build(gpu, "tiny.cl", source, "-DFACTOR=1.0f -DMISTAKE", &binary, &bytes);
    CHECK_EQ(rc, GF_EBACKEND);
    CHECK(binary == NULL && bytes == 0);
    const char *message = gf_message();
    CHECK_MSG(strstr(message, "undeclared_name") && !strchr(message, '\n'), "%s", message);
    /* Some compilers ignore #line. */
    bool ignores_line =
        strstr(p->name, "Oclgrind") || (strstr(p->platform, "NVIDIA") && strcmp(api->name, "cuda"));
    if (!ignores_line)
        CHECK_MSG(strstr(message, "kernels/tiny.cl") && strstr(message, "31"), "%s", message);
    CHECK_EQ(api->build(gpu, "tiny.cl", source, "--no-such-option-at-all", &binary, &bytes),
             GF_EBACKEND);
    CHECK_MSG(strstr(gf_message(), "tiny.cl"), "%s", gf_message());

    CHECK_EQ(api->build(gpu, "tiny.cl", source, "-DFACTOR=1.5f", &binary, &bytes), 0);
    if (binary)
        CHECK_MSG(!api->load(gpu, binary, bytes, "plain", 0, &k), "%s", gf_message());
    CHECK_EQ(api->alloc(gpu, sizeof output, &to), 0);
    if (k && to) {
        struct gf_gpu_launch launch = {
            .kernel = k, .groups = N / ITEMS, .group = ITEMS, .n_buffers = 1, .buffer = {to}};
        CHECK_EQ(api->launch(gpu, &launch), 0);
        CHECK_EQ(api->download(gpu, output, to, 0, sizeof output), 0);
        CHECK_EQ(api->sync(gpu), 0);
        CHECK(output[0] == 1.5f && output[N - 1] == 1.5f);
    }
    api->free(gpu, to);
    api->unload(gpu, k);
    free(binary);
}

/* Built concurrently, kept, and found again. */
static void test_cached(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *p) {
    enum { KERNELS = 6 };
    struct gf_gpu_buffer *to = NULL, *from = NULL;
    CHECK_EQ(api->alloc(gpu, sizeof input, &from), 0);
    CHECK_EQ(api->alloc(gpu, sizeof input, &to), 0);
    CHECK_EQ(api->upload(gpu, from, 0, input, sizeof input), 0);
    for (int round = 0; round < 3; round++) {
        struct gf_kernel_request r[KERNELS];
        int built = -1;
        for (int i = 0; i < KERNELS; i++) {
            r[i] = (struct gf_kernel_request){
                .file = "tiny.cl", .entry = "turn", .local_bytes = ITEMS * sizeof(float)};
            snprintf(r[i].options, sizeof r[i].options, "-DFACTOR=%d.0f", i + 1);
        }
        int rc = gf_kernel_cache_get(api, gpu, p, r, KERNELS, &built, NULL);
        CHECK_MSG(!rc, "%s", gf_message());
        CHECK_EQ(built, round ? 0 : KERNELS);
        for (int i = 0; i < KERNELS && !rc; i++) {
            CHECK_EQ(run(api, gpu, r[i].kernel, to, from, 0), 0);
            CHECK_EQ(api->download(gpu, output, to, 0, sizeof output), 0);
            CHECK_EQ(api->sync(gpu), 0);
            CHECK_EQ(wrong_results(output, (float)(i + 1)), 0);
            api->unload(gpu, r[i].kernel);
        }
    }
    struct gf_kernel_request wrong = {
        .file = "tiny.cl", .entry = "turn", .options = "-DFACTOR=1.0f -DMISTAKE"};
    CHECK_EQ(gf_kernel_cache_get(api, gpu, p, &wrong, 1, NULL, NULL), GF_EBACKEND);
    CHECK_MSG(strstr(gf_message(), "undeclared_name"), "%s", gf_message());
    api->free(gpu, to);
    api->free(gpu, from);
}

/* A kernel that writes to an invalid address: the error is reported, and the context is lost.
 * This is the last test of a process. On a CPU it would end the program. */
static void test_fault(const struct gf_gpu *api, void *gpu) {
    struct gf_gpu_kernel *k = NULL;
    void *binary = NULL;
    size_t bytes = 0;
    CHECK_EQ(api->build(gpu, "tiny.cl", source, "-DFACTOR=1.5f", &binary, &bytes), 0);
    if (binary)
        CHECK_EQ(api->load(gpu, binary, bytes, "plain", 0, &k), 0);
    struct gf_gpu_launch launch = {.kernel = k, .groups = 1, .group = ITEMS, .n_buffers = 1};
    if (k && !api->launch(gpu, &launch)) {
        CHECK_EQ(api->sync(gpu), GF_EBACKEND);
        CHECK_MSG(api->lost(gpu), "%s", gf_message());
    }
    api->unload(gpu, k);
    free(binary);
}

/* The device list, and the first device's properties. */
static void test_devices(const struct gf_gpu *api) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES], p;
    void *gpu = NULL;
    int n = gf_gpu_list(gf_environment(), api, list);
    CHECK(n > 0);
    CHECK_EQ(gf_gpu_list(gf_environment(), api, list), n);
    CHECK_EQ(gf_gpu_open(gf_environment(), api, "no such device", &gpu, &p), GF_EABSENT);
    CHECK_MSG(gpu == NULL && strstr(gf_message(), list[0].name), "%s", gf_message());
    CHECK_MSG(!gf_gpu_open(gf_environment(), api, gf_environment_device(), &gpu, &p), "%s",
              gf_message());
    if (!gpu)
        return;
    CHECK(!strcmp(p.name, list[0].name) && *p.name && *p.platform && *p.driver && *p.compiler);
    CHECK(!strcmp(p.compiler, list[0].compiler));
    CHECK(p.memory > 0 && p.max_alloc > 0 && p.max_alloc <= p.memory);
    CHECK(p.local_bytes >= 16384 && p.unit_local_bytes >= p.local_bytes);
    CHECK(p.max_group >= ITEMS && p.units > 0 && p.warp > 0);
    printf("%s: %s, %s\n", api->name, p.name, p.platform);
    api->close(gpu);
}

static void test_api(const struct gf_gpu *api) {
    struct gf_gpu_props p;
    char reason[GF_REASON] = "";
    const char *name = api->name;
    void *gpu = NULL;
    if (gf_gpu_probe(gf_environment(), api, reason)) {
        RUN(case_name("%s names a remedy where it is absent", name), CHECK_HAS(reason, ";"));
        printf("%s: skipped: %s\n", name, reason);
        return;
    }
    RUN(case_name("%s lists its devices with their properties", name), CHECK(*reason);
        test_devices(api));
    NEED(!gf_gpu_open(gf_environment(), api, gf_environment_device(), &gpu, &p));
    RUN(case_name("%s takes, fills, copies and gives back memory", name),
        test_memory(api, gpu, &p));
    RUN(case_name("%s copies rows that are apart", name), check_rows(api, gpu, 200));
    if (!strcmp(name, "cuda"))
        RUN(case_name("%s copies rows that are 2 GiB apart", name),
            check_rows(api, gpu, ((int64_t)1 << 31) + 4096));
    RUN(case_name("%s runs and times kernels", name), test_kernels(api, gpu, &p));
    RUN(case_name("%s reports kernels that do not build", name), test_builds(api, gpu, &p));
    RUN(case_name("%s finds kept kernels again", name), test_cached(api, gpu, &p));
    api->close(gpu);
    NEED(!gf_gpu_open(gf_environment(), api, "0", &gpu, &p)); /* a second time */
    if (!p.is_cpu)
        RUN(case_name("%s reports a kernel that writes to an invalid address", name),
            test_fault(api, gpu));
    api->close(gpu);
    api->close(NULL);
}

/* ---- what needs no device ---- */

static void test_pick(void) {
    static const struct gf_gpu_props list[3] = {
        {.name = "NVIDIA GeForce RTX 4090"}, {.name = "NVIDIA H200"}, {.name = "A CPU"}};
    static const struct {
        const char *wanted;
        int index;
    } table[] = {{"0", 0},        {"2", 2},    {"h200", 1},
                 {"4090", -1},    {"200", -1}, {"20", -1},
                 {"rtx 4090", 0}, {"-40", -1}, {"nvidia", 0},
                 {"cpu", 2},      {"3", -1},   {"-1", -1},
                 {"5090", -1},    {"", 0},     {NULL, 0},
                 {"1x", -1},      {" 1", -1},  {"99999999999999999999", -1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int index = -1, rc = gf_gpu_pick(table[i].wanted, list, 3, &index);
        CHECK_MSG(rc ? table[i].index < 0 && rc == GF_EABSENT : index == table[i].index,
                  "'%s': %d, device %d", table[i].wanted ? table[i].wanted : "", rc, index);
        if (rc)
            CHECK_MSG(strstr(gf_message(), "H200"), "%s", gf_message());
    }
    int index;
    CHECK_EQ(gf_gpu_pick(NULL, list, 0, &index), GF_EABSENT);
    CHECK_EQ(gf_gpu_pick("1", list, 0, &index), GF_EABSENT);
}

static void test_complaint(void) {
    static const char *const table[][2] = {
        {"", ""},
        {"\n \n", ""},
        {"one\ntwo", "one"},
        {"\n  a warning\r\nfft.cl:3: error: no\nmore errors", "fft.cl:3: error: no"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char log[128];
        strcpy(log, table[i][0]);
        const char *line = gf_gpu_complaint(log);
        CHECK_MSG(!strcmp(line, table[i][1]), "%s", line);
    }
}

/* Any program is an ELF file, and so this one; the check must refuse any part of it. */
static void test_images(void) {
    FILE *f = fopen("/proc/self/exe", "r");
    size_t room = 64 << 20, bytes = 0;
    char *image = malloc(room);
    if (f && image)
        bytes = fread(image, 1, room, f);
    if (f)
        fclose(f);
    CHECK(bytes > 4096 && bytes < room);
    CHECK(gf_cuda_image_is_whole(image, bytes));
    for (size_t part = 1; part < bytes; part += part / 3 + 1) {
        /* In memory of just that size, so that a sanitizer sees a look beyond. */
        char *cut = malloc(part);
        memcpy(cut, image, part);
        CHECK_MSG(!gf_cuda_image_is_whole(cut, part), "%zu of %zu", part, bytes);
        free(cut);
    }
    free(image);
    CHECK(gf_cuda_image_is_whole(".version 8.0", sizeof ".version 8.0"));
    CHECK(!gf_cuda_image_is_whole(".version 8.0", 5));
    CHECK(!gf_cuda_image_is_whole("", 0));
    CHECK(!gf_cuda_is_fatal(GF_CU_OUT_OF_MEMORY) && gf_cuda_is_fatal(GF_CU_ILLEGAL_ADDRESS));
}

/* The remedy names the package of the driver's CUDA; without a driver it is the driver that is missing. */
static void test_cufft_absent(void) {
    const struct gf_cuda *cu = gf_cuda_find();
    char package[64] = "driver";
    int version = 0;
    if (cu && !cu->driver_version(&version))
        snprintf(package, sizeof package, "libcufft-%d-%d, ", version / 1000, version % 1000 / 10);
    CHECK_EQ(gf_cufft_absent(), GF_EABSENT);
    CHECK_MSG(strstr(gf_message(), package), "no '%s' in '%s'", package, gf_message());
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void on_signal(int number) {
    (void)number;
}

static bool handler_is_ours(void) {
    struct sigaction now;
    return !sigaction(SIGTERM, NULL, &now) && now.sa_handler == on_signal &&
           !(now.sa_flags & SA_RESETHAND);
}

static void test_listed(void) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    int n = 0;
    for (uint64_t i = 1; i <= GF_GPU_MAX_DEVICES + 2; i++)
        n = gf_gpu_add_device(list, n, &(struct gf_gpu_props){.handle = i, .is_cpu = i % 3 == 2});
    CHECK(n > 2 && n <= GF_GPU_MAX_DEVICES);
    CHECK(list[0].handle == 1 && list[1].handle == 3 && list[2].handle == 4);
    for (int i = 0; i < n; i++)
        CHECK_EQ(list[i].is_cpu, i == n - 1);
    const uint64_t last = (GF_GPU_MAX_DEVICES + 3) / 3 * 3 - 1; /* of 2, 5, 8, ... */
    CHECK(list[n - 1].handle == last);
    for (uint64_t i = 0; i < GF_GPU_MAX_DEVICES; i++)
        n = gf_gpu_add_device(list, n, &(struct gf_gpu_props){.handle = 100 + i});
    CHECK_EQ(n, GF_GPU_MAX_DEVICES);
    CHECK(list[n - 1].handle == last && list[n - 2].handle < 100 + GF_GPU_MAX_DEVICES);
}

int main(void) {
    char path[128];
    const struct sigaction ours = {.sa_handler = on_signal};
    sigaction(SIGTERM, &ours, NULL);
    strcpy(folder, "/tmp/gpufft-test-XXXXXX");
    NEED(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1); /* PoCL keeps its own cache there too */
    setenv("GPUFFT_KERNEL_DIR", folder, 1);
    gf_environment_read();
    snprintf(path, sizeof path, "%s/tiny.cl", folder);
    FILE *f = fopen(path, "w");
    NEED(f);
    fputs(source, f);
    fclose(f);
    for (int i = 0; i < N; i++)
        input[i] = (float)(i % 1021 - 500);
    RUN("a device is picked by number or name", test_pick());
    RUN("a compiler's complaint is its first error", test_complaint());
    RUN("no part of a program passes as a kernel", test_images());
    RUN("devices are listed with GPUs first, and one CPU behind them", test_listed());
    RUN("the remedy names the package of the driver's CUDA", test_cufft_absent());
    test_api(&gf_gpu_opencl);
    RUN("OpenCL leaves the handler of signals alone", CHECK(handler_is_ours()));
    test_api(&gf_gpu_cuda);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return TEST_END();
}
