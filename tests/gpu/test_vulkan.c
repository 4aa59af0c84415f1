/* The backend vulkan: the plain jobs that its shaders must do, against plain loops and, byte by byte,
 * against OpenGL's; what it refuses; its memory, queues and marks; what it does where the driver fails.
 * All of this runs under Khronos' validation layer, where it is installed, and leaves no message. */
#include <unistd.h>

#include "core/gpu/api/vulkan/library.h"
#include "tests/gpu/shaders.h"

/* ---- the validation layer ---- */

static char work[] = "/tmp/gpufft-test-XXXXXX";
static char messages[64];

/* Before Vulkan is loaded. The layer's messages go to a file. */
static bool turn_validation_on(void) {
    char settings[64];
    if (!mkdtemp(work))
        return false;
    snprintf(settings, sizeof settings, "%s/vk_layer_settings.txt", work);
    snprintf(messages, sizeof messages, "%s/messages", work);
    FILE *f = fopen(settings, "we");
    if (!f)
        return false;
    fprintf(f,
            "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
            "khronos_validation.report_flags = error,warn\n"
            "khronos_validation.log_filename = %s\n",
            messages);
    setenv("VK_LAYER_SETTINGS_PATH", work, 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation", 1);
    return !fclose(f);
}

/* The messages so far; the caller frees them. NULL: no layer wrote any. */
static char *read_messages(void) {
    char *text = NULL;
    size_t room = 0;
    FILE *f = fopen(messages, "re");
    if (!f)
        return NULL;
    if (getdelim(&text, &room, 0, f) < 0) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

/* None by the tests so far; then one for a call that is wrong, if the layer is there. */
static void test_validation(void) {
    struct gf_gpu_props props;
    struct gf_vulkan *vk = (struct gf_vulkan *)gf_vulkan_find();
    void *gpu;
    char *before = read_messages();
    CHECK_MSG(!before, "the validation layer says: %.1200s", before);
    free(before);
    CHECK(!gf_gpu_open(gf_environment(), &gf_gpu_vulkan, NULL, &gpu, &props));
    VkPhysicalDeviceProperties2 wrong = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    vk->properties((VkPhysicalDevice)(uintptr_t)props.handle, &wrong);
    char *after = read_messages();
    if (after)
        CHECK(strstr(after, "VUID-VkPhysicalDeviceProperties2-sType"));
    else
        printf("skipped: no validation layer (vulkan-validationlayers)\n");
    free(after);
    gf_gpu_vulkan.close(gpu);
}

/* ---- OpenGL's bytes ---- */

/* Mesa's two front ends leave the same arithmetic of the same text, but for parts of a spectrum, whose
 * sums they order otherwise. */
static void test_same_bytes(struct subject *s) {
    struct subject gl = {.backend = &gf_backend_opengl, .shards = 1, .seed = 7};
    struct gf_gpu_props a[GF_GPU_MAX_DEVICES], b[GF_GPU_MAX_DEVICES];
    char reason[GF_REASON];
    if (gl.backend->probe(gl.backend, NULL, reason) || gl.backend->list(gl.backend, NULL, a) < 1 ||
        s->backend->list(s->backend, NULL, b) < 1 || strcmp(a->name, b->name)) {
        printf("skipped: OpenGL has another device\n");
        return;
    }
    for (int i = 0; i < 2; i++)
        CHECK(!gl.backend->open(
            gl.backend, &(struct gf_backend_options){.environment = gf_environment(), .threads = 1},
            &gl.context[i]));
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct gf_job job;
        struct gf_array in = {.data = NULL}, out[2][GF_MAX_OUTPUTS] = {{{.data = NULL}}};
        if (!case_takes((long long)i, 12) || !backends_parse(jobs[i], &job) ||
            strstr(jobs[i], "> real f32") || strstr(jobs[i], "> imag") ||
            strstr(jobs[i], "> real i8"))
            continue;
        int64_t shape[GF_MAX_RANK];
        gf_job_in_shape(&job, shape);
        CHECK(!gf_array_alloc(&in, job.in_dtype, job.ndim + 1, shape));
        backends_fill(&in, &s->seed);
        CHECK(!backends_run(s, &job, &in, out[0], NULL));
        CHECK(!backends_run(&gl, &job, &in, out[1], NULL));
        for (int o = 0; o < job.n_out; o++) {
            CHECK_MSG(!memcmp(out[0][o].data, out[1][o].data, (size_t)gf_array_bytes(&out[0][o])),
                      "%s: output %d", jobs[i], o);
            gf_array_free(&out[0][o]);
            gf_array_free(&out[1][o]);
        }
        gf_array_free(&in);
    }
    for (int i = 0; i < 2; i++)
        gl.backend->close(gl.context[i]);
}

/* ---- queues and marks ---- */

/* Each queue's copies are in order, and others follow marks: bytes go through three buffers and all
 * queues, back into page-locked memory, many times, so that batches are used again. */
static void test_queues(const struct gf_gpu *api, void *gpu) {
    enum { BYTES = 3 << 18, ROUNDS = 300, UP = 2, MOVED = 3, DOWN = 4 };
    struct gf_gpu_buffer *a, *b;
    void *up, *down;
    double seconds = -1;
    CHECK(!api->alloc(gpu, BYTES, &a) && !api->alloc(gpu, BYTES, &b));
    CHECK(!api->pin(gpu, BYTES, &up) && !api->pin(gpu, BYTES, &down));
    CHECK(!api->reach(gpu, 90) && !api->follow(gpu, 90)); /* a mark that was not set */
    check_fails(api->elapsed(gpu, &seconds), GF_EBACKEND, "no two marks");
    CHECK(!api->mark(gpu, 0));
    for (int i = 0, bad = 0; i < ROUNDS && !bad; i++) {
        const int bytes = i % 8 ? 1000 + i : BYTES;
        bad |= api->reach(gpu, UP); /* the memory may be written again */
        memset(up, i % 251 + 1, (size_t)bytes);
        bad |= api->use(gpu, 1) || api->follow(gpu, MOVED);
        bad |= api->upload(gpu, a, 0, up, bytes) || api->mark(gpu, UP);
        bad |= api->use(gpu, 0) || api->follow(gpu, UP) || api->follow(gpu, DOWN);
        bad |= api->copy(gpu, b, 0, a, 0, bytes) || api->mark(gpu, MOVED);
        bad |= api->use(gpu, 2) || api->follow(gpu, MOVED);
        bad |= api->download(gpu, down, b, 0, bytes) || api->mark(gpu, DOWN);
        bad |= api->reach(gpu, DOWN);
        bad |= memcmp(up, down, (size_t)bytes) != 0;
        CHECK_MSG(!bad, "round %d: %s", i, gf_message());
    }
    CHECK(!api->use(gpu, 0) && !api->mark(gpu, 1) && !api->elapsed(gpu, &seconds));
    CHECK_MSG(seconds > 1e-5 && seconds < 60, "%g s", seconds);
    CHECK(!api->sync(gpu));
    api->unpin(gpu, up);
    api->unpin(gpu, down);
    api->unpin(gpu, NULL);
    api->free(gpu, a);
    api->free(gpu, b);
}

/* Plain memory of more than one piece, from any address. */
static void test_pieces(const struct gf_gpu *api, void *gpu) {
    enum { BYTES = (5 << 19) + 13 };
    struct gf_gpu_buffer *b;
    unsigned char *from = malloc(BYTES + 1), *to = malloc(BYTES + 1);
    CHECK(from && to && !api->alloc(gpu, BYTES + 3, &b));
    for (int i = 0; i <= BYTES; i++)
        from[i] = (unsigned char)(i * 13 + i / 257);
    CHECK(!api->upload(gpu, b, 3, from + 1, BYTES) && !api->download(gpu, to + 1, b, 3, BYTES));
    CHECK(!memcmp(from + 1, to + 1, BYTES));
    api->free(gpu, b);
    free(from);
    free(to);
}

static void test_memory(void) {
    const struct gf_gpu *api = &gf_gpu_vulkan;
    struct gf_gpu_props props;
    void *gpu;
    CHECK(!gf_gpu_open(gf_environment(), api, NULL, &gpu, &props));
    test_bytes(api, gpu);
    test_host_memory(api, gpu, &props);
    test_queues(api, gpu);
    test_pieces(api, gpu);
    api->close(gpu);
}

/* ---- failures ---- */

static struct gf_vulkan real;
static VkResult answer; /* what the calls below return */
static int good;        /* after so many that go through */
static bool lost, no_pipelines;
static int refusals, refused; /* so many pipelines are refused */

static VkResult failing_wait(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
    return lost ? VK_ERROR_DEVICE_LOST : real.wait(device, info, timeout);
}

static VkResult failing_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                 const VkAllocationCallbacks *own, VkDeviceMemory *memory) {
    return answer && good-- <= 0 ? answer : real.allocate(device, info, own, memory);
}

