/* Backends of libraries on a GPU API's devices, and their plans from buffer to buffer. */
#include "core/vendor/bare.h"

#include <stdlib.h>

#include "core/gpu/plan/space.h"

int gf_vendor_probe(const struct gf_backend *b, const struct gf_environment *env,
                    char reason[GF_REASON]) {
    const struct gf_vendor *v = b->own;
    char device[GF_REASON] = "", version[GF_VENDOR_TEXT];
    int rc = gf_gpu_probe(env, v->api, device);
    if (rc)
        snprintf(reason, GF_REASON, "%s", device);
    else if ((rc = v->find(version)))
        snprintf(reason, GF_REASON, "%s", gf_message());
    else
        snprintf(reason, GF_REASON, "%.40s, %.200s", version, device);
    return rc;
}

int gf_vendor_list(const struct gf_backend *b, const struct gf_environment *env,
                   struct gf_gpu_props *props) {
    return gf_gpu_list(env, ((const struct gf_vendor *)b->own)->api, props);
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
    return gf_job_is_bare(job)
               ? 0
               : gf_fail(GF_EUNSUPP, "only c2c, r2c and c2r without scale and shift are measured");
}

void *gf_bare_impl(struct gf_plan *plan, const struct gf_plan_ops *ops) {
    const struct gf_vendor *v = plan->backend->own;
    struct gf_gpu_plan *p = calloc(1, sizeof *p);
    struct gf_bare *m = p ? gf_plan_impl(plan, ops, v->bytes) : NULL;
    if (!m) {
        free(p);
        gf_no_memory();
        return NULL;
    }
    p->job = plan->job;
    p->props = ((const struct gf_gpu_context *)plan->context)->props;
    m->run.program.plan = p;
    m->run.program.once = v->once;
    m->drop = v->drop;
    return m;
}

/* Checks that the device has room. Lists one pass, as the library does not tell how many it has. */
static int complete(const struct gf_gpu_context *c, const char *name, struct gf_plan *plan) {
    struct gf_bare *m = plan->impl;
    int rc = gf_gpu_program_prepare(c, &m->run.program, m->work_bytes);
    if (rc)
        return rc;
    gf_gpu_program_summarize(&m->run.program, plan);
    const int64_t *bytes = m->run.program.plan->bytes;
    gf_pass_list(plan, bytes[GF_GPU_IN], bytes[GF_GPU_OUT], "%s", name);
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

int gf_bare_plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.upload = gf_bare_upload,
                                           .run = gf_gpu_whole_run,
                                           .download = gf_gpu_whole_download,
                                           .drop = gf_bare_drop};
    const struct gf_vendor *v = plan->backend->own;
    int rc = gf_bare_check(&plan->job);
    struct gf_bare *m = rc ? NULL : gf_bare_impl(plan, &ops);
    if (!m)
        return rc ? rc : GF_ENOMEM;
    gf_gpu_size_buffers(m->run.program.plan);
    rc = v->make(plan->context, m, &plan->job);
    return rc ? rc : complete(plan->context, v->name, plan);
}
