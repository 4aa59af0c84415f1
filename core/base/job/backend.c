/* Parts common to all plans: memory, bound runs, timed runs, lists of passes; and device texts. */
#include "core/base/job/backend.h"

#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/base/job/loadstore.h"
#include "core/base/value/status.h"

void *gf_plan_impl(struct gf_plan *plan, const struct gf_plan_ops *ops, size_t bytes) {
    plan->ops = ops;
    plan->impl = calloc(1, bytes);
    if (!plan->impl)
        gf_no_memory();
    return plan->impl;
}

void gf_plan_drop(struct gf_plan *plan) {
    if (plan)
        gf_bound_drop(plan->own);
    if (plan && plan->impl)
        plan->ops->drop(plan);
    free(plan);
}

int64_t gf_pass_bytes(const struct gf_pass_info *pass, int n) {
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += pass[i].bytes_read + pass[i].bytes_written;
    return bytes;
}

static int run_parts(struct gf_bound *b, struct gf_report *report) {
    const struct gf_plan_ops *ops = b->plan->ops;
    double seconds = 0, start = gf_now_ms();
    int rc = ops->upload(b->plan, &b->in);
    double uploaded = gf_now_ms();
    if (!rc)
        rc = ops->run(b->plan, 1, &seconds);
    double ran = gf_now_ms();
    if (!rc)
        rc = ops->download(b->plan, b->out, report);
    if (rc)
        return rc;
    gf_work_mend_energy(&b->plan->job, &b->in, omp_get_max_threads(), report);
    report->ms = (struct gf_device_ms){
        .upload = uploaded - start, .run = seconds * 1e3, .download = gf_now_ms() - ran};
    return 0;
}

/* GF_EUNSUPP unless all arrays are in host memory, or on the device of a plan that takes them
 * there. */
static int check_place(const struct gf_plan *plan, const struct gf_array *in,
                       const struct gf_array *out) {
    bool same = !in->place || (in->place == plan->context && plan->ops->exec_placed);
    for (int i = 0; i < plan->job.n_out; i++)
        same = same && out[i].place == in->place;
    return same ? 0 : gf_fail(GF_EUNSUPP, "this plan does not run on arrays where these are");
}

int gf_plan_bind(struct gf_plan *plan, const struct gf_array *in, const struct gf_array *out,
                 struct gf_bound **bound) {
    const struct gf_plan_ops *ops = plan->ops;
    const size_t views = (size_t)plan->job.n_out * sizeof *out;
    struct gf_bound *b = *bound;
    if (b && !memcmp(&b->in, in, sizeof *in) && !memcmp(b->out, out, views))
        return 0;
    if (!b && !(b = *bound = calloc(1, sizeof *b)))
        return gf_no_memory();
    b->run = in->place ? ops->exec_placed : ops->exec ? ops->exec : run_parts;
    b->plan = plan;
    b->in = *in;
    memcpy(b->out, out, views);
    int rc = gf_job_check_arrays(&plan->job, in, out);
    if (!rc)
        rc = check_place(plan, in, out);
    if (!rc && !b->impl && ops->bound_bytes && !(b->impl = calloc(1, ops->bound_bytes)))
        rc = gf_no_memory();
    if (!rc && ops->bind)
        rc = ops->bind(b);
    if (rc) {
        gf_bound_drop(b);
        *bound = NULL;
    }
    return rc;
}

void gf_bound_drop(struct gf_bound *bound) {
    if (bound && bound->impl && bound->plan->ops->unbind)
        bound->plan->ops->unbind(bound);
    else if (bound)
        free(bound->impl);
    free(bound);
}

int gf_plan_exec(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                 struct gf_report *report) {
    const int rc = gf_plan_bind(plan, in, out, &plan->own);
    return rc ? rc : gf_bound_run(plan->own, report);
}

