#include "core/session/contexts.h"

#include <stdio.h>
#include <string.h>

#include "cli/batch/task.h"
#include "core/gpu/gpu.h"
#include "core/base/clock.h"
#include "core/base/status.h"

int gf_contexts_init(struct gf_contexts *c, const struct gf_settings *s) {
    struct gf_gpu_props props;
    *c = (struct gf_contexts){.s = s, .eager = true};
    pthread_mutex_init(&c->work, NULL);
    pthread_mutex_init(&c->small, NULL);
    int rc = strcmp(s->backend, "auto") ? gf_backend_find(s->backend, &c->asked) : 0;
    if (rc || !s->device)
        return rc;
    /* A device that was asked for is there or the run fails; it is not passed over in silence. */
    if (!c->asked)
        return gf_backend_of_device(s->device, &c->asked);
    if (!c->asked->devices)
        return gf_fail(GF_EABSENT, "--device=%s: backend '%s' has no devices", s->device,
                       c->asked->name);
    return c->asked->gpu ? gf_backend_device(c->asked, s->device, &props) : 0;
}

int gf_contexts_position(const struct gf_backend *b) {
    int i = 0;
    while (gf_backends[i] && gf_backends[i] != b)
        i++;
    return i;
}

bool gf_contexts_share(int backend) {
    return gf_backends[backend] != &gf_backend_openmp;
}

static void *open_context(void *argument) {
    struct gf_opening *o = argument;
    double start = gf_now_ms();
    o->status = gf_backends[o->backend]->open(&o->options, &o->context);
    o->ms = gf_now_ms() - start;
    if (o->status)
        snprintf(o->message, sizeof o->message, "%s", gf_message());
    return NULL;
}

static void set_up(const struct gf_settings *s, int i, struct gf_opening *o) {
    *o = (struct gf_opening){
        .backend = i,
        .options = {.threads = s->threads,
                    .device = s->device,
                    .fftw_plan = s->fftw_plan == GF_UNSET ? NULL : gf_fftw_plans[s->fftw_plan]},
    };
}

int gf_context_open(const struct gf_settings *s, int i, void **context, double *ms) {
    struct gf_opening o;
    set_up(s, i, &o);
    open_context(&o);
    *ms += o.ms;
    *context = o.context;
    return o.status;
}

static int take_over(struct gf_contexts *c, const struct gf_opening *o, double *ms) {
    *ms += o->ms;
    if (o->status) {
        c->gone = c->asked != NULL;
        return gf_fail((enum gf_status)o->status, "%s", o->message);
    }
    c->context[o->backend] = o->context;
    c->open |= 1u << o->backend;
    return 0;
}

bool gf_contexts_ahead(struct gf_contexts *c, int i) {
    pthread_mutex_lock(&c->small);
    struct gf_opening *o = &c->opening;
    bool due = gf_backends[i]->devices && !(c->open >> i & 1) && !c->gone;
    if (!o->under_way && due) {
        set_up(c->s, i, o);
        o->under_way = !pthread_create(&o->thread, NULL, open_context, o);
    }
    bool under_way = o->under_way;
    pthread_mutex_unlock(&c->small);
    return under_way;
}

int gf_contexts_join(struct gf_contexts *c, double *ms, int *backend) {
    pthread_mutex_lock(&c->small);
    bool under_way = c->opening.under_way;
    pthread_mutex_unlock(&c->small);
    if (!under_way)
        return 0;
    pthread_join(c->opening.thread, NULL);
    *backend = c->opening.backend;
    int rc = take_over(c, &c->opening, ms);
    pthread_mutex_lock(&c->small);
    c->opening.under_way = false;
    pthread_mutex_unlock(&c->small);
    return rc;
}

int gf_contexts_open(struct gf_contexts *c, int i, double *ms) {
    struct gf_opening o;
    if (c->open >> i & 1)
        return 0;
    set_up(c->s, i, &o);
    open_context(&o);
    return take_over(c, &o, ms);
}

static bool drop(struct gf_contexts *c, struct gf_shared_plan *p) {
    bool any = p->plan != NULL;
    if (any)
        gf_backends[p->backend]->unplan(c->context[p->backend], p->plan);
    p->plan = NULL;
    return any;
}

int gf_contexts_unplan(struct gf_contexts *c, const struct gf_plan *but) {
    int n = 0;
    for (int i = 0; i < GF_SHARED_PLANS; i++)
        if (!but || c->plan[i].plan != but)
            n += drop(c, &c->plan[i]);
    return n;
}

struct gf_plan *gf_contexts_find(struct gf_contexts *c, int i, const struct gf_job *job) {
    for (int k = 0; k < GF_SHARED_PLANS; k++) {
        struct gf_shared_plan *p = &c->plan[k];
        if (!p->plan || p->backend != i || !gf_job_equal(job, &p->job))
            continue;
        p->used = ++c->uses;
        return p->plan;
    }
    return NULL;
}

/* A plan that works in the machine's memory would keep it from the pictures. */
struct gf_shared_plan *gf_contexts_place(struct gf_contexts *c, int i) {
    if (c->eager || !gf_backends[i]->devices)
        gf_contexts_unplan(c, NULL);
    struct gf_shared_plan *oldest = &c->plan[0];
    for (int k = 1; k < GF_SHARED_PLANS; k++)
        if (!c->plan[k].plan || (oldest->plan && c->plan[k].used < oldest->used))
            oldest = &c->plan[k];
    drop(c, oldest);
    oldest->used = ++c->uses;
    return oldest;
}

void gf_contexts_close(struct gf_contexts *c) {
    double ms = 0;
    int backend;
    if (!c->s)
        return;
    gf_contexts_unplan(c, NULL);
    gf_contexts_join(c, &ms, &backend);
    for (int i = 0; gf_backends[i] && i < GF_MAX_BACKENDS; i++)
        if (c->open >> i & 1)
            gf_backends[i]->close(c->context[i]);
    pthread_mutex_destroy(&c->work);
    pthread_mutex_destroy(&c->small);
    *c = (struct gf_contexts){0};
}
