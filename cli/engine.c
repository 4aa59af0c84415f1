#include "cli/engine.h"

#include <string.h>

#include "cli/log.h"
#include "cli/task.h"
#include "core/gpu.h"
#include "core/memory.h"
#include "core/status.h"

int gf_engine_open(struct gf_engine *e, const struct gf_settings *s) {
    struct gf_gpu_props props;
    *e = (struct gf_engine){.s = s, .now = -1};
    e->limit = s->max_memory ? s->max_memory : gf_memory_available();
    int rc = strcmp(s->backend, "auto") ? gf_backend_find(s->backend, &e->asked) : 0;
    if (rc || !s->device)
        return rc;
    /* A device that was asked for is there or the run fails; it is not passed over in silence. */
    if (!e->asked)
        return gf_backend_of_device(s->device, &e->asked);
    if (!e->asked->devices)
        return gf_fail(GF_EABSENT, "--device=%s: backend '%s' has no devices", s->device,
                       e->asked->name);
    return e->asked->gpu ? gf_backend_device(e->asked, s->device, &props) : 0;
}

static int position(const struct gf_backend *b) {
    int i = 0;
    while (gf_backends[i] && gf_backends[i] != b)
        i++;
    return i;
}

static void unplan(struct gf_engine *e) {
    if (e->plan)
        gf_backends[e->now]->unplan(e->context[e->now], e->plan);
    e->plan = NULL;
}

/* ---- contexts ---- */

static void *open_context(void *argument) {
    struct gf_opening *o = argument;
    double start = gf_now_ms();
    o->status = gf_backends[o->backend]->open(&o->options, &o->context);
    o->ms = gf_now_ms() - start;
    if (o->status)
        snprintf(o->message, sizeof o->message, "%s", gf_message());
    return NULL;
}

static void set_up(const struct gf_engine *e, int i, struct gf_opening *o) {
    *o = (struct gf_opening){
        .backend = i,
        .options = {.threads = e->s->threads,
                    .device = e->s->device,
                    .fftw_plan =
                        e->s->fftw_plan == GF_UNSAID ? NULL : gf_fftw_plans[e->s->fftw_plan]},
    };
}

static int take_over(struct gf_engine *e, const struct gf_opening *o) {
    e->ms.open += o->ms;
    if (o->status) {
        e->gone = e->asked != NULL;
        return gf_fail((enum gf_status)o->status, "%s", o->message);
    }
    e->context[o->backend] = o->context;
    e->open |= 1u << o->backend;
    return 0;
}

/* Waits for the thread, if there is one; its failure is that of the next one to need the context.
 */
static int join(struct gf_engine *e) {
    if (!e->opening.under_way)
        return 0;
    pthread_join(e->opening.thread, NULL);
    e->opening.under_way = false;
    return take_over(e, &e->opening);
}

static int open_backend(struct gf_engine *e, int i) {
    struct gf_opening o;
    if (e->open >> i & 1)
        return 0;
    set_up(e, i, &o);
    open_context(&o);
    return take_over(e, &o);
}

/* Opens backend `i` if it is not open yet, and plans. */
static int plan_with(struct gf_engine *e, int i, const struct gf_job *job) {
    const struct gf_backend *b = gf_backends[i];
    int rc = open_backend(e, i);
    if (rc)
        return rc;
    rc = b->plan(e->context[i], job, &e->plan);
    if (rc) {
        e->plan = NULL;
        e->gone = e->asked && b->lost && b->lost(e->context[i]);
        return rc;
    }
    e->ms.build += e->plan->build_seconds * 1e3;
    e->ms.built += e->plan->kernels_built;
    e->now = i;
    e->job = *job;
    return 0;
}

/* ---- choice ---- */

static bool device_is_open(const struct gf_engine *e) {
    bool any = false;
    for (int i = 0; gf_backends[i]; i++)
        any = any || (gf_backends[i]->devices && e->open >> i & 1);
    return any;
}

