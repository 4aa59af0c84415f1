/* The backends of GPU APIs: they launch a plan's passes in order, or part by part if
 * the arrays do not fit the device. struct gf_gpu hides their differences. */
#include <omp.h>
#include <stdlib.h>

#include "core/filter/compose.h"
#include "core/filter/filter.h"
#include "core/gpu/api/cuda/library.h"
#include "core/gpu/dwt.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/team.h"

static int gpu_open(const struct gf_backend *b, const struct gf_backend_options *options,
                    void **context) {
    return gf_gpu_team_open(b->own, options, context);
}

static int gpu_probe(const struct gf_backend *b, const struct gf_environment *env,
                     char reason[GF_REASON]) {
    return gf_gpu_probe(env, b->own, reason);
}

static int gpu_installed(const struct gf_backend *b, const struct gf_environment *env,
                         char reason[GF_REASON]) {
    (void)env;
    const struct gf_gpu *api = b->own;
    if (api->installed())
        return 0;
    snprintf(reason, GF_REASON, "%s", gf_message());
    return GF_EABSENT;
}

static int gpu_list(const struct gf_backend *b, const struct gf_environment *env,
                    struct gf_gpu_props *props) {
    return gf_gpu_list(env, b->own, props);
}

/* ---- plans whose arrays are on the device as a whole ---- */

static int whole_time(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                      double *seconds) {
    struct gf_gpu_run *m = plan->impl;
    (void)in, (void)out;
    m->repeats = 0;
    return gf_gpu_run_time_passes(plan->context, m, seconds);
}

static const struct gf_plan_ops whole = {.bind = gf_gpu_whole_bind,
                                         .exec_placed = gf_gpu_whole_exec_placed,
                                         .time = whole_time,
                                         .upload = gf_gpu_whole_upload,
                                         .run = gf_gpu_whole_run,
                                         .download = gf_gpu_whole_download,
                                         .drop = gf_gpu_whole_drop};

/* ---- wavelet plans with a host share (core/gpu/dwt.h) ---- */

static int shared_upload(struct gf_plan *plan, const struct gf_array *in) {
    const struct gf_gpu_context *c = plan->context;
    struct gf_array coefficients = {0};
    if (plan->job.direction == GF_FORWARD)
        return gf_gpu_whole_upload(plan, in);
    int rc = gf_gpu_dwt_begin(c, &plan->job, in, &coefficients);
    if (!rc)
        rc = gf_gpu_whole_upload(plan, &coefficients);
    if (!rc) /* the upload may still read the array */
        rc = c->api->sync(c->gpu);
    gf_array_free(&coefficients);
    return rc;
}

static int shared_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    const struct gf_gpu_context *c = plan->context;
    struct gf_array coefficients = {0};
    struct gf_report found = {.imag_ratio = 0};
    if (plan->job.direction == GF_INVERSE)
        return gf_gpu_whole_download(plan, out, report);
    int rc = gf_gpu_dwt_begin(c, &plan->job, NULL, &coefficients);
    if (!rc)
        rc = gf_gpu_whole_download(plan, &coefficients, &found);
    if (!rc)
        rc = gf_gpu_dwt_end(c, &plan->job, &coefficients, out, &found);
    if (!rc && report)
        *report = found;
    gf_array_free(&coefficients);
    return rc;
}

static const struct gf_plan_ops dwt_shared = {.upload = shared_upload,
                                              .run = gf_gpu_whole_run,
                                              .download = shared_download,
                                              .drop = gf_gpu_whole_drop};

/* ---- planning ---- */

static int plan_whole(struct gf_gpu_context *c, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    struct gf_gpu_run *m = plan->impl = calloc(1, sizeof *m);
    if (!m)
        return gf_no_memory();
    struct gf_gpu_program *g = &m->program;
    plan->ops = &whole;
    g->choice.measured = gf_gpu_choose(c, job);
    int rc = gf_gpu_program_make(c, g, job);
    if (!rc)
        rc = gf_gpu_program_prepare(c, g, 0);
    if (rc)
        return rc;
    if (g->plan->host_share)
        plan->ops = &dwt_shared;
    if (job->direction == GF_INVERSE && g->plan->host_share)
        gf_gpu_dwt_list_share(plan);
    gf_gpu_run_list(g->plan, 0, g->plan->n_passes, plan->pass, &plan->n_passes);
    if (job->direction == GF_FORWARD && g->plan->host_share)
        gf_gpu_dwt_list_share(plan);
    gf_gpu_program_summarize(g, plan);
    return 0;
}

