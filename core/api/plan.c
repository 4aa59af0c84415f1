/* Plans of transforms, and plans bound to arrays. */
#include <stdlib.h>
#include <string.h>

#include "core/api/layout.h"
#include "core/api/library.h"
#include "core/op/crew.h"

/* Constant once it is made. */
struct gpufft_plan {
    struct gpufft *library;
    atomic_int users; /* the handle, and bound plans */
    struct gf_layout layout;
    int64_t runs; /* calls that are expected */
    struct gf_runner runner;
    /* For all threads; NULL: each bound plan has a runner, as on a device. */
    struct gf_plan *shared;
    struct gf_plan *shown; /* a copy, to describe it */
};

struct gpufft_bound {
    /* To the arrays, or in turn to those of each call; NULL: the runner runs. */
    struct gf_bound *bound;
    int64_t call; /* that runs */
    struct gpufft_plan *plan;
    struct gf_runner runner;
    const void *in; /* that is read: the copy, if there is one */
    void *out;
    char *copy;   /* of the input's bytes */
    void *stream; /* of arrays on a device */
};

/* ---- plans ---- */

void gpufft_plan_free(struct gpufft_plan *plan) {
    if (!plan || !gf_library_is_here(plan->library) || atomic_fetch_sub(&plan->users, 1) > 1)
        return;
    free(plan->shown);
    gf_runner_close(&plan->runner);
    gf_library_drop(plan->library);
    free(plan);
}

/* Bytes of the input's copy. */
static int64_t copied(const struct gf_layout *l) {
    return l->copies ? l->in_bounds.high - l->in_bounds.low : 0;
}

static int make_plan(struct gpufft_plan *plan, const struct gpufft_transform *t) {
    struct gf_layout *l = &plan->layout;
    struct gf_runner *r = &plan->runner;
    int rc = gf_layout_make(t, l);
    if (rc)
        return rc;
    const struct gf_crew crew = {.runner = r, .threads = r->threads, .held = copied(l)};
    plan->runs = gf_min(gf_max(t->runs, 1), INT64_MAX / l->calls) * l->calls;
    gf_runner_next(r, plan->runs);
    rc = gf_crew_plan(&crew, &l->job);
    if (!rc)
        rc = gf_runner_show(r, &plan->shown);
    if (!rc && r->plan && r->plan->backend->per_thread)
        plan->shared = (struct gf_plan *)r->plan;
    return rc;
}

int gpufft_plan_make(struct gpufft *library, const struct gpufft_transform *transform,
                     struct gpufft_plan **out) {
    struct gpufft_transform t;
    if (!out)
        return gf_fail(GF_EUSAGE, "no place for the plan");
    *out = NULL;
    int rc = gf_library_check(library);
    if (!rc)
        rc = gf_struct_take(&t, sizeof t, transform, "transform");
    struct gpufft_plan *plan = rc ? NULL : calloc(1, sizeof *plan);
    if (!plan)
        return rc ? rc : gf_no_memory();
    plan->library = gf_library_keep(library);
    plan->users = 1;
    gf_runner_open(&plan->runner, library->engine, 0, library->threads);
    rc = make_plan(plan, &t);
    if (rc)
        gpufft_plan_free(plan);
    else
        *out = plan;
    return rc;
}

/* ---- their description ---- */

int gpufft_plan_describe(const struct gpufft_plan *plan, struct gpufft_description *to) {
    if (!plan)
        return gf_fail(GF_EUSAGE, "no plan");
    const int rc = gf_struct_take(NULL, sizeof *to, to, "description");
    if (rc)
        return rc;
    const struct gf_plan *shown = plan->shown;
    *to = (struct gpufft_description){.size = to->size,
                                      .backend = shown->backend->name,
                                      .why = plan->runner.why,
                                      .n_passes = shown->n_passes,
                                      .n_calls = plan->layout.calls,
                                      .bytes = gf_pass_bytes(shown->pass, shown->n_passes),
                                      .workspace = shown->workspace_bytes + copied(&plan->layout),
                                      .device = shown->device_bytes};
    return 0;
}

const char *gpufft_plan_pass(const struct gpufft_plan *plan, int i) {
    return plan && i >= 0 && i < plan->shown->n_passes ? plan->shown->pass[i].what : NULL;
}

/* ---- page-locked memory ---- */

/* 0 bytes: unlocks. */
static int lock(struct gpufft_plan *plan, void *memory, size_t bytes) {
    if (!plan || !memory || bytes > PTRDIFF_MAX)
        return gf_fail(GF_EUSAGE, plan ? "no memory" : "no plan");
    const int rc = gf_library_check(plan->library);
    return rc ? rc : gf_runner_lock(&plan->runner, memory, (int64_t)bytes);
}

int gpufft_lock(struct gpufft_plan *plan, void *memory, size_t bytes) {
    return lock(plan, bytes ? memory : NULL, bytes);
}

int gpufft_unlock(struct gpufft_plan *plan, void *memory) {
    return lock(plan, memory, 0);
}

/* ---- bound plans ---- */

/* Asks for the share of all calls, of which `done` is that of this one. */
static int tick(void *user, double done) {
    const struct gpufft_bound *b = user;
    const struct gpufft_options *o = &b->plan->library->options;
    return o->tick(o->user, ((double)b->call + done) / (double)b->plan->layout.calls);
}

