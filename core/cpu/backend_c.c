/* The backend c, a baseline: plain sequential C (kernels/cpu/radix2.h), one line and one axis at a
 * time, for 2^k points only. */
#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/filter/compose.h"
#include "kernels/cpu/cpu.h"

#define REAL         float
#define RADIX2(name) name##_f32
#include "kernels/cpu/radix2.h"
#undef REAL
#undef RADIX2
#define REAL         double
#define RADIX2(name) name##_f64
#include "kernels/cpu/radix2.h"

struct impl {
    struct gf_work before, after; /* without data */
    bool in_place;
    bool direct;              /* no work buffers if both arrays are contiguous */
    int64_t longest;          /* transformed axis */
    void *waves[GF_MAX_DIMS]; /* tables by axis */
};

/* The memory for one run at a time, allocated by the first one. */
struct memory {
    void *own[2], *line; /* work buffers, one line */
};

static int c_probe(const struct gf_backend *b, const struct gf_environment *env,
                   char reason[GF_REASON]) {
    (void)b, (void)env;
    snprintf(reason, GF_REASON, "plain C on one thread, radix 2, lengths of 2^k");
    return 0;
}

static int c_open(const struct gf_backend *b, const struct gf_backend_options *options,
                  void **context) {
    static char nothing;
    (void)b, (void)options;
    *context = &nothing;
    return 0;
}

static void c_close(void *context) {
    (void)context;
}

/* ---- plan ---- */

static int check_lengths(const struct gf_job *job) {
    for (int i = 0; i < job->ndim; i++)
        if (job->axes >> i & 1 && job->shape[i] & (job->shape[i] - 1))
            return gf_fail(GF_EUNABLE,
                           "backend 'c' transforms 2^k points, and an axis has %lld; "
                           "--backend=openmp takes any number",
                           (long long)job->shape[i]);
    return 0;
}

static int make_tables(const struct gf_job *job, struct impl *m) {
    bool is_double = job->precision == GF_DOUBLE;
    bool made = true;
    m->longest = 1;
    for (int i = 0; i < job->ndim; i++) {
        if (!(job->axes >> i & 1))
            continue;
        const int64_t n = job->shape[i], count = n / 2 ? n / 2 : 1;
        m->waves[i] = gf_alloc((size_t)count * (is_double ? 16 : 8));
        made = made && m->waves[i] &&
               gf_cpu_roots(m->waves[i], is_double ? 64 : 32, n, 1, false, (int64_t)count);
        m->longest = gf_max(m->longest, job->shape[i]);
    }
    return made ? 0 : gf_no_memory();
}

static void make_passes(struct impl *m, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    bool c2r = job->direction == GF_INVERSE && job->real;
    gf_work_before(job, &m->before);
    gf_work_after(job, &m->after);
    m->direct = gf_job_is_bare(job) && (!c2r || job->spend_input);
    m->in_place = !m->direct && !gf_job_is_real(job);
    int64_t before = gf_work_bytes(&m->before), after = gf_work_bytes(&m->after);
    if (!m->direct)
        gf_pass_list_load(plan, before);
    gf_pass_list_axes(plan, "c, radix 2", !c2r && gf_job_is_real(job), c2r, before, after);
    if (!m->direct)
        gf_pass_list_store(plan, after);
    plan->workspace_bytes = m->direct ? 0 : before + (m->in_place ? 0 : after);
}

/* ---- run ---- */

/* Transforms all lines along axis i, between two buffers or in place; i < 0 copies rows. */
static void transform_axis(const struct gf_bound *b, int i, const struct gf_work *from,
                           const struct gf_work *to) {
    const struct gf_job *job = &b->plan->job;
    const struct impl *m = b->plan->impl;
    void *line = ((struct memory *)b->impl)->line;
    int a = i < 0 ? GF_MAX_DIMS - 1 : gf_work_axis(job, i);
    int64_t n = i < 0 ? (int64_t)from->extent[a] : (int64_t)job->shape[i];
    const int inverse = job->direction == GF_INVERSE;
    int64_t count[4] = {from->channels, from->extent[0], from->extent[1], from->extent[2]};
    int64_t in_step[4] = {from->extent[0] * from->extent[1] * from->pitch,
                          from->extent[1] * from->pitch, from->pitch, 1};
    int64_t out_step[4] = {to->extent[0] * to->extent[1] * to->pitch, to->extent[1] * to->pitch,
                           to->pitch, 1};
    count[a + 1] = 1;
    for (int64_t l = 0; l < count[0] * count[1] * count[2] * count[3]; l++) {
        int64_t rest = l, in = 0, out = 0;
        for (int k = 3; k >= 0; rest /= count[k--]) {
            in += rest % count[k] * in_step[k];
            out += rest % count[k] * out_step[k];
        }
        in *= from->complex ? 2 : 1;
        out *= to->complex ? 2 : 1;
        int64_t stored_in = (int64_t)from->extent[a], stored_out = (int64_t)to->extent[a];
        int64_t step_in = (int64_t)in_step[a + 1], step_out = (int64_t)out_step[a + 1];
        if (job->precision == GF_DOUBLE) {
            read_f64(line, (const double *)from->data + in, step_in, n, stored_in, from->complex);
            if (i >= 0)
                line_f64(line, m->waves[i], n, inverse);
            write_f64(line, (double *)to->data + out, step_out, stored_out, to->complex);
        } else {
            read_f32(line, (const float *)from->data + in, step_in, n, stored_in, from->complex);
            if (i >= 0)
                line_f32(line, m->waves[i], n, inverse);
            write_f32(line, (float *)to->data + out, step_out, stored_out, to->complex);
        }
    }
}

