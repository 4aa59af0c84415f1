/* The backend opengl: the plain jobs that its shaders must do, against plain loops, and what it
 * refuses. Mesa's compiler for the CPU takes a second or two a job: a third of the jobs are made, or
 * with the argument full all of them. */
#include <string.h>

#include "core/base/status.h"
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
};

static void test_jobs(struct subject *s, size_t step) {
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i += step) {
        struct gf_job job;
        struct gf_plan *plan = NULL;
        if (!backends_parse(jobs[i], &job)) {
            CHECK_MSG(false, "no job: %s", jobs[i]);
            continue;
        }
        int rc = s->backend->plan(s->context[0], &job, &plan);
        CHECK_MSG(!rc, "%s: %s", jobs[i], gf_message());
        if (plan)
            s->backend->unplan(s->context[0], plan);
        if (!rc)
            backends_check(s, &job, i % 2);
    }
}

static void refuses(const struct subject *s, const char *text, const char *why) {
    struct gf_job job;
    struct gf_plan *plan = NULL;
    CHECK_MSG(backends_parse(text, &job), "no job: %s", text);
    CHECK_EQ(s->backend->plan(s->context[0], &job, &plan), GF_EUNABLE);
    CHECK_MSG(strstr(gf_message(), why) && strstr(gf_message(), "--backend=") && !plan, "%s: %s",
              text, gf_message());
}

static void test_refusals(const struct subject *s) {
    refuses(s, "fwd c64 61x16 > complex", "factors above 7");
    refuses(s, "fwd c64 22x16 > complex", "factors above 7");
    refuses(s, "fwd c64 16x16 double > complex", "double");
    refuses(s, "fwd i32 16x16 > complex half", "32-bit integers");
    refuses(s, "fwd f32 16x16 > real u32", "32-bit integers");
    struct gf_gpu_props props;
    CHECK(!gf_backend_opengl.list(&props, 1) || props.max_alloc > 0);
    if (props.max_alloc > (int64_t)1 << 31)
        return; /* more than the shaders count anyway */
    struct gf_job job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, 1, props.max_alloc / 4, 1, 1);
    struct gf_plan *plan = NULL;
    CHECK_EQ(s->backend->plan(s->context[0], &job, &plan), GF_EUNABLE);
    CHECK_MSG(strstr(gf_message(), "--backend=") && !plan, "%s", gf_message());
}

int main(int argc, char **argv) {
    struct subject s = {.backend = &gf_backend_opengl, .shards = 1, .seed = 7};
    char reason[GF_REASON] = "";
    if (s.backend->probe(reason)) {
        printf("no OpenGL: %s\n", reason);
        return TEST_END();
    }
    for (int i = 0; i < 2; i++)
        CHECK(!s.backend->open(&(struct gf_backend_options){.threads = 1}, &s.context[i]));
    test_jobs(&s, argc > 1 && !strcmp(argv[1], "full") ? 1 : 3);
    test_refusals(&s);
    for (int i = 0; i < 2; i++)
        s.backend->close(s.context[i]);
    test_passed += s.passed;
    test_failed += s.failed;
    return TEST_END();
}
