/* Tests that the backends of kernels/gl share, for the test program of each: the jobs that shaders must
 * do, what they refuse, memory, and the copy that measures it. */
#ifndef GF_TESTS_SHADERS_H
#define GF_TESTS_SHADERS_H

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "cli/environment.h"
#include "core/base/value/status.h"
#include "core/gpu/run.h"
#include "tests/core/backends.h"
#include "tests/test.h"

/* Each way through the shaders: samples of each type in and out, pairs of lines and of neighbours,
 * mirror images, columns, lines that are split, every radix, each kind and range. */
static const char *const jobs[] = {
    "fwd c64 60x48 > complex",
    "inv c64 45x50 ortho > complex",
    "fwd c64 7x100 axes=2 > complex",
    "fwd c64 81x6 axes=1 > complex",
    "fwd c64 6x10x12 > complex",
    "fwd c64 32768 > complex",
    "inv c64 20000 > complex",
    "fwd c64 48x64 > magnitude f32 shift",
    "fwd c64 30x48 > phase u8 display shift",
    "fwd f32 60x48 > complex half",
    "fwd f32 45x35 > complex half",
    "fwd f32 7x60 axes=2 > complex half",
    "fwd f32 60x7 axes=1 > complex half",
    "fwd f32 360 > complex half",
    "fwd f32 6x10x12 > complex half",
    "fwd f32 30x32 > real f32",
    "fwd i16 30x32 > imag i16",
    "fwd i8 30x32 > real i8",
    "fwd u8 60x48 > magnitude u8 display shift",
    "fwd u8 45x35 > magnitude u8 display",
    "fwd u8 5x9x7 > magnitude u8 display shift",
    "fwd u16 36x40 > magnitude u16 display shift sqrt",
    "fwd u8 30x36 > phase u8 display shift",
    "fwd u16 40x36 > power u16 display shift linear range",
    "fwd u8 60x48 > magnitude u8 display shift auto",
    "fwd f32 40x36 > power u8 display shift auto",
    "inv c64 60x48 real half > real f32",
    "inv c64 45x35 real half > real u8",
    "inv c64 64 real half > real f32",
    "inv c64 12x40 axes=2 real half > real u16",
    "fwd c64 48x56 > complex shift",
    "fwd f32 45x36 > complex shift",
    "fwd u8 30x32 ch=3 luma > magnitude u8 display shift",
    "fwd u16 30x32 ch=3 luma > complex half",
    "fwd i16 15x14 ch=2 > complex shift",
    "fwd u8 5x9x7 > complex, magnitude u8 display shift, phase i16",
    "fwd u8 6000 > magnitude u8 display shift auto",
    "inv c64 36x30 centred > complex",
    "inv c64 36x45 centred real > real u8",
    "inv c64 9x9x2 real ortho > magnitude u8 display",
    "inv c64 32x9 ch=5 centred ortho > phase f32",
};

static void test_jobs(struct subject *s) {
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct gf_job job;
        struct gf_plan *plan = NULL;
        if (!case_takes((long long)i, 12))
            continue;
        if (!backends_parse(jobs[i], &job)) {
            CHECK_MSG(false, "no job: %s", jobs[i]);
            continue;
        }
        int rc = gf_backend_plan(s->backend, s->context[0], &job, &plan);
        CHECK_MSG(!rc, "%s: %s", jobs[i], gf_message());
        if (plan)
            gf_plan_drop(plan);
        if (!rc)
            backends_check(s, &job, i % 2);
    }
}

static void refuses(const struct subject *s, const char *text, const char *why) {
    struct gf_job job;
    struct gf_plan *plan = NULL;
    CHECK_MSG(backends_parse(text, &job), "no job: %s", text);
    CHECK_EQ(gf_backend_plan(s->backend, s->context[0], &job, &plan), GF_EUNABLE);
    CHECK_MSG(strstr(gf_message(), why) && strstr(gf_message(), "--backend=") && !plan, "%s: %s",
              text, gf_message());
}

