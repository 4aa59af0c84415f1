/* The time that the library's call adds to the transform: 64 points beside the kernel alone in the same loop, and
 * 512 x 512 beside the backend's bound plan. LONG=1 repeats longer and holds the figures of the manual, which need an
 * idle machine; otherwise only a gross excess fails. */
#include <stdlib.h>

#include "core/api/gpufft.h"
#include "core/base/host/clock.h"
#include "core/cpu/long.h"
#include "core/cpu/plan.h"
#include "core/engine/backends.h"
#include "tests/test.h"

enum { CHUNKS = 201 };

/* A loop of calls of both sorts on the same arrays. */
struct pair {
    struct gpufft_bound *call;
    struct gf_bound *bound;
    const struct gf_cpu_long *line; /* NULL: the bound plan is run, not its kernel */
    struct gf_cpu_split split;
    bool called; /* the sort that is timed */
};

static double nanoseconds(struct pair *p, int times) {
    const double start = gf_now_ms();
    int rc = 0;
    for (int i = 0; i < times; i++)
        if (p->called)
            rc |= gpufft_run(p->call);
        else if (p->line)
            p->line->kernels->line(&p->split);
        else
            rc |= gf_bound_run(p->bound, NULL);
    CHECK(!rc);
    return (gf_now_ms() - start) * 1e6 / times;
}

/* Medians of chunks that take turns; both[0]: without the library. */
static void compare(struct pair *p, int times, double both[2]) {
    static double ns[2][CHUNKS];
    for (int i = 0; i < CHUNKS; i++)
        for (int k = 0; k < 2; k++) {
            p->called = (i + k) % 2;
            ns[p->called][i] = nanoseconds(p, times);
        }
    for (int k = 0; k < 2; k++) {
        qsort(ns[k], CHUNKS, sizeof **ns, gf_ascending);
        both[k] = ns[k][CHUNKS / 2];
    }
}

static void test_speed(int ndim, int64_t n, int times, double both[2]) {
    struct gf_job job = {.ndim = ndim,
                         .shape = {n, n},
                         .channels = 1,
                         .axes = ndim == 1 ? 1 : 3,
                         .in_dtype = GF_C64,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
    const struct gpufft_options options = {
        .size = sizeof options, .backend = "openmp", .threads = 1};
    const struct gpufft_transform t = {.size = sizeof t,
                                       .in_type = GPUFFT_C64,
                                       .out_type = GPUFFT_C64,
                                       .rank = ndim,
                                       .shape = {n, n}};
    const struct gf_backend *b = &gf_backend_openmp;
    struct gf_array in, out;
    struct gf_plan *plan;
    struct gpufft *g;
    struct gpufft_plan *same;
    struct gf_cpu_long_memory memory = {.work = NULL};
    struct gf_cpu_long *line = NULL;
    struct pair p = {.call = NULL};
    void *context;
    NEED(!gf_job_alloc(&job, -1, &in) && !gf_job_alloc(&job, 0, &out));
    memset(in.data, 0, (size_t)gf_array_bytes(&in));
    NEED(!b->open(b, &(struct gf_backend_options){.threads = 1}, &context) &&
         !gf_backend_plan(b, context, &job, &plan) && !gf_plan_bind(plan, &in, &out, &p.bound));
    NEED(!gpufft_open(&options, &g) && !gpufft_plan_make(g, &t, &same) &&
         !gpufft_plan_bind(same, in.data, out.data, &p.call));
    for (int i = 0; i < 100; i++) /* which finds the faster of its ways */
        NEED(!gf_bound_run(p.bound, NULL) && !gpufft_run(p.call));
    if (ndim == 1) {
        NEED(!gf_cpu_long_plan(n, gf_cpu_kernels_for(&job), 1, &line) && line->rows &&
             !gf_cpu_long_allocate(line, &memory));
        p.line = line;
        p.split = (struct gf_cpu_split){
            .rows = line->rows, .in = in.data, .out = out.data, .work = memory.work, .factor = 1};
    }
    compare(&p, times, both);
    gpufft_bound_free(p.call);
    gpufft_plan_free(same);
    gpufft_close(g);
    gf_cpu_long_memory_free(&memory);
    gf_cpu_long_free(line);
    gf_bound_drop(p.bound);
    gf_plan_drop(plan);
    b->close(context);
    gf_array_free(&in);
    gf_array_free(&out);
}

static void test_call(bool strict) {
    double ns[2];
    test_speed(1, 64, strict ? 5000 : 500, ns);
    printf("64 points: the kernel alone %.0f ns, gpufft_run() %.0f ns\n", ns[0], ns[1]);
    CHECK_MSG(ns[1] - ns[0] < (strict ? 150 : 2000), "%.0f ns more", ns[1] - ns[0]);
}

static void test_picture(bool strict) {
    double ns[2];
    test_speed(2, 512, strict ? 10 : 1, ns);
    printf("512x512: the plan alone %.0f us, gpufft_run() %.0f us\n", ns[0] / 1e3, ns[1] / 1e3);
    CHECK_MSG(ns[1] < (strict ? 1.02 : 2) * ns[0], "%.3f times as long", ns[1] / ns[0]);
}

int main(void) {
    const bool strict = getenv("LONG");
    RUN("a call adds little to 64 points", test_call(strict));
    RUN("a call adds nothing to a picture", test_picture(strict));
    return TEST_END();
}
