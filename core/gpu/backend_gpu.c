/* The opencl, cuda and opengl backends: they launch a plan's passes one after the other, or, where the arrays do
 * not fit the device, part by part. Their differences are behind struct gf_gpu. */
#include <stdlib.h>

#include "core/base/job_check.h"
#include "core/filter/filter.h"
#include "core/base/status.h"
#include "core/gpu/dwt_host.h"
#include "core/gpu/dwt_slabs.h"
#include "core/gpu/dwt_stream.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/slab.h"
#include "core/gpu/team.h"

/* A plan's own: the arrays are on the device as a whole, or, where `slabs`, `dwt` or `team` is not
 * NULL, in parts; a team's may stay on all its devices. */
struct gpu_plan {
    struct gf_gpu_run run;
    struct gf_gpu_slabs *slabs;
    struct gf_gpu_dwt_slabs *dwt;
    struct gf_gpu_team_plan *team;
};

static int opencl_open(const struct gf_backend_options *options, void **context) {
    return gf_gpu_team_open(&gf_gpu_opencl, options, context);
}

static int cuda_open(const struct gf_backend_options *options, void **context) {
    return gf_gpu_team_open(&gf_gpu_cuda, options, context);
}

static int opengl_open(const struct gf_backend_options *options, void **context) {
    return gf_gpu_team_open(&gf_gpu_opengl, options, context);
}

static int opencl_probe(char reason[GF_REASON]) {
    return gf_gpu_opencl.probe(reason);
}

static int cuda_probe(char reason[GF_REASON]) {
    return gf_gpu_cuda.probe(reason);
}

static int opengl_probe(char reason[GF_REASON]) {
    return gf_gpu_opengl.probe(reason);
}

static int cuda_installed(char reason[GF_REASON]) {
    return gf_gpu_cuda.installed(reason);
}

static int opencl_installed(char reason[GF_REASON]) {
    return gf_gpu_opencl.installed(reason);
}

static int opengl_installed(char reason[GF_REASON]) {
    return gf_gpu_opengl.installed(reason);
}

static int opencl_list(struct gf_gpu_props *props, int most) {
    return gf_gpu_opencl.list(props, most);
}

static int cuda_list(struct gf_gpu_props *props, int most) {
    return gf_gpu_cuda.list(props, most);
}

static int opengl_list(struct gf_gpu_props *props, int most) {
    return gf_gpu_opengl.list(props, most);
}

static void gpu_unplan(void *context, struct gf_plan *plan) {
    struct gpu_plan *own = plan ? plan->impl : NULL;
    if (own) {
        gf_gpu_run_drop(context, &own->run);
        gf_gpu_slabs_drop(context, own->slabs);
        gf_gpu_dwt_slabs_drop(context, own->dwt);
        gf_gpu_team_drop(own->team);
    }
    free(own);
    free(plan);
}

static int plan_whole(struct gf_gpu_context *c, struct gf_plan *plan) {
    struct gf_gpu_run *m = &((struct gpu_plan *)plan->impl)->run;
    const struct gf_job *job = &plan->job;
    int rc = gf_gpu_run_make(c, m, job);
    if (!rc)
        rc = gf_gpu_run_prepare(c, m, 0);
    if (rc)
        return rc;
    if (job->direction == GF_INVERSE)
        gf_gpu_dwt_list(m, job, plan);
    gf_gpu_run_list(m->plan, 0, m->plan->n_passes, plan);
    if (job->direction == GF_FORWARD)
        gf_gpu_dwt_list(m, job, plan);
    gf_gpu_run_summarize(m, plan);
    return 0;
}

/* After plan_whole() found no room. Its message stays where slabs do not serve. */
static int plan_slabs(struct gf_gpu_context *c, struct gf_plan *plan) {
    struct gpu_plan *own = plan->impl;
    char message[GF_REASON * 2], why[GF_REASON];
    snprintf(message, sizeof message, "%s", gf_message());
    gf_gpu_run_drop(c, &own->run);
    own->run = (struct gf_gpu_run){.plan = NULL};
    int rc = gf_gpu_dwt_slabs_serve(&plan->job) ? gf_gpu_dwt_slabs_plan(c, &plan->job, &own->dwt)
                                                : gf_gpu_slabs_plan(c, &plan->job, &own->slabs);
    if (rc == GF_EUNSUPP) {
        snprintf(why, sizeof why, "%s", gf_message());
        return gf_fail(GF_ENOMEM, "%s; not in parts: %s", message, why);
    }
    if (!rc && own->dwt)
        gf_gpu_dwt_slabs_list(own->dwt, plan);
    else if (!rc)
        gf_gpu_slabs_list(own->slabs, plan);
    return rc;
}

