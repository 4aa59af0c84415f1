/* Lines that the CPU transforms within vectors (kernels/cpu/rows.h), against the plain loops: every
 * block and instruction set, lengths with and without a codelet for the vectors, counts of lines
 * that do not fill them, and ends of every kind. Columns that it transforms in registers
 * (kernels/cpu/columns.h), likewise. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/environment.h"
#include "core/base/value/status.h"
#include "core/cpu/plan.h"
#include "core/filter/filter.h"
#include "kernels/cpu/cpu.h"
#include "tests/core/backends.h"
#include "tests/test.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

/* 4 to 4096 points: squares of each block, twice that, odd multiples, with primes by definition
 * (29), Rader (37) and Bluestein (47) among the vectors' lengths. */
static const int lengths[] = {4,   12,  16,  32,  48,  64,  80,  96,   128,  192,  240,
                              256, 464, 512, 592, 752, 768, 960, 1024, 1280, 2048, 4096};
static const int counts[] = {1, 2, 3, 7, 16, 17, 33, 65};

/* Formats for a number of lines and a length. */
static const char *const along_x[] = {
    "fwd c64 %dx%d axes=2 > complex",
    "inv c64 %dx%d axes=2 > complex",
    "fwd f32 %dx%d axes=2 > complex half",
    "inv c64 %dx%d axes=2 real half > real f32",
};
static const char *const along_x_double[] = {
    "fwd c128 %dx%d axes=2 double > complex",
    "inv c128 %dx%d axes=2 double ortho > complex",
    "fwd f64 %dx%d axes=2 double ortho > complex half",
    "inv c128 %dx%d axes=2 double real half > real f64",
};
/* Formats for a line by itself. */
static const char *const alone[] = {
    "fwd c64 %d > complex",
    "inv c64 %d ortho > complex",
    "fwd f32 %d > complex half",
    "inv c64 %d real half > real f32",
    "fwd c128 %d double > complex",
    "fwd f64 %d double ortho > complex half",
    "inv c128 %d double real half > real f64",
};
static const int lengths_alone[] = {32,  48,  64,  96,  128, 160, 192,  240,  256,
                                    384, 480, 512, 520, 768, 800, 1024, 1040, 4096};
/* Formats for a length and a number of columns. */
static const char *const along_y[] = {
    "fwd c64 %dx%d axes=1 > complex",
    "inv c64 %dx%d axes=1 > complex",
    "fwd c128 %dx%d axes=1 double ortho > complex",
    "inv c128 %dx%d axes=1 double > complex",
};
/* Other types are converted first, full spectra and pictures take the other way; all axes go
 * through the workspace. */
