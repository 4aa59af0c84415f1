/* Opens the devices of a list, and plans jobs on all of them. */
#include "core/gpu/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/gpu/plan/make.h"

struct gf_gpu_team {
    int n;     /* open members, leader included */
    int named; /* devices; more than GF_GPU_MEMBERS cannot share a job */
    struct gf_gpu_context *member[GF_GPU_MEMBERS];
    char name[GF_GPU_MEMBERS][64];
    unsigned reaches[GF_GPU_MEMBERS];
    struct gf_backend_options options; /* for opening members */
};

/* ---- contexts ---- */

static void close_others(struct gf_gpu_team *t) {
    for (; t->n > 1; t->n--)
        gf_gpu_run_close(t->member[t->n - 1]);
}

int gf_gpu_team_open(const struct gf_gpu *api, const struct gf_backend_options *options,
                     void **context) {
    if (!options || options->n_devices < 2)
        return gf_gpu_run_open(api, options, context);
    struct gf_gpu_team *t = calloc(1, sizeof *t);
    *context = NULL;
    if (!t)
        return gf_no_memory();
    t->options = *options;
    t->named = options->n_devices;
    for (int i = 0; i < t->named && i < GF_GPU_MEMBERS; i++)
        snprintf(t->name[i], sizeof t->name[i], "%s", options->devices[i]);
    t->options.device = t->name[0];
    int rc = gf_gpu_run_open(api, &t->options, context);
    if (rc) {
        free(t);
        return rc;
    }
    struct gf_gpu_context *c = *context;
    t->n = 1;
    t->member[0] = c;
    c->team = t;
    c->resident = options->resident;
    c->natural = options->resident && options->natural_order;
    return 0;
}

void gf_gpu_team_close(void *context) {
    struct gf_gpu_context *c = context;
    struct gf_gpu_team *t = c ? c->team : NULL;
    if (t) {
        close_others(t);
        free(t);
    }
    gf_gpu_run_close(c);
}

int gf_gpu_team_lost(void *context) {
    const struct gf_gpu_context *c = context;
    int lost = gf_gpu_run_lost(context);
    for (int i = 1; c->team && i < c->team->n && !lost; i++)
        lost = gf_gpu_run_lost(c->team->member[i]) ? i + 1 : 0;
    return lost;
}

static void find_reach(struct gf_gpu_team *t) {
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->n; k++) {
            const struct gf_gpu_context *a = t->member[i], *b = t->member[k];
            const bool asked = i == k || !t->options.no_peer;
            if (asked && a->api->reaches(a->gpu, b->gpu))
                t->reaches[i] |= 1u << k;
        }
}

static int open_others(struct gf_gpu_team *t) {
    const struct gf_gpu *api = t->member[0]->api;
    int rc = 0;
    if (t->n > 1)
        return 0;
    if (t->named > GF_GPU_MEMBERS)
        return gf_fail(GF_EUNSUPP, "more than %d devices share no job", GF_GPU_MEMBERS);
    for (void *context; !rc && t->n < t->named;) {
        t->options.device = t->name[t->n];
        rc = gf_gpu_run_open(api, &t->options, &context);
        if (!rc)
            t->member[t->n++] = context;
    }
    if (rc)
        close_others(t);
    else
        find_reach(t);
    return rc;
}

/* ---- plans ---- */

/* True for two devices that write to each other's memory. */
static bool exchanges_in_place(const struct gf_gpu_team *t) {
    return t->n == 2 && t->reaches[0] == 3 && t->reaches[1] == 3 && t->member[0]->api->view;
}