/* Whether several devices can share it. */
static bool is_shared(const struct gf_gpu_context *c, const struct gf_job *job) {
    return c->team && job->op != GF_DWT && job->ndim > 1 && job->axes & 1;
}

/* GF_EUNSUPP: the job is one device's. */
static int plan_team(struct gf_gpu_context *c, struct gf_plan *plan, bool resident) {
    struct gpu_plan *own = plan->impl;
    if (!is_shared(c, &plan->job))
        return gf_fail(GF_EUNSUPP, "a job of one device");
    gf_gpu_run_drop(c, &own->run);
    own->run = (struct gf_gpu_run){.plan = NULL};
    int rc = gf_gpu_team_plan(c, &plan->job, resident, &own->team);
    if (!rc)
        gf_gpu_team_list(own->team, plan);
    return rc;
}

static int plan_any(struct gf_gpu_context *c, struct gf_plan *plan) {
    int rc = GF_EUNSUPP;
    if (gf_gpu_team_is_resident(c)) {
        rc = plan_team(c, plan, true);
        if (rc && gf_gpu_team_is_natural(c))
            return rc;
    } else if (is_shared(c, &plan->job))
        plan->times = gf_gpu_team_times(c, &plan->job);
    if ((rc == GF_EUNSUPP || rc == GF_ENOMEM) && gf_gpu_team_gains(c, &plan->times))
        rc = plan_team(c, plan, false);
    if (rc == GF_EUNSUPP)
        rc = plan_whole(c, plan);
    if (rc != GF_ENOMEM || c->props.shaders || plan->n_shares)
        return rc;
    char message[GF_REASON * 2];
    snprintf(message, sizeof message, "%s", gf_message());
    rc = plan_team(c, plan, false);
    if (rc != GF_EUNSUPP && rc != GF_ENOMEM)
        return rc;
    gf_fail(GF_ENOMEM, "%s", message); /* why not in one piece */
    return plan_slabs(c, plan);
}

static int gpu_plan(void *context, const struct gf_job *job, struct gf_plan **out) {
    *out = NULL;
    int rc = gf_job_validate(job);
    if (!rc)
        rc = gf_job_check_unpacked(job);
    if (!rc)
        rc = gf_filter_validate(job);
    if (rc)
        return rc;
    struct gf_plan *plan = calloc(1, sizeof *plan);
    struct gpu_plan *own = calloc(1, sizeof *own);
    if (!plan || !own) {
        free(own);
        free(plan);
        return gf_fail(GF_ENOMEM, "no memory for a plan");
    }
    plan->impl = own;
    plan->job = *job;
    rc = plan_any(context, plan);
    if (rc) {
        gpu_unplan(context, plan);
        return rc;
    }
    *out = plan;
    return 0;
}

/* The run of a plan whose arrays are on the device; NULL, with a message, for one in slabs. */
static struct gf_gpu_run *whole(const struct gf_plan *plan) {
    struct gpu_plan *own = plan->impl;
    if (!plan->in_slabs)
        return &own->run;
    gf_fail(GF_EUNSUPP, "the arrays do not fit the device");
    return NULL;
}

/* The plan of several devices that keep the arrays, or NULL. */
static struct gf_gpu_team_plan *resident(const struct gf_plan *plan) {
    const struct gpu_plan *own = plan->impl;
    return plan->in_slabs ? NULL : own->team;
}

static int gpu_upload(void *context, struct gf_plan *plan, const struct gf_array *in) {
    if (resident(plan))
        return gf_gpu_team_upload(resident(plan), in);
    struct gf_gpu_run *m = whole(plan);
    if (!m)
        return GF_EUNSUPP;
    return m->plan->host_share ? gf_gpu_dwt_upload(context, m, &plan->job, in)
                               : gf_gpu_run_upload(context, m, in);
}