/* ---- plans whose arrays go through the device in parts ---- */

static int shared_exec(struct gf_bound *b, struct gf_report *report) {
    const int rc = gf_gpu_shared_exec(b->plan->impl, &b->in, b->out, report);
    if (!rc)
        gf_work_mend_energy(&b->plan->job, &b->in, omp_get_max_threads(), report);
    return rc;
}

static void shared_drop(struct gf_plan *plan) {
    gf_gpu_shared_drop(plan->impl);
}

static const struct gf_plan_ops through_host = {.exec = shared_exec, .drop = shared_drop},
                                on_devices = {.upload = gf_gpu_shared_upload,
                                              .run = gf_gpu_shared_run,
                                              .download = gf_gpu_shared_download,
                                              .drop = shared_drop};

/* True if several devices can share the job. */
static bool is_shared(const struct gf_gpu_context *c, const struct gf_job *job) {
    return c->team && job->op != GF_DWT && job->axes & 1;
}

/* Plans for one device or for several. GF_EUNSUPP if several cannot share the job. */
static int plan_slabs(struct gf_gpu_context *c, struct gf_plan *plan, bool several, bool resident) {
    struct gf_gpu_shared *shared;
    int rc = !several                   ? gf_gpu_slabs_plan(c, &plan->job, &shared)
             : is_shared(c, &plan->job) ? gf_gpu_team_plan(c, &plan->job, resident, &shared)
                                        : gf_fail(GF_EUNSUPP, "a job of one device");
    if (rc)
        return rc;
    plan->ops = resident ? &on_devices : &through_host;
    plan->impl = shared;
    gf_gpu_shared_list(shared, plan);
    return 0;
}

/* ---- which of them ---- */

/* Plans through host memory after a plan on the devices found no room. If this fails too, the
 * message gives both reasons. */
static int plan_parts(struct gf_gpu_context *c, struct gf_plan *plan, int failure) {
    char message[GF_REASON * 2], why[GF_REASON];
    snprintf(message, sizeof message, "%s", gf_message());
    if (plan->impl)
        gf_gpu_whole_drop(plan);
    plan->impl = NULL;
    int rc = plan_slabs(c, plan, true, false);
    if (rc != GF_EUNSUPP && !gf_gpu_run_too_large(rc))
        return rc;
    rc = gf_gpu_dwt_slabs_serve(&plan->job) ? gf_gpu_dwt_slabs_plan(c, plan)
                                            : plan_slabs(c, plan, false, false);
    if (rc != GF_EUNSUPP)
        return rc;
    snprintf(why, sizeof why, "%s", gf_message());
    return gf_fail(failure, "%s; not in parts: %s", message, why);
}

static int plan_any(struct gf_gpu_context *c, struct gf_plan *plan) {
    int rc = GF_EUNSUPP;
    if (plan->job.placed)
        return plan_whole(c, plan);
    if (c->resident) {
        rc = plan_slabs(c, plan, true, true);
        if (rc && c->natural)
            return rc;
    } else if (is_shared(c, &plan->job) && plan->job.ndim > 1) {
        /* A line of 2^29 samples takes an H200 0.16 s, two 0.31 s: one that fits is not shared. */
        plan->times = gf_gpu_team_times(c, &plan->job);
    }
    if ((rc == GF_EUNSUPP || gf_gpu_run_too_large(rc)) && gf_gpu_team_gains(c, &plan->times))
        rc = plan_slabs(c, plan, true, false);
    if (rc == GF_EUNSUPP)
        rc = plan_whole(c, plan);
    return gf_gpu_run_too_large(rc) && !c->api->whole ? plan_parts(c, plan, rc) : rc;
}

static int gpu_plan(struct gf_plan *plan) {
    return plan->job.op == GF_FILTER && plan->job.whole.axes
               ? gf_filter_compose_plan(plan, omp_get_max_threads())
               : plan_any(plan->context, plan);
}

static int gpu_lock(void *context, void *host, int64_t bytes, bool *locked) {
    const struct gf_gpu_context *c = context;
    *locked = false;
    return c->api->lock ? c->api->lock(c->gpu, host, bytes, locked)
                        : gf_fail(GF_EUNSUPP, "%s cannot page-lock memory", c->api->name);
}

static void gpu_unlock(void *context, void *host) {
    const struct gf_gpu_context *c = context;
    if (c->api->unlock)
        c->api->unlock(c->gpu, host);
}

