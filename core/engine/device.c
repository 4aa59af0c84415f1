/* The engine: contexts opened once, kept plans, repeated decisions. */
#include "core/engine/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/base/value/blocks.h"
#include "core/gpu/cache/kernel_cache.h"
#include "core/engine/speeds.h"

/* The gain that auto requires before several GPUs share a job, as other programs use them too. */
static const double auto_gain = 1.2;

int gf_engine_position(const struct gf_engine *e, const struct gf_backend *b) {
    int i = 0;
    while (e->backends[i] != b)
        i++;
    return i;
}

int gf_engine_devices(const struct gf_engine *e) {
    return e->n;
}

const struct gf_backend *gf_engine_asked(const struct gf_engine *e, int i) {
    return e->device[i].what ? e->device[i].what->backend : NULL;
}

bool gf_engine_is_open(const struct gf_engine *e, int i) {
    return e->device[i].opened;
}

bool gf_engine_is_lost(const struct gf_engine *e) {
    int i = 0;
    while (i < e->n && e->device[i].lost)
        i++;
    return i == e->n;
}

bool gf_engine_has_own_contexts(const struct gf_engine *e, int i) {
    const struct gf_backend *b = gf_engine_asked(e, i);
    return b && b->per_thread;
}

int gf_engine_prompt(const struct gf_engine *e) {
    for (int i = 0; i < e->n; i++)
        if (!(gf_engine_late(&e->device[i]) > 0))
            return i;
    return 0;
}

/* The requested backend, or the first usable one in host memory, if it streams. */
const struct gf_backend *gf_engine_streaming(const struct gf_engine *e, int i) {
    const struct gf_backend *b = gf_engine_asked(e, i);
    char reason[GF_REASON];
    if (b)
        return b->streamer ? b : NULL;
    do
        b = gf_backend_next(e->backends, false, b);
    while (b && (!b->streamer || b->probe(b, e->options.open.environment, reason)));
    return b;
}

/* ---- contexts ---- */

struct gf_device_rates gf_engine_rates(const struct gf_engine_device *d, int i,
                                       const char *device) {
    struct gf_speeds r;
    if (d->engine->options.untuned || !gf_speeds_has_any(d->open.environment) ||
        !gf_speeds_of_device(d->open.environment, d->engine->backends[i], device, &r))
        return (struct gf_device_rates){.copy = 0};
    return (struct gf_device_rates){.copy = r.copy,
                                    .bus = {r.staged[0], r.staged[1]},
                                    .locked = {r.bus[1][0], r.bus[1][1]},
                                    .link = d->open.no_peer ? 0 : r.link,
                                    .open = r.open};
}

/* The number of GPUs before the first CPU in the backend's list. The list may be too large for a
 * stack that cannot grow. */
static int count_gpus(const struct gf_environment *env, const struct gf_backend *b) {
    struct gf_gpu_props *props = malloc(GF_GPU_MAX_DEVICES * sizeof *props);
    const int n = props ? gf_backend_devices(env, b, props) : 0;
    int gpus = 0;
    while (gpus < n && !props[gpus].is_cpu)
        gpus++;
    free(props);
    return gpus;
}

/* The number of devices that may share a job (below 2: none): the requested ones or, if auto picked
 * a GPU whose link to others is recorded, all of its kind. */
static int count_sharing(const struct gf_engine_device *d, int i) {
    const struct gf_backend *b = d->engine->backends[i];
    if (!b->shares)
        return 0;
    if (d->asked >= 0)
        return d->together ? d->engine->options.request->n : 0;
    if (d->open.device || !(gf_engine_rates(d, i, NULL).link > 0))
        return 0;
    const int n = count_gpus(d->open.environment, b);
    return n < GF_MAX_SHARES ? n : GF_MAX_SHARES;
}

