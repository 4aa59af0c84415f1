/* Arrays of the caller's in a CUDA device's memory, and the caller's stream: on the simulated CUDA, whose commands run
 * only when something waits for them and whose trace counts copies, or on a GPU. Without either all is skipped. */
#include <ftw.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/api/gpufft.h"
#include "core/gpu/api/cuda/library.h"
#include "tests/test.h"

enum { MOST = 1 << 16, HOST_AND_DEVICE = 2 };

static const struct gf_cuda *cu;
static void *context[2], *stream[2];
static int n_devices;
static char trace[] = "/tmp/gpufft-test-XXXXXX", cache[] = "/tmp/gpufft-cache-XXXXXX";

/* Lines of the trace with this text; -1 if it is empty, as a real device's. */
static int traced(const char *text) {
    char line[256];
    FILE *f = fopen(trace, "r");
    int n = 0, lines = 0;
    for (; f && fgets(line, sizeof line, f); lines++)
        n += strstr(line, text) != NULL;
    if (f)
        fclose(f);
    return lines ? n : -1;
}

static uint64_t taken(size_t bytes) {
    uint64_t address = 0;
    NEED(!cu->context_set(context[0]) && !cu->memory_alloc(&address, bytes));
    return address;
}

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

static struct gpufft *open_on(const char *backend) {
    const struct gpufft_options o = {
        .size = sizeof o, .backend = backend, .threads = 1, .cache_folder = cache};
    struct gpufft *g = NULL;
    NEED(!gpufft_open(&o, &g));
    return g;
}

static struct gpufft_plan *plan_of(struct gpufft *g, const struct gpufft_transform *t) {
    struct gpufft_plan *plan = NULL;
    CHECK_MSG(!gpufft_plan_make(g, t, &plan), "%s", gpufft_message());
    return plan;
}

static const struct gpufft_transform picture = {.size = sizeof picture,
                                                .in_type = GPUFFT_C64,
                                                .out_type = GPUFFT_C64,
                                                .rank = 2,
                                                .shape = {30, 44},
                                                .on_device = 1};
enum { PICTURE = 30 * 44 * 8 };

static int bind_on(struct gpufft_plan *plan, uint64_t in, uint64_t out, void *on,
                   struct gpufft_bound **bound) {
    const int rc = gpufft_plan_bind(plan, at(in), at(out), bound);
    return rc ? rc : gpufft_bound_stream(*bound, on);
}

/* ---- results ---- */

static size_t bytes_of(const struct gpufft_transform *t, bool in) {
    const int type = in ? t->in_type : t->out_type;
    struct gpufft_array a = {.size = sizeof a, .type = type, .rank = t->rank};
    memcpy(a.shape, t->shape, sizeof a.shape);
    if (t->half && (type == GPUFFT_C64 || type == GPUFFT_C128))
        a.shape[t->rank - 1] = a.shape[t->rank - 1] / 2 + 1;
    return gpufft_array_bytes(&a);
}

static void fill(void *data, size_t bytes, int type) {
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)data)[i] = (unsigned char)(i * 2654435761U >> 13);
    for (size_t i = 0; type == GPUFFT_F32 || type == GPUFFT_C64 ? i < bytes / 4 : false; i++)
        ((float *)data)[i] = (float)(i * 2654435761U % 1000) / 500 - 1;
    for (size_t i = 0; type == GPUFFT_F64 || type == GPUFFT_C128 ? i < bytes / 8 : false; i++)
        ((double *)data)[i] = (double)(i * 2654435761U % 1000) / 500 - 1;
}

static double distance(const void *a, const void *b, size_t bytes, bool is_double) {
    double wrong = 0, size = 0;
    for (size_t i = 0; i < bytes / (is_double ? 8 : 4); i++) {
        const double x = is_double ? ((const double *)a)[i] : (double)((const float *)a)[i];
        const double y = is_double ? ((const double *)b)[i] : (double)((const float *)b)[i];
        wrong += (x - y) * (x - y);
        size += y * y;
    }
    return sqrt(wrong / size);
}

/* The CPU's result. */
static void expect(const struct gpufft_transform *t, const void *in, void *out) {
    struct gpufft_transform here = *t;
    here.on_device = 0;
    struct gpufft *g = open_on("openmp");
    struct gpufft_plan *plan = plan_of(g, &here);
    struct gpufft_bound *bound = NULL;
    CHECK(!gpufft_plan_bind(plan, in, out, &bound) && !gpufft_run(bound));
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(g);
}

