/* Arrays that stay in a device's memory between plans: what is copied, and what is refused. On the
 * simulated CUDA, whose trace counts the copies, and on OpenCL.
 *
 *     test_placed [BACKEND...] */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/test.h"

enum { HEIGHT = 30, WIDTH = 44, SAMPLES = HEIGHT * WIDTH };

static const struct gf_backend *backend;
static void *context;
static char trace[] = "/tmp/gpufft-test-XXXXXX";

/* How many copies of so many bytes the trace has; -1 if it is empty, as a real device's. */
static int copies(int64_t bytes) {
    char line[256], wanted[32];
    FILE *f = fopen(trace, "r");
    int n = 0, lines = 0;
    snprintf(wanted, sizeof wanted, " %lld bytes", (long long)bytes);
    for (; f && fgets(line, sizeof line, f); lines++)
        n += strstr(line, wanted) != NULL;
    if (f)
        fclose(f);
    return lines ? n : -1;
}

static struct gf_plan *plan_of(const struct gf_backend *b, void *on, const char *text) {
    struct gf_plan *plan = NULL;
    struct gf_job job;
    CHECK(backends_parse(text, &job) && !gf_backend_plan(b, on, &job, &plan));
    return plan;
}

/* Forward and back on the device, between one upload and one download. */
static void test_both_ways(void) {
    const struct gf_on_device *d = backend->on_device;
    struct gf_plan *forward = plan_of(backend, context, "fwd c64 30x44 > complex"),
                   *inverse = plan_of(backend, context, "inv c64 30x44 > complex");
    struct gf_array x, y, again, empty, on[3] = {{.data = NULL}};
    struct gf_report report;
    uint64_t seed = 3;
    NEED(forward && inverse);
    empty = gf_job_array(&forward->job, 0, NULL);
    CHECK(!gf_job_alloc(&forward->job, -1, &x) && !gf_job_alloc(&forward->job, 0, &y) &&
          !gf_job_alloc(&forward->job, 0, &again));
    backends_fill(&x, &seed);
    CHECK(!gf_plan_exec(forward, &x, &y, NULL));
    const int before = copies(SAMPLES * 8);
    CHECK(!d->place(context, &x, &on[0]) && !d->place(context, &empty, &on[1]) &&
          !d->place(context, &empty, &on[2]));
    for (int i = 0; i < 3; i++) {
        CHECK(!gf_plan_exec(forward, &on[0], &on[1], &report) && report.ms.upload == 0);
        CHECK(!gf_plan_exec(inverse, &on[1], &on[2], NULL));
    }
    CHECK(!d->fetch(context, &on[2], &again));
    if (backend == &gf_backend_cuda && before >= 0)
        CHECK_EQ(copies(SAMPLES * 8) - before, 2);
    double wrong = 0, size = 0;
    for (int i = 0; i < 2 * SAMPLES; i++) {
        const double a = ((float *)x.data)[i], b = ((float *)again.data)[i];
        wrong += (a - b) * (a - b);
        size += a * a;
    }
    CHECK_MSG(wrong < 1e-12 * size && size > 0, "%g of %g", wrong, size);
    CHECK(!d->fetch(context, &on[1], &again) && !memcmp(again.data, y.data, SAMPLES * 8));
    memset(again.data, 0, SAMPLES * 8);
    CHECK(!gf_plan_exec(forward, &x, &again, NULL)); /* on the host's arrays again */
    CHECK(!memcmp(again.data, y.data, SAMPLES * 8));
    gf_plan_drop(forward);
    gf_plan_drop(inverse);
    for (int i = 0; i < 3; i++)
        d->displace(context, &on[i]);
    gf_array_free(&x);
    gf_array_free(&y);
    gf_array_free(&again);
}

