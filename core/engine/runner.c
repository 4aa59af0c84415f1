/* Runs one thread's jobs: chooses a backend, plans, runs, and falls back. */
#include "core/engine/device.h"

#include <stdlib.h>

#include "core/base/host/clock.h"
#include "core/base/host/memory.h"
#include "core/base/value/blocks.h"
#include "core/filter/filter.h"

static struct gf_engine_device *device_of(const struct gf_runner *r) {
    return &r->engine->device[r->device];
}

static const struct gf_backend *backend_of(const struct gf_runner *r, int i) {
    return r->engine->backends[i];
}

void gf_runner_open(struct gf_runner *r, struct gf_engine *engine, int device, int threads) {
    *r = (struct gf_runner){
        .engine = engine, .device = device, .threads = threads, .now = -1, .own = -1};
    device_of(r)->runners++;
}

void gf_runner_beside(struct gf_runner *own, const struct gf_runner *r, int threads) {
    gf_runner_open(own, r->engine, r->device, threads);
}

void gf_runner_next(struct gf_runner *r, int64_t runs) {
    r->ms = (struct gf_runner_times){.open = 0};
    r->runs = runs;
    r->times = 1;
    r->decided = false;
    r->plan = NULL; /* kept, but must be requested again */
}

void gf_runner_repeat(struct gf_runner *r, int64_t times) {
    r->times = times;
}

static int64_t runs_ahead(const struct gf_runner *r) {
    return (r->runs > 1 ? r->runs : 1) * (r->times > 1 ? r->times : 1);
}

void gf_runner_forget(struct gf_runner *r) {
    gf_plan_drop(r->kept);
    if (r->plan == r->kept)
        r->plan = NULL;
    r->kept = NULL;
}

int64_t gf_runner_kept_bytes(const struct gf_runner *r) {
    return r->kept ? r->kept->workspace_bytes : 0;
}

static void close_own(struct gf_runner *r) {
    gf_runner_forget(r);
    if (r->own >= 0)
        backend_of(r, r->own)->close(r->own_context);
    r->own_context = NULL;
    r->own = -1;
}

void gf_runner_close(struct gf_runner *r) {
    if (r->engine) {
        close_own(r);
        device_of(r)->runners--;
    }
    *r = (struct gf_runner){.now = -1, .own = -1};
}

/* ---- turns ---- */

static bool has_failed(const struct gf_runner *r, int i) {
    return device_of(r)->given_up >> i & 1;
}

/* Notes, in the first runner that sees it, that backend i has failed and auto looks for another. */
static void give_up(struct gf_runner *r, int i) {
    if (!(atomic_fetch_or(&device_of(r)->given_up, 1u << i) >> i & 1))
        gf_tell(r->engine->options.note, r->engine->options.user, "%s: %s; trying another backend",
                backend_of(r, i)->name, gf_message());
}

/* Waits for the runner's turn in a shared context; its own needs none. On success the turn lasts
 * until leave(). */
static int enter(struct gf_runner *r, int i) {
    struct gf_engine_device *d = device_of(r);
    int rc = 0;
    if (backend_of(r, i)->per_thread)
        return 0;
    pthread_mutex_lock(&d->turn);
    if (d->lost)
        rc = gf_failure_return(&d->why_lost);
    else if (d->asked < 0 && has_failed(r, i))
        rc = gf_fail(GF_EBACKEND, "%s failed before", backend_of(r, i)->name);
    if (rc)
        pthread_mutex_unlock(&d->turn);
    else
        d->outside = gf_backend_current(backend_of(r, i));
    return rc;
}

/* Ends the turn, in which rc came of what ran; returns rc. */
static int leave(struct gf_runner *r, int i, int rc) {
    if (backend_of(r, i)->per_thread)
        return rc;
    const int other = rc ? gf_engine_check_lost(device_of(r), i) : 0;
    r->again = other > 0;
    if (other) {
        gf_deal_instead(r->engine, other);
        gf_engine_unplan(device_of(r), NULL);
    }
    gf_backend_resume(backend_of(r, i), device_of(r)->outside);
    pthread_mutex_unlock(&device_of(r)->turn);
    return rc;
}