static void test_refusals(const struct subject *s) {
    refuses(s, "fwd c64 61x16 > complex", "factors above 7");
    refuses(s, "fwd c64 22x16 > complex", "factors above 7");
    refuses(s, "fwd c64 16x16 double > complex", "double");
    refuses(s, "fwd i32 16x16 > complex half", "32-bit integers");
    refuses(s, "fwd f32 16x16 > real u32", "32-bit integers");
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    CHECK(!s->backend->list(s->backend, NULL, list) || list->max_alloc > 0);
    if (list->max_alloc > (int64_t)1 << 31)
        return; /* more than the shaders count anyway */
    struct gf_job job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, 1, list->max_alloc / 4, 1, 1);
    struct gf_plan *plan = NULL;
    CHECK_EQ(gf_backend_plan(s->backend, s->context[0], &job, &plan), GF_EUNABLE);
    CHECK_MSG(strstr(gf_message(), "--backend=") && !plan, "%s", gf_message());
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void check(struct subject *s, const char *text) {
    struct gf_job job;
    CHECK(backends_parse(text, &job));
    backends_check(s, &job, false);
}

static void check_fails(int rc, int want, const char *why) {
    CHECK_EQ(rc, want);
    CHECK_MSG(strstr(gf_message(), why), "'%s' without '%s'", gf_message(), why);
}

/* Copies of some bytes, and clears: what is beside them stays. */
static void test_bytes(const struct gf_gpu *api, void *gpu) {
    enum { BYTES = 1003 };
    unsigned char from[BYTES], to[BYTES], want[BYTES];
    struct gf_gpu_buffer *a, *b, *none;
    CHECK(!api->alloc(gpu, BYTES, &a) && !api->alloc(gpu, BYTES, &b));
    CHECK(!api->alloc(gpu, 0, &none));
    for (int i = 0; i < BYTES; i++)
        want[i] = from[i] = (unsigned char)(i * 5 + i / 251 + 1);
    CHECK(!api->upload(gpu, a, 0, from, BYTES) && !api->clear(gpu, b, 0, BYTES));
    CHECK(!api->copy(gpu, b, 7, a, 500, 400));
    CHECK(!api->upload(gpu, b, 900, from, 3) && !api->clear(gpu, b, 100, 8));
    CHECK(!api->clear(gpu, b, 1000, 3)); /* up to the end: in words that are the buffer's own */
    CHECK(!api->sync(gpu) && !api->download(gpu, to, b, 0, BYTES));
    memset(want, 0, BYTES);
    memcpy(want + 7, from + 500, 400);
    memcpy(want + 900, from, 3);
    memset(want + 100, 0, 8);
    CHECK(!memcmp(to, want, BYTES));
    CHECK(!api->download(gpu, to, a, 11, 90) && !memcmp(to, from + 11, 90));
    CHECK(!api->upload(gpu, none, 0, from, 0) && !api->download(gpu, to, none, 0, 0));
    CHECK(!api->clear(gpu, none, 0, 0) && !api->copy(gpu, none, 0, a, 3, 0));
    check_fails(api->clear(gpu, b, 2, 4), GF_EBACKEND, "whole words");
    check_fails(api->clear(gpu, b, 4, 5), GF_EBACKEND, "whole words");
    check_fails(api->upload(gpu, a, 1000, from, 4), GF_EBACKEND, "not within a buffer of 1003");
    check_fails(api->upload(gpu, a, -1, from, 4), GF_EBACKEND, "4 bytes at -1");
    check_fails(api->download(gpu, to, a, 1004, 0), GF_EBACKEND, "not within");
    check_fails(api->clear(gpu, a, 0, 1004), GF_EBACKEND, "not within");
    check_fails(api->copy(gpu, a, 0, none, 0, 1), GF_EBACKEND, "1 bytes at 0");
    check_fails(api->copy(gpu, none, 0, a, 0, 1), GF_EBACKEND, "a buffer of 0");
    api->free(gpu, a);
    api->free(gpu, b);
    api->free(gpu, none);
    api->free(gpu, NULL);
}