static const char *const others[] = {
    "fwd u8 5x64 axes=2 > complex half",
    "fwd i16 33x48 axes=2 ortho > complex half",
    "fwd f64 9x64 axes=2 > complex half",
    "fwd f64 37x16 axes=2 double > complex half",
    "fwd f64 21x32 axes=2 double ortho > complex half",
    "fwd f32 45x32 axes=2 ortho > complex half",
    "fwd f32 3x21x32 axes=4 > complex half",
    "fwd f32 9x64 axes=2 double > complex half",
    "fwd u8 9x64 axes=2 ch=3 > complex half",
    "fwd u8 70x16 axes=2 > complex half",
    "fwd i16 41x32 axes=2 ortho > complex half",
    "fwd f64 9x16 axes=2 > complex half",
    "fwd f32 9x64 axes=2 > complex",
    "fwd f32 9x64 axes=2 > magnitude f32 shift",
    "inv c64 9x64 axes=2 real half > real u8",
    "fwd f32 3x5x64 axes=4 > complex half",
    "fwd c64 3x5x96 axes=4 > complex",
    "fwd c64 40x48 > complex",
    "inv c64 40x64 > complex",
    "fwd f32 35x256 > complex half",
    "fwd f32 35x48 > complex half",
    "fwd u8 35x64 > magnitude u8 display shift",
    "inv c64 36x64 real half > real f32",
    "inv c64 37x48 real half > real f32",
    "inv c64 36x256 real > real f32",
    "fwd f32 40x32x64 > complex half",
    "fwd f32 9x12x32 > complex half",
    "inv c64 9x12x32 real half > real f32",
    "fwd c64 9x12x32 > complex",
    "inv c64 9x12x32 > complex",
    "fwd f64 9x12x32 double > complex half",
    "inv c128 9x12x32 double real half > real f64",
    "fwd f32 9x12x32 axes=6 > complex half",
    /* Columns unpacked by the second pass, in planes and volumes, and rows of planes folded. */
    "fwd f32 9x12x64 axes=5 > complex half",
    "fwd u8 40x8x64 axes=5 ortho > complex half",
    "fwd f32 9x5x96 ortho > complex half",
    "fwd f32 8x1x64 > complex half",
    "fwd f32 7x8x64 > complex half shift",
    "fwd f64 11x6x64 double > complex half",
    "fwd f64 10x5x32 axes=5 double > complex half",
    "fwd f32 90x64 ortho > complex half",
    "fwd f32 9x12x64 ch=2 > complex half",
    "fwd f32 9x12x64 ch=2 axes=5 > complex half",
    "fwd c64 9x12x32 axes=5 > complex",
    /* Lines by themselves, with stages of other radices, and those that go through tiles. */
    "fwd c64 2048 > complex",
    "inv c64 4096 ortho > complex",
    "fwd c64 16384 > complex",
    "inv c64 3072 > complex",
    "fwd c64 5632 > complex",
    "fwd c64 17408 > complex",
    "fwd f32 7168 > complex half",
    "inv c64 8192 real half > real f32",
    "fwd c128 4096 double > complex",
    "inv c128 6656 double > complex",
    "inv c64 262144 > complex",
    /* Columns of few points in planes, in a volume, and of other types and ends. */
    "fwd c64 3x16x40 axes=2 > complex",
    "inv c64 16x5x48 axes=4 > complex",
    "fwd c64 16x70 axes=1 ch=2 > complex",
    "fwd c64 16x70 axes=1 > complex shift",
    "inv c64 16x70 axes=1 centred > complex",
    "fwd c64 16x70 axes=1 > magnitude f32",
    "fwd c64 16x70 axes=1 double > complex",
    "fwd c64 16x70 > complex",
    "fwd c64 16x16x40 > complex",
};

/* Outputs above a megabyte are written past the caches, with tiles of many lines. */
static const struct {
    int n, lines;
} past_caches[] = {{16, 18001}, {32, 9003}, {48, 5999}, {64, 4501}, {128, 2310}};

/* Columns, likewise; odd ones are not aligned. */
static const struct {
    int n, columns;
} columns[] = {{4, 1},   {4, 300},  {8, 7},     {8, 515},    {16, 16},
               {16, 40}, {16, 333}, {16, 9003}, {16, 12800}, {8, 19200}};

static void check(struct subject *s, const char *text) {
    struct gf_job job;
    CHECK_MSG(backends_parse(text, &job), "not a job: %s", text);
    backends_check(s, &job, false);
}

static void check_format(struct subject *s, const char *format, int lines, int n) {
    char text[160];
    snprintf(text, sizeof text, format, lines, n);
    check(s, text);
}

