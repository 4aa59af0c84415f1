/* Kernels of any length: how few serve many sizes, their plans element by element, and, where an
 * OpenCL device is, their results against openmp's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/gpu/common.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/run.h"
#include "tests/gpu/gpu_jobs.h"
#include "tests/gpu/gpu_walk.h"
#include "tests/test.h"

static struct gf_job picture(int64_t height, int64_t width) {
    return (struct gf_job){.ndim = 2,
                           .shape = {height, width},
                           .channels = 1,
                           .axes = 3,
                           .in_dtype = GF_U8,
                           .n_out = 1,
                           .out = {{.kind = GF_MAGNITUDE,
                                    .dtype = GF_U8,
                                    .map = GF_MAP_DISPLAY,
                                    .scale = GF_SCALE_LOG,
                                    .shift = true}}};
}

/* Pictures of many sizes need as many kernels as one. */
static void test_few_kernels(void) {
    enum { MOST = 16 };
    static char kernel[MOST][2600];
    int n = 0, passes = 0;
    for (int i = 0; i < 300; i++) {
        const struct gf_job job = picture(40 + 7 * i % 500, 40 + 11 * i % 600);
        struct gf_gpu_plan *p;
        char wrong[256];
        CHECK_EQ(gf_gpu_plan_make_way(&job, &gpu_devices[0], "general", &p), 0);
        int64_t broken = walk_plan(p, 1 << 14, wrong, sizeof wrong);
        CHECK_MSG(!broken, "%lldx%lld: %s", (long long)job.shape[0], (long long)job.shape[1],
                  wrong);
        for (int k = 0; k < p->n_passes; k++, passes++) {
            char text[2600];
            int same = 0;
            snprintf(text, sizeof text, "%s %s", p->pass[k].kernel.entry,
                     p->pass[k].kernel.options);
            CHECK(p->pass[k].kernel.local_bytes <= gpu_devices[0].local_bytes);
            while (same < n && strcmp(kernel[same], text))
                same++;
            if (same == n && n < MOST)
                snprintf(kernel[n++], sizeof kernel[0], "%s", text);
        }
        gf_gpu_plan_free(p);
    }
    CHECK_MSG(n <= 4, "%d kernels for %d passes", n, passes);
}

/* A device whose kernels know for how large a tile they were loaded. */
struct gf_gpu_kernel {
    int64_t local_bytes;
};
static int n_launches, n_larger;

static int tile_build(void *gpu, const char *name, const char *source, const char *options,
                      void **binary, size_t *bytes) {
    (void)gpu, (void)name, (void)source, (void)options;
    *binary = calloc(1, *bytes = 1);
    return 0;
}
static int tile_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                     int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    (void)gpu, (void)binary, (void)bytes, (void)entry;
    *kernel = calloc(1, sizeof **kernel);
    (*kernel)->local_bytes = local_bytes;
    return 0;
}
static void tile_unload(void *gpu, struct gf_gpu_kernel *kernel) {
    (void)gpu;
    free(kernel);
}
static int tile_launch(void *gpu, const struct gf_gpu_launch *l) {
    (void)gpu;
    n_launches++;
    n_larger += l->local_bytes > l->kernel->local_bytes;
    return 0;
}
static int64_t tile_free_bytes(void *gpu) {
    (void)gpu;
    return (int64_t)1 << 40;
}