static double slower(double a, double b) {
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

/* Names n devices and returns the rates of the slowest; the slowest link counts. */
static struct gf_device_rates list_sharing(const struct gf_engine_device *d, int i, int n,
                                           const char **devices) {
    static const char *const number[GF_MAX_SHARES] = {"0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                                      "8", "9", "10", "11", "12", "13", "14", "15"};
    struct gf_device_rates slowest = {.copy = 0};
    for (int k = 0; k < n; k++) {
        devices[k] = d->asked >= 0 ? d->engine->options.request->device[k].device : number[k];
        const struct gf_device_rates r = gf_engine_rates(d, i, devices[k]);
        slowest.copy = slower(slowest.copy, r.copy);
        for (int way = 0; way < 2; way++) {
            slowest.bus[way] = slower(slowest.bus[way], r.bus[way]);
            slowest.locked[way] = slower(slowest.locked[way], r.locked[way]);
        }
        slowest.link = k ? fmin(slowest.link, r.link) : r.link;
        slowest.open = fmax(slowest.open, r.open);
    }
    return slowest;
}

/* `devices`: room for names, to which the options will point. */
static struct gf_backend_options backend_options(const struct gf_engine_device *d, int i,
                                                 int threads,
                                                 const char *devices[GF_REQUEST_MOST]) {
    struct gf_backend_options o = d->open;
    const int n = count_sharing(d, i);
    o.threads = threads;
    o.least_gain = d->asked < 0 ? auto_gain : 1;
    if (n > 1) {
        o.rates = gf_engine_rates(d, i, o.device);
        o.slowest = list_sharing(d, i, n, devices);
        o.devices = devices;
        o.n_devices = n;
    }
    return o;
}

static void *open_context(void *argument) {
    struct gf_opening *o = argument;
    double start = gf_now_ms();
    int rc = o->backend->open(o->backend, &o->options, &o->context);
    o->ms = gf_now_ms() - start;
    if (rc == GF_EABSENT && o->backend->installed)
        gf_backend_usable(o->options.environment, o->backend);
    gf_failure_keep(&o->failure, rc);
    pthread_mutex_lock(&o->engine->lock);
    o->ended = true;
    pthread_cond_broadcast(&o->engine->changed);
    pthread_mutex_unlock(&o->engine->lock);
    return NULL;
}

static void prepare_opening(const struct gf_engine_device *d, int i, struct gf_opening *o) {
    *o = (struct gf_opening){.engine = d->engine, .backend = d->engine->backends[i]};
    o->options = backend_options(d, i, d->open.threads, o->devices);
}

int gf_engine_open_own(const struct gf_engine_device *d, int i, int threads, void **context) {
    const char *devices[GF_REQUEST_MOST];
    const struct gf_backend_options options = backend_options(d, i, threads, devices);
    return d->engine->backends[i]->open(d->engine->backends[i], &options, context);
}

bool gf_engine_is_cpu(const struct gf_engine_device *d, int i) {
    const struct gf_backend *b = d->engine->backends[i];
    struct gf_gpu_props props;
    return b->list && !gf_backend_device(d->open.environment, b, d->open.device, &props) &&
           props.is_cpu;
}

/* A GPU backend requested without a device may have only the CPU to run on. */
static void note_cpu(const struct gf_engine_device *d, int i) {
    const struct gf_backend *b = d->engine->backends[i];
    struct gf_gpu_props props;
    if (d->asked == i && !d->open.device && b->list &&
        !gf_backend_device(d->open.environment, b, NULL, &props) && props.is_cpu)
        gf_tell(d->engine->options.note, d->engine->options.user,
                "%s: runs on the CPU, its device is %s", b->name, props.name);
}

/* Loses a requested device with the current gf_message(); jobs waiting for their turn fail with it
 * too. */
static void lose(struct gf_engine_device *d, int status) {
    if (d->asked < 0 || d->lost)
        return;
    gf_failure_keep(&d->why_lost, status);
    d->lost = true;
}

/* Makes the context the device's. Adds the time to *ms even after a failure. */
static int take_over(struct gf_engine_device *d, int i, const struct gf_opening *o, double *ms) {
    *ms += o->ms;
    const int rc = gf_failure_return(&o->failure);
    if (rc) {
        lose(d, rc);
        return rc;
    }
    d->context[i] = o->context;
    d->opened |= 1u << i;
    note_cpu(d, i);
    return 0;
}

bool gf_engine_ahead(struct gf_engine_device *d, int i) {
    struct gf_opening *o = &d->opening;
    const bool due = d->engine->backends[i]->devices && !(d->opened >> i & 1) && !d->lost;
    if (!o->under_way && due) {
        prepare_opening(d, i, o);
        o->under_way = !pthread_create(&o->thread, NULL, open_context, o);
    }
    return o->under_way;
}

bool gf_engine_is_up(const struct gf_engine_device *d) {
    return d->opening.under_way ? d->opening.ended : d->opened || d->lost;
}

/* Waits for the thread that opens a context, if any; its failure concerns only those who need that
 * backend. */
static int join(struct gf_engine_device *d, int i, double *ms) {
    pthread_mutex_lock(&d->engine->lock);
    const bool under_way = d->opening.under_way;
    pthread_mutex_unlock(&d->engine->lock);
    if (!under_way)
        return 0;
    pthread_join(d->opening.thread, NULL);
    const int opened = gf_engine_position(d->engine, d->opening.backend);
    const int rc = take_over(d, opened, &d->opening, ms);
    pthread_mutex_lock(&d->engine->lock);
    d->opening.under_way = false;
    pthread_mutex_unlock(&d->engine->lock);
    return opened == i ? rc : 0;
}

int gf_engine_context(struct gf_engine_device *d, int i, double *ms, void **context) {
    struct gf_opening o;
    int rc = join(d, i, ms);
    if (!rc && !(d->opened >> i & 1)) {
        prepare_opening(d, i, &o);
        open_context(&o);
        rc = take_over(d, i, &o, ms);
    }
    *context = rc ? NULL : d->context[i];
    return rc;
}

int gf_engine_check_lost(struct gf_engine_device *d, int i) {
    const struct gf_backend *b = d->engine->backends[i];
    const bool may = d->asked >= 0 && d->opened >> i & 1 && b->lost;
    const int lost = may ? b->lost(d->context[i]) : 0;
    const bool other = lost > 1 && d->engine->n > 1, shared = other && d->together;
    if (lost && !other)
        lose(d, GF_EBACKEND);
    d->together = d->together && !other;
    return shared ? lost - 1 : 0;
}

int gf_engine_run_here(int threads, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out) {
    const struct gf_backend_options options = {.threads = threads};
    const struct gf_backend *b;
    void *context;
    int rc = gf_backend_find(NULL, "openmp", &b);
    if (!rc)
        rc = b->open(b, &options, &context);
    if (rc)
        return rc;
    rc = gf_backend_run(b, context, job, in, out, NULL);
    b->close(context);
    return rc;
}

/* ---- shared plans ---- */

static bool drop(struct gf_shared_plan *p) {
    bool any = p->plan != NULL;
    gf_plan_drop(p->plan);
    p->plan = NULL;
    return any;
}

int gf_engine_unplan(struct gf_engine_device *d, const struct gf_plan *but) {
    int n = 0;
    for (int i = 0; i < GF_SHARED_PLANS; i++)
        if (!but || d->plan[i].plan != but)
            n += drop(&d->plan[i]);
    return n;
}

static struct gf_plan *find_plan(struct gf_engine_device *d, int i, const struct gf_job *job) {
    for (int k = 0; k < GF_SHARED_PLANS; k++) {
        struct gf_shared_plan *p = &d->plan[k];
        if (!p->plan || p->backend != i || !gf_job_equal(job, &p->plan->job))
            continue;
        p->used = ++d->uses;
        return p->plan;
    }
    return NULL;
}

/* Makes room for one more plan of backend i. In host memory, and for a runner that is alone, only
 * one is kept, since the pictures need the memory. */
static struct gf_shared_plan *free_slot(struct gf_engine_device *d, int i) {
    if (gf_engine_is_alone(d) || !d->engine->backends[i]->devices)
        gf_engine_unplan(d, NULL);
    struct gf_shared_plan *oldest = &d->plan[0];
    for (int k = 1; k < GF_SHARED_PLANS; k++)
        if (!d->plan[k].plan || (oldest->plan && d->plan[k].used < oldest->used))
            oldest = &d->plan[k];
    drop(oldest);
    return oldest;
}

int gf_engine_plan(struct gf_engine_device *d, int i, const struct gf_job *job, double *open_ms,
                   struct gf_plan **plan, bool *made) {
    const struct gf_backend *b = d->engine->backends[i];
    *made = false;
    *plan = find_plan(d, i, job);
    if (*plan)
        return 0;
    void *context;
    int rc = gf_engine_context(d, i, open_ms, &context);
    if (rc)
        return rc;
    struct gf_shared_plan *slot = free_slot(d, i);
    rc = gf_backend_plan(b, context, job, plan);
    /* Other plans may hold the missing memory. */
    const bool short_of_room = rc == GF_ENOMEM || (!rc && (*plan)->in_slabs);
    if (short_of_room && gf_engine_unplan(d, NULL)) {
        if (!rc)
            gf_plan_drop(*plan);
        rc = gf_backend_plan(b, context, job, plan);
    }
    if (rc) {
        *plan = NULL;
        return rc;
    }
    *made = true;
    *slot = (struct gf_shared_plan){.plan = *plan, .backend = i, .used = ++d->uses};
    return 0;
}

/* ---- decisions ---- */

/* If no usable backend has the device named by the environment, auto works without it. */
static void note_device(struct gf_engine *e, const struct gf_choice *choice) {
    const struct gf_engine_options *o = &e->options;
    if (!choice->no_device[0] || e->device_noted)
        return;
    e->device_noted = true;
    gf_tell(e->options.note, e->options.user, "%s: %s; the CPU is used",
            o->device_variable ? o->device_variable : "device", choice->no_device);
}

/* Locked: a new decision replaces the oldest. */
static int decide_anew(struct gf_engine *e, const struct gf_job *job, int64_t runs,
                       struct gf_decision **out) {
    const struct gf_engine_options *o = &e->options;
    struct gf_outlook outlook = {.backends = e->backends,
                                 .environment = o->open.environment,
                                 .device = o->open.device,
                                 .threads = o->open.threads,
                                 .device_memory = o->open.device_memory,
                                 .runs = runs > 1 ? runs : 1,
                                 .open = e->chosen,
                                 .untuned = o->untuned,
                                 .is_cold = e->chosen ? NULL : gf_kernel_cache_is_empty};
    struct gf_decision d = {.job = *job, .open = e->chosen};
    int rc = gf_auto_choose(job, &outlook, &d.choice);
    if (rc)
        return rc;
    note_device(e, &d.choice);
    *out = &e->decision[e->n_decisions++ % GF_DECISIONS];
    **out = d;
    return 0;
}

int gf_engine_decide(struct gf_engine *e, const struct gf_job *job, int64_t runs, int *backend,
                     char why[GF_REASON]) {
    struct gf_decision *d = NULL;
    int rc = 0;
    pthread_mutex_lock(&e->lock);
    int n = e->n_decisions < GF_DECISIONS ? e->n_decisions : GF_DECISIONS;
    for (int i = 0; i < n && !d; i++)
        if (e->decision[i].open == e->chosen && gf_job_equal(job, &e->decision[i].job))
            d = &e->decision[i];
    if (!d)
        rc = decide_anew(e, job, runs, &d);
    if (!rc) {
        *backend = gf_engine_position(e, d->choice.backend);
        memcpy(why, d->choice.why, sizeof d->choice.why);
        /* Later decisions count this device as in use; this job's is fixed. */
        if (d->choice.backend->devices)
            d->open = e->chosen = true;
    }
    pthread_mutex_unlock(&e->lock);
    return rc;
}

/* ---- open and close ---- */

/* One of several devices that work at once has a few threads, as they copy between buffers and
 * arrays; more than CPUs would wait for each other. */
static void open_device(struct gf_engine *e, int i) {
    const struct gf_request *w = e->options.request;
    struct gf_engine_device *d = &e->device[i];
    *d = (struct gf_engine_device){.engine = e, .open = e->options.open, .asked = -1};
    pthread_mutex_init(&d->turn, NULL);
    if (!w || !w->n)
        return;
    d->what = &w->device[i];
    d->asked = gf_engine_position(e, d->what->backend);
    d->together = e->options.use != GF_ENGINE_EACH && !i && gf_request_shares(w);
    if (d->what->device[0])
        d->open.device = d->what->device;
    if (e->n == 1)
        return;
    if (!d->together && d->what->backend->devices &&
        (d->open.threads <= 0 || d->open.threads > GF_DEAL_COPYING))
        d->open.threads = GF_DEAL_COPYING;
    if (d->what->backend->devices && !gf_engine_is_cpu(d, d->asked))
        d->late = gf_context_seconds; /* until it is ready */
}

int gf_engine_open(struct gf_engine **engine, const struct gf_engine_options *options) {
    const struct gf_request *w = options->request;
    const int n = w && w->n && options->use != GF_ENGINE_ONE ? w->n : 1;
    struct gf_engine *e = *engine = calloc(1, sizeof *e + (size_t)n * sizeof *e->device);
    if (!e)
        return gf_no_memory();
    e->options = *options;
    e->backends = w && w->backends ? w->backends : gf_backends;
    e->n = n;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->changed, NULL);
    for (int i = 0; i < n; i++)
        open_device(e, i);
    return 0;
}

static bool is_left(const struct gf_engine_device *d, int i) {
    const struct gf_backend *b = d->engine->backends[i];
    return d->engine->options.ends && b->slow_close && b->slow_close(d->context[i]);
}

static void close_device(struct gf_engine_device *d) {
    double ms = 0;
    join(d, 0, &ms);
    for (int i = 0; d->engine->backends[i] && i < GF_MAX_BACKENDS; i++) {
        const struct gf_backend *b = d->engine->backends[i];
        if (!(d->opened >> i & 1) || is_left(d, i))
            continue;
        void *const outside = gf_backend_current(b);
        for (int k = 0; k < GF_SHARED_PLANS; k++)
            if (d->plan[k].backend == i)
                drop(&d->plan[k]);
        gf_blocks_unlock(d->context[i]);
        b->close(d->context[i]);
        gf_backend_resume(b, outside);
    }
    pthread_mutex_destroy(&d->turn);
}

void gf_engine_close(struct gf_engine *e) {
    if (!e)
        return;
    for (int i = 0; i < e->n; i++)
        close_device(&e->device[i]);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    free(e->owner);
    free(e->taken);
    free(e);
}
