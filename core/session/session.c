#include "core/session/session.h"

#include <stdio.h>
#include <string.h>

#include "cli/log.h"
#include "cli/batch/task.h"
#include "core/gpu/gpu.h"
#include "core/base/clock.h"
#include "core/base/status.h"

void gf_engine_open(struct gf_engine *e, const struct gf_settings *s, struct gf_contexts *contexts,
                    int64_t limit) {
    *e = (struct gf_engine){.s = s, .contexts = contexts, .limit = limit, .now = -1};
}

void gf_engine_next(struct gf_engine *e, int64_t runs) {
    e->ms = (struct gf_device_ms){0};
    e->runs = runs;
    e->decided = false;
    e->plan = NULL; /* kept, but asked for anew */
}

void gf_engine_forget(struct gf_engine *e) {
    if (e->kept)
        gf_backend_openmp.unplan(e->own, e->kept);
    if (e->plan == e->kept)
        e->plan = NULL;
    e->kept = NULL;
}

/* ---- plans ---- */

static int plan_own(struct gf_engine *e, int i, const struct gf_job *job) {
    double ms = 0;
    int rc = 0;
    if (!e->kept || !gf_job_equal(job, &e->kept_job)) {
        gf_engine_forget(e);
        if (!e->own)
            rc = gf_context_open(e->s, i, &e->own, &ms);
        if (!rc)
            rc = gf_backends[i]->plan(e->own, job, &e->kept);
        if (rc) {
            e->kept = NULL;
            return rc;
        }
        e->kept_job = *job;
    }
    e->plan = e->kept;
    e->workspace = e->plan->workspace_bytes;
    return 0;
}

/* The shared context's plan, kept or made, with `work` held. */
static int plan_shared(struct gf_engine *e, int i, const struct gf_job *job,
                       struct gf_plan **plan) {
    struct gf_contexts *c = e->contexts;
    const struct gf_backend *b = gf_backends[i];
    *plan = gf_contexts_find(c, i, job);
    if (*plan)
        return 0;
    int rc = gf_contexts_open(c, i, &e->ms.open);
    if (rc)
        return rc;
    struct gf_shared_plan *place = gf_contexts_place(c, i);
    rc = b->plan(c->context[i], job, plan);
    if (rc == GF_ENOMEM && gf_contexts_unplan(c, NULL))
        rc = b->plan(c->context[i], job, plan);
    if (rc) {
        *plan = NULL;
        c->gone = c->asked && b->lost && b->lost(c->context[i]);
        return rc;
    }
    place->plan = *plan;
    place->backend = i;
    place->job = *job;
    e->ms.build += (*plan)->build_seconds * 1e3;
    e->ms.built += (*plan)->kernels_built;
    return 0;
}

/* Where engines share the context, planning waits until the job's turn has come: another's plan
 * is at work there. */
static int plan_with(struct gf_engine *e, int i, const struct gf_job *job) {
    struct gf_contexts *c = e->contexts;
    int rc = 0;
    e->plan = NULL;
    e->workspace = 0;
    if (!gf_contexts_share(i)) {
        rc = plan_own(e, i, job);
    } else if (c->eager) {
        struct gf_plan *plan;
        gf_engine_forget(e); /* one plan at a time */
        pthread_mutex_lock(&c->work);
        rc = plan_shared(e, i, job, &plan);
        e->plan = plan;
        e->workspace = rc ? 0 : plan->workspace_bytes;
        pthread_mutex_unlock(&c->work);
    }
    if (rc)
        return rc;
    e->now = i;
    e->job = *job;
    return 0;
}

/* ---- choice ---- */

