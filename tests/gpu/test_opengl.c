/* The backend opengl: the plain jobs that its shaders must do, against plain loops, and what it
 * refuses; its memory; and what it does where the driver fails. Mesa's compiler for the CPU takes a second or
 * two a job: a twelfth of the jobs are made, with LONG=1 all of them. */
#include "core/gpu/api/opengl/library.h"
#include "tests/gpu/shaders.h"

/* ---- failures ---- */

static struct gf_opengl real;
static int refusals, refused; /* of so many binaries the driver gets a half, and refuses it */
static bool binaries = true, reset;

static void load_half(uint32_t program, uint32_t format, const void *binary, int32_t length) {
    const bool refuse = refusals > 0;
    refusals -= refuse;
    refused += refuse;
    real.load_binary(program, format, binary, refuse ? length / 2 : length);
}

static void no_binary(uint32_t program, uint32_t what, int32_t *value) {
    if (what == GF_GL_BINARY_LENGTH && !binaries)
        *value = 0;
    else
        real.program_integer(program, what, value);
}

static void tells_reset(uint32_t what, int32_t *value) {
    if (what == GF_GL_RESET_NOTIFICATION)
        *value = GF_GL_LOSE_CONTEXT_ON_RESET;
    else
        real.integer(what, value);
}

static uint32_t reset_status(void) {
    enum { GUILTY = 0x8253 };
    return reset ? GUILTY : 0;
}

/* A binary that the driver refuses is built again; a driver that returns none compiles at each start. */
static void test_binaries(struct subject *s) {
    static const char job[] = "fwd c64 6x5 axes=2 > complex";
    check(s, job);
    refusals = 1;
    refused = 0;
    check(s, job);
    CHECK_EQ(refused, 1);
    binaries = false;
    refusals = 1;
    check(s, job);
    refused = 0;
    refusals = 1; /* of the kept text there is no binary to refuse */
    check(s, job);
    CHECK_EQ(refused, 0);
    binaries = true;
    refusals = 0;
}

/* In a cache of its own, which begins empty. */
static void test_failures(struct subject *s) {
    char folder[] = "/tmp/gpufft-test-XXXXXX";
    struct gf_opengl *gl = (struct gf_opengl *)gf_opengl_find();
    if (!own_cache(folder)) {
        CHECK(false);
        return;
    }
    real = *gl;
    gl->load_binary = load_half;
    gl->program_integer = no_binary;
    gl->integer = tells_reset;
    gl->reset_status = reset_status;
    test_binaries(s);
    test_loss(s, &reset, "the device was reset");
    *gl = real;
    drop_cache(folder);
}

/* ---- memory ---- */

static uint32_t next_error;
static bool no_entry;

static uint32_t tell_error(void) {
    const uint32_t error = next_error;
    next_error = 0;
    return error ? error : real.error();
}

static uint32_t make_current(void *display, void *draw, void *read, void *context) {
    return context && no_entry ? 0 : real.make_current(display, draw, read, context);
}

/* A driver that runs out of memory, fails, or takes no thread in. */
static void test_driver(const struct gf_gpu *api, void *gpu) {
    enum { INVALID = 0x0502 };
    unsigned char bytes[64] = {0};
    struct gf_gpu_buffer *b = NULL, *c = NULL;
    struct gf_opengl *gl = (struct gf_opengl *)gf_opengl_find();
    CHECK(!api->alloc(gpu, 64, &b) && !api->alloc(gpu, 64, &c));
    real = *gl;
    gl->error = tell_error;
    gl->make_current = make_current;
    next_error = GF_GL_OUT_OF_MEMORY;
    struct gf_gpu_buffer *none = b;
    check_fails(api->alloc(gpu, 64, &none), GF_ENOMEM, "taking memory: out of memory on '");
    CHECK(!none && !api->lost(gpu));
    next_error = INVALID;
    check_fails(api->upload(gpu, b, 0, bytes, 64), GF_EBACKEND, "an upload failed on '");
    CHECK(strstr(gf_message(), "OpenGL error 0x502") && api->lost(gpu));
    next_error = INVALID;
    check_fails(api->download(gpu, bytes, b, 0, 64), GF_EBACKEND, "a download failed on '");
    no_entry = true;
    check_fails(api->alloc(gpu, 64, &none), GF_EBACKEND, "entering the context of '");
    check_fails(api->upload(gpu, b, 0, bytes, 64), GF_EBACKEND, "EGL error 0x");
    check_fails(api->download(gpu, bytes, b, 0, 64), GF_EBACKEND, "EGL error 0x");
    check_fails(api->clear(gpu, b, 0, 64), GF_EBACKEND, "EGL error 0x");
    check_fails(api->copy(gpu, b, 0, c, 0, 64), GF_EBACKEND, "EGL error 0x");
    api->free(gpu, c); /* the name is lost with the context */
    no_entry = false;
    api->free(gpu, b);
    *gl = real;
}

static void test_memory(void) {
    const struct gf_gpu *api = &gf_gpu_opengl;
    struct gf_gpu_props props;
    void *gpu;
    CHECK(!gf_gpu_open(gf_environment(), api, NULL, &gpu, &props));
    test_bytes(api, gpu);
    test_host_memory(api, gpu, &props);
    test_driver(api, gpu);
    api->close(gpu);
}

int main(void) {
    struct subject s = {.backend = &gf_backend_opengl, .shards = 1, .seed = 7};
    char reason[GF_REASON] = "";
    if (s.backend->probe(s.backend, gf_environment(), reason)) {
        printf("skipped: no OpenGL: %s\n", reason);
        return TEST_END();
    }
    for (int i = 0; i < 2; i++)
        NEED(!s.backend->open(
            s.backend, &(struct gf_backend_options){.environment = gf_environment(), .threads = 1},
            &s.context[i]));
    RUN_COUNTED(&s, "plain jobs are those of plain loops", test_jobs(&s));
    RUN("jobs that shaders do not do are refused with the reason", test_refusals(&s));
    RUN("the copy that measures memory copies all of it and nothing behind", test_copy(&s));
    RUN("memory is taken, filled, copied and given back", test_memory());
    RUN("calls that fail fail the job and leave nothing", test_failures(&s));
    for (int i = 0; i < 2; i++)
        s.backend->close(s.context[i]);
    return TEST_END();
}