static VkResult failing_submit(VkQueue queue, uint32_t n, const VkSubmitInfo *info, VkFence fence) {
    return answer ? answer : real.submit(queue, n, info, fence);
}

static VkResult failing_data(VkDevice device, VkPipelineCache cache, size_t *bytes, void *data) {
    if (no_pipelines)
        *bytes = 0;
    return no_pipelines ? VK_SUCCESS : real.cache_data(device, cache, bytes, data);
}

static VkResult failing_pipelines(VkDevice device, VkPipelineCache cache, uint32_t n,
                                  const VkComputePipelineCreateInfo *info,
                                  const VkAllocationCallbacks *own, VkPipeline *pipeline) {
    const bool refuse = refusals > 0;
    refusals -= refuse;
    refused += refuse;
    return refuse ? VK_ERROR_INITIALIZATION_FAILED
                  : real.create_pipelines(device, cache, n, info, own, pipeline);
}

/* A pipeline that the driver refuses is built again; a driver that keeps none compiles at each start. */
static void test_pipelines(struct subject *s) {
    static const char job[] = "fwd c64 6x5 axes=2 > complex";
    struct gf_job parsed;
    struct gf_plan *plan = NULL;
    no_pipelines = true;
    check(s, job);
    no_pipelines = false;
    check(s, job);
    refusals = 1;
    refused = 0;
    check(s, job);
    CHECK_EQ(refused, 1);
    refusals = 1000;
    CHECK(backends_parse("fwd c64 6x7 axes=2 > complex", &parsed));
    check_fails(gf_backend_plan(s->backend, s->context[0], &parsed, &plan), GF_EBACKEND,
                "Vulkan error -3");
    refusals = 0;
}