/* ---- plans ---- */

static int open_own(struct gf_runner *r, int i) {
    if (r->own == i)
        return 0;
    close_own(r);
    int rc = gf_engine_open_own(device_of(r), i, r->threads, &r->own_context);
    r->own = rc ? -1 : i;
    return rc;
}

static int plan_own(struct gf_runner *r, int i, const struct gf_job *job, struct gf_plan **plan) {
    int rc = open_own(r, i);
    if (!rc)
        rc = gf_backend_replan(backend_of(r, i), r->own_context, job, &r->kept);
    *plan = r->kept;
    return rc;
}

static int plan_shared(struct gf_runner *r, int i, const struct gf_job *job,
                       struct gf_plan **plan) {
    bool made;
    int rc = gf_engine_plan(device_of(r), i, job, &r->ms.open, plan, &made);
    if (!rc && made) {
        r->ms.build += (*plan)->build_seconds * 1e3;
        r->ms.built += (*plan)->kernels_built;
        r->ms.choice = (*plan)->choice;
        if (r->ms.choice.refused)
            gf_tell(r->engine->options.note, r->engine->options.user,
                    "ignoring a tuned plan that does not match this transform");
    }
    return rc;
}

/* Begins the runner's turn, which lasts until leave(), and gets a plan, a kept one or a new one. */
static int begin(struct gf_runner *r, int i, const struct gf_job *job, struct gf_plan **plan) {
    int rc = enter(r, i);
    if (rc)
        return rc;
    rc = (backend_of(r, i)->per_thread ? plan_own : plan_shared)(r, i, job, plan);
    if (rc)
        leave(r, i, rc);
    /* The job is legal, so what plan() does not support, the backend cannot do. */
    return rc == GF_EUNSUPP ? GF_EUNABLE : rc;
}

/* ---- choice ---- */

static bool adopts(const struct gf_backend *b) {
    return b->on_device && b->on_device->adopt;
}

/* Auto's choice for arrays on a device. */
static int choose_adopting(struct gf_runner *r, int *out) {
    int i = 0;
    while (backend_of(r, i) && !adopts(backend_of(r, i)))
        i++;
    if (!backend_of(r, i))
        return gf_fail(GF_EUNSUPP, "no backend runs on arrays in a device's memory");
    *out = i;
    snprintf(r->why, sizeof r->why, "it runs on arrays in its device's memory");
    return gf_backend_usable(device_of(r)->open.environment, backend_of(r, i));
}

/* The requested backend, or auto's: its decision, or the next automatic one that has not failed. */
static int choose(struct gf_runner *r, const struct gf_job *job, int *out) {
    const int asked = device_of(r)->asked;
    if (job->placed && asked < 0)
        return choose_adopting(r, out);
    if (asked >= 0) {
        *out = asked;
        snprintf(r->why, sizeof r->why, "asked for by --%s", r->engine->options.request->option);
        return 0;
    }
    if (r->decided && gf_job_equal(job, &r->job) && !has_failed(r, r->now)) {
        *out = r->now;
        return 0;
    }
    int rc = gf_engine_decide(r->engine, job, runs_ahead(r), out, r->why);
    if (rc || !has_failed(r, *out))
        return rc;
    const char *name = backend_of(r, *out)->name;
    for (int i = 0; backend_of(r, i); i++) {
        char reason[GF_REASON] = "";
        const struct gf_backend *b = backend_of(r, i);
        if (!b->automatic || has_failed(r, i) ||
            b->probe(b, device_of(r)->open.environment, reason))
            continue;
        *out = i;
        snprintf(r->why, sizeof r->why, "%s did not work", name);
        return 0;
    }
    return gf_fail(GF_EABSENT, "no automatic backend works; the message of the last one: %s",
                   gf_message());
}

/* True if another backend may succeed: a wrong job stays wrong, and so does a lack of memory except
 * a device's. */
static bool is_the_backends(const struct gf_runner *r, int rc, int i) {
    return rc == GF_EBACKEND || rc == GF_EABSENT || rc == GF_EUNSUPP || rc == GF_EUNABLE ||
           (rc == GF_ENOMEM && backend_of(r, i)->devices);
}