static void test_isa(const char *isa, bool best) {
    gf_environment_set_isa(isa);
    struct subject s = {.backend = backend, .seed = 5, .shards = 1};
    for (int i = 0; i < 2; i++) {
        struct gf_backend_options options = {.threads = i ? 0 : 1};
        CHECK_MSG(!backend->open(backend, &options, &s.context[i]), "%s", gf_message());
    }
    const int n_lengths = sizeof lengths / sizeof *lengths,
              n_counts = sizeof counts / sizeof *counts;
    for (int i = 0; i < n_lengths; i++)
        for (int form = 0; form < 4; form++) {
            if (!case_takes(i + form + isa[1], 3))
                continue;
            int lines = counts[(i + form) % n_counts];
            check_format(&s, along_x[form], lines, lengths[i]);
            check_format(&s, along_x_double[form], lines, lengths[i]);
        }
    for (size_t i = 0; i < sizeof lengths_alone / sizeof *lengths_alone; i++)
        for (size_t form = 0; form < sizeof alone / sizeof *alone; form++) {
            char text[80];
            snprintf(text, sizeof text, alone[form], lengths_alone[i]);
            check(&s, text);
        }
    for (int c = 0; c < n_counts; c++)
        for (int form = 0; form < 4; form++)
            for (int n = 16; n <= 256; n *= 4) {
                if (!case_takes(c + form, 3))
                    continue;
                check_format(&s, along_x[form], counts[c], n);
                check_format(&s, along_x_double[form], counts[c], n);
            }
    for (size_t i = 0; i < sizeof past_caches / sizeof *past_caches; i++)
        for (int form = 0; form < 4; form++)
            if (best ? case_takes((int)i + form, 2) : form == (int)i % 4)
                check_format(&s, i % 3 ? along_x[form] : along_x_double[form], past_caches[i].lines,
                             past_caches[i].n);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (int form = 0; form < 4; form++)
            if (best || form == (int)i % 4)
                check_format(&s, along_y[form], columns[i].n, columns[i].columns);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (case_takes((int)i + isa[1], 4)) /* other ones of each */
            check(&s, others[i]);
    for (int i = 0; i < 2; i++)
        backend->close(s.context[i]);
    TEST_ADD(s.passed, s.failed);
}

/* The same bits wherever the output begins, and nothing beside it. */
static void test_alignment(const char *text) {
    enum { GUARD = 128 };
    struct gf_job job;
    struct gf_report report;
    struct gf_plan *plan = NULL;
    void *context = NULL;
    struct gf_array in = {0}, straight = {0};
    CHECK_MSG(backends_parse(text, &job), "not a job: %s", text);
    CHECK(!gf_job_alloc(&job, -1, &in));
    for (int64_t i = 0; i < gf_array_bytes(&in) / (int64_t)sizeof(float); i++)
        ((float *)in.data)[i] = (float)(i * 7919 % 1009) / 1009 - 0.5f;
    CHECK(!gf_job_alloc(&job, 0, &straight));
    const size_t bytes = (size_t)gf_array_bytes(&straight);
    char *room = malloc(bytes + 2 * GUARD);
    CHECK(room && !backend->open(backend, &(struct gf_backend_options){.threads = 2}, &context));
    CHECK(!gf_backend_plan(backend, context, &job, &plan));
    CHECK(!gf_plan_exec(plan, &in, &straight, &report));
    for (int offset = 8; offset < GUARD; offset += 24) {
        memset(room, 0x5a, bytes + 2 * GUARD);
        struct gf_array out =
            gf_array_wrap(room + offset, job.out[0].dtype, job.ndim + 1, straight.shape);
        CHECK(!gf_plan_exec(plan, &in, &out, &report));
        CHECK_MSG(!memcmp(out.data, straight.data, bytes), "%s at %d", text, offset);
        int touched = 0;
        for (int i = 0; i < GUARD; i++)
            touched += (i < offset && room[i] != 0x5a) || room[offset + (int64_t)bytes + i] != 0x5a;
        CHECK_MSG(!touched, "%s at %d: %d bytes beside it", text, offset, touched);
    }
    gf_plan_drop(plan);
    backend->close(context);
    free(room);
    gf_array_free(&in);
    gf_array_free(&straight);
}

/* One plan for several arrays, and for other numbers in them: each run gives what a plan of its own
 * does. Display ranges come from the numbers. */