int gf_backend_plan(const struct gf_backend *b, void *context, const struct gf_job *job,
                    struct gf_plan **out) {
    int rc = b->ops ? gf_job_check_ops(job, b->ops) : 0;
    struct gf_plan *plan = rc ? NULL : calloc(1, sizeof *plan);
    *out = NULL;
    if (!plan)
        return rc ? rc : gf_no_memory();
    plan->backend = b;
    plan->context = context;
    plan->job = *job;
    rc = b->plan(plan);
    if (rc)
        gf_plan_drop(plan);
    else
        *out = plan;
    return rc;
}

int gf_backend_replan(const struct gf_backend *b, void *context, const struct gf_job *job,
                      struct gf_plan **plan) {
    if (*plan && gf_job_equal(job, &(*plan)->job))
        return 0;
    gf_plan_drop(*plan);
    return gf_backend_plan(b, context, job, plan);
}

int gf_backend_run(const struct gf_backend *b, void *context, const struct gf_job *job,
                   const struct gf_array *in, struct gf_array *out, struct gf_report *report) {
    struct gf_plan *plan = NULL;
    int rc = gf_backend_replan(b, context, job, &plan);
    if (!rc)
        rc = gf_plan_exec(plan, in, out, report);
    gf_plan_drop(plan);
    return rc;
}

/* ---- the list of passes ---- */

struct gf_pass_info *gf_pass_list(struct gf_plan *plan, int64_t bytes_read, int64_t bytes_written,
                                  const char *form, ...) {
    struct gf_pass_info *p = &plan->pass[plan->n_passes++];
    va_list values;
    *p = (struct gf_pass_info){.bytes_read = bytes_read, .bytes_written = bytes_written};
    va_start(values, form);
    vsnprintf(p->what, sizeof p->what, form, values);
    va_end(values);
    return p;
}

void gf_pass_list_load(struct gf_plan *plan, int64_t before) {
    struct gf_pass_info *p = gf_pass_list(plan, gf_job_bytes(&plan->job, -1), before, "%s", "");
    gf_work_load_text(&plan->job, p->what, sizeof p->what);
}

void gf_pass_list_axes(struct gf_plan *plan, const char *who, bool r2c, bool c2r, int64_t before,
                       int64_t after) {
    const struct gf_job *job = &plan->job;
    for (int i = 0; i < job->ndim; i++) {
        int axis = c2r ? i : job->ndim - 1 - i;
        if (!(job->axes >> axis & 1))
            continue;
        bool halves = axis == gf_job_half_axis(job) && (r2c || c2r);
        const char *what = r2c ? "real -> half spectrum" : "half spectrum -> real";
        const long long points = job->shape[axis];
        gf_pass_list(plan, c2r || halves ? before : after, r2c || halves ? after : before,
                     "%s: %c, %lld points, %s", who, "zyx"[gf_work_axis(job, axis)], points,
                     halves ? what : "complex");
    }
}

void gf_pass_list_store(struct gf_plan *plan, int64_t after) {
    const struct gf_job *job = &plan->job;
    for (int i = 0; i < job->n_out; i++) {
        const bool part = gf_output_samples(job, i);
        if (gf_output_scans(job, i) || part)
            gf_pass_list(plan, part ? 0 : after, 0, "range: %s %s", part ? "sample of" : "largest",
                         gf_kind_name(job->out[i].kind))
                ->part = part;
        struct gf_pass_info *p = gf_pass_list(plan, after, gf_job_bytes(job, i), "%s", "");
        gf_work_store_text(job, i, p->what, sizeof p->what);
    }
}

/* Texts are kept, since lists of devices are made repeatedly. */
const char *gf_device_text(const char *text) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kept {
        struct kept *next;
        char text[];
    } * first;
    pthread_mutex_lock(&lock);
    struct kept *k = first;
    while (k && strcmp(k->text, text))
        k = k->next;
    if (!k && (k = malloc(sizeof *k + strlen(text) + 1))) {
        strcpy(k->text, text);
        k->next = first;
        first = k;
    }
    pthread_mutex_unlock(&lock);
    return k ? k->text : "";
}