/* Page-locked arrays are copied at once, others piece by piece. */
static void test_locked(void) {
    const struct gf_on_device *d = backend->on_device;
    struct gf_plan *plan = plan_of(backend, context, "fwd c64 800x800 > complex");
    struct gf_array x, y, again;
    uint64_t seed = 4;
    bool locked[2];
    NEED(plan && !gf_job_alloc(&plan->job, -1, &x) && !gf_job_alloc(&plan->job, 0, &y) &&
         !gf_job_alloc(&plan->job, 0, &again));
    const int64_t bytes = gf_array_bytes(&x);
    backends_fill(&x, &seed);
    CHECK(!gf_plan_exec(plan, &x, &y, NULL) && copies(bytes) == 0);
    CHECK(!d->lock(context, x.data, bytes, &locked[0]) && locked[0]);
    CHECK(!d->lock(context, again.data, bytes, &locked[1]) && locked[1]);
    CHECK(!gf_plan_exec(plan, &x, &again, NULL) && copies(bytes) == 2);
    CHECK(!memcmp(again.data, y.data, (size_t)bytes));
    d->unlock(context, x.data);
    d->unlock(context, again.data);
    CHECK(!gf_plan_exec(plan, &x, &again, NULL) && copies(bytes) == 2);
    gf_plan_drop(plan);
    gf_array_free(&x);
    gf_array_free(&y);
    gf_array_free(&again);
}

static void refuses(const char *text, const struct gf_array *in, struct gf_array *out) {
    struct gf_plan *plan = plan_of(backend, context, text);
    CHECK_EQ(gf_plan_exec(plan, in, out, NULL), GF_EUNSUPP);
    CHECK(!strchr(gf_message(), '\n'));
    gf_plan_drop(plan);
}

static void test_refusals(void) {
    const struct gf_on_device *d = backend->on_device;
    const char *c2c = "fwd c64 30x44 > complex",
               *shown = "fwd u8 30x44 > magnitude u8 display auto";
    struct gf_plan *plan = plan_of(backend, context, c2c);
    struct gf_plan *picture = plan_of(backend, context, shown);
    struct gf_array host, on, bytes[2];
    NEED(plan && picture);
    CHECK(!gf_job_alloc(&plan->job, -1, &host) && !d->place(context, &host, &on));
    for (int i = 0; i < 2; i++) {
        const struct gf_array a = gf_job_array(&picture->job, i - 1, NULL);
        CHECK(!d->place(context, &a, &bytes[i]));
    }
    refuses(c2c, &host, &on);
    refuses(c2c, &on, &host);
    refuses(c2c, &on, &on);
    refuses(shown, &bytes[0], &bytes[1]);
    gf_plan_drop(plan);
    void *cpu;
    struct gf_array other = on;
    NEED(!gf_backend_openmp.open(&gf_backend_openmp, NULL, &cpu));
    plan = plan_of(&gf_backend_openmp, cpu, c2c);
    CHECK_EQ(gf_plan_exec(plan, &on, &other, NULL), GF_EUNSUPP);
    gf_plan_drop(plan);
    gf_backend_openmp.close(cpu);
    gf_plan_drop(picture);
    d->displace(context, &on);
    d->displace(context, &bytes[0]);
    d->displace(context, &bytes[1]);
    gf_array_free(&host);
}

static void test_backend(const struct gf_backend *b) {
    char reason[GF_REASON];
    struct gf_backend_options options = {.threads = 1};
    backend = b;
    if (b->probe(b, NULL, reason)) {
        printf("%s: skipped\n", b->name);
        return;
    }
    NEED(!b->open(b, &options, &context));
    RUN(case_name("%s transforms placed arrays without moving them", b->name), test_both_ways());
    if (b == &gf_backend_cuda && copies(1) >= 0)
        RUN(case_name("%s copies a locked array at once", b->name), test_locked());
    RUN(case_name("%s refuses arrays in other places in one line", b->name), test_refusals());
    b->close(context);
}

int main(int argc, char **argv) {
    const struct gf_backend *const all[] = {&gf_backend_cuda, &gf_backend_opencl};
    const int file = mkstemp(trace);
    NEED(file >= 0 && !close(file));
    setenv("FAKE_CUDA_TRACE", trace, 1);
    for (int i = 0; i < 2; i++) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], all[i]->name);
        if (wanted)
            test_backend(all[i]);
    }
    unlink(trace);
    return TEST_END();
}