static void test_reuse(const char *text) {
    enum { ARRAYS = 2, RUNS = 5 };
    static const int from[RUNS] = {0, 1, 1, 0, 0}, to[RUNS] = {0, 0, 1, 1, 1};
    struct gf_job job;
    struct gf_report report;
    struct gf_plan *plan = NULL;
    void *context = NULL;
    uint64_t seed = 3;
    struct gf_array in[ARRAYS] = {{0}}, out[ARRAYS] = {{0}}, expected = {0};
    CHECK_MSG(backends_parse(text, &job), "not a job: %s", text);
    for (int i = 0; i < ARRAYS; i++) {
        CHECK(!gf_job_alloc(&job, -1, &in[i]));
        backends_fill(&in[i], &seed);
        CHECK(!gf_job_alloc(&job, 0, &out[i]));
    }
    CHECK(!gf_job_alloc(&job, 0, &expected));
    CHECK(!backend->open(backend, &(struct gf_backend_options){.threads = 1}, &context));
    CHECK(!gf_backend_plan(backend, context, &job, &plan));
    for (int i = 0; i < RUNS; i++) {
        const struct gf_array *x = &in[from[i]], *y = &out[to[i]];
        if (i == RUNS - 1) /* other numbers, the strongest of them smaller */
            memset(x->data, 0, (size_t)gf_array_bytes(x) / 2);
        CHECK(!gf_plan_exec(plan, x, &out[to[i]], &report));
        CHECK(!gf_backend_run(backend, context, &job, x, &expected, NULL));
        CHECK_MSG(!memcmp(y->data, expected.data, (size_t)gf_array_bytes(y)), "%s: run %d", text,
                  i);
    }
    gf_plan_drop(plan);
    backend->close(context);
    for (int i = 0; i < ARRAYS; i++) {
        gf_array_free(&in[i]);
        gf_array_free(&out[i]);
    }
    gf_array_free(&expected);
}

/* Bound runs of one plan: each uses its own arrays, and gives what exec() does. */
static void test_bound(const char *text) {
    enum { ARRAYS = 2 };
    struct gf_job job;
    struct gf_bound *bound[ARRAYS] = {NULL};
    struct gf_plan *plan = NULL;
    void *context = NULL;
    uint64_t seed = 3;
    struct gf_array in[ARRAYS] = {{0}}, out[ARRAYS] = {{0}}, expected = {0};
    CHECK_MSG(backends_parse(text, &job), "not a job: %s", text);
    CHECK(!backend->open(backend, &(struct gf_backend_options){.threads = 1}, &context));
    CHECK(!gf_backend_plan(backend, context, &job, &plan));
    for (int i = 0; i < ARRAYS; i++) {
        CHECK(!gf_job_alloc(&job, -1, &in[i]));
        backends_fill(&in[i], &seed);
        CHECK(!gf_job_alloc(&job, 0, &out[i]));
        CHECK(!gf_plan_bind(plan, &in[i], &out[i], &bound[i]));
    }
    CHECK(!gf_job_alloc(&job, 0, &expected));
    for (int run = 0; run < 2 * ARRAYS; run++) {
        const int i = run % ARRAYS;
        struct gf_report report = {.imag_ratio = 5};
        memset(out[0].data, 0xff, (size_t)gf_array_bytes(&out[0]));
        memset(out[1].data, 0xff, (size_t)gf_array_bytes(&out[1]));
        memset(expected.data, 0xff, (size_t)gf_array_bytes(&expected));
        CHECK(!gf_bound_run(bound[i], run < ARRAYS ? &report : NULL));
        CHECK(run >= ARRAYS || report.imag_ratio == 0);
        CHECK_MSG(!memcmp(out[!i].data, expected.data, (size_t)gf_array_bytes(&expected)),
                  "%s: run %d writes elsewhere", text, run);
        CHECK(!gf_backend_run(backend, context, &job, &in[i], &expected, NULL));
        CHECK_MSG(!memcmp(out[i].data, expected.data, (size_t)gf_array_bytes(&expected)),
                  "%s: run %d", text, run);
    }
    for (int i = 0; i < ARRAYS; i++) {
        gf_bound_drop(bound[i]);
        gf_array_free(&in[i]);
        gf_array_free(&out[i]);
    }
    gf_plan_drop(plan);
    backend->close(context);
    gf_array_free(&expected);
}

