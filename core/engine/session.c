/* Sessions: contexts opened once, kept plans, repeated decisions. */
#include "core/engine/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/gpu/cache/kernel_cache.h"
#include "core/engine/speeds.h"

/* The gain that auto requires before several GPUs share a job, as other programs use them too. */
static const double auto_gain = 1.2;

static void stay_silent(const char *format, ...) {
    (void)format;
}

void gf_session_open(struct gf_session *s, const struct gf_session_options *options) {
    const struct gf_request *w = options->request;
    const struct gf_request_device *d = w && w->n ? &w->device[options->which] : NULL;
    *s = (struct gf_session){.options = *options, .asked = -1};
    s->options.note = options->note ? options->note : stay_silent;
    s->backends = w && w->backends ? w->backends : gf_backends;
    if (d)
        s->asked = gf_session_position(s, d->backend);
    if (d && d->device[0]) {
        s->options.open.device = d->device;
        s->options.device_variable = NULL;
    }
    pthread_mutex_init(&s->turn, NULL);
    pthread_mutex_init(&s->small, NULL);
}

bool gf_session_is_up(struct gf_session *s) {
    pthread_mutex_lock(&s->small);
    const bool up = s->opening.under_way ? atomic_load(&s->opening.ended) : s->open || s->lost;
    pthread_mutex_unlock(&s->small);
    return up;
}

const char *gf_session_asked(const struct gf_session *s) {
    return s->asked < 0 ? NULL : gf_session_backend(s, s->asked)->name;
}

/* The requested backend, or the first usable one in host memory, if it streams. */
const struct gf_backend *gf_session_streaming(const struct gf_session *s) {
    const struct gf_backend *b = NULL;
    char reason[GF_REASON];
    if (s->asked >= 0) {
        b = gf_session_backend(s, s->asked);
        return b->streamer ? b : NULL;
    }
    do
        b = gf_backend_next(s->backends, false, b);
    while (b && (!b->streamer || b->probe(b, reason)));
    return b;
}

/* ---- contexts ---- */

struct gf_device_rates gf_session_rates(const struct gf_session *s, int i, const char *device) {
    struct gf_speeds r;
    if (s->options.untuned || !gf_speeds_has_any() ||
        !gf_speeds_of_device(gf_session_backend(s, i), device, &r))
        return (struct gf_device_rates){.copy = 0};
    return (struct gf_device_rates){.copy = r.copy,
                                    .bus = {r.staged[0], r.staged[1]},
                                    .locked = {r.bus[1][0], r.bus[1][1]},
                                    .link = s->options.open.no_peer ? 0 : r.link,
                                    .open = r.open};
}

/* The number of GPUs before the first CPU in the backend's list. The list may be too large for a
 * stack that cannot grow. */
static int count_gpus(const struct gf_backend *b) {
    struct gf_gpu_props *props = malloc(GF_GPU_MAX_DEVICES * sizeof *props);
    const int n = props ? gf_backend_devices(b, props) : 0;
    int gpus = 0;
    while (gpus < n && !props[gpus].is_cpu)
        gpus++;
    free(props);
    return gpus;
}

/* The number of devices that may share a job (below 2: none): the requested ones or, if auto picked
 * a GPU whose link to others is recorded, all of its kind. */
static int count_sharing(const struct gf_session *s, int i) {
    const struct gf_backend *b = gf_session_backend(s, i);
    if (!b->shares)
        return 0;
    if (s->asked >= 0)
        return s->options.together ? s->options.request->n : 0;
    if (s->options.open.device || !(gf_session_rates(s, i, NULL).link > 0))
        return 0;
    const int n = count_gpus(b);
    return n < GF_MAX_SHARES ? n : GF_MAX_SHARES;
}

