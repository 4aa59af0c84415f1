/* Backends of libraries on a GPU API's devices, and their plans from buffer to buffer. */
#include "core/vendor/bare.h"

#include <stdlib.h>

#include "core/gpu/plan/space.h"

int gf_vendor_probe(const struct gf_backend *b, char reason[GF_REASON]) {
    const struct gf_vendor *v = b->own;
    char device[GF_REASON] = "", version[GF_VENDOR_TEXT];
    int rc = gf_gpu_probe(v->api, device);
    if (rc)
        snprintf(reason, GF_REASON, "%s", device);
    else if ((rc = v->find(version)))
        snprintf(reason, GF_REASON, "%s", gf_message());
    else
        snprintf(reason, GF_REASON, "%.40s, %.200s", version, device);
    return rc;
}

int gf_vendor_list(const struct gf_backend *b, struct gf_gpu_props *props) {
    return ((const struct gf_vendor *)b->own)->api->find(props);
}

int gf_vendor_open(const struct gf_backend *b, const struct gf_backend_options *options,
                   void **context) {
    const struct gf_vendor *v = b->own;
    int rc = v->find(NULL);
    *context = NULL;
    if (!rc && v->start)
        rc = v->start();
    return rc ? rc : gf_gpu_run_open(v->api, options, context);
}

const struct gf_on_device gf_vendor_on_device = {.measure = gf_gpu_run_measure,
                                                 .transfer = gf_gpu_run_transfer};

/* ---- plans ---- */

int gf_bare_check(const struct gf_job *job) {
    const int rc = gf_job_check_ops(job, 1u << GF_FFT);
    return rc || gf_job_is_bare(job)
               ? rc
               : gf_fail(GF_EUNSUPP, "only c2c, r2c and c2r without scale and shift are measured");
}

struct gf_plan *gf_bare_new(struct gf_gpu_context *c, const struct gf_job *job,
                            const struct gf_plan_ops *ops, const struct gf_vendor *v) {
    struct gf_plan *plan = gf_plan_new(c, job, ops, v->bytes);
    struct gf_gpu_plan *p = plan ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        free(plan ? plan->impl : NULL);
        free(plan);
        gf_no_memory();
        return NULL;
    }
    p->job = *job;
    p->props = c->props;
    struct gf_bare *m = plan->impl;
    m->run.program.plan = p;
    m->run.program.once = v->once;
    m->drop = v->drop;
    return plan;
}

/* Checks that the device has room. Lists one pass, as the library does not tell how many it has. */
static int complete(const struct gf_gpu_context *c, const char *name, struct gf_plan *plan) {
    struct gf_bare *m = plan->impl;
    int rc = gf_gpu_program_prepare(c, &m->run.program, m->work_bytes);
    if (rc)
        return rc;
    gf_gpu_program_summarize(&m->run.program, plan);
    struct gf_pass_info *pass = &plan->pass[plan->n_passes++];
    snprintf(pass->what, sizeof pass->what, "%s", name);
    pass->bytes_read = m->run.program.plan->bytes[GF_GPU_IN];
    pass->bytes_written = m->run.program.plan->bytes[GF_GPU_OUT];
    plan->build_seconds += m->build_seconds;
    return 0;
}

int gf_bare_upload(struct gf_plan *plan, const struct gf_array *in) {
    const struct gf_gpu_context *c = plan->context;
    struct gf_bare *m = plan->impl;
    int rc = gf_gpu_whole_upload(plan, in);
    if (!rc && !m->work)
        rc = c->api->alloc(c->gpu, m->work_bytes, &m->work);
    return rc;
}

void gf_bare_drop(struct gf_plan *plan) {
    const struct gf_gpu_context *c = plan->context;
    struct gf_bare *m = plan->impl;
    m->drop(c, m);
    c->api->free(c->gpu, m->work);
    gf_gpu_whole_drop(plan);
}

int gf_bare_plan(struct gf_gpu_context *c, const struct gf_job *job, const struct gf_vendor *v,
                 struct gf_plan **out) {
    static const struct gf_plan_ops ops = {.upload = gf_bare_upload,
                                           .run = gf_gpu_whole_run,
                                           .download = gf_gpu_whole_download,
                                           .drop = gf_bare_drop};
    int rc = gf_bare_check(job);
    struct gf_plan *plan = rc ? NULL : gf_bare_new(c, job, &ops, v);
    *out = NULL;
    if (!plan)
        return rc ? rc : GF_ENOMEM;
    struct gf_bare *m = plan->impl;
    gf_gpu_size_buffers(m->run.program.plan);
    rc = v->make(c, m, job);
    return gf_plan_finish(plan, rc ? rc : complete(c, v->name, plan), out);
}