bool gf_runner_move(struct gf_runner *r, int rc) {
    const bool moves = r->engine->n > 1 && is_the_backends(r, rc, device_of(r)->asked);
    const int next = r->again ? r->device : moves ? gf_deal_instead(r->engine, r->device) : -1;
    r->again = false;
    if (next < 0)
        return false;
    close_own(r);
    device_of(r)->runners--;
    r->device = next;
    device_of(r)->runners++;
    r->now = -1;
    r->plan = NULL;
    return true;
}

/* After a failure: true if another device of the deal, or auto's next backend, is to try the job, unless the
 * arrays are on this one. */
static bool goes_on(struct gf_runner *r, int rc) {
    if (r->job.placed)
        return false;
    if (gf_runner_move(r, rc))
        return true;
    if (device_of(r)->asked >= 0 || r->now < 0 || !is_the_backends(r, rc, r->now))
        return false;
    give_up(r, r->now);
    r->plan = NULL;
    return true;
}

bool gf_runner_ahead(struct gf_runner *r, const struct gf_job *job) {
    int i = device_of(r)->asked;
    if (i < 0) {
        if (!job || gf_job_validate(job) || choose(r, job, &i))
            return false;
        r->now = i;
        r->job = *job;
        r->plan = NULL;
        r->decided = true;
    }
    pthread_mutex_lock(&r->engine->lock);
    const bool under_way = gf_engine_ahead(device_of(r), i);
    pthread_mutex_unlock(&r->engine->lock);
    return under_way;
}

int gf_runner_packs(struct gf_runner *r, const struct gf_job *job, enum gf_packing *packs) {
    int i, rc = choose(r, job, &i);
    const struct gf_backend *b = rc ? NULL : backend_of(r, i);
    *packs = b && b->packs ? b->packs(job) : GF_PACKS_NOTHING;
    return rc;
}

int64_t gf_runner_workspace(struct gf_runner *r, const struct gf_job *part) {
    int i;
    struct gf_plan *plan = NULL;
    if (choose(r, part, &i) || !backend_of(r, i)->packs || !backend_of(r, i)->per_thread ||
        (r->own >= 0 && r->own != i) || open_own(r, i) ||
        gf_backend_plan(backend_of(r, i), r->own_context, part, &plan))
        return -1;
    const int64_t bytes = plan->workspace_bytes;
    gf_plan_drop(plan);
    return bytes;
}

/* Chooses a backend, `now`, -1 if none is left, and plans there, or in the turn of gf_runner_run() if
 * others may have the context. */
static int plan_once(struct gf_runner *r, const struct gf_job *job) {
    struct gf_plan *plan = NULL;
    int i, rc = choose(r, job, &i);
    if (!rc && job->placed && !adopts(backend_of(r, i)))
        rc = gf_fail(GF_EUNSUPP, "arrays in a device's memory need the backend cuda, not %s",
                     backend_of(r, i)->name);
    r->now = rc ? -1 : i;
    r->decided = false;
    r->plan = NULL;
    r->job = *job;
    r->workspace = 0;
    if (rc)
        return rc;
    const bool own = backend_of(r, i)->per_thread;
    if (own || gf_engine_is_alone(device_of(r))) {
        if (!own)
            gf_runner_forget(r); /* one plan at a time */
        rc = begin(r, i, job, &plan);
        if (rc)
            return rc;
        r->workspace = plan->workspace_bytes;
        leave(r, i, 0);
    }
    r->plan = plan;
    r->decided = true;
    return 0;
}

int gf_runner_plan(struct gf_runner *r, const struct gf_job *job) {
    int rc = gf_job_validate(job);
    if (!rc)
        rc = gf_filter_validate(job);
    if (rc || (r->plan && gf_job_equal(job, &r->job)))
        return rc;
    do
        rc = plan_once(r, job);
    while (rc && goes_on(r, rc));
    return rc;
}

int64_t gf_runner_limit(const struct gf_runner *r) {
    return r->engine->options.memory_limit;
}