int gf_gpu_team_plan(struct gf_gpu_context *c, const struct gf_job *job, bool resident,
                     struct gf_gpu_shared **plan) {
    struct gf_gpu_team *t = c->team;
    *plan = NULL;
    if (!t || !c->api->reaches || gf_gpu_team_lost(c))
        return gf_fail(GF_EUNSUPP, "no other device");
    int rc = open_others(t);
    const struct gf_gpu_role role = {.members = t->n,
                                     .resident = resident,
                                     .in_place = resident && exchanges_in_place(t),
                                     .natural = resident && c->natural};
    if (!rc && role.natural && !role.in_place)
        rc = gf_fail(GF_EUNSUPP, "natural order is for two devices that reach each other's memory");
    struct gf_gpu_shared all = {.n = t->n};
    memcpy(all.reaches, t->reaches, sizeof all.reaches);
    for (int i = 0; i < t->n; i++)
        all.member[i] = (struct gf_gpu_member){.c = t->member[i], .name = t->name[i]};
    return rc ? rc : gf_gpu_shared_plan(&all, job, role, plan);
}

/* ---- times ---- */

/* PCIe 4 x16, which machines with two devices have at least. */
static const struct gf_device_rates assumed = {
    .copy = 1e12, .bus = {25e9, 25e9}, .locked = {50e9, 50e9}, .open = 0.4};

static double known(double rate, double otherwise) {
    return rate > 0 ? rate : otherwise;
}

/* Bytes a second between host arrays and several devices. If page-locked memory is copied much
 * faster, the limit is the host's threads that fill and empty buffers, and all devices share it. */
static double bus_of(const struct gf_device_rates *r, int back, int devices) {
    const bool by_host = r->bus[back] < 0.8 * r->locked[back];
    return by_host ? r->bus[back] : devices * r->bus[back];
}

/* Seconds of walk i, assuming that all walks' passes take equally long. */
static double walk_seconds(const struct gf_gpu_load *l, int i, int walks, int devices,
                           const struct gf_device_rates *r) {
    const bool first = i == 0, last = i + 1 == walks, alone = devices == 1;
    const double n = devices, between = alone ? l->exchange : 0;
    const double up = (first ? l->in : between) / bus_of(r, 0, devices);
    const double down = (last ? l->out : between) / bus_of(r, 1, devices);
    const double sent = last ? 0 : l->exchange / n * (n - 1) / n / r->link;
    return fmax(fmax(up, down), fmax(sent, l->passes / walks / n / r->copy));
}

static double all_walks(const struct gf_gpu_load *l, int devices, const struct gf_device_rates *r) {
    double seconds = 0;
    for (int i = 0; i < l->walks; i++)
        seconds += walk_seconds(l, i, l->walks, devices, r);
    return seconds;
}

static struct gf_device_rates complete(const struct gf_device_rates *known_ones) {
    struct gf_device_rates r = *known_ones;
    const bool bus = r.bus[0] > 0 && r.bus[1] > 0;
    r.copy = known(r.copy, assumed.copy);
    for (int i = 0; i < 2 && !bus; i++) {
        r.bus[i] = assumed.bus[i];
        r.locked[i] = assumed.locked[i];
    }
    r.link = known(r.link, fmin(r.bus[0], r.bus[1]));
    r.open = known(r.open, assumed.open);
    return r;
}

struct gf_plan_times gf_gpu_team_predict(const struct gf_gpu_load *load, int devices, int closed,
                                         const struct gf_device_rates *first,
                                         const struct gf_device_rates *slowest) {
    const struct gf_device_rates one = complete(first), each = complete(slowest);
    struct gf_plan_times t = {.devices = devices, .rates = each};
    t.bus_assumed = !(slowest->bus[0] > 0 && slowest->bus[1] > 0);
    t.link_assumed = !(slowest->link > 0);
    t.one = load->fits ? load->in / one.bus[0] + load->passes / one.copy + load->out / one.bus[1]
                       : all_walks(load, 1, &one);
    t.several = all_walks(load, devices, &each) + closed * each.open;
    return t;
}