/* Parses a job that may begin with "dwt" or end with a filter, which the caller frees. */
static bool parse_any(const char *text, struct gf_job *job, struct gf_filter **filter) {
    struct subject s = {.backend = backend, .seed = 5};
    const bool wavelet = !strncmp(text, "dwt ", 4);
    if (!backends_parse_filtered(&s, text + (wavelet ? 4 : 0), job, filter))
        return false;
    if (wavelet) {
        job->op = GF_DWT;
        job->wavelet.levels = 3;
    }
    return true;
}

/* A thread that shares a plan with others. */
struct sharer {
    struct gf_plan *plan;
    struct gf_array in, out;
    pthread_t thread;
    int rc;
};

static void *run_shared(void *user) {
    enum { RUNS = 20 };
    struct sharer *s = user;
    struct gf_bound *bound = NULL;
    s->rc = gf_plan_bind(s->plan, &s->in, &s->out, &bound);
    for (int i = 0; i < RUNS && !s->rc; i++) {
        memset(s->out.data, 0xff, (size_t)gf_array_bytes(&s->out));
        s->rc = gf_bound_run(bound, NULL);
    }
    gf_bound_drop(bound);
    return NULL;
}

/* Threads that run one plan at once, each on its own arrays. */
static void test_shared(const struct gf_backend *b, const char *text) {
    enum { SHARERS = 2 };
    struct gf_job job;
    struct gf_plan *plan = NULL;
    struct gf_filter *filter = NULL;
    void *context = NULL;
    uint64_t seed = 3;
    struct sharer s[SHARERS] = {{0}};
    struct gf_array expected = {0};
    NEED(parse_any(text, &job, &filter));
    CHECK_MSG(!gf_job_validate(&job), "%s: %s", text, gf_message());
    NEED(!b->open(b, &(struct gf_backend_options){.threads = 2}, &context));
    NEED(!gf_backend_plan(b, context, &job, &plan));
    NEED(!gf_job_alloc(&job, 0, &expected));
    for (int i = 0; i < SHARERS; i++) {
        s[i].plan = plan;
        NEED(!gf_job_alloc(&job, -1, &s[i].in) && !gf_job_alloc(&job, 0, &s[i].out));
        backends_fill(&s[i].in, &seed);
    }
    for (int i = 0; i < SHARERS; i++)
        NEED(!pthread_create(&s[i].thread, NULL, run_shared, &s[i]));
    for (int i = 0; i < SHARERS; i++) {
        pthread_join(s[i].thread, NULL);
        CHECK(!s[i].rc);
        CHECK(!gf_backend_run(b, context, &job, &s[i].in, &expected, NULL));
        CHECK_MSG(!memcmp(s[i].out.data, expected.data, (size_t)gf_array_bytes(&expected)), "%s",
                  text);
        gf_array_free(&s[i].in);
        gf_array_free(&s[i].out);
    }
    gf_plan_drop(plan);
    b->close(context);
    gf_filter_free(filter);
    gf_array_free(&expected);
}

static void test_blocks(void) {
    CHECK_EQ(gf_cpu_row_block(256, 16), 16);
    CHECK_EQ(gf_cpu_row_block(64, 16), 8);
    CHECK_EQ(gf_cpu_row_block(48, 16), 4);
    CHECK_EQ(gf_cpu_row_block(40, 16), 0);
    CHECK_EQ(gf_cpu_row_block(256, 8), 8);
    CHECK_EQ(gf_cpu_row_block(16, 4), 4);
    CHECK_EQ(gf_cpu_row_block(12, 2), 2);
    CHECK_EQ(gf_cpu_row_block(9, 2), 0);
}

/* The build that is picked is the best one that the compiler's own look at the CPU allows. */
static void test_level(void) {
    const char *best = "plain";
#ifdef __x86_64__
    /* By features: clang knows the levels' own names from 18 on. */
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))
        best = "v2";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        best = "v3";
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        best = "v4";
#endif
    CHECK_MSG(!strcmp(gf_cpu_kernels_find(32, NULL)->isa, best), "not %s", best);
}