int gf_runner_check_memory(const struct gf_runner *r, int64_t need) {
    return gf_memory_check(need, gf_runner_limit(r));
}

/* ---- run ---- */

static int exec_once(struct gf_runner *r, struct gf_plan *plan, const struct gf_array *in,
                     struct gf_array *out, struct gf_report *report) {
    const int rc = gf_plan_bind(plan, in, out, &plan->own);
    if (rc)
        return rc;
    plan->own->tick = r->tick;
    plan->own->user = r->user;
    return gf_bound_run(plan->own, report);
}

/* Runs a plan in its turn. Plans kept for other jobs may fill a shared context's memory. */
static int exec(struct gf_runner *r, struct gf_plan *plan, const struct gf_array *in,
                struct gf_array *out, struct gf_report *report) {
    const int rc = exec_once(r, plan, in, out, report);
    return rc == GF_ENOMEM && !backend_of(r, r->now)->per_thread &&
                   gf_engine_unplan(device_of(r), plan)
               ? exec_once(r, plan, in, out, report)
               : rc;
}

/* Page-locks the blocks that hold a run's arrays and will serve again, each once: the device copies them at full
 * speed, without buffers that threads fill while others wait for their turn. */
static void lock_blocks(struct gf_runner *r, const struct gf_plan *plan, const struct gf_array *in,
                        const struct gf_array *out) {
    const struct gf_on_device *on = backend_of(r, r->now)->on_device;
    unsigned *const failed = &device_of(r)->lock_failed;
    if (!on || !on->lock || plan->job.placed)
        return;
    const struct gf_block_locker by = {plan->context, on->lock, on->unlock};
    for (int i = -1; i < plan->job.n_out && !(*failed >> r->now & 1); i++)
        if (gf_block_lock((i < 0 ? in : &out[i])->data, &by))
            *failed |= 1u << r->now;
}

int gf_runner_show(struct gf_runner *r, struct gf_plan **copy) {
    const struct gf_job job = r->job;
    struct gf_plan *plan;
    int rc;
    if (!(*copy = malloc(sizeof **copy)))
        return gf_no_memory();
    do {
        rc = begin(r, r->now, &job, &plan);
        if (!rc) {
            **copy = *plan;
            (*copy)->impl = NULL;
            (*copy)->own = NULL;
            return leave(r, r->now, 0);
        }
        if (!goes_on(r, rc))
            return rc;
        rc = gf_runner_plan(r, &job);
    } while (!rc);
    return rc;
}

int gf_runner_run(struct gf_runner *r, const struct gf_array *in, struct gf_array *out,
                  struct gf_report *report) {
    const struct gf_job job = r->job;
    int rc;
    if (r->tick && r->tick(r->user, 0))
        return gf_fail(GF_ECANCELED, "canceled by the caller");
    do {
        struct gf_plan *plan;
        memset(report, 0, sizeof *report);
        rc = begin(r, r->now, &job, &plan);
        if (!rc) {
            double start = gf_now_ms();
            lock_blocks(r, plan, in, out);
            rc = leave(r, r->now, exec(r, plan, in, out, report));
            r->ms.turn += gf_now_ms() - start;
        }
        r->ms.run = report->ms;
        r->ms.together = report->devices > r->ms.together ? report->devices : r->ms.together;
        if (!rc || !goes_on(r, rc))
            return rc;
        rc = gf_runner_plan(r, &job);
    } while (!rc);
    return rc;
}

int gf_runner_queue(struct gf_runner *r, const struct gf_array *in, const struct gf_array *out,
                    void *stream, bool runs) {
    const struct gf_on_device *d = backend_of(r, r->now)->on_device;
    struct gf_array placed[2] = {{.data = NULL}, {.data = NULL}};
    struct gf_plan *plan;
    int rc = begin(r, r->now, &r->job, &plan);
    if (rc)
        return rc;
    rc = d->adopt(plan->context, "input", in, &placed[0]);
    if (!rc)
        rc = d->adopt(plan->context, "output", out, &placed[1]);
    if (!rc && runs)
        rc = d->order(plan->context, stream, false);
    if (!rc && runs)
        rc = exec(r, plan, &placed[0], &placed[1], NULL);
    if (!rc && runs)
        rc = d->order(plan->context, stream, true);
    for (int i = 0; i < 2; i++)
        if (placed[i].data)
            d->displace(plan->context, &placed[i]);
    return leave(r, r->now, rc);
}