/* Adds the cost of the passes on one device; builds no kernels. */
static bool weigh_passes(const struct gf_gpu_context *c, const struct gf_job *job,
                         struct gf_gpu_load *load) {
    struct gf_gpu_plan *p;
    if (gf_gpu_plan_make(job, &c->props, &p))
        return false;
    for (int i = 0; i < p->n_passes; i++)
        load->passes += p->pass[i].cost;
    load->fits = gf_gpu_plan_bytes(p, 0, GF_GPU_N_BUFFERS) <= gf_gpu_run_room(c);
    gf_gpu_plan_free(p);
    return true;
}

struct gf_plan_times gf_gpu_team_times(const struct gf_gpu_context *c, const struct gf_job *job) {
    const struct gf_gpu_team *t = c->team;
    struct gf_slab_plan plan;
    gf_slab_plan_device(job, false, &plan);
    struct gf_gpu_load load = {.in = gf_job_array_bytes(job, -1),
                               .exchange = (double)plan.exchange_bytes,
                               .walks = plan.n_walks};
    for (int i = 0; i < job->n_out; i++)
        load.out += gf_job_array_bytes(job, i);
    if (!t || !weigh_passes(c, job, &load))
        return (struct gf_plan_times){.devices = 0};
    return gf_gpu_team_predict(&load, t->named, t->n > 1 ? 0 : t->named - 1, &t->options.rates,
                               &t->options.slowest);
}

bool gf_gpu_team_gains(const struct gf_gpu_context *c, const struct gf_plan_times *times) {
    const double least = c->team ? fmax(c->team->options.least_gain, 1) : 1;
    return times->devices > 1 && !c->props.is_cpu && times->several * least < times->one;
}

/* Times copies both ways at once: buffer [0] of each device to [1] of the other. */
static int time_link(const struct gf_gpu_context *const c[2], int64_t bytes,
                     struct gf_gpu_buffer *buffer[2][2], double *speed) {
    enum { RUNS = 4 }; /* after an untimed one */
    double start = 0;
    int rc = 0;
    for (int i = 0; i <= RUNS && !rc; i++) {
        for (int k = 0; k < 2 && !rc; k++) {
            const struct gf_gpu_move all = {.from.buffer = buffer[k][0],
                                            .to.buffer = buffer[!k][1],
                                            .bytes = bytes,
                                            .count = 1};
            rc = c[k]->api->rows(c[k]->gpu, c[!k]->gpu, &all);
        }
        for (int k = 0; k < 2 && !rc && (i == 0 || i == RUNS); k++)
            rc = c[k]->api->sync(c[k]->gpu);
        start = i ? start : gf_now_ms();
    }
    *speed = rc ? 0 : RUNS * (double)bytes / (gf_now_ms() - start) * 1e3;
    return rc;
}

int gf_gpu_team_link(void *context, int64_t bytes, double *speed) {
    const struct gf_gpu_context *c[2] = {context};
    struct gf_gpu_buffer *buffer[2][2] = {{NULL}};
    struct gf_gpu_team *t = c[0]->team;
    int rc = t && c[0]->api->reaches ? open_others(t) : gf_fail(GF_EUNSUPP, "no other device");
    *speed = 0;
    if (!rc && !(t->reaches[0] & 2 && t->reaches[1] & 1))
        rc = gf_fail(GF_EUNSUPP, "the device does not reach the other one's memory");
    if (rc)
        return rc;
    c[1] = t->member[1];
    for (int i = 0; i < 4 && !rc; i++) {
        rc = c[i / 2]->api->alloc(c[i / 2]->gpu, bytes, &buffer[i / 2][i % 2]);
        if (!rc)
            rc = c[i / 2]->api->clear(c[i / 2]->gpu, buffer[i / 2][i % 2], 0, bytes);
    }
    if (!rc)
        rc = time_link(c, bytes, buffer, speed);
    for (int i = 0; i < 4; i++)
        c[i / 2]->api->free(c[i / 2]->gpu, buffer[i / 2][i % 2]);
    return rc;
}