/* What was taken for this job before, or is taken now. */
static int decide(struct gf_engine *e, const struct gf_job *job, int *out) {
    struct gf_contexts *c = e->contexts;
    const struct gf_backend *b;
    struct gf_decision *d = NULL;
    int rc = 0;
    pthread_mutex_lock(&c->small);
    int n = c->n_decisions < GF_DECISIONS ? c->n_decisions : GF_DECISIONS;
    for (int i = 0; i < n && !d; i++)
        if (c->decision[i].open == c->chosen && gf_job_equal(job, &c->decision[i].job))
            d = &c->decision[i];
    if (!d) {
        struct gf_outlook outlook = {
            .threads = c->s->threads, .runs = e->runs > 1 ? e->runs : 1, .open = c->chosen};
        d = &c->decision[c->n_decisions++ % GF_DECISIONS];
        *d = (struct gf_decision){.job = *job, .open = c->chosen};
        rc = gf_backend_weigh(job, &outlook, &b, d->why);
        c->n_decisions -= rc != 0;
        d->backend = rc ? -1 : gf_contexts_position(b);
        size_t length = rc ? 0 : strlen(b->name); /* the name is said beside the reason anyway */
        if (!rc && !strncmp(d->why, b->name, length) && !strncmp(d->why + length, ": ", 2))
            memmove(d->why, d->why + length + 2, strlen(d->why + length + 2) + 1);
    }
    if (!rc) {
        *out = d->backend;
        memcpy(e->why, d->why, sizeof e->why);
        /* What is weighed from here on finds a device in use. */
        c->chosen |= gf_backends[*out]->devices;
        if (d->open != c->chosen && gf_backends[*out]->devices)
            d->open = true; /* and this job is decided */
    }
    pthread_mutex_unlock(&c->small);
    return rc;
}

/* The backend that auto takes: core's choice, or the next automatic one that has not failed. */
static int choose(struct gf_engine *e, const struct gf_job *job, int *out) {
    struct gf_contexts *c = e->contexts;
    if (e->decided && gf_job_equal(job, &e->job) && !(c->failed >> e->now & 1)) {
        *out = e->now;
        return 0;
    }
    int rc = decide(e, job, out);
    if (rc || !(c->failed >> *out & 1))
        return rc;
    const char *name = gf_backends[*out]->name;
    for (int i = 0; gf_backends[i]; i++) {
        char reason[GF_REASON] = "";
        if (!gf_backends[i]->automatic || c->failed >> i & 1 || gf_backends[i]->probe(reason))
            continue;
        *out = i;
        snprintf(e->why, sizeof e->why, "%s did not work", name);
        return 0;
    }
    return gf_fail(GF_EABSENT, "no automatic backend works; the last one said: %s", gf_message());
}

/* What another backend may do better at: a wrong job stays one, and so does a lack of memory, but
 * for a device's own. */
static bool may_fall_back(int rc, int backend) {
    return rc == GF_EBACKEND || rc == GF_EABSENT || rc == GF_EUNSUPP ||
           (rc == GF_ENOMEM && gf_backends[backend]->devices);
}

/* `i` has failed; auto looks on. Said once. */
static void give_up(struct gf_engine *e, int i) {
    if (!(atomic_fetch_or(&e->contexts->failed, 1u << i) >> i & 1))
        gf_log_note("%s: %s; trying another backend", gf_backends[i]->name, gf_message());
}

bool gf_engine_ahead(struct gf_engine *e, const struct gf_job *job) {
    struct gf_contexts *c = e->contexts;
    int i = -1;
    if (c->asked)
        i = gf_contexts_position(c->asked);
    else if (!job || gf_job_validate(job) || choose(e, job, &i))
        return false;
    if (job && !c->asked) {
        e->now = i;
        e->job = *job;
        e->plan = NULL;
        e->decided = true;
    }
    return gf_contexts_ahead(c, i);
}

/* Waits for a context that is being opened; auto goes on without it. */
static int join(struct gf_engine *e) {
    struct gf_contexts *c = e->contexts;
    int backend = -1;
    pthread_mutex_lock(&c->work);
    int rc = gf_contexts_join(c, &e->ms.open, &backend);
    pthread_mutex_unlock(&c->work);
    if (rc && !c->asked) {
        give_up(e, backend);
        return 0;
    }
    return rc;
}

int gf_engine_plan(struct gf_engine *e, const struct gf_job *job) {
    struct gf_contexts *c = e->contexts;
    int rc = gf_job_validate(job);
    if (rc)
        return rc;
    if (e->plan && gf_job_equal(job, &e->job))
        return 0;
    if (c->asked) {
        snprintf(e->why, sizeof e->why, "asked for by --%s",
                 strcmp(c->s->backend, "auto") ? "backend" : "device");
        rc = c->eager ? join(e) : 0;
        return rc ? rc : plan_with(e, gf_contexts_position(c->asked), job);
    }
    rc = c->eager ? join(e) : 0;
    while (!rc) {
        int i;
        rc = choose(e, job, &i);
        if (rc)
            return rc;
        rc = plan_with(e, i, job);
        e->decided = !rc;
        if (!rc || !may_fall_back(rc, i))
            return rc;
        give_up(e, i);
        rc = 0;
    }
    return rc;
}