/* A binary that is cut or is none. */
static void test_damage(const struct gf_gpu *api, void *gpu) {
    uint64_t none[16] = {0};
    struct gf_gpu_kernel *k = NULL;
    for (size_t bytes = 0; bytes <= sizeof none; bytes += 8)
        check_fails(api->load(gpu, none, bytes, "load", 0, &k), GF_EBACKEND, "is damaged");
    none[0] = sizeof none - 16; /* of the right size, without the mark of SPIR-V */
    check_fails(api->load(gpu, none, sizeof none, "load", 0, &k), GF_EBACKEND, "is damaged");
    none[0] = UINT64_MAX - 7;
    check_fails(api->load(gpu, none, sizeof none, "load", 0, &k), GF_EBACKEND, "is damaged");
    check_fails(api->load(gpu, none, 8, "load", 1 << 30, &k), GF_EBACKEND, "shared memory");
    api->unload(gpu, NULL);
}

/* Calls of a driver that has no memory, or fails. */
static void test_driver(const struct gf_gpu *api) {
    struct gf_gpu_props props;
    struct gf_gpu_buffer *b;
    unsigned char bytes[64] = {0};
    void *gpu, *host;
    int n = 0;
    for (; n < 40; n++) { /* one allocation after the other, until none is left */
        good = n;
        answer = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        int rc = gf_gpu_open(gf_environment(), api, NULL, &gpu, &props);
        answer = VK_SUCCESS;
        if (!rc)
            break;
        CHECK_EQ(rc, GF_ENOMEM);
    }
    CHECK_MSG(gpu && n >= 3, "opening takes %d allocations", n);
    answer = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    check_fails(api->alloc(gpu, 64, &b), GF_ENOMEM, "no room for a buffer");
    check_fails(api->pin(gpu, 64, &host), GF_ENOMEM, "of memory for the device");
    answer = VK_ERROR_TOO_MANY_OBJECTS;
    check_fails(api->alloc(gpu, 64, &b), GF_EBACKEND, "taking memory failed on '");
    CHECK(strstr(gf_message(), "Vulkan error -10") && api->lost(gpu));
    api->close(gpu);
    answer = VK_SUCCESS;
    CHECK(!gf_gpu_open(gf_environment(), api, NULL, &gpu, &props) && !api->alloc(gpu, 64, &b));
    test_damage(api, gpu);
    answer = VK_ERROR_DEVICE_LOST;
    check_fails(api->upload(gpu, b, 0, bytes, 64), GF_EBACKEND, "the device was lost");
    CHECK(api->lost(gpu));
    answer = VK_SUCCESS;
    api->free(gpu, b);
    api->close(gpu);
}

static void test_failures(struct subject *s) {
    char folder[] = "/tmp/gpufft-test-XXXXXX";
    struct gf_vulkan *vk = (struct gf_vulkan *)gf_vulkan_find();
    if (!own_cache(folder)) {
        CHECK(false);
        return;
    }
    real = *vk;
    vk->wait = failing_wait;
    vk->allocate = failing_allocate;
    vk->submit = failing_submit;
    vk->cache_data = failing_data;
    vk->create_pipelines = failing_pipelines;
    test_pipelines(s);
    test_loss(s, &lost, "the device was lost");
    test_driver(&gf_gpu_vulkan);
    *vk = real;
    drop_cache(folder);
}

int main(void) {
    struct subject s = {.backend = &gf_backend_vulkan, .shards = 1, .seed = 7};
    char reason[GF_REASON] = "";
    NEED(turn_validation_on());
    if (s.backend->probe(s.backend, gf_environment(), reason)) {
        printf("skipped: no Vulkan: %s\n", reason);
        drop_cache(work);
        return TEST_END();
    }
    for (int i = 0; i < 2; i++)
        NEED(!s.backend->open(
            s.backend, &(struct gf_backend_options){.environment = gf_environment(), .threads = 1},
            &s.context[i]));
    RUN_COUNTED(&s, "plain jobs are those of plain loops", test_jobs(&s));
    RUN("the same renderer gives the bytes that it gives through OpenGL", test_same_bytes(&s));
    RUN("jobs that shaders do not do are refused with the reason", test_refusals(&s));
    RUN("the copy that measures memory copies all of it and nothing behind", test_copy(&s));
    RUN("memory is taken, filled, copied through all queues and given back", test_memory());
    RUN("calls that fail fail the job and leave nothing", test_failures(&s));
    for (int i = 0; i < 2; i++)
        s.backend->close(s.context[i]);
    RUN("the validation layer has nothing to say", test_validation());
    drop_cache(work);
    return TEST_END();
}