static int gpu_run(void *context, struct gf_plan *plan, int times, double *seconds) {
    if (resident(plan))
        return gf_gpu_team_run(resident(plan), times, seconds);
    struct gf_gpu_run *m = whole(plan);
    int rc = m ? gf_gpu_run_begin(context, seconds) : GF_EUNSUPP;
    for (int i = 0; i < times && !rc; i++) {
        m->repeats = i;
        rc = gf_gpu_run_launch(context, m, 0, m->plan->n_passes);
    }
    return rc ? rc : gf_gpu_run_end(context, seconds);
}

static int gpu_download(void *context, struct gf_plan *plan, struct gf_array *out,
                        struct gf_report *report) {
    if (resident(plan))
        return gf_gpu_team_download(resident(plan), out, report);
    struct gf_gpu_run *m = whole(plan);
    if (!m)
        return GF_EUNSUPP;
    return m->plan->host_share ? gf_gpu_dwt_download(context, m, &plan->job, out, report)
                               : gf_gpu_run_download(context, m, out, report);
}

static int gpu_time_passes(void *context, struct gf_plan *plan, double *seconds) {
    if (resident(plan))
        return gf_fail(GF_EUNSUPP, "several devices share this plan's passes");
    struct gf_gpu_run *m = whole(plan);
    if (!m)
        return GF_EUNSUPP;
    m->repeats = 0;
    if (m->plan->host_share)
        return gf_fail(GF_EUNSUPP, "the host has a share in this plan's passes");
    return gf_gpu_run_time_passes(context, m, seconds);
}

static int gpu_lock(void *context, void *host, int64_t bytes, bool *locked) {
    const struct gf_gpu_context *c = context;
    *locked = false;
    return c->api->lock(c->gpu, host, bytes, locked);
}

static void gpu_unlock(void *context, void *host) {
    const struct gf_gpu_context *c = context;
    c->api->unlock(c->gpu, host);
}

static const struct gf_device_exec on_device = {
    .upload = gpu_upload,
    .run = gpu_run,
    .download = gpu_download,
    .measure = gf_gpu_run_measure,
    .time_passes = gpu_time_passes,
    .transfer = gf_gpu_run_transfer,
    .link = gf_gpu_team_link,
    .lock = gpu_lock,
    .unlock = gpu_unlock,
};

static int gpu_exec(void *context, struct gf_plan *plan, const struct gf_array *in,
                    struct gf_array *out, struct gf_report *report) {
    struct gpu_plan *own = plan->impl;
    if (plan->in_slabs) {
        int rc = gf_job_check_arrays(&plan->job, in, out);
        if (rc)
            return rc;
        if (own->team)
            return gf_gpu_team_exec(own->team, in, out, report);
        return own->dwt ? gf_gpu_dwt_slabs_exec(context, own->dwt, in, out, report)
                        : gf_gpu_slabs_exec(context, own->slabs, in, out, report);
    }
    return gf_device_exec_all(&on_device, context, plan, in, out, report);
}

/* The rows that the tables share. `api` is the name of the interface and of the backend. */
#define ON_GPU(api)                                                                                \
    .name = #api, .devices = true, .probe = api##_probe, .installed = api##_installed,             \
    .list = api##_list, .open = api##_open, .plan = gpu_plan, .exec = gpu_exec,                    \
    .on_device = &on_device, .lost = gf_gpu_team_lost, .unplan = gpu_unplan,                       \
    .close = gf_gpu_team_close, .slow_close = gf_gpu_run_slow_close

const struct gf_backend gf_backend_opencl = {
    ON_GPU(opencl), .what = "OpenCL 1.2 devices",     .automatic = 2,
    .shares = true, .streamer = &gf_gpu_dwt_streamer,
};

const struct gf_backend gf_backend_cuda = {
    ON_GPU(cuda),
    .what = "NVIDIA GPUs, the program's own kernels",
    .automatic = 1,
    .shares = true,
    .streamer = &gf_gpu_dwt_streamer,
};

const struct gf_backend gf_backend_opengl = {
    ON_GPU(opengl),
    .what = "GPUs with OpenGL 4.3, plain transforms",
    .automatic = 3,
};
