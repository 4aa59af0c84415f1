/* A filter as two transforms of a backend with a product of spectra between them. */
#include "core/filter/compose.h"

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/filter/filter.h"

struct compose {
    int threads;
    double zero;
    unsigned axes;
    struct gf_plan *forward, *back;
    struct gf_array table; /* the half spectrum's shape, no channels */
};

/* The memory for one run at a time. */
struct composed {
    struct gf_bound *forward, *back;
    struct gf_array spectrum;
};

double gf_filter_zero(const struct gf_job *job) {
    const struct gf_job whole = gf_filter_whole(job);
    bool origin = true; /* the part includes the zero frequency */
    for (int i = 0; i < whole.ndim && job->whole.axes; i++)
        origin = origin && (!job->whole.first[i] || !(whole.axes >> i & 1));
    return origin ? job->filter->offset * (double)gf_job_points(&whole) : 0;
}

/* ---- planning ---- */

static void list_passes(const struct compose *c, int64_t spectrum, struct gf_plan *plan) {
    for (int i = 0; i < c->forward->n_passes; i++)
        plan->pass[plan->n_passes++] = c->forward->pass[i];
    gf_pass_list(plan, spectrum + gf_array_bytes(&c->table), spectrum,
                 "half spectrum times the filter's table");
    for (int i = 0; i < c->back->n_passes && plan->n_passes < GF_MAX_PASSES; i++)
        plan->pass[plan->n_passes++] = c->back->pass[i];
    plan->workspace_bytes =
        c->forward->workspace_bytes + (c->table.base ? gf_array_bytes(&c->table) : 0);
    if (c->back != c->forward)
        plan->workspace_bytes += c->back->workspace_bytes + spectrum;
}

/* ---- running ---- */

/* n bins of `channels` values each, times real or complex f[k]. */
#define TIMES(name, real) \
    static void name(real *x, const real *f, bool complex, int64_t n, int64_t channels) { \
        for (int64_t k = 0; k < n; k++) { \
            const real re = f[complex ? 2 * k : k], im = complex ? f[2 * k + 1] : 0; \
            for (int64_t i = 0; i < channels; i++, x += 2) { \
                const real a = x[0], b = x[1]; \
                x[0] = complex ? a * re - b * im : a * re; \
                x[1] = complex ? a * im + b * re : b * re; \
            } \
        } \
    }
TIMES(times_single, float)
TIMES(times_double, double)

/* Adds `zero` to each spectrum's zero frequency: of every channel and every index of batch axes. */
static void add_zero(const struct gf_array *x, unsigned axes, double zero) {
    struct gf_array zeros = *x;
    for (int i = 0; i < x->rank - 1; i++)
        zeros.shape[i] = axes >> i & 1 ? 1 : x->shape[i];
    for (int64_t i = 0; i < gf_array_count(&zeros) && zero != 0; i++) {
        void *at = gf_array_at(&zeros, i);
        if (x->dtype == GF_C64)
            *(float *)at += (float)zero;
        else
            *(double *)at += zero;
    }
}

/* The work buffer as an array of the job's axes and channels. */
static struct gf_array work_array(const struct gf_job *job, const struct gf_work *w) {
    struct gf_array a = {.dtype = w->precision == GF_DOUBLE ? GF_C128 : GF_C64,
                         .rank = job->ndim + 1,
                         .data = w->data};
    int64_t stride = (int64_t)gf_dtype_size(a.dtype);
    for (int i = GF_MAX_DIMS - 1; i >= 0; i--) {
        int axis = i - (GF_MAX_DIMS - job->ndim);
        if (axis >= 0) {
            a.shape[axis] = w->extent[i];
            a.stride[axis] = stride;
        }
        stride *= i == GF_MAX_DIMS - 1 ? w->pitch : w->extent[i];
    }
    a.shape[job->ndim] = w->channels;
    a.stride[job->ndim] = stride;
    return a;
}

/* Multiplies each row of x by the table's corresponding row, and adds `zero`. Channels of a bin are
 * adjacent, or each has a separate spectrum. */
