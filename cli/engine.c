#include "cli/engine.h"

#include <string.h>

#include "cli/log.h"
#include "core/memory.h"
#include "core/status.h"

/* A device that was asked for is there or the run fails; it is not passed over in silence. */
static int check_device(const struct gf_engine *e) {
    char reason[GF_REASON] = "";
    if (e->asked)
        return e->asked->devices ? 0
                                 : gf_fail(GF_EABSENT, "--device=%s: backend '%s' has no devices",
                                           e->s->device, e->asked->name);
    for (int i = 0; gf_backends[i]; i++)
        if (gf_backends[i]->automatic && gf_backends[i]->devices && !gf_backends[i]->probe(reason))
            return 0;
    return gf_fail(GF_EABSENT, "--device=%s: no usable backend has devices; see gpufft devices",
                   e->s->device);
}

int gf_engine_open(struct gf_engine *e, const struct gf_settings *s) {
    *e = (struct gf_engine){.s = s, .now = -1};
    e->limit = s->max_memory ? s->max_memory : gf_memory_available();
    int rc = strcmp(s->backend, "auto") ? gf_backend_find(s->backend, &e->asked) : 0;
    return !rc && s->device ? check_device(e) : rc;
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

/* Opens backend `i` if it is not open yet, and plans. */
static int plan_with(struct gf_engine *e, int i, const struct gf_job *job) {
    if (!(e->open >> i & 1)) {
        struct gf_backend_options options = {
            .threads = e->s->threads,
            .device = e->s->device,
            .fftw_plan = e->s->fftw_plan == GF_UNSAID ? NULL : gf_fftw_plans[e->s->fftw_plan],
        };
        int rc = gf_backends[i]->open(&options, &e->context[i]);
        if (rc)
            return rc;
        e->open |= 1u << i;
    }
    int rc = gf_backends[i]->plan(e->context[i], job, &e->plan);
    if (rc) {
        e->plan = NULL;
        return rc;
    }
    e->now = i;
    e->job = *job;
    return 0;
}

/* The backend that auto takes: core's choice, or the next automatic one that has not failed. */
static int choose(struct gf_engine *e, const struct gf_job *job, int *out) {
    const struct gf_backend *b;
    int rc = gf_backend_choose(job, &b, e->why);
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

/* What another backend may do better at; a wrong job or a lack of memory stays one. */
static bool may_fall_back(int rc) {
    return rc == GF_EBACKEND || rc == GF_EABSENT || rc == GF_EUNSUPP;
}

int gf_engine_plan(struct gf_engine *e, const struct gf_job *job) {
    int rc = gf_job_validate(job);
    if (rc)
        return rc;
    if (e->plan && !memcmp(job, &e->job, sizeof *job))
        return 0;
    unplan(e);
    if (e->asked) {
        snprintf(e->why, sizeof e->why, "asked for by --backend");
        return plan_with(e, position(e->asked), job);
    }
    for (;;) {
        int i;
        rc = choose(e, job, &i);
        if (rc)
            return rc;
        rc = plan_with(e, i, job);
        if (!rc || !may_fall_back(rc))
            return rc;
        gf_log_note("%s: %s; trying another backend", gf_backends[i]->name, gf_message());
        e->failed |= 1u << i;
    }
}

int gf_engine_exec(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                   struct gf_report *report) {
    for (;;) {
        memset(report, 0, sizeof *report);
        int rc = gf_backends[e->now]->exec(e->context[e->now], e->plan, in, out, report);
        if (!rc || e->asked || !may_fall_back(rc))
            return rc;
        gf_log_note("%s: %s; trying another backend", gf_engine_name(e), gf_message());
        e->failed |= 1u << e->now;
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

void gf_engine_close(struct gf_engine *e) {
    unplan(e);
    for (int i = 0; gf_backends[i] && i < GF_MAX_BACKENDS; i++)
        if (e->open >> i & 1)
            gf_backends[i]->close(e->context[i]);
    *e = (struct gf_engine){.now = -1};
}