/* The copy that measures the memory: all of it, and nothing behind. */
__attribute__((unused)) static void test_copy(const struct subject *s) {
    const struct gf_gpu_context *c = s->context[0];
    enum { BYTES = 16 * 5003, BEHIND = 64 };
    static unsigned char from[BYTES + BEHIND], to[BYTES + BEHIND];
    struct gf_gpu_copier copy = {.bytes = BYTES};
    for (int i = 0; i < BYTES + BEHIND; i++)
        from[i] = (unsigned char)(i * 7 + i / 251 + 1);
    CHECK(!c->api->alloc(c->gpu, BYTES + BEHIND, &copy.from));
    CHECK(!c->api->alloc(c->gpu, BYTES + BEHIND, &copy.to));
    CHECK(!c->api->upload(c->gpu, copy.from, 0, from, BYTES + BEHIND));
    CHECK(!c->api->clear(c->gpu, copy.to, 0, BYTES + BEHIND));
    CHECK(!c->api->copier(c->gpu, &c->props, &copy));
    CHECK(!c->api->launch(c->gpu, &copy.launch));
    CHECK(!c->api->sync(c->gpu) && !c->api->download(c->gpu, to, copy.to, 0, BYTES + BEHIND));
    memset(from + BYTES, 0, BEHIND);
    CHECK(!memcmp(from, to, sizeof to));
    c->api->unload(c->gpu, copy.launch.kernel);
    c->api->free(c->gpu, copy.from);
    c->api->free(c->gpu, copy.to);
}

/* Host memory, and what this interface has not. */
static void test_host_memory(const struct gf_gpu *api, void *gpu,
                             const struct gf_gpu_props *props) {
    struct gf_gpu_buffer *b;
    void *host;
    CHECK(!api->pin(gpu, 10000, &host) && host);
    memset(host, 1, 10000);
    api->unpin(gpu, host);
    CHECK(!api->pin(gpu, 0, &host) && host);
    api->unpin(gpu, host);
    check_fails(api->pin(gpu, -1, &host), GF_ENOMEM, "of memory for the device");
    check_fails(api->pin(gpu, INT64_MAX - 4096, &host), GF_ENOMEM, "of memory for the device");
    CHECK(!host && api->free_bytes(gpu) > 0);
    check_fails(api->alloc(gpu, -1, &b), GF_ENOMEM, "no room for a buffer");
    check_fails(api->alloc(gpu, props->max_alloc + 1, &b), GF_ENOMEM, "no room for a buffer of");
    CHECK(!b && strstr(gf_message(), props->name));
    CHECK(!api->alloc(gpu, 64, &b));
    struct gf_gpu_move up = {.to.buffer = b, .count = 1}, down = {.from.buffer = b, .count = 1};
    check_fails(api->rows(gpu, gpu, &up), GF_EUNSUPP, "cannot copy rows");
    check_fails(api->rows(gpu, gpu, &down), GF_EUNSUPP, "cannot copy rows");
    api->free(gpu, b);
}

/* A device that is lost while *lost is set ends that context, and no other. */
__attribute__((unused)) static void test_loss(struct subject *s, bool *lost, const char *why) {
    const struct gf_backend *b = s->backend;
    void *context = NULL;
    struct gf_job job;
    struct gf_plan *plan = NULL;
    struct gf_array in = {.data = NULL}, out = {.data = NULL};
    CHECK(backends_parse("fwd c64 6x5 axes=2 > complex", &job));
    CHECK(!b->open(b, &(struct gf_backend_options){.environment = gf_environment(), .threads = 1},
                   &context));
    CHECK(!gf_backend_plan(b, context, &job, &plan));
    const int64_t shape[] = {6, 5, 1};
    CHECK(!gf_array_alloc(&in, GF_C64, 3, shape) && !gf_array_alloc(&out, GF_C64, 3, shape));
    backends_fill(&in, &s->seed);
    CHECK(!gf_plan_exec(plan, &in, &out, NULL) && !b->lost(context));
    bool locked = true;
    CHECK_EQ(b->on_device->lock(context, in.data, 240, &locked), GF_EUNSUPP);
    CHECK(!locked && strstr(gf_message(), "page-lock memory"));
    *lost = true;
    CHECK_EQ(gf_plan_exec(plan, &in, &out, NULL), GF_EBACKEND);
    CHECK_MSG(strstr(gf_message(), why), "%s", gf_message());
    CHECK(b->lost(context));
    gf_plan_drop(plan);
    b->close(context);
    *lost = false;
    gf_array_free(&in);
    gf_array_free(&out);
    check(s, "fwd c64 6x5 axes=2 > complex");
}

/* Makes a cache of its own, which begins empty; drop_cache() removes it. */
__attribute__((unused)) static bool own_cache(char folder[]) {
    if (!mkdtemp(folder))
        return false;
    setenv("XDG_CACHE_HOME", folder, 1);
    gf_environment_read();
    return true;
}

__attribute__((unused)) static void drop_cache(const char *folder) {
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