/* Upload, run and download are all of the caller's stream, which alone is waited for. */
static void test_transform(struct gpufft *g, const struct gpufft_transform *t, void *on) {
    static double in[MOST], want[MOST], got[MOST];
    const size_t n_in = bytes_of(t, true), n_out = bytes_of(t, false);
    const bool is_double = t->out_type == GPUFFT_F64 || t->out_type == GPUFFT_C128;
    const uint64_t x = taken(n_in), y = taken(n_out);
    struct gpufft_plan *plan = plan_of(g, t);
    struct gpufft_bound *bound = NULL;
    char uploads[48];
    NEED(n_in <= sizeof in && n_out <= sizeof got);
    snprintf(uploads, sizeof uploads, " 1 times %zu bytes", n_in);
    fill(in, n_in, t->in_type);
    expect(t, in, want);
    CHECK_MSG(!bind_on(plan, x, y, on, &bound), "%s", gpufft_message());
    const int before = traced(uploads);
    for (int i = 0; i < 2; i++) { /* the first run takes the workspace */
        memset(got, 0, sizeof got);
        NEED(!cu->context_set(context[0]));
        CHECK(!cu->fill(x, 0, n_in, on) && !cu->stream_wait(on) && !cu->upload(x, in, n_in, on));
        CHECK_EQ(gpufft_run(bound), 0);
        NEED(!cu->context_set(context[0]));
        CHECK(!i || !cu->context_wait()); /* begins with the last queue, which is the library's */
        CHECK(!cu->download(got, y, n_out, on) && !cu->stream_wait(on));
        const double error = distance(got, want, n_out, is_double);
        CHECK_MSG(error < (is_double ? 1e-14 : 1e-6), "%g", error);
    }
    if (before >= 0 && n_in != n_out)
        CHECK_EQ(traced(uploads) - before, 2);
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    CHECK(!cu->memory_free(x) && !cu->memory_free(y));
}