static double slower(double a, double b) {
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

/* Names n devices and returns the rates of the slowest; the slowest link counts. */
static struct gf_device_rates list_sharing(const struct gf_session *s, int i, int n,
                                           const char **devices) {
    static const char *const number[GF_MAX_SHARES] = {"0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                                      "8", "9", "10", "11", "12", "13", "14", "15"};
    struct gf_device_rates slowest = {.copy = 0};
    for (int k = 0; k < n; k++) {
        devices[k] = s->asked >= 0 ? s->options.request->device[k].device : number[k];
        const struct gf_device_rates r = gf_session_rates(s, i, devices[k]);
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
static struct gf_backend_options backend_options(const struct gf_session *s, int i, int threads,
                                                 const char *devices[GF_REQUEST_MOST]) {
    struct gf_backend_options o = s->options.open;
    const int n = count_sharing(s, i);
    o.threads = threads;
    o.general = true; /* files of many sizes, unlike a benchmark */
    o.least_gain = s->asked < 0 ? auto_gain : 1;
    if (n > 1) {
        o.rates = gf_session_rates(s, i, o.device);
        o.slowest = list_sharing(s, i, n, devices);
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
        gf_backend_usable(o->backend);
    gf_failure_keep(&o->failure, rc);
    atomic_store(&o->ended, true);
    return NULL;
}

static void prepare_opening(const struct gf_session *s, int i, struct gf_opening *o) {
    *o = (struct gf_opening){.backend = gf_session_backend(s, i)};
    o->options = backend_options(s, i, s->options.open.threads, o->devices);
}

int gf_session_open_own(const struct gf_session *s, int i, int threads, void **context) {
    const char *devices[GF_REQUEST_MOST];
    const struct gf_backend_options options = backend_options(s, i, threads, devices);
    return gf_session_backend(s, i)->open(gf_session_backend(s, i), &options, context);
}

/* A GPU backend requested without a device may have only the CPU to run on. */
static void note_cpu(const struct gf_session *s, int i) {
    const struct gf_backend *b = gf_session_backend(s, i);
    struct gf_gpu_props props;
    if (s->asked == i && !s->options.open.device && b->list &&
        !gf_backend_device(b, NULL, &props) && props.is_cpu)
        s->options.note("%s: runs on the CPU, its device is %s", b->name, props.name);
}

/* Ends the session with the current gf_message(); jobs waiting for their turn fail with it too. */
static void lose(struct gf_session *s, int status) {
    if (s->asked < 0 || s->lost)
        return;
    gf_failure_keep(&s->why_lost, status);
    s->lost = true;
}

/* Makes the context the session's. Adds the time to *ms even after a failure. */
static int take_over(struct gf_session *s, int i, const struct gf_opening *o, double *ms) {
    *ms += o->ms;
    const int rc = gf_failure_return(&o->failure);
    if (rc) {
        lose(s, rc);
        return rc;
    }
    s->context[i] = o->context;
    s->open |= 1u << i;
    note_cpu(s, i);
    return 0;
}

bool gf_session_ahead(struct gf_session *s, int i) {
    pthread_mutex_lock(&s->small);
    struct gf_opening *o = &s->opening;
    bool due = gf_session_backend(s, i)->devices && !(s->open >> i & 1) && !s->lost;
    if (!o->under_way && due) {
        prepare_opening(s, i, o);
        o->under_way = !pthread_create(&o->thread, NULL, open_context, o);
    }
    bool under_way = o->under_way;
    pthread_mutex_unlock(&s->small);
    return under_way;
}

/* Waits for the thread that opens a context, if any; its failure concerns only those who need that
 * backend. */
static int join(struct gf_session *s, int i, double *ms) {
    pthread_mutex_lock(&s->small);
    bool under_way = s->opening.under_way;
    pthread_mutex_unlock(&s->small);
    if (!under_way)
        return 0;
    pthread_join(s->opening.thread, NULL);
    const int opened = gf_session_position(s, s->opening.backend);
    const int rc = take_over(s, opened, &s->opening, ms);
    pthread_mutex_lock(&s->small);
    s->opening.under_way = false;
    pthread_mutex_unlock(&s->small);
    return opened == i ? rc : 0;
}

int gf_session_context(struct gf_session *s, int i, double *ms, void **context) {
    struct gf_opening o;
    int rc = join(s, i, ms);
    if (!rc && !(s->open >> i & 1)) {
        prepare_opening(s, i, &o);
        open_context(&o);
        rc = take_over(s, i, &o, ms);
    }
    *context = rc ? NULL : s->context[i];
    return rc;
}

void gf_session_check_lost(struct gf_session *s, int i) {
    const struct gf_backend *b = gf_session_backend(s, i);
    if (s->asked >= 0 && s->open >> i & 1 && b->lost && b->lost(s->context[i]))
        lose(s, GF_EBACKEND);
}

/* ---- shared plans ---- */

static bool drop(struct gf_shared_plan *p) {
    bool any = p->plan != NULL;
    gf_plan_drop(p->plan);
    p->plan = NULL;
    return any;
}

int gf_session_unplan(struct gf_session *s, const struct gf_plan *but) {
    int n = 0;
    for (int i = 0; i < GF_SHARED_PLANS; i++)
        if (!but || s->plan[i].plan != but)
            n += drop(&s->plan[i]);
    return n;
}

static struct gf_plan *find_plan(struct gf_session *s, int i, const struct gf_job *job) {
    for (int k = 0; k < GF_SHARED_PLANS; k++) {
        struct gf_shared_plan *p = &s->plan[k];
        if (!p->plan || p->backend != i || !gf_job_equal(job, &p->plan->job))
            continue;
        p->used = ++s->uses;
        return p->plan;
    }
    return NULL;
}

/* Makes room for one more plan of backend i. In host memory only one is kept, since the pictures
 * need the memory. */
static struct gf_shared_plan *free_slot(struct gf_session *s, int i) {
    if (gf_session_is_alone(s) || !gf_session_backend(s, i)->devices)
        gf_session_unplan(s, NULL);
    struct gf_shared_plan *oldest = &s->plan[0];
    for (int k = 1; k < GF_SHARED_PLANS; k++)
        if (!s->plan[k].plan || (oldest->plan && s->plan[k].used < oldest->used))
            oldest = &s->plan[k];
    drop(oldest);
    return oldest;
}

int gf_session_plan(struct gf_session *s, int i, const struct gf_job *job, double *open_ms,
                    struct gf_plan **plan, bool *made) {
    const struct gf_backend *b = gf_session_backend(s, i);
    *made = false;
    *plan = find_plan(s, i, job);
    if (*plan)
        return 0;
    void *context;
    int rc = gf_session_context(s, i, open_ms, &context);
    if (rc)
        return rc;
    struct gf_shared_plan *slot = free_slot(s, i);
    rc = b->plan(context, job, plan);
    /* Other plans may hold the missing memory. */
    const bool short_of_room = rc == GF_ENOMEM || (!rc && (*plan)->in_slabs);
    if (short_of_room && gf_session_unplan(s, NULL)) {
        if (!rc)
            gf_plan_drop(*plan);
        rc = b->plan(context, job, plan);
    }
    if (rc) {
        *plan = NULL;
        return rc;
    }
    *made = true;
    *slot = (struct gf_shared_plan){.plan = *plan, .backend = i, .used = ++s->uses};
    return 0;
}

/* ---- decisions ---- */

/* If no usable backend has the device named by the environment, auto works without it. */
static void note_device(struct gf_session *s, const struct gf_choice *choice) {
    const struct gf_session_options *o = &s->options;
    if (!choice->no_device[0] || s->device_noted)
        return;
    s->device_noted = true;
    s->options.note("%s: %s; the CPU is used", o->device_variable ? o->device_variable : "device",
                    choice->no_device);
}

/* With `small` held: a new decision replaces the oldest. */
static int decide_anew(struct gf_session *s, const struct gf_job *job, int64_t runs,
                       struct gf_decision **out) {
    struct gf_outlook outlook = {.backends = s->backends,
                                 .device = s->options.open.device,
                                 .threads = s->options.open.threads,
                                 .device_memory = s->options.open.device_memory,
                                 .runs = runs > 1 ? runs : 1,
                                 .open = s->chosen,
                                 .untuned = s->options.untuned,
                                 .is_cold = s->chosen ? NULL : gf_kernel_cache_is_empty};
    struct gf_decision d = {.job = *job, .open = s->chosen};
    int rc = gf_auto_choose(job, &outlook, &d.choice);
    if (rc)
        return rc;
    note_device(s, &d.choice);
    *out = &s->decision[s->n_decisions++ % GF_DECISIONS];
    **out = d;
    return 0;
}

int gf_session_decide(struct gf_session *s, const struct gf_job *job, int64_t runs, int *backend,
                      char why[GF_REASON]) {
    struct gf_decision *d = NULL;
    int rc = 0;
    pthread_mutex_lock(&s->small);
    int n = s->n_decisions < GF_DECISIONS ? s->n_decisions : GF_DECISIONS;
    for (int i = 0; i < n && !d; i++)
        if (s->decision[i].open == s->chosen && gf_job_equal(job, &s->decision[i].job))
            d = &s->decision[i];
    if (!d)
        rc = decide_anew(s, job, runs, &d);
    if (!rc) {
        *backend = gf_session_position(s, d->choice.backend);
        memcpy(why, d->choice.why, sizeof d->choice.why);
        /* Later decisions count this device as in use; this job's is fixed. */
        if (d->choice.backend->devices)
            d->open = s->chosen = true;
    }
    pthread_mutex_unlock(&s->small);
    return rc;
}

static bool is_left(const struct gf_session *s, int i) {
    const struct gf_backend *b = gf_session_backend(s, i);
    return s->options.ends && b->slow_close && b->slow_close(s->context[i]);
}

void gf_session_close(struct gf_session *s) {
    double ms = 0;
    if (!s->backends)
        return;
    for (int i = 0; i < GF_SHARED_PLANS; i++)
        if (s->plan[i].plan && !is_left(s, s->plan[i].backend))
            drop(&s->plan[i]);
    join(s, 0, &ms);
    for (int i = 0; gf_session_backend(s, i) && i < GF_MAX_BACKENDS; i++)
        if (s->open >> i & 1 && !is_left(s, i))
            gf_session_backend(s, i)->close(s->context[i]);
    pthread_mutex_destroy(&s->turn);
    pthread_mutex_destroy(&s->small);
    *s = (struct gf_session){.asked = -1};
}