/* ---- run ---- */

/* As the backend's exec, each of the parts timed. */
static int run_on_device(struct gf_engine *e, struct gf_plan *plan, const struct gf_array *in,
                         struct gf_array *out, struct gf_report *report) {
    const struct gf_backend *b = gf_backends[e->now];
    void *context = e->contexts->context[e->now];
    double start = gf_now_ms(), seconds = 0;
    int rc = gf_job_check_arrays(&plan->job, in, out);
    if (!rc)
        rc = b->upload(context, plan, in);
    e->ms.upload = gf_now_ms() - start;
    if (!rc)
        rc = b->run(context, plan, 1, &seconds);
    e->ms.run = seconds * 1e3;
    start = gf_now_ms();
    if (!rc)
        rc = b->download(context, plan, out, report);
    e->ms.download = gf_now_ms() - start;
    if (rc && e->contexts->asked && b->lost && b->lost(context))
        e->contexts->gone = true;
    return rc;
}

static int run_plan(struct gf_engine *e, struct gf_plan *plan, const struct gf_array *in,
                    struct gf_array *out, struct gf_report *report) {
    const struct gf_backend *b = gf_backends[e->now];
    return b->run ? run_on_device(e, plan, in, out, report)
                  : b->exec(e->contexts->context[e->now], plan, in, out, report);
}

/* The job planned, if it is not, and run, in the shared context. */
static int run_shared(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                      struct gf_report *report) {
    struct gf_contexts *c = e->contexts;
    const struct gf_backend *b = gf_backends[e->now];
    struct gf_plan *plan = NULL;
    int backend, rc = 0;
    pthread_mutex_lock(&c->work);
    if (c->gone || (!c->asked && c->failed >> e->now & 1))
        rc = gf_fail(GF_EBACKEND, "%s failed before", b->name);
    if (!rc)
        rc = gf_contexts_join(c, &e->ms.open, &backend);
    if (!rc)
        rc = plan_shared(e, e->now, &e->job, &plan);
    if (!rc)
        rc = run_plan(e, plan, in, out, report);
    if (rc == GF_ENOMEM && plan && gf_contexts_unplan(c, plan))
        rc = run_plan(e, plan, in, out, report);
    pthread_mutex_unlock(&c->work);
    return rc;
}

int gf_engine_exec(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                   struct gf_report *report) {
    for (;;) {
        memset(report, 0, sizeof *report);
        int rc = gf_contexts_share(e->now)
                     ? run_shared(e, in, out, report)
                     : gf_backends[e->now]->exec(e->own, e->kept, in, out, report);
        if (!rc || e->contexts->asked || !may_fall_back(rc, e->now))
            return rc;
        give_up(e, e->now);
        struct gf_job job = e->job;
        e->plan = NULL;
        rc = gf_engine_plan(e, &job);
        if (rc)
            return rc;
    }
}

const char *gf_engine_name(const struct gf_engine *e) {
    return e->now < 0 ? "?" : gf_backends[e->now]->name;
}

bool gf_engine_on_device(const struct gf_engine *e) {
    return e->now >= 0 && gf_backends[e->now]->run;
}

double gf_engine_copy_speed(struct gf_engine *e) {
    struct gf_device_speed speed = {.copy = 0};
    struct gf_gpu_props props;
    struct gf_contexts *c = e->contexts;
    if (!gf_engine_on_device(e) || c->measured >> e->now & 1)
        return e->now < 0 ? 0 : c->copy[e->now];
    const struct gf_backend *b = gf_backends[e->now];
    c->measured |= 1u << e->now;
    /* A processor would be at it for seconds. */
    if (b->gpu && (gf_backend_device(b, c->s->device, &props) || props.is_cpu))
        return 0;
    if (!b->measure(c->context[e->now], &speed))
        c->copy[e->now] = speed.copy;
    return c->copy[e->now];
}

void gf_engine_close(struct gf_engine *e) {
    gf_engine_forget(e);
    if (e->own)
        gf_backend_openmp.close(e->own);
    *e = (struct gf_engine){.now = -1};
}
