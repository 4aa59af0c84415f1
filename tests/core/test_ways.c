/* Ways to run a plan: the fastest is found, also when it changes, each chunk of a loop is handed out
 * once, and results do not depend on the way. */
#include <omp.h>
#include <string.h>

#include "core/base/job/backend.h"
#include "core/base/host/clock.h"
#include "core/base/value/status.h"
#include "core/cpu/ways.h"
#include "tests/core/backends.h"
#include "tests/test.h"

enum { THREADS = 3, TRIAL = 3 * 5 };

static void spend(double ms) {
    for (double start = gf_now_ms(); gf_now_ms() - start < ms;)
        continue;
}

/* Runs in which every way but `fast` takes longer; returns the way of the last one. */
static unsigned runs_with(struct gf_cpu_ways *w, unsigned fast, int count) {
    unsigned way = 0;
    for (int i = 0; i < count; i++) {
        way = gf_cpu_ways_begin(w);
        spend(way == fast ? 0.01 : 0.3);
        gf_cpu_ways_end(w);
    }
    return way;
}

static void test_choice(void) {
    struct gf_cpu_ways w = {.n = 0};
    const unsigned past_caches = GF_CPU_TEAM | GF_CPU_PAST_CACHES;
    gf_cpu_ways_add(&w, GF_CPU_TEAM);
    gf_cpu_ways_add(&w, 0);
    gf_cpu_ways_add(&w, past_caches);
    CHECK_EQ(runs_with(&w, past_caches, 1), GF_CPU_TEAM);
    CHECK_EQ(runs_with(&w, past_caches, TRIAL), past_caches);
    CHECK_EQ(runs_with(&w, 0, 400), 0);
}

static void test_shares(long chunks, long at_once) {
    struct gf_cpu_share shares[THREADS];
    char times[100] = {0};
    bool good = true;
    gf_cpu_share_out(shares, THREADS, chunks);
#pragma omp parallel num_threads(THREADS)
    for (long c, end; gf_cpu_share_take(shares, THREADS, omp_get_thread_num(), at_once, &c, &end);)
        for (; c < end; c++)
            __atomic_fetch_add(&times[c], 1, __ATOMIC_RELAXED);
    for (long c = 0; c < (long)sizeof times; c++)
        good &= times[c] == (c < chunks);
    CHECK_MSG(good, "%ld chunks, %ld at once", chunks, at_once);
    /* A thread by itself does all, its own part first. */
    long first = -1, count = 0;
    gf_cpu_share_out(shares, THREADS, chunks);
    for (long c, end; gf_cpu_share_take(shares, THREADS, 1, at_once, &c, &end); count += end - c)
        first = first < 0 ? c : first;
    CHECK_EQ(count, chunks);
    if (chunks >= THREADS)
        CHECK_EQ(first, chunks / THREADS);
}

/* As many runs as try every way. */
static void test_bytes(void *context, const char *text) {
    const struct gf_backend *backend = &gf_backend_openmp;
    struct gf_job job;
    struct gf_array in = {0}, out = {0}, again = {0};
    struct gf_plan *plan = NULL;
    struct gf_report report;
    uint64_t seed = 5;
    int rc = backends_parse(text, &job) ? 0 : GF_EINVAL;
    rc = rc ? rc : gf_job_alloc(&job, -1, &in);
    rc = rc ? rc : gf_job_alloc(&job, 0, &out);
    rc = rc ? rc : gf_job_alloc(&job, 0, &again);
    rc = rc ? rc : gf_backend_plan(backend, context, &job, &plan);
    if (!rc) {
        backends_fill(&in, &seed);
        rc = gf_plan_exec(plan, &in, &out, &report);
    }
    bool same = true;
    for (int i = 0; i < TRIAL + 1 && !rc; i++) {
        memset(again.data, 0xff, (size_t)gf_array_bytes(&again));
        rc = gf_plan_exec(plan, &in, &again, &report);
        same &= !memcmp(out.data, again.data, (size_t)gf_array_bytes(&out));
    }
    CHECK_MSG(!rc && same, "%s: %s", text, rc ? gf_message() : "other bytes in a later run");
    gf_plan_drop(plan);
    gf_array_free(&in);
    gf_array_free(&out);
    gf_array_free(&again);
}

int main(void) {
    static const char *const jobs[] = {
        "fwd c64 64x64 > complex",
        "fwd c64 181x200 > complex",
        "fwd c64 256x256 > complex shift",
        "fwd c64 64x64x64 > complex",
        "fwd f32 64x48x64 > complex half",
        "fwd f32 300x211 > complex",
        "inv c64 32x64x64 real half > real f32",
        "fwd u8 256x256 > magnitude u8 display shift",
        "fwd c128 128x256 double > complex",
        "fwd c64 8192 > complex",
        "fwd c64 20000 > complex",
        "fwd f32 32768 > complex half",
        "inv c64 65536 real half > real f32",
        "fwd c64 262144 > complex",
    };
    const struct gf_backend_options options = {.threads = 2};
    void *context = NULL;
    RUN("the fastest way is found, also when it changes", test_choice());
    RUN("each chunk of a loop is handed out once",
        for (long chunks = 0; chunks < 100; chunks += 7) for (long at_once = 1; at_once < 12;
                                                              at_once += 5)
            test_shares(chunks, at_once));
    NEED(!gf_backend_openmp.open(&gf_backend_openmp, &options, &context));
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        RUN(case_name("%s has the same bytes whichever way it runs", jobs[i]),
            test_bytes(context, jobs[i]));
    gf_backend_openmp.close(context);
    return TEST_END();
}
