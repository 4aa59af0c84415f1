/* Plans of jobs in parts on devices: the walks, and the exchange between them. */
#include "core/schedule/plan.h"
#include "tests/core/backends.h"
#include "tests/test.h"

struct expected {
    const char *job;
    int64_t exchange; /* bytes */
    int n_walks;
    unsigned step[GF_SLAB_WALKS];
};

enum { ONCE = GF_SLAB_FROM_INPUT | GF_SLAB_TO_OUTPUT, LINES = ONCE | GF_SLAB_BLOCKS };

static const struct expected expected[] = {
    {"fwd c64 24x20x40 > complex", 24 * 20 * 40 * 8, 2, {GF_SLAB_FORTH, GF_SLAB_OUTPUT}},
    {"fwd f64 24x20x40 double > complex half",
     24 * 20 * 21 * 16,
     2,
     {GF_SLAB_FORTH, GF_SLAB_OUTPUT}},
    {"fwd f32 24x20x40 > magnitude u8 display",
     24 * 20 * 21 * 8,
     3,
     {GF_SLAB_FORTH, GF_SLAB_SCAN, GF_SLAB_OUTPUT}},
    {"inv c64 24x20x40 real half > real u8", 24 * 20 * 21 * 8, 2, {GF_SLAB_INPUT, GF_SLAB_BACK}},
    {"inv c64 24x20x40 real > real u8", 24 * 20 * 40 * 8, 2, {GF_SLAB_INPUT, GF_SLAB_BACK}},
    {"fwd c64 24x20x40 axes=6 > complex", 0, 1, {ONCE}},
    {"fwd c64 24x20x40 axes=1 > complex", 0, 1, {LINES}},
    {"fwd c64 16128 > complex", 16128 * 8, 2, {GF_SLAB_FORTH, GF_SLAB_OUTPUT}},
    {"fwd c64 16128 > magnitude u8 display auto",
     16128 * 8,
     3,
     {GF_SLAB_FORTH, GF_SLAB_SCAN, GF_SLAB_OUTPUT}},
};

static void check(const struct expected *e) {
    struct gf_job job;
    struct gf_slab_plan p;
    CHECK_MSG(backends_parse(e->job, &job), "no job: %s", e->job);
    gf_slab_plan_device(&job, false, &p);
    CHECK_EQ(p.exchange_bytes, e->exchange);
    CHECK_EQ(p.n_walks, e->n_walks);
    for (int i = 0; i < p.n_walks; i++)
        CHECK_MSG(p.walk[i].step == e->step[i], "%s: walk %d is %u", e->job, i + 1, p.walk[i].step);
}

/* An inverse in natural order takes the slabs first. */
static void check_natural(void) {
    struct gf_job job;
    struct gf_slab_plan p;
    CHECK(backends_parse("inv c64 24x20x40 > complex", &job));
    gf_slab_plan_device(&job, true, &p);
    CHECK(p.n_walks == 2 && p.walk[0].step == GF_SLAB_FORTH && p.walk[1].step == GF_SLAB_OUTPUT);
}

static void check_filter(void) {
    static const struct gf_job job = {.op = GF_FILTER,
                                      .ndim = 2,
                                      .shape = {130, 240},
                                      .counted = {120},
                                      .channels = 2,
                                      .axes = 3,
                                      .in_dtype = GF_U8,
                                      .n_out = 1};
    struct gf_slab_plan p;
    gf_slab_plan_device(&job, false, &p);
    CHECK_EQ(p.exchange_bytes, 130 * 121 * 2 * 8);
    CHECK_EQ(p.kept_pages, 120);
    CHECK(p.n_walks == 3 && p.walk[0].step == GF_SLAB_FORTH && p.walk[1].step == GF_SLAB_WITHIN &&
          p.walk[2].step == GF_SLAB_BACK);
}

/* The matrix of a line is as square as its divisors allow, with no more rows than columns. */
static void check_line(int64_t n, int64_t rows) {
    const struct gf_job line = {
        .ndim = 1, .shape = {n}, .channels = 1, .axes = 1, .in_dtype = GF_C64};
    struct gf_slab_plan p;
    gf_slab_plan_device(&line, false, &p);
    CHECK_EQ(p.job.shape[2], rows);
    CHECK_EQ(p.pages, n / rows);
}

int main(void) {
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        RUN(case_name("%s has its walks and its exchange", expected[i].job), check(&expected[i]));
    RUN("natural order takes the slabs first", check_natural());
    RUN("a filter has a walk within the exchange", check_filter());
    RUN("a line becomes a matrix",
        (check_line(16384, 128), check_line(30030, 165), check_line(65537, 1), check_line(2, 1)));
    return TEST_END();
}
