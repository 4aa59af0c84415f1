/* The backend c: every named job with its lengths rounded down to powers of two against plain loops,
 * and what it refuses. */
#include <string.h>

#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/test.h"

enum { MOST_POINTS = 1 << 16 };

static int64_t round_down(int64_t n) {
    int64_t power = 1;
    while (2 * power <= n)
        power *= 2;
    return power;
}

static int64_t round_shape(struct gf_job *job) {
    int64_t points = job->channels;
    for (int i = 0; i < job->ndim; i++) {
        if (job->axes >> i & 1)
            job->shape[i] = round_down(job->shape[i]);
        if (job->counted[i] > job->shape[i])
            job->counted[i] = job->shape[i];
        points *= job->shape[i];
    }
    return points;
}

static void test_named(struct subject *s) {
    int n, made = 0;
    const char *const *list = backends_named_jobs(&n);
    for (int i = 0; i < n; i++) {
        struct gf_job job;
        if (!backends_parse(list[i], &job) || job.op != GF_FFT || round_shape(&job) > MOST_POINTS)
            continue;
        backends_check(s, &job, i % 2);
        made++;
    }
    CHECK_MSG(made > 30, "%d jobs", made);
    for (unsigned axes = 0; axes < 8; axes++)
        for (int real = 0; real < 2; real++) {
            struct gf_job job = backends_job(GF_FORWARD, real ? GF_F32 : GF_C64, GF_SINGLE, 3,
                                             axes & 1 ? 8 : 5, axes & 2 ? 4 : 3, axes & 4 ? 16 : 7);
            job.axes = axes;
            if (axes)
                backends_check(s, &job, false);
        }
}

static void test_refusals(const struct subject *s) {
    struct gf_job job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, 2, 16, 12, 1);
    struct gf_plan *plan = NULL;
    CHECK_EQ(gf_backend_plan(s->backend, s->context[0], &job, &plan), GF_EUNABLE);
    CHECK(strstr(gf_message(), "--backend=openmp") && strstr(gf_message(), "12") && !plan);
    job.axes = 1; /* 16 points, 12 times */
    CHECK_EQ(gf_backend_plan(s->backend, s->context[0], &job, &plan), 0);
    gf_plan_drop(plan);
    CHECK(!s->backend->automatic && s->backend->powers_of_two);
}

int main(void) {
    struct subject s = {.backend = &gf_backend_c, .shards = 1, .seed = 5};
    for (int i = 0; i < 2; i++)
        NEED(
            !s.backend->open(s.backend, &(struct gf_backend_options){.threads = 1}, &s.context[i]));
    RUN_COUNTED(&s, "named jobs of powers of two are those of plain loops", test_named(&s));
    RUN_COUNTED(&s, "other lengths are refused with a remedy", test_refusals(&s));
    return TEST_END();
}