/* A kernel that several passes share is loaded for the largest of their tiles, the first or not. */
static void test_shared_tiles(void) {
    static const struct gf_gpu tiles = {.name = "tiles",
                                        .build = tile_build,
                                        .load = tile_load,
                                        .unload = tile_unload,
                                        .launch = tile_launch,
                                        .free_bytes = tile_free_bytes};
    static const int64_t shapes[][3] = {{27, 4096, 1}, {480, 6000, 1}, {4096, 27, 1},
                                        {8, 16, 4096}, {8, 4096, 16},  {64, 64, 64}};
    int shared = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct gf_job job = {.ndim = shapes[i][2] > 1 ? 3 : 2,
                             .shape = {shapes[i][0], shapes[i][1], shapes[i][2]},
                             .channels = 1,
                             .in_dtype = GF_C64,
                             .n_out = 1,
                             .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
        job.axes = (1u << job.ndim) - 1;
        struct gf_gpu_context c = {.api = &tiles, .props = gpu_devices[0], .general = true};
        struct gf_gpu_run m = {.ready = false};
        CHECK_EQ(gf_gpu_program_make(&c, &m.program, &job), 0);
        CHECK_EQ(gf_gpu_program_prepare(&c, &m.program, 0), 0);
        shared += m.program.n_requests < m.program.plan->n_passes;
        CHECK_EQ(gf_gpu_run_launch(&c, &m, 0, m.program.plan->n_passes), 0);
        gf_gpu_run_drop(&c, &m);
    }
    CHECK(shared >= 3 && n_launches >= 12);
    CHECK_EQ(n_larger, 0);
}

/* ---- an API with a dialect ---- */

static int n_translated, n_taken;

static int other_build(void *gpu, const char *name, const char *source, const char *options,
                       void **binary, size_t *bytes) {
    const char *entry = strstr(options, " -DENTRY_");
    char file[64] = "";
    n_translated += entry && strstr(name, ".comp");
    snprintf(file, sizeof file, "#line 1 \"kernels/%s\"", name);
    CHECK_MSG(!strncmp(source, file, strlen(file)), "%s: %.40s", name, source);
    return tile_build(gpu, name, source, options, binary, bytes);
}
static int other_take(void *gpu, int64_t bytes, uint64_t *handle) {
    (void)gpu, (void)bytes;
    *handle = (uint64_t)++n_taken;
    return 0;
}
static void other_give(void *gpu, uint64_t handle) {
    (void)gpu, (void)handle;
}
static int other_check(const struct gf_gpu_plan *plan) {
    return plan->job.channels > 1 ? gf_fail(GF_EUNABLE, "no channels in this dialect") : 0;
}

/* A table is all that an API with a language of its own takes: what names its files, what its kernels
 * cannot do, and how large their arrays may be. */
static void test_dialect(void) {
    static const struct gf_gpu other = {.name = "other",
                                        .suffix = ".comp",
                                        .whole = true,
                                        .check = other_check,
                                        .build = other_build,
                                        .load = tile_load,
                                        .unload = tile_unload,
                                        .launch = tile_launch,
                                        .take = other_take,
                                        .give = other_give,
                                        .free_bytes = tile_free_bytes};
    struct gf_gpu_device d = {.api = &other, .props = gpu_devices[0]};
    struct gf_gpu_context c = {.api = &other, .gpu = &d, .props = gpu_devices[0]};
    struct gf_gpu_buffer *b;
    struct gf_gpu_run m = {.ready = false};
    struct gf_job job = picture(64, 64);
    d.props.max_alloc = 1 << 20;
    c.props.plain = true;
    CHECK_EQ(gf_gpu_program_make(&c, &m.program, &job), 0);
    CHECK_EQ(gf_gpu_program_prepare(&c, &m.program, 0), 0);
    CHECK_MSG(n_translated == m.program.n_requests && n_translated > 1, "%d of %d", n_translated,
              m.program.n_requests);
    gf_gpu_run_drop(&c, &m);
    job.channels = 3;
    m = (struct gf_gpu_run){.ready = false};
    CHECK_EQ(gf_gpu_program_make(&c, &m.program, &job), 0);
    CHECK_EQ(gf_gpu_program_prepare(&c, &m.program, 0), GF_EUNABLE);
    CHECK(strstr(gf_message(), "no channels in this dialect"));
    gf_gpu_run_drop(&c, &m);
    CHECK_EQ(gf_gpu_alloc(&d, (1 << 20) + 1, &b), GF_ENOMEM);
    CHECK_EQ(gf_gpu_alloc(&d, 1 << 20, &b), 0);
    gf_gpu_free(&d, b);
    CHECK_EQ(gf_gpu_rows(&d, &d, &(struct gf_gpu_move){.bytes = 4, .count = 1}), GF_EUNSUPP);
    CHECK_EQ(n_taken, 1);
}

