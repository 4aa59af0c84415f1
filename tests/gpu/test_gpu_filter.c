/* Filters that a GPU backend composes of its two transforms: the three parts that a device is timed
 * by give what one call gives, at the first run and at a second one. On the opencl backend's
 * transforms; and on cufft, whose filters with an offset are composed, where there is a device.
 *
 *     test_gpu_filter [BACKEND...] */
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/filter/compose.h"
#include "core/filter/filter.h"
#include "tests/core/backends.h"
#include "tests/test.h"

static const struct gf_backend *backend;
static void *context;

static struct gf_job make_job(int64_t channels, struct gf_filter *f) {
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 2, 30, 44, 1);
    job.op = GF_FILTER;
    job.channels = channels;
    job.filter = f;
    job.filter_serial = f->serial;
    job.n_out = 1;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    return job;
}

static bool same(const struct gf_array *a, const struct gf_array *b) {
    const float *x = a->data, *y = b->data;
    double wrong = 0, size = 0;
    for (int64_t i = 0; i < gf_array_count(a); i++) {
        wrong += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        size += (double)y[i] * (double)y[i];
    }
    return size > 0 && wrong <= 1e-12 * size;
}

static int run_parts(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                     double *seconds) {
    struct gf_report report;
    int rc = plan->ops->upload(plan, in);
    if (!rc)
        rc = plan->ops->run(plan, 2, seconds);
    return rc ? rc : plan->ops->download(plan, out, &report);
}

/* A filter as two plans, and other jobs as the backend plans them. */
static int plan_two(struct gf_plan *plan) {
    return plan->job.op == GF_FILTER ? gf_filter_compose_plan(plan, 1) : backend->plan(plan);
}

static void check(int64_t channels, bool composed) {
    struct gf_filter *f;
    struct gf_plan *plan = NULL, *two = NULL;
    struct gf_backend composer = *backend;
    struct gf_array in = {0}, whole = {0}, parts = {0};
    struct gf_lowpass low = {.profile = GF_GAUSSIAN, .radius = {5, 5, 5}};
    int64_t shape[GF_MAX_RANK];
    uint64_t seed = 5;
    double seconds = -1;
    CHECK_EQ(gf_filter_new(&f), 0);
    CHECK_EQ(gf_filter_add_lowpass(f, &low), 0);
    f->offset = composed ? 10 : 0; /* cuFFT composes a filter with an offset itself */
    struct gf_job job = make_job(channels, f);
    gf_job_in_shape(&job, shape);
    CHECK(!gf_array_alloc(&in, GF_F32, 3, shape) && !gf_array_alloc(&whole, GF_F32, 3, shape) &&
          !gf_array_alloc(&parts, GF_F32, 3, shape));
    backends_fill(&in, &seed);
    int rc = gf_backend_plan(backend, context, &job, &plan);
    composer.plan = plan_two;
    if (!rc && composed)
        rc = gf_backend_plan(&composer, context, &job, &two);
    CHECK_MSG(!rc, "%s: %s", backend->name, gf_message());
    for (int run = 0; run < 2 && !rc; run++) {
        memset(parts.data, 0, (size_t)gf_array_count(&parts) * sizeof(float));
        rc = gf_plan_exec(two ? two : plan, &in, &whole, NULL);
        if (!rc)
            rc = run_parts(plan, &in, &parts, &seconds);
        CHECK_MSG(!rc, "%s, run %d: %s", backend->name, run, gf_message());
        CHECK_MSG(rc || (same(&parts, &whole) && seconds > 0), "%s, run %d: %g s", backend->name,
                  run, seconds);
    }
    gf_plan_drop(two);
    gf_plan_drop(plan);
    gf_array_free(&in);
    gf_array_free(&whole);
    gf_array_free(&parts);
    gf_filter_free(f);
}

/* Runs without a look at the counters in between count clipped samples as one run does. */
static void check_clipped(void) {
    struct gf_filter *f;
    struct gf_plan *plan = NULL;
    struct gf_array in = {0}, out = {0};
    struct gf_report once = {.imag_ratio = 0}, thrice = once;
    struct gf_lowpass low = {.profile = GF_GAUSSIAN, .radius = {9, 9, 9}};
    int64_t shape[GF_MAX_RANK];
    uint64_t seed = 6;
    double seconds;
    CHECK_EQ(gf_filter_new(&f), 0);
    CHECK_EQ(gf_filter_add_lowpass(f, &low), 0);
    struct gf_job job = make_job(1, f);
    job.out[0].dtype = GF_U8;
    gf_job_in_shape(&job, shape);
    CHECK(!gf_array_alloc(&in, GF_F32, 3, shape) && !gf_array_alloc(&out, GF_U8, 3, shape));
    backends_fill(&in, &seed);
    for (int64_t i = 0; i < gf_array_count(&in); i++)
        ((float *)in.data)[i] *= 1000;
    int rc = gf_backend_plan(backend, context, &job, &plan);
    if (!rc)
        rc = gf_plan_exec(plan, &in, &out, &once);
    if (!rc)
        rc = plan->ops->run(plan, 3, &seconds);
    if (!rc)
        rc = plan->ops->download(plan, &out, &thrice);
    CHECK_MSG(!rc, "%s: %s", backend->name, gf_message());
    CHECK(once.clipped[0] > 0);
    CHECK_EQ(thrice.clipped[0], once.clipped[0]);
    gf_plan_drop(plan);
    gf_array_free(&in);
    gf_array_free(&out);
    gf_filter_free(f);
}

static void test_backend(bool composed) {
    char reason[GF_REASON];
    struct gf_backend_options options = {.threads = 1};
    if (backend->probe(backend, NULL, reason)) {
        printf("%s: skipped: %s\n", backend->name, reason);
        RUN(case_name("%s names a remedy where it is absent", backend->name),
            CHECK_HAS(reason, ";"));
        return;
    }
    NEED(!backend->open(backend, &options, &context));
    for (int channels = 1; channels <= 3; channels += 2)
        if (case_takes(channels / 2, 3))
            RUN(case_name("%s gives in three parts what %s, %d channels", backend->name,
                          composed ? "two plans give" : "one call gives", channels),
                check(channels, composed));
    if (case_takes(2, 3))
        RUN(case_name("%s counts clipped samples once over several runs", backend->name),
            check_clipped());
    backend->close(context);
}

int main(int argc, char **argv) {
    static const struct gf_backend *const tried[] = {&gf_backend_opencl, &gf_backend_cufft};
    for (int i = 0; i < 2; i++) {
        bool wanted = argc == 1;
        backend = tried[i];
        for (int k = 1; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], backend->name);
        if (wanted)
            test_backend(backend == &gf_backend_opencl);
    }
    return TEST_END();
}