bool gf_runner_feeds(const struct gf_runner *r) {
    return r->kept && r->plan == r->kept && r->kept->feeds;
}

int gf_runner_run_fed(struct gf_runner *r, const struct gf_array *in, struct gf_feed *feed,
                      struct gf_array *out, struct gf_report *report) {
    memset(report, 0, sizeof *report);
    int rc = r->kept->ops->exec_fed(r->kept, in, feed, out, report);
    r->ms.run = report->ms;
    return rc;
}

int gf_runner_lock(struct gf_runner *r, void *host, int64_t bytes) {
    const struct gf_on_device *d = backend_of(r, r->now)->on_device;
    void *context;
    bool locked;
    int rc = d && d->lock ? enter(r, r->now) : 0;
    if (rc || !d || !d->lock)
        return rc;
    rc = gf_engine_context(device_of(r), r->now, &r->ms.open, &context);
    if (!rc && bytes)
        rc = d->lock(context, host, bytes, &locked);
    else if (!rc)
        d->unlock(context, host);
    return leave(r, r->now, rc);
}

int gf_runner_stream_begin(struct gf_runner *r, const struct gf_dwt_streamer **streamer,
                           void **context) {
    struct gf_engine_device *d = device_of(r);
    const struct gf_backend *b = gf_engine_streaming(r->engine, r->device);
    *context = NULL;
    if (!b)
        return gf_fail(GF_EUNSUPP, "this backend does not transform plane by plane");
    const int i = gf_engine_position(r->engine, b);
    int rc = enter(r, i);
    *streamer = b->streamer;
    if (rc || b->per_thread)
        return rc;
    rc = gf_engine_context(d, i, &r->ms.open, context);
    if (rc)
        return leave(r, i, rc);
    gf_engine_unplan(d, NULL); /* the stream needs their memory */
    return 0;
}

int gf_runner_stream_end(struct gf_runner *r, int rc) {
    return leave(r, gf_engine_position(r->engine, gf_engine_streaming(r->engine, r->device)), rc);
}

const char *gf_runner_name(const struct gf_runner *r) {
    return r->now < 0 ? "?" : backend_of(r, r->now)->name;
}

bool gf_runner_on_device(const struct gf_runner *r) {
    return r->now >= 0 && backend_of(r, r->now)->on_device;
}

static struct gf_device_rates rates_of(const struct gf_runner *r) {
    return gf_engine_rates(device_of(r), r->now, device_of(r)->open.device);
}

void gf_runner_bus_speed(struct gf_runner *r, double speed[2]) {
    enum { BYTES = 64 << 20 };
    double seconds[2] = {0, 0};
    speed[0] = speed[1] = 0;
    if (!gf_runner_on_device(r))
        return;
    const struct gf_on_device *d = backend_of(r, r->now)->on_device;
    const struct gf_device_rates known = rates_of(r);
    if (known.locked[0] > 0)
        memcpy(speed, known.locked, sizeof known.locked);
    else if (!gf_engine_is_cpu(device_of(r), r->now) && d->transfer &&
             !d->transfer(device_of(r)->context[r->now], BYTES, true, seconds))
        for (int i = 0; i < 2; i++)
            speed[i] = seconds[i] > 0 ? BYTES / seconds[i] : 0;
}

double gf_runner_copy_speed(struct gf_runner *r) {
    struct gf_engine_device *d = device_of(r);
    struct gf_device_speed speed;
    if (!gf_runner_on_device(r))
        return 0;
    double *copy = &d->copy[r->now];
    if (d->measured >> r->now & 1)
        return *copy;
    d->measured |= 1u << r->now;
    *copy = rates_of(r).copy;
    if (!(*copy > 0) && !gf_engine_is_cpu(device_of(r), r->now) &&
        !backend_of(r, r->now)->on_device->measure(d->context[r->now], &speed))
        *copy = speed.copy;
    return *copy;
}