/* Lines of n points on the open device, by the general kernels, against openmp's. */
static double compare(struct gf_gpu_context *c, void *host, int64_t n,
                      enum gf_direction direction) {
    enum { LINES = 3 };
    struct gf_job job = {.direction = direction,
                         .ndim = 2,
                         .shape = {LINES, n},
                         .channels = 1,
                         .axes = 2,
                         .in_dtype = GF_C64,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
    const int64_t shape[] = {LINES, n, 1};
    struct gf_array in, a, b;
    struct gf_report report;
    CHECK(!gf_array_alloc(&in, GF_C64, 3, shape) && !gf_array_alloc(&a, GF_C64, 3, shape) &&
          !gf_array_alloc(&b, GF_C64, 3, shape));
    for (int64_t i = 0; i < 2 * LINES * n; i++)
        ((float *)in.data)[i] = (float)(i * i % 127) / 127 - 0.5f;
    struct gf_gpu_run m = {.ready = false};
    int rc = gf_gpu_plan_make_way(&job, &c->props, "general", &m.program.plan);
    if (!rc)
        rc = gf_gpu_program_prepare(c, &m.program, 0);
    if (!rc)
        rc = gf_gpu_run_upload(c, &m, &in);
    if (!rc)
        rc = gf_gpu_run_launch(c, &m, 0, m.program.plan->n_passes);
    if (!rc)
        rc = gf_gpu_run_download(c, &m, &a, &report);
    CHECK_MSG(!rc, "%lld points: %s", (long long)n, gf_message());
    CHECK_MSG(!rc && !strcmp(m.program.plan->pass[0].kernel.entry, "fft_general"),
              "%lld points by another kernel", (long long)n);
    gf_gpu_run_drop(c, &m);
    CHECK_EQ(gf_backend_run(&gf_backend_openmp, host, &job, &in, &b, NULL), 0);
    double error = 0, size = 0;
    for (int64_t i = 0; i < 2 * LINES * n; i++) {
        double d = (double)((float *)a.data)[i] - (double)((float *)b.data)[i];
        error += d * d;
        size += (double)((float *)b.data)[i] * (double)((float *)b.data)[i];
    }
    gf_array_free(&in);
    gf_array_free(&a);
    gf_array_free(&b);
    return sqrt(error / size);
}

static void test_results(void) {
    static const int64_t lengths[] = {2,   3,   4,   5,   6,   7,   8,   9,   11,   13,
                                      16,  17,  24,  60,  97,  100, 125, 128, 143,  243,
                                      256, 263, 343, 360, 499, 512, 600, 625, 1009, 1024};
    char reason[GF_REASON] = "";
    void *context = NULL, *host = NULL;
    const struct gf_backend_options options = {.threads = 1};
    if (gf_gpu_probe(NULL, &gf_gpu_opencl, reason) ||
        gf_gpu_run_open(&gf_gpu_opencl, &options, &context)) {
        printf("general: skipped: %s\n", reason[0] ? reason : gf_message());
        return;
    }
    CHECK_EQ(gf_backend_openmp.open(&gf_backend_openmp, &options, &host), 0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int inverse = 0; inverse < 2 && case_takes((long long)i, 10); inverse++) {
            double error = compare(context, host, lengths[i], inverse ? GF_INVERSE : GF_FORWARD);
            CHECK_MSG(error < 6e-7, "%lld points, %s: %.2g", (long long)lengths[i],
                      inverse ? "inverse" : "forward", error);
        }
    gf_backend_openmp.close(host);
    gf_gpu_run_close(context);
}

int main(void) {
    gpu_make_devices();
    RUN("pictures of many sizes need as many kernels as one", test_few_kernels());
    RUN("a shared kernel is loaded for the largest of its tiles", test_shared_tiles());
    RUN("an API brings its dialect in one table", test_dialect());
    RUN("results are openmp's", test_results());
    return TEST_END();
}