static const char *const aligned[] = {
    "fwd f32 18001x16 axes=2 > complex half",
    "inv c64 18001x16 axes=2 real half > real f32",
    "fwd f32 9003x32 axes=2 > complex half",
    "fwd f32 1157x256 axes=2 > complex half",
    "fwd c64 18001x16 axes=2 > complex",
    "inv c64 9003x32 axes=2 > complex",
    "fwd c64 4501x64 axes=2 > complex",
    "inv c64 16x9216 axes=1 > complex",
    "inv c64 1157x512 axes=2 real half > real f32",
    "fwd c64 32 > complex",
    "inv c64 64 > complex",
    "fwd f32 64 > complex half",
    "fwd f32 256 > complex half",
    "inv c64 128 real half > real f32",
    "inv c64 1024 real half > real f32",
    "fwd f32 1024 > complex half",
    "fwd f64 2048 double > complex half",
};
static const char *const bound_jobs[] = {
    "fwd c64 64 > complex",       "fwd f32 256 > complex half", "inv c64 2048 real half > real f32",
    "fwd u8 100 > magnitude f32", "fwd c64 20x30 > complex",
};
/* Tiles; lines in rows, in tiles and convolved; wavelets; filters of one pass and of two plans. */
static const char *const shared[] = {
    "fwd c64 150x64 > complex",
    "fwd u8 210x128 > magnitude u8 display shift",
    "fwd f32 40x32x64 > complex half",
    "inv c64 32x64x64 real half > real f32",
    "fwd f32 32768 > complex half",
    "inv c64 6000 > complex",
    "fwd f32 1001 > complex half",
    "fwd u8 2x10007 axes=2 > magnitude u8 display",
    "dwt fwd u8 190x128 > real f32",
    "dwt inv f32 5x96x80 axes=6 > real f32",
    "fwd u8 60x48 > real u8 | low-gaussian=6",
    "fwd u8 2x1031 axes=2 > real u8 | complex offset=10",
};
/* Likewise, by plain C. */
static const char *const shared_c[] = {
    "fwd c64 32x64 > complex",
    "inv c64 32x64 real half > real u8",
    "fwd u8 32x64 > real u8 | complex",
};
static const char *const reused[] = {
    "fwd c64 16 > complex",
    "fwd f32 40x32x64 > complex half",
    "fwd u8 35x64 > magnitude u8 display shift",
    "fwd f32 35x64 > real u8 display",
};

int main(void) {
    static const char *const isas[] = {"v4", "v3", "v2", "plain"};
    int found = 0;
    RUN("blocks of rows fit the vectors", test_blocks());
    for (size_t i = 0; i < sizeof aligned / sizeof *aligned; i++)
        RUN(case_name("%s gives the same bits at any address", aligned[i]),
            test_alignment(aligned[i]));
    for (size_t i = 0; i < sizeof bound_jobs / sizeof *bound_jobs; i++)
        RUN(case_name("%s gives the same bits when bound", bound_jobs[i]),
            test_bound(bound_jobs[i]));
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        RUN(case_name("%s gives the same bits to threads that share a plan", shared[i]),
            test_shared(backend, shared[i]));
    for (size_t i = 0; i < sizeof shared_c / sizeof *shared_c; i++)
        RUN(case_name("%s by plain C gives the same bits to threads", shared_c[i]),
            test_shared(&gf_backend_c, shared_c[i]));
    for (size_t i = 0; i < sizeof reused / sizeof *reused; i++)
        RUN(case_name("%s gives the same bits with a plan used again", reused[i]),
            test_reuse(reused[i]));
    for (int i = 0; i < 4; i++)
        if (gf_cpu_kernels_find(32, isas[i]))
            RUN(case_name("kernels of %s give what plain loops give", isas[i]),
                test_isa(isas[i], !found++));
    RUN("the best kernels that the CPU allows are taken", test_level());
    return TEST_END();
}