static int gpu_place(void *context, const struct gf_array *host, struct gf_array *placed) {
    const struct gf_gpu_context *c = context;
    struct gf_gpu_buffer *buffer = NULL;
    int rc = c->api->alloc(c->gpu, gf_array_bytes(host), &buffer);
    if (!rc && host->data)
        rc = gf_gpu_stage_upload(c->stage, buffer, host);
    *placed = gf_array_wrap(buffer, host->dtype, host->rank, host->shape);
    placed->place = context;
    return rc;
}

static int gpu_fetch(void *context, const struct gf_array *placed, struct gf_array *host) {
    const struct gf_gpu_context *c = context;
    return gf_gpu_stage_download(c->stage, host, placed->data);
}

static void gpu_displace(void *context, struct gf_array *placed) {
    const struct gf_gpu_context *c = context;
    c->api->free(c->gpu, placed->data);
    *placed = (struct gf_array){.data = NULL};
}

/* Kernels read and write 16 bytes at a time. */
static int gpu_adopt(void *context, const char *which, const struct gf_array *own,
                     struct gf_array *placed) {
    enum { ALIGNED = 16 };
    const struct gf_gpu_context *c = context;
    const uint64_t address = (uint64_t)(uintptr_t)own->data;
    const int64_t bytes = gf_array_bytes(own);
    if (address % ALIGNED)
        return gf_fail(GF_EUNSUPP,
                       "the address of the %s is not a multiple of %d bytes; copy it to new memory",
                       which, ALIGNED);
    const int rc = c->api->adopt(c->gpu, which, address, bytes);
    struct gf_gpu_buffer *buffer = rc ? NULL : malloc(sizeof *buffer);
    if (!buffer)
        return rc ? rc : gf_no_memory();
    *buffer = (struct gf_gpu_buffer){.handle = address, .bytes = bytes, .view = true};
    *placed = gf_array_wrap(buffer, own->dtype, own->rank, own->shape);
    placed->place = context;
    return 0;
}

static int gpu_order(void *context, void *stream, bool behind) {
    const struct gf_gpu_context *c = context;
    return c->api->order(c->gpu, stream, behind);
}

#define ON_DEVICE \
    .measure = gf_gpu_run_measure, .transfer = gf_gpu_run_transfer, .link = gf_gpu_team_link, \
    .lock = gpu_lock, .unlock = gpu_unlock, .place = gpu_place, .fetch = gpu_fetch, \
    .displace = gpu_displace

static const struct gf_on_device on_device = {ON_DEVICE},
                                 adopts = {ON_DEVICE, .adopt = gpu_adopt, .order = gpu_order};

/* Initialisers that the backends share; `api` names the API and the backend. */
#define ON_GPU(api, operations) \
    .name = #api, .own = &gf_gpu_##api, .devices = true, .probe = gpu_probe, \
    .installed = gpu_installed, .list = gpu_list, .open = gpu_open, .plan = gpu_plan, \
    .ops = 1u << GF_FFT | 1u << GF_DWT | 1u << GF_FILTER, .on_device = &(operations), \
    .lost = gf_gpu_team_lost, .close = gf_gpu_team_close, .slow_close = gf_gpu_run_slow_close

const struct gf_backend gf_backend_opencl = {
    ON_GPU(opencl, on_device),        .what = "OpenCL 1.2 devices", .automatic = 2, .shares = true,
    .streamer = &gf_gpu_dwt_streamer,
};

const struct gf_backend gf_backend_cuda = {
    ON_GPU(cuda, adopts),
    .what = "NVIDIA GPUs, the program's own kernels",
    .automatic = 1,
    .shares = true,
    .streamer = &gf_gpu_dwt_streamer,
    .current = gf_cuda_current,
    .resume = gf_cuda_resume,
};

const struct gf_backend gf_backend_opengl = {
    ON_GPU(opengl, on_device),
    .what = "GPUs with OpenGL 4.3, plain transforms",
    .automatic = 4,
};

const struct gf_backend gf_backend_vulkan = {
    ON_GPU(vulkan, on_device),
    .what = "GPUs with Vulkan 1.2, plain transforms",
    .automatic = 3,
};

const struct gf_backend gf_backend_directcompute = {
    ON_GPU(directcompute, on_device),
    .what = "GPUs with Direct3D 11, plain transforms; tried with DXVK and Wine",
};