static void test_transforms(void) {
    const struct {
        const char *name;
        struct gpufft_transform t;
    } rows[] = {
        {"c64 30x44", picture},
        {"c64 back",
         {.direction = 1, .in_type = 8, .out_type = 8, .rank = 3, .shape = {6, 10, 14}}},
        {"c128, a line of a prime", {.in_type = 9, .out_type = 9, .rank = 1, .shape = {1009}}},
        {"f32 to half a spectrum",
         {.in_type = 6, .out_type = 8, .rank = 2, .shape = {24, 33}, .half = 1}},
        {"half a spectrum to f64",
         {.direction = 1, .in_type = 9, .out_type = 7, .rank = 3, .shape = {4, 9, 16}, .half = 1}},
        {"u8", {.in_type = 0, .out_type = 8, .rank = 2, .shape = {16, 48}}},
        {"the middle axis",
         {.in_type = 8, .out_type = 8, .rank = 3, .shape = {6, 20, 8}, .n_axes = 1, .axes = {1}}},
        {"calls in turn",
         {.in_type = 8,
          .out_type = 8,
          .rank = 5,
          .shape = {2, 6, 3, 8, 2},
          .n_axes = 2,
          .axes = {1, 3}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < HOST_AND_DEVICE; k++) {
            struct gpufft *g = open_on("cuda");
            struct gpufft_transform t = rows[i].t;
            t.size = sizeof t;
            t.on_device = 1;
            RUN(case_name("%s on %s stream", rows[i].name, k ? "a" : "the default"),
                test_transform(g, &t, k ? stream[0] : NULL));
            gpufft_close(g);
        }
}

/* ---- order ---- */

/* Two bound plans of one job, thus with one workspace, on two streams. */
static void test_two_streams(struct gpufft *g) {
    static float in[2][PICTURE / 4], want[PICTURE / 4], got[PICTURE / 4];
    struct gpufft_plan *plan = plan_of(g, &picture);
    struct gpufft_bound *bound[2] = {NULL, NULL};
    const uint64_t x[2] = {taken(PICTURE), taken(PICTURE)}, y[2] = {taken(PICTURE), taken(PICTURE)};
    for (int i = 0; i < 2; i++) {
        fill(in[i], PICTURE, GPUFFT_C64);
        in[i][5] += (float)i;
        CHECK(!bind_on(plan, x[i], y[i], stream[i], &bound[i]));
        CHECK(!cu->context_set(context[0]) && !cu->upload(x[i], in[i], PICTURE, stream[i]));
        CHECK(!gpufft_run(bound[i]));
    }
    gpufft_plan_free(plan);
    gpufft_bound_free(bound[0]); /* while its run is queued */
    for (int i = 0; i < 2; i++) {
        expect(&picture, in[i], want);
        CHECK(!cu->download(got, y[i], PICTURE, stream[i]) && !cu->stream_wait(stream[i]));
        CHECK(distance(got, want, PICTURE, false) < 1e-6);
    }
    CHECK(!gpufft_bound_move(bound[1], at(x[0]), at(y[0])) && !gpufft_run(bound[1]));
    expect(&picture, in[0], want);
    CHECK(!cu->download(got, y[0], PICTURE, stream[1]) && !cu->stream_wait(stream[1]));
    CHECK(distance(got, want, PICTURE, false) < 1e-6);
    gpufft_bound_free(bound[1]);
    for (int i = 0; i < 2; i++)
        CHECK(!cu->memory_free(x[i]) && !cu->memory_free(y[i]));
}

/* In the simulation nothing has run when the call returns. */
static void test_returns_early(struct gpufft *g) {
    struct gpufft_plan *plan = plan_of(g, &picture);
    struct gpufft_bound *bound = NULL;
    const uint64_t x = taken(PICTURE), y = taken(PICTURE);
    static char zeros[PICTURE];
    CHECK(!bind_on(plan, x, y, stream[0], &bound) && !gpufft_run(bound));
    CHECK(!cu->context_set(context[0]) && !cu->stream_wait(stream[0]));
    CHECK(!cu->upload(x, zeros, PICTURE, stream[0]));
    const int waits = traced("Synchronize");
    CHECK(!gpufft_run(bound));
    CHECK_EQ(traced("Synchronize"), waits);
    CHECK(waits < 0 || *(const float *)at(y) != 0);
    CHECK(!cu->stream_wait(stream[0]) && (waits < 0 || *(const float *)at(y) == 0));
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    CHECK(!cu->memory_free(x) && !cu->memory_free(y));
}

static void test_context_is_kept(void) {
    void *mine = context[n_devices - 1], *now = NULL;
    const uint64_t x = taken(PICTURE), y = taken(PICTURE);
    struct gpufft_bound *bound = NULL;
    NEED(!cu->context_set(mine));
    struct gpufft *g = open_on("cuda");
    struct gpufft_plan *plan = plan_of(g, &picture);
    CHECK(!cu->context_get(&now) && now == mine);
    CHECK(!bind_on(plan, x, y, stream[0], &bound) && !gpufft_run(bound));
    CHECK(!cu->context_get(&now) && now == mine);
    CHECK_EQ(gpufft_bound_move(bound, plan, at(y)), GPUFFT_EINVAL);
    CHECK(!cu->context_get(&now) && now == mine);
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(g);
    CHECK(!cu->context_get(&now) && now == mine);
    NEED(!cu->context_set(context[0]) && !cu->memory_free(x) && !cu->memory_free(y));
}

/* ---- refusals ---- */

static void refuses(struct gpufft_plan *plan, const void *in, void *out, int code,
                    const char *why) {
    struct gpufft_bound *bound = (struct gpufft_bound *)plan;
    CHECK_EQ(gpufft_plan_bind(plan, in, out, &bound), code);
    CHECK(!bound);
    CHECK_HAS(gpufft_message(), why);
    CHECK(!strchr(gpufft_message(), '\n'));
}

static void test_addresses(struct gpufft *g) {
    static float host[2 * PICTURE / 4];
    struct gpufft_plan *plan = plan_of(g, &picture);
    struct gpufft_bound *bound = NULL;
    uint64_t x = taken(PICTURE), y = taken(PICTURE), z = taken(PICTURE - 512), other;
    refuses(plan, NULL, at(y), GPUFFT_EUSAGE, "input");
    refuses(plan, at(x), NULL, GPUFFT_EUSAGE, "output");
    refuses(plan, host, at(y), GPUFFT_EINVAL, "the input is not in the memory of a CUDA device");
    refuses(plan, at(x), host, GPUFFT_EINVAL, "the output is not in the memory of a CUDA device");
    refuses(plan, at(x), at(x), GPUFFT_EINVAL, "overlap");
    refuses(plan, at(x + 8), at(y), GPUFFT_EUNSUPP,
            "the address of the input is not a multiple of 16 bytes");
    if (traced("") >= 0) /* a device's neighbouring allocations may be one range */
        refuses(plan, at(x), at(z), GPUFFT_EINVAL, "the output exceeds the memory");
    refuses(plan, at(16), at(y), GPUFFT_EINVAL, "the input is not in the memory");
    CHECK_EQ(gpufft_plan_bind(NULL, at(x), at(y), &bound), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_bind(plan, at(x), at(y), NULL), GPUFFT_EUSAGE);
    if (n_devices > 1) {
        NEED(!cu->context_set(context[1]) && !cu->memory_alloc(&other, PICTURE));
        refuses(plan, at(other), at(y), GPUFFT_EINVAL,
                "the input is on CUDA device 1, and the library uses device 0");
        CHECK(!cu->memory_free(other) && !cu->context_set(context[0]));
    }
    NEED(!bind_on(plan, x, y, NULL, &bound) && !gpufft_run(bound));
    CHECK_EQ(gpufft_bound_move(bound, host, at(y)), GPUFFT_EINVAL);
    CHECK_EQ(gpufft_run(bound), 0); /* the arrays are kept */
    CHECK(!cu->context_set(context[0]) && !cu->memory_free(x));
    CHECK_EQ(gpufft_run(bound), GPUFFT_EINVAL);
    CHECK_HAS(gpufft_message(), "the input is not in the memory of a CUDA device");
    x = taken(PICTURE);
    CHECK(!gpufft_bound_move(bound, at(x), at(y)) && !gpufft_run(bound));
    CHECK(!cu->context_set(context[0]) && !cu->stream_wait(NULL));
    gpufft_close(g);
    CHECK_EQ(gpufft_run(bound), GPUFFT_ECLOSED);
    CHECK_EQ(gpufft_bound_move(bound, at(x), at(y)), GPUFFT_ECLOSED);
    refuses(plan, at(x), at(y), GPUFFT_ECLOSED, "closed");
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    CHECK(!cu->context_set(context[0]));
    CHECK(!cu->memory_free(x) && !cu->memory_free(y) && !cu->memory_free(z));
}

static void refuses_plan(struct gpufft *g, const struct gpufft_transform *t, int code,
                         const char *why) {
    struct gpufft_plan *plan = NULL;
    CHECK_EQ(gpufft_plan_make(g, t, &plan), code);
    CHECK(!plan);
    CHECK_HAS(gpufft_message(), why);
    CHECK(!strchr(gpufft_message(), '\n'));
}

static void test_plans(struct gpufft *g) {
    struct gpufft_transform t = picture;
    struct gpufft_bound *bound = NULL;
    struct gpufft *cpu = open_on("openmp"), *any = open_on(NULL);
    static float host[2 * PICTURE / 4];
    refuses_plan(cpu, &picture, GPUFFT_EUNSUPP, "the backend cuda, not openmp");
    struct gpufft_plan *plan = plan_of(any, &picture);
    struct gpufft_description d = {.size = sizeof d};
    CHECK(!gpufft_plan_describe(plan, &d));
    CHECK_STR(d.backend, "cuda");
    gpufft_plan_free(plan);
    t.on_device = 2;
    refuses_plan(g, &t, GPUFFT_EUSAGE, "0 or 1");
    t.on_device = t.in_place = 1;
    refuses_plan(g, &t, GPUFFT_EUNSUPP, "in place is not supported");
    t = picture;
    t.in_stride[0] = 45 * 8;
    t.in_stride[1] = 8;
    refuses_plan(g, &t, GPUFFT_EUNSUPP, "contiguous");
    t.in_stride[0] = 8;
    t.in_stride[1] = 30 * 8;
    refuses_plan(g, &t, GPUFFT_EUNSUPP, "in one order");
    t = picture;
    t.on_device = 0;
    plan = plan_of(cpu, &t);
    NEED(!gpufft_plan_bind(plan, host, host + PICTURE / 4, &bound));
    CHECK_EQ(gpufft_bound_stream(bound, stream[0]), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_bound_stream(NULL, stream[0]), GPUFFT_EUSAGE);
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(cpu);
    gpufft_close(any);
}

/* A device that the arrays fill but for an eighth. */
static void test_full_device(struct gpufft *g) {
    struct gpufft_transform t = picture;
    struct gpufft_bound *bound = NULL;
    t.shape[0] = t.shape[1] = 128;
    const size_t bytes = bytes_of(&t, true);
    const uint64_t x = taken(bytes), y = taken(bytes);
    char memory[24];
    snprintf(memory, sizeof memory, "%zu", bytes * 9 / 4);
    setenv("FAKE_CUDA_MEMORY", memory, 1);
    struct gpufft_plan *plan = plan_of(g, &t);
    CHECK(!gpufft_plan_bind(plan, at(x), at(y), &bound) && !gpufft_run(bound));
    unsetenv("FAKE_CUDA_MEMORY");
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    NEED(!cu->context_set(context[0]) && !cu->memory_free(x) && !cu->memory_free(y));
}

/* ---- a driver that fails ---- */

/* Fails the driver's next call of that name, in a run that is the plan's first or its second. */
static void test_failure(const char *name, bool first) {
    struct gpufft *g = open_on("cuda");
    struct gpufft_plan *plan = plan_of(g, &picture);
    struct gpufft_bound *bound = NULL;
    const uint64_t x = taken(PICTURE), y = taken(PICTURE);
    char text[64];
    NEED(!bind_on(plan, x, y, stream[0], &bound));
    CHECK(first || !gpufft_run(bound));
    snprintf(text, sizeof text, "%s:1", name);
    setenv("FAKE_CUDA_FAIL", text, 1);
    const int rc = gpufft_run(bound);
    unsetenv("FAKE_CUDA_FAIL");
    CHECK_MSG(rc == GPUFFT_EBACKEND || rc == GPUFFT_EINVAL, "%d of %s", rc, text);
    CHECK(*gpufft_message() && !strchr(gpufft_message(), '\n'));
    CHECK_MSG(!gpufft_run(bound), "%s", gpufft_message());
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(g);
    NEED(!cu->context_set(context[0]) && !cu->memory_free(x) && !cu->memory_free(y));
}

/* A queued kernel fails, and so does every later call; in a child, as the device stays lost. */
static int lose_device(void) {
    struct gpufft *g = open_on("cuda");
    struct gpufft_plan *plan = plan_of(g, &picture);
    struct gpufft_bound *bound = NULL;
    const uint64_t x = taken(PICTURE), y = taken(PICTURE);
    NEED(!bind_on(plan, x, y, stream[0], &bound) && !gpufft_run(bound));
    setenv("FAKE_CUDA_FAIL", "command@0:3:700", 1);
    CHECK_EQ(gpufft_run(bound), 0);
    CHECK(cu->context_set(context[0]) || cu->stream_wait(stream[0]) == GF_CU_ILLEGAL_ADDRESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(gpufft_run(bound), GPUFFT_EBACKEND);
        CHECK(*gpufft_message() && !strchr(gpufft_message(), '\n'));
    }
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(g);
    return test_failed != 0;
}

static void test_lost_device(void) {
    int status = 0;
    const pid_t child = fork();
    if (!child)
        _exit(lose_device());
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
}

static void with_library(void (*test)(struct gpufft *g), bool closes) {
    struct gpufft *g = open_on("cuda");
    test(g);
    if (!closes)
        gpufft_close(g);
}

static void test_end(void) {
    for (int i = 0; i < 2; i++)
        CHECK(!cu->context_set(context[0]) && !cu->stream_destroy(stream[i]));
    for (int i = 0; i < n_devices; i++)
        CHECK(!cu->context_release(i));
    CHECK(traced("left: ") <= 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

int main(void) {
    static const char *const calls[] = {"cuPointerGetAttribute", "cuEventRecord",
                                        "cuStreamWaitEvent", "cuLaunchKernelEx"};
    const int file = mkstemp(trace);
    NEED(file >= 0 && !close(file) && mkdtemp(cache));
    setenv("FAKE_CUDA_TRACE", trace, 1);
    if ((cu = gf_cuda_find()) && gf_nvrtc_find()) {
        cu->device_count(&n_devices);
        n_devices = n_devices > 2 ? 2 : n_devices;
        for (int i = 0; i < n_devices; i++)
            NEED(!cu->context_retain(&context[i], i));
        NEED(!cu->context_set(context[0]));
        for (int i = 0; i < 2; i++)
            NEED(!cu->stream_create(&stream[i], GF_CU_STREAM_NON_BLOCKING));
        test_transforms();
        RUN("streams share a workspace in turn", with_library(test_two_streams, false));
        RUN("a run is queued, not awaited", with_library(test_returns_early, false));
        RUN("the thread's context stays the caller's", test_context_is_kept());
        RUN("wrong addresses are refused in one line", with_library(test_addresses, true));
        RUN("plans for other arrays are refused in one line", with_library(test_plans, false));
        RUN("arrays may fill the device", with_library(test_full_device, false));
        for (int i = 0; i < 8 && traced("") >= 0; i++)
            RUN(case_name("%s fails in the %s run", calls[i / 2], i % 2 ? "second" : "first"),
                test_failure(calls[i / 2], !(i % 2)));
        if (traced("") >= 0)
            RUN("a lost device is a failure of each later run", test_lost_device());
        RUN("nothing is left in the device", test_end());
    } else {
        printf("cuda: skipped\n");
    }
    unlink(trace);
    nftw(cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return TEST_END();
}
