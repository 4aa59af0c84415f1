/* Made-up backends for tests of sessions: "host" with a context a thread, "gpu" and "other" with one for all. */
#ifndef GF_TESTS_FAKE_BACKENDS_H
#define GF_TESTS_FAKE_BACKENDS_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/engine/backends.h"
#include "tests/test.h"

/* The behaviour of a made-up backend, and the calls it got. A plan works at no data: exec() sets
 * report.high[0] to its backend's mark. */
struct fake {
    double mark;
    int fail_probe, fail_open, fail_plan, fail_exec; /* statuses; 0: works */
    int fail_times;                                  /* plan or exec fails so often; 0: always */
    bool lost;
    int slabs; /* the next so many plans are in slabs */
    atomic_int probed, opened, closed, planned, unplanned, ran;
    char device[32];
};
static struct fake host, gpu, other;

struct fake_context {
    struct fake *fake;
};

static struct fake *fake_of(const struct gf_backend *b) {
    return b->own == &host ? &host : b->own == &gpu ? &gpu : &other;
}

static int probe(const struct gf_backend *b, const struct gf_environment *env,
                 char reason[GF_REASON]) {
    struct fake *f = fake_of(b);
    (void)env;
    f->probed++;
    snprintf(reason, GF_REASON, "made up");
    return f->fail_probe;
}

static int list(const struct gf_backend *b, const struct gf_environment *env,
                struct gf_gpu_props *props) {
    (void)b, (void)env;
    memset(props, 0, sizeof *props);
    snprintf(props->name, sizeof props->name, "Fake 9000");
    props->memory = INT64_C(1) << 40;
    props->fp64 = true;
    return 1;
}

static int open_fake(const struct gf_backend *b, const struct gf_backend_options *o,
                     void **context) {
    struct fake *f = fake_of(b);
    if (o->device)
        snprintf(f->device, sizeof f->device, "%s", o->device);
    if (f->fail_open)
        return gf_fail(f->fail_open, "cannot open it");
    struct fake_context *c = malloc(sizeof *c);
    c->fake = f;
    f->opened++;
    *context = c;
    return 0;
}

static bool fails(struct fake *f, int status) {
    if (!status)
        return false;
    return !f->fail_times || f->fail_times-- > 1 || (f->fail_plan = f->fail_exec = 0) == 0;
}

static int exec(struct gf_bound *b, struct gf_report *report) {
    struct fake *f = b->plan->impl;
    int rc = f->fail_exec;
    f->ran++;
    if (fails(f, rc))
        return gf_fail(rc, "cannot run it");
    report->high[0] = f->mark;
    report->ms = (struct gf_device_ms){.upload = 1, .run = 2, .download = 3};
    return 0;
}

static void drop(struct gf_plan *p) {
    ((struct fake *)p->impl)->unplanned++;
}

static int plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.exec = exec, .drop = drop};
    struct fake *f = ((struct fake_context *)plan->context)->fake;
    int rc = f->fail_plan;
    f->planned++;
    if (fails(f, rc))
        return gf_fail(rc, "cannot plan it");
    plan->ops = &ops;
    plan->impl = f;
    plan->workspace_bytes = 1000;
    plan->build_seconds = 2;
    plan->kernels_built = 3;
    plan->in_slabs = f->slabs > 0;
    f->slabs -= f->slabs > 0;
    return 0;
}

static int is_lost(void *context) {
    return ((struct fake_context *)context)->fake->lost;
}

static void close_fake(void *context) {
    ((struct fake_context *)context)->fake->closed++;
    free(context);
}

static int gpu_installed(const struct gf_backend *b, const struct gf_environment *env,
                         char reason[GF_REASON]) {
    (void)env;
    (void)b;
    snprintf(reason, GF_REASON, "no library");
    return gpu.fail_probe;
}

static bool is_slow(void *context) {
    return ((struct fake_context *)context)->fake == &gpu;
}

static const struct gf_on_device on_device = {.measure = NULL};
static const struct gf_backend host_backend = {.name = "host",
                                               .automatic = 1,
                                               .per_thread = true,
                                               .own = &host,
                                               .probe = probe,
                                               .open = open_fake,
                                               .plan = plan,
                                               .close = close_fake};
static const struct gf_backend gpu_backend = {.name = "gpu",
                                              .automatic = 2,
                                              .devices = true,
                                              .on_device = &on_device,
                                              .own = &gpu,
                                              .probe = probe,
                                              .installed = gpu_installed,
                                              .list = list,
                                              .open = open_fake,
                                              .plan = plan,
                                              .lost = is_lost,
                                              .slow_close = is_slow,
                                              .close = close_fake};
/* In host memory, one context, never picked by auto. */
static const struct gf_backend other_backend = {.name = "other",
                                                .own = &other,
                                                .probe = probe,
                                                .open = open_fake,
                                                .plan = plan,
                                                .close = close_fake};
static const struct gf_backend *const backends[] = {&host_backend, &gpu_backend, &other_backend,
                                                    NULL};

#endif