/* The halved axis goes between the two buffers: first in a real job's forward transform, last in
 * its inverse. */
static void transform(const struct gf_bound *b, const struct gf_work *before,
                      const struct gf_work *after) {
    const struct gf_job *job = &b->plan->job;
    bool back = gf_job_is_real(job) && job->direction == GF_INVERSE;
    const struct gf_work *at = before;
    int left = 0;
    for (int i = 0; i < job->ndim; i++)
        left += job->axes >> i & 1;
    for (int k = 0; k < job->ndim; k++) {
        int i = back ? k : job->ndim - 1 - k;
        if (!(job->axes >> i & 1))
            continue;
        const struct gf_work *to = back && left > 1 ? at : after;
        transform_axis(b, i, at, to);
        at = to;
        left--;
    }
    if (at->data != after->data)
        transform_axis(b, -1, at, after);
}

static int c_run(struct gf_bound *b, struct gf_report *report) {
    const struct gf_job *job = &b->plan->job;
    const struct impl *m = b->plan->impl;
    struct memory *r = b->impl;
    struct gf_work before = m->before, after = m->after;
    const bool direct =
        m->direct && gf_array_is_contiguous(&b->in) && gf_array_is_contiguous(b->out);
    if (!r->line &&
        !(r->line = gf_alloc((size_t)m->longest * (job->precision == GF_DOUBLE ? 16 : 8))))
        return gf_no_memory();
    int rc = direct ? 0 : gf_work_allocate(&before, &r->own[0]);
    if (!rc && !direct && !m->in_place)
        rc = gf_work_allocate(&after, &r->own[1]);
    if (rc)
        return rc;
    const struct gf_range_energy energy = gf_range_energy(job, &b->in);
    before.data = direct ? b->in.data : r->own[0];
    after.data = direct ? b->out[0].data : r->own[m->in_place ? 0 : 1];
    if (!direct)
        gf_work_load(job, &b->in, &before, 1, report);
    transform(b, &before, &after);
    if (direct && job->direction == GF_FORWARD && gf_job_is_real(job))
        gf_rounding_drop(job, 0, b->out, 1);
    return direct ? 0 : gf_work_store(job, &after, &energy, b->out, 1, report);
}

static void c_unbind(struct gf_bound *b) {
    struct memory *r = b->impl;
    gf_free(r->own[0]);
    gf_free(r->own[1]);
    gf_free(r->line);
    free(r);
}

static void c_drop(struct gf_plan *plan) {
    struct impl *m = plan->impl;
    for (int i = 0; i < GF_MAX_DIMS; i++)
        gf_free(m->waves[i]);
    free(m);
}

static int c_plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {
        .exec = c_run, .bound_bytes = sizeof(struct memory), .unbind = c_unbind, .drop = c_drop};
    int rc = check_lengths(&plan->job);
    if (!rc && plan->job.op == GF_FILTER)
        return gf_filter_compose_plan(plan, 1);
    struct impl *m = rc ? NULL : gf_plan_impl(plan, &ops, sizeof *m);
    if (!m)
        return rc ? rc : GF_ENOMEM;
    rc = make_tables(&plan->job, m);
    if (!rc)
        make_passes(m, plan);
    return rc;
}

const struct gf_backend gf_backend_c = {
    .name = "c",
    .what = "plain sequential C, for comparison",
    .powers_of_two = true,
    .ops = 1u << GF_FFT | 1u << GF_FILTER,
    .per_thread = true,
    .probe = c_probe,
    .open = c_open,
    .plan = c_plan,
    .close = c_close,
};