/* Binds the plan to the arrays of call i. */
static int bind_call(struct gpufft_bound *b, int64_t i) {
    struct gf_array in, out;
    gf_layout_views(&b->plan->layout, b->in, b->out, i, &in, &out);
    const int rc = gf_plan_bind(b->plan->shared, &in, &out, &b->bound);
    if (!rc && b->plan->library->options.tick) {
        b->bound->tick = tick;
        b->bound->user = b;
    }
    return rc;
}

/* Plans for a run on a device, unless the plan is kept. */
static int plan_run(struct gpufft_bound *b) {
    if (b->plan->shared)
        return 0;
    gf_runner_next(&b->runner, b->plan->runs);
    return gf_runner_plan(&b->runner, &b->plan->layout.job);
}

/* Checks arrays on a device, and if `runs` queues call i. */
static int queue_call(struct gpufft_bound *b, const void *in, void *out, int64_t i, bool runs) {
    struct gf_array from, to;
    gf_layout_views(&b->plan->layout, in, out, i, &from, &to);
    return gf_runner_queue(&b->runner, &from, &to, b->stream, runs);
}

int gpufft_bound_move(struct gpufft_bound *b, const void *in, void *out) {
    if (!b)
        return gf_fail(GF_EUSAGE, "no bound plan");
    int rc = gf_library_check(b->plan->library);
    if (!rc)
        rc = gf_layout_check(&b->plan->layout, in, out);
    if (!rc && b->plan->layout.job.placed && !(rc = plan_run(b)))
        rc = queue_call(b, in, out, 0, false);
    if (rc)
        return rc;
    b->in = b->copy ? b->copy - b->plan->layout.in_bounds.low : in;
    b->out = out;
    return b->plan->shared ? bind_call(b, 0) : 0;
}

int gpufft_plan_bind(struct gpufft_plan *plan, const void *in, void *out,
                     struct gpufft_bound **bound) {
    if (!plan || !bound)
        return gf_fail(GF_EUSAGE, plan ? "no place for the bound plan" : "no plan");
    *bound = NULL;
    if (!gf_library_is_open(plan->library))
        return gf_library_check(plan->library);
    struct gpufft_bound *b = calloc(1, sizeof *b);
    if (!b)
        return gf_no_memory();
    plan->users++;
    b->plan = plan;
    if (!plan->shared)
        gf_runner_beside(&b->runner, &plan->runner, plan->library->threads);
    const int64_t bytes = copied(&plan->layout);
    int rc = bytes && !(b->copy = gf_alloc((size_t)bytes)) ? gf_no_memory() : 0;
    if (!rc)
        rc = gpufft_bound_move(b, in, out);
    if (rc)
        gpufft_bound_free(b);
    else
        *bound = b;
    return rc;
}

int gpufft_bound_stream(struct gpufft_bound *b, void *stream) {
    if (!b || !b->plan->layout.job.placed)
        return gf_fail(GF_EUSAGE,
                       b ? "arrays in the host's memory have no stream" : "no bound plan");
    b->stream = stream;
    return gf_library_check(b->plan->library);
}

void gpufft_bound_free(struct gpufft_bound *b) {
    if (!b || !gf_library_is_here(b->plan->library))
        return;
    gf_bound_drop(b->bound);
    gf_free(b->copy);
    gf_runner_close(&b->runner);
    gpufft_plan_free(b->plan);
    free(b);
}

static int run_call(struct gpufft_bound *b, int64_t i) {
    struct gf_array in, out;
    struct gf_report report;
    if (b->plan->layout.job.placed)
        return queue_call(b, b->in, b->out, i, true);
    if (b->plan->shared) {
        const int rc = b->plan->layout.calls == 1 && b->bound ? 0 : bind_call(b, i);
        return rc ? rc : gf_bound_run(b->bound, NULL);
    }
    gf_layout_views(&b->plan->layout, b->in, b->out, i, &in, &out);
    return gf_runner_run(&b->runner, &in, &out, &report);
}

/* Runs on a device, in several calls, on a copy, or under the eyes of tick(). */
static int run_calls(struct gpufft_bound *b) {
    const struct gpufft *g = b->plan->library;
    const int64_t n = b->plan->layout.calls;
    int rc = gf_library_check(g);
    if (!rc)
        rc = plan_run(b);
    const struct gf_layout *l = &b->plan->layout;
    if (!rc && b->copy)
        memcpy(b->copy, (const char *)b->out + l->in_bounds.low, (size_t)copied(l));
    for (b->call = 0; b->call <= n && !rc; b->call++) {
        if (g->options.tick && tick(b, 0))
            rc = gf_fail(GF_ECANCELED, "canceled by the caller");
        else if (b->call < n)
            rc = run_call(b, b->call);
    }
    return rc;
}

int gpufft_run(struct gpufft_bound *b) {
    if (!b)
        return gf_fail(GF_EUSAGE, "no bound plan");
    const struct gpufft *g = b->plan->library;
    if (b->bound && b->plan->layout.calls == 1 && !b->copy && !g->options.tick &&
        gf_library_is_open(g))
        return gf_bound_run(b->bound, NULL);
    return run_calls(b);
}