static void multiply(const struct gf_array *x, unsigned axes, const struct gf_array *table,
                     double zero, int threads) {
    const int last = table->rank - 1;
    const bool is_complex = gf_dtype_is_complex(table->dtype);
    const int64_t n = x->shape[last], channels = x->shape[last + 1],
                  rows = gf_array_count(table) / n;
    const int64_t row_bytes = last ? x->stride[last - 1] : 0;
    const int64_t step = n * (int64_t)gf_dtype_size(table->dtype);
    const bool beside = x->stride[last + 1] == (int64_t)gf_dtype_size(x->dtype);
    const int64_t together = beside ? channels : 1;
    for (int64_t c = 0; c < channels; c += together) {
#pragma omp parallel for num_threads(threads) schedule(static) if (rows * n > 1 << 15)
        for (int64_t row = 0; row < rows; row++) {
            char *to = (char *)x->data + c * x->stride[last + 1] + row * row_bytes;
            const char *f = (const char *)table->data + row * step;
            if (x->dtype == GF_C64)
                times_single((float *)to, (const float *)f, is_complex, n, together);
            else
                times_double((double *)to, (const double *)f, is_complex, n, together);
        }
    }
    add_zero(x, axes, zero);
}

void gf_filter_multiply(const struct gf_job *job, const struct gf_array *table, double zero,
                        const struct gf_work *w, int threads) {
    const struct gf_array x = work_array(job, w);
    multiply(&x, job->axes, table, zero, threads);
}

static void multiply_spectrum(const struct compose *c, const struct gf_array *spectrum) {
    multiply(spectrum, c->axes, &c->table, c->zero, c->threads);
}

/* ---- plans ---- */

static int bind_and_run(struct gf_plan *plan, const struct gf_array *in, const struct gf_array *out,
                        struct gf_bound **bound, struct gf_report *report) {
    const int rc = gf_plan_bind(plan, in, out, bound);
    return rc ? rc : gf_bound_run(*bound, report);
}

void gf_filter_conjugate(void *numbers, int64_t n, bool is_double, int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1 && n > 1 << 15)
    for (int64_t i = 0; i < n; i++)
        if (is_double)
            ((double *)numbers)[2 * i + 1] *= -1;
        else
            ((float *)numbers)[2 * i + 1] *= -1;
}

static void conjugate(const struct compose *c, const struct gf_array *x) {
    gf_filter_conjugate(x->data, gf_array_count(x), x->dtype == GF_C128, c->threads);
}

/* Filters a part in its output, using one plan for both directions. */
static int exec(struct gf_bound *b, struct gf_report *report) {
    const struct compose *c = b->plan->impl;
    struct composed *r = b->impl;
    const bool part = c->back == c->forward;
    const struct gf_array *spectrum = part ? b->out : &r->spectrum;
    struct gf_report forward = {.imag_ratio = 0};
    int rc = part || spectrum->data ? 0 : gf_job_alloc(&c->back->job, -1, &r->spectrum);
    if (!rc)
        rc = bind_and_run(c->forward, &b->in, spectrum, &r->forward, &forward);
    if (rc)
        return rc;
    multiply_spectrum(c, spectrum);
    if (part)
        conjugate(c, spectrum);
    rc = bind_and_run(c->back, spectrum, b->out, part ? &r->forward : &r->back, report);
    if (part)
        conjugate(c, spectrum);
    report->ms.upload += forward.ms.upload;
    report->ms.run += forward.ms.run;
    report->ms.download += forward.ms.download;
    return rc;
}

static void unbind(struct gf_bound *b) {
    struct composed *r = b->impl;
    gf_bound_drop(r->forward);
    gf_bound_drop(r->back);
    gf_array_free(&r->spectrum);
    free(r);
}

static void drop(struct gf_plan *plan) {
    struct compose *c = plan->impl;
    if (c->back != c->forward)
        gf_plan_drop(c->back);
    gf_plan_drop(c->forward);
    gf_array_free(&c->table);
    free(c);
}

int gf_filter_compose_plan(struct gf_plan *plan, int threads) {
    static const struct gf_plan_ops ops = {
        .exec = exec, .bound_bytes = sizeof(struct composed), .unbind = unbind, .drop = drop};
    const struct gf_job *job = &plan->job;
    struct gf_job forward, inverse;
    struct compose *c = gf_plan_impl(plan, &ops, sizeof *c);
    if (!c)
        return GF_ENOMEM;
    const bool part = job->whole.axes != 0;
    c->threads = threads;
    c->axes = part ? job->whole.axes : job->axes;
    c->zero = gf_filter_zero(job);
    gf_filter_split(job, &forward, &inverse);
    int rc = gf_backend_plan(plan->backend, plan->context, &forward, &c->forward);
    if (part)
        c->back = c->forward;
    else if (!rc)
        rc = gf_backend_plan(plan->backend, plan->context, &inverse, &c->back);
    if (!rc)
        rc = gf_filter_tabulate(job, threads, &c->table);
    if (!rc)
        list_passes(c, gf_job_bytes(&inverse, -1), plan);
    return rc;
}
