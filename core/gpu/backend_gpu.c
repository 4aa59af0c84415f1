/* The opencl and cuda backends: they launch a plan's passes one after the other. Their differences
 * are behind struct gf_gpu. */
#include <stdlib.h>

#include "core/base/job_check.h"
#include "core/filter/filter.h"
#include "core/base/status.h"
#include "core/gpu/dwt_host.h"
#include "core/gpu/plan/make.h"

static int opencl_open(const struct gf_backend_options *options, void **context) {
    return gf_gpu_run_open(&gf_gpu_opencl, options, context);
}

static int cuda_open(const struct gf_backend_options *options, void **context) {
    return gf_gpu_run_open(&gf_gpu_cuda, options, context);
}

static int opencl_probe(char reason[GF_REASON]) {
    return gf_gpu_opencl.probe(reason);
}

static int cuda_probe(char reason[GF_REASON]) {
    return gf_gpu_cuda.probe(reason);
}

static int opencl_list(struct gf_gpu_props *props, int most) {
    return gf_gpu_opencl.list(props, most);
}

static int cuda_list(struct gf_gpu_props *props, int most) {
    return gf_gpu_cuda.list(props, most);
}

static void gpu_unplan(void *context, struct gf_plan *plan) {
    if (plan && plan->impl)
        gf_gpu_run_drop(context, plan->impl);
    if (plan)
        free(plan->impl);
    free(plan);
}

/* Whether kernels of any length are used. Those of one length would have to run some thousand times
 * before the time they save is that of compiling them; but a driver for the CPU takes ten times as
 * long over the general ones. */
static bool is_general(const struct gf_gpu_context *c, const struct gf_job *job) {
    enum { POINTS = 1 << 22 };
    double points = (double)job->channels;
    for (int i = 0; i < job->ndim; i++)
        points *= (double)job->shape[i];
    return c->general && !c->props.is_cpu && points <= POINTS;
}

static int gpu_plan(void *context, const struct gf_job *job, struct gf_plan **out) {
    struct gf_gpu_context *c = context;
    *out = NULL;
    int rc = gf_job_validate(job);
    if (!rc)
        rc = gf_job_check_unpacked(job);
    if (!rc)
        rc = gf_filter_validate(job);
    if (rc)
        return rc;
    struct gf_plan *plan = calloc(1, sizeof *plan);
    struct gf_gpu_run *m = calloc(1, sizeof *m);
    if (!plan || !m) {
        free(m);
        free(plan);
        return gf_fail(GF_ENOMEM, "no memory for a plan");
    }
    plan->impl = m;
    plan->job = *job;
    rc = is_general(c, job) ? gf_gpu_plan_make_general(job, &c->props, &m->plan)
                            : gf_gpu_plan_make(job, &c->props, &m->plan);
    if (!rc)
        rc = gf_gpu_run_prepare(c, m, 0);
    if (rc) {
        gpu_unplan(context, plan);
        return rc;
    }
    if (job->direction == GF_INVERSE)
        gf_gpu_dwt_list(m, job, plan);
    gf_gpu_run_list(m->plan, 0, m->plan->n_passes, plan);
    if (job->direction == GF_FORWARD)
        gf_gpu_dwt_list(m, job, plan);
    gf_gpu_run_summarize(m, plan);
    *out = plan;
    return 0;
}

static int gpu_upload(void *context, struct gf_plan *plan, const struct gf_array *in) {
    struct gf_gpu_run *m = plan->impl;
    return m->plan->host_share ? gf_gpu_dwt_upload(context, m, &plan->job, in)
                               : gf_gpu_run_upload(context, m, in);
}

static int gpu_run(void *context, struct gf_plan *plan, int times, double *seconds) {
    const struct gf_gpu_run *m = plan->impl;
    int rc = gf_gpu_run_begin(context, seconds);
    for (int i = 0; i < times && !rc; i++)
        rc = gf_gpu_run_launch(context, m, 0, m->plan->n_passes);
    return rc ? rc : gf_gpu_run_end(context, seconds);
}

static int gpu_download(void *context, struct gf_plan *plan, struct gf_array *out,
                        struct gf_report *report) {
    struct gf_gpu_run *m = plan->impl;
    return m->plan->host_share ? gf_gpu_dwt_download(context, m, &plan->job, out, report)
                               : gf_gpu_run_download(context, m, out, report);
}

static const struct gf_device_exec on_device = {
    .upload = gpu_upload,
    .run = gpu_run,
    .download = gpu_download,
    .measure = gf_gpu_run_measure,
};

static int gpu_exec(void *context, struct gf_plan *plan, const struct gf_array *in,
                    struct gf_array *out, struct gf_report *report) {
    return gf_device_exec_all(&on_device, context, plan, in, out, report);
}

const struct gf_backend gf_backend_opencl = {
    .name = "opencl",
    .what = "OpenCL 1.2 devices",
    .automatic = 2,
    .devices = true,
    .probe = opencl_probe,
    .list = opencl_list,
    .open = opencl_open,
    .plan = gpu_plan,
    .exec = gpu_exec,
    .on_device = &on_device,
    .lost = gf_gpu_run_lost,
    .unplan = gpu_unplan,
    .close = gf_gpu_run_close,
};

const struct gf_backend gf_backend_cuda = {
    .name = "cuda",
    .what = "NVIDIA GPUs, the program's own kernels",
    .automatic = 1,
    .devices = true,
    .probe = cuda_probe,
    .list = cuda_list,
    .open = cuda_open,
    .plan = gpu_plan,
    .exec = gpu_exec,
    .on_device = &on_device,
    .lost = gf_gpu_run_lost,
    .unplan = gpu_unplan,
    .close = gf_gpu_run_close,
};