/* The backend that auto takes: core's choice, or the next automatic one that has not failed. */
static int choose(struct gf_engine *e, const struct gf_job *job, int *out) {
    const struct gf_backend *b;
    /* A context that was opened for this very file was not there. */
    bool open = device_is_open(e) && !(e->ms.open > 0);
    struct gf_outlook outlook = {
        .threads = e->s->threads, .runs = e->runs > 1 ? e->runs : 1, .open = open};
    int rc = gf_backend_weigh(job, &outlook, &b, e->why);
    if (rc)
        return rc;
    *out = position(b);
    size_t n = strlen(b->name); /* the name is said beside the reason anyway */
    if (!strncmp(e->why, b->name, n) && !strncmp(e->why + n, ": ", 2))
        memmove(e->why, e->why + n + 2, strlen(e->why + n + 2) + 1);
    if (!(e->failed >> *out & 1))
        return 0;
    for (int i = 0; gf_backends[i]; i++) {
        char reason[GF_REASON] = "";
        if (!gf_backends[i]->automatic || e->failed >> i & 1 || gf_backends[i]->probe(reason))
            continue;
        *out = i;
        snprintf(e->why, sizeof e->why, "%s did not work", b->name);
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

/* `i` has failed; auto looks on. */
static void give_up(struct gf_engine *e, int i) {
    gf_log_note("%s: %s; trying another backend", gf_backends[i]->name, gf_message());
    e->failed |= 1u << i;
}

bool gf_engine_ahead(struct gf_engine *e, const struct gf_job *job) {
    int i = -1;
    if (e->opening.under_way)
        return true;
    if (e->asked)
        i = position(e->asked);
    else if (!job || gf_job_validate(job) || choose(e, job, &i))
        return false;
    if (!gf_backends[i]->devices || e->open >> i & 1 || e->gone)
        return false;
    set_up(e, i, &e->opening);
    e->opening.under_way = !pthread_create(&e->opening.thread, NULL, open_context, &e->opening);
    return e->opening.under_way;
}

int gf_engine_plan(struct gf_engine *e, const struct gf_job *job) {
    int rc = gf_job_validate(job);
    if (rc)
        return rc;
    if (e->plan && !memcmp(job, &e->job, sizeof *job))
        return 0;
    unplan(e);
    rc = join(e);
    if (e->asked) {
        snprintf(e->why, sizeof e->why, "asked for by --%s",
                 strcmp(e->s->backend, "auto") ? "backend" : "device");
        return rc ? rc : plan_with(e, position(e->asked), job);
    }
    if (rc)
        give_up(e, e->opening.backend);
    for (;;) {
        int i;
        rc = choose(e, job, &i);
        if (rc)
            return rc;
        rc = plan_with(e, i, job);
        if (!rc || !may_fall_back(rc, i))
            return rc;
        give_up(e, i);
    }
}

/* ---- run ---- */

/* As the backend's exec, each of the parts timed. */
static int run_on_device(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                         struct gf_report *report) {
    const struct gf_backend *b = gf_backends[e->now];
    void *context = e->context[e->now];
    double start = gf_now_ms(), seconds = 0;
    int rc = gf_job_check_arrays(&e->plan->job, in, out);
    if (!rc)
        rc = b->upload(context, e->plan, in);
    e->ms.upload = gf_now_ms() - start;
    if (!rc)
        rc = b->run(context, e->plan, 1, &seconds);
    e->ms.run = seconds * 1e3;
    start = gf_now_ms();
    if (!rc)
        rc = b->download(context, e->plan, out, report);
    e->ms.download = gf_now_ms() - start;
    e->gone = rc && e->asked && b->lost && b->lost(context);
    return rc;
}

int gf_engine_exec(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                   struct gf_report *report) {
    for (;;) {
        const struct gf_backend *b = gf_backends[e->now];
        memset(report, 0, sizeof *report);
        int rc = b->run ? run_on_device(e, in, out, report)
                        : b->exec(e->context[e->now], e->plan, in, out, report);
        if (!rc || e->asked || !may_fall_back(rc, e->now))
            return rc;
        give_up(e, e->now);
        struct gf_job job = e->job;
        unplan(e);
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
    if (!gf_engine_on_device(e) || e->measured >> e->now & 1)
        return e->now < 0 ? 0 : e->copy[e->now];
    const struct gf_backend *b = gf_backends[e->now];
    e->measured |= 1u << e->now;
    /* A processor would be at it for seconds. */
    if (b->gpu && (gf_backend_device(b, e->s->device, &props) || props.is_cpu))
        return 0;
    if (!b->measure(e->context[e->now], &speed))
        e->copy[e->now] = speed.copy;
    return e->copy[e->now];
}

void gf_engine_close(struct gf_engine *e) {
    unplan(e);
    join(e);
    for (int i = 0; gf_backends[i] && i < GF_MAX_BACKENDS; i++)
        if (e->open >> i & 1)
            gf_backends[i]->close(e->context[i]);
    *e = (struct gf_engine){.now = -1};
}
