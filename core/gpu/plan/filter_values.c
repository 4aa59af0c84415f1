/* A filter's values: low passes in the plan's tables, evaluated by kernels/filter.h, or a table
 * over the half spectrum. */
#include <math.h>
#include <stdlib.h>

#include "core/filter/filter.h"
#include "core/gpu/plan/filter_values.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"
#include "core/base/job/loadstore.h"
#include "core/base/value/status.h"

/* Up to this many factors are evaluated, at the cost of arithmetic; more become a table, at the
 * cost of memory traffic. */
enum { FEW_FACTORS = 6 };

/* A part uses the values of the whole. */
static bool on(const struct gf_job *job, int axis) {
    const unsigned axes = job->whole.axes ? job->whole.axes : job->axes;
    int i = gf_gpu_job_axis(job, axis);
    return i >= 0 && axes >> i & 1;
}

/* The halved axis of the half spectrum. */
static int half_of(const struct gf_gpu_plan_builder *b) {
    const struct gf_job whole = gf_filter_whole(b->job);
    return gf_work_axis(b->job, gf_job_half_axis(&whole));
}

static int64_t extent_of(const struct gf_gpu_plan_builder *b, int axis) {
    const struct gf_job whole = gf_filter_whole(b->job);
    const int i = gf_gpu_job_axis(b->job, axis);
    return i < 0 ? 1 : whole.shape[i];
}

static int64_t count_of(const struct gf_gpu_plan_builder *b, int axis) {
    const int64_t n = extent_of(b, axis);
    return axis == half_of(b) ? n / 2 + 1 : n;
}

static double joined(const struct gf_filter_term *term, double a, double b) {
    return PROFILE_IS_PRODUCT(term->profile) ? a * b : a + b;
}

/* Stores a low pass in the layout of kernels/codes.h. An axis of one point has a single value,
 * which is merged into those of `main`, whose coordinate every pass knows. */
static void put_lowpass(const struct gf_gpu_plan_builder *b, const struct gf_filter_terms *t,
                        int which, int main, double *to) {
    const struct gf_filter_term *term = &t->term[which];
    const struct filter_args *f = &b->p->filter;
    double rest = PROFILE_IS_PRODUCT(term->profile) ? 1 : 0;
    to[FILTER_PROFILE] = term->profile;
    to[FILTER_ORDER] = term->order;
    to[FILTER_LIMIT] = term->limit;
    to[FILTER_INVERSE] = 1 / term->limit;
    for (int axis = 0; axis < 3; axis++)
        if (on(b->job, axis) && axis != main && extent_of(b, axis) == 1)
            rest = joined(term, rest, t->value[term->at[gf_gpu_job_axis(b->job, axis)]]);
    for (int axis = 0; axis < 3; axis++) {
        if (!f->at[axis])
            continue;
        const double *from = t->value + term->at[gf_gpu_job_axis(b->job, axis)];
        const int64_t count = count_of(b, axis);
        for (int64_t k = 0; k < count; k++)
            to[f->at[axis] + k] = axis == main ? joined(term, from[k], rest) : from[k];
    }
}

static int put_factors(struct gf_gpu_plan_builder *b, const struct gf_filter_terms *t) {
    struct gf_gpu_plan *p = b->p;
    struct filter_args *f = &p->filter;
    int main = half_of(b);
    for (int axis = 0; axis < 3; axis++)
        if (on(b->job, axis) && extent_of(b, main) == 1 && extent_of(b, axis) > 1)
            main = axis;
    f->each = FILTER_HEAD;
    for (int axis = 0; axis < 3; axis++) {
        f->at[axis] = 0;
        if (!on(b->job, axis) || (axis != main && extent_of(b, axis) == 1))
            continue;
        f->at[axis] = f->each;
        f->each += count_of(b, axis);
    }
    f->factors = t->n_factors;
    int64_t count = 2 * f->factors * f->each;
    double *v = calloc((size_t)count + 1, sizeof *v);
    if (!v)
        return gf_fail(GF_ENOMEM, "no memory for the filter's values");
    p->filter_profile = t->n_terms ? (int)t->term[0].profile : 0;
    for (int i = 0; i < t->n_factors; i++) {
        double *to = v + 2 * i * f->each;
        put_lowpass(b, t, t->factor[i].a, main, to);
        if (t->factor[i].b >= 0)
            put_lowpass(b, t, t->factor[i].b, main, to + f->each);
        to[FILTER_C0] = t->factor[i].c0;
        to[FILTER_CA] = t->factor[i].ca;
        to[FILTER_CAB] = t->factor[i].cab;
        p->filter_bands |= t->factor[i].b >= 0;
        if (t->factor[i].b < 0) /* the second low pass has weight 0, so any values will do */
            memcpy(to + f->each + FILTER_PROFILE, to + FILTER_PROFILE,
                   (size_t)(f->each - FILTER_PROFILE) * sizeof *to);
    }
    for (int i = 0; i < t->n_terms; i++)
        if ((int)t->term[i].profile != p->filter_profile)
            p->filter_profile = PROFILE_MIXED;
    f->values = gf_gpu_table_reals(&p->tables, v, count + 1);
    free(v);
    return 0;
}

/* Sets the strides and size of the table over the half spectrum. */
static void set_table(struct gf_gpu_plan_builder *b) {
    const struct gf_array *table = &b->job->filter->table;
    struct gf_gpu_plan *p = b->p;
    int64_t count = 1;
    bool complex = table->data && gf_dtype_is_complex(table->dtype);
    for (int axis = 2; axis >= 0; axis--) {
        p->filter.at[axis] = count;
        count *= axis == b->half ? b->n[axis] / 2 + 1 : b->n[axis]; /* a part's own table: half is
                                                                     * -1 */
    }
    p->filter_form = complex ? FILTER_COMPLEX : FILTER_REALS;
    p->bytes[GF_GPU_FILTER] = count * (complex ? b->complex_bytes : b->real_bytes);
}

int gf_gpu_filter_values(struct gf_gpu_plan_builder *b) {
    const struct gf_filter *filter = b->job->filter;
    struct gf_filter_terms t;
    if (filter->table.data || filter->n_factors > FEW_FACTORS || b->job->line) {
        set_table(b);
        return 0;
    }
    b->p->filter_form = FILTER_FACTORS;
    const struct gf_job whole = gf_filter_whole(b->job);
    int rc = gf_filter_compile(&whole, &t);
    if (!rc && !gf_filter_is_exact(b->job, &t))
        set_table(b);
    else if (!rc)
        rc = put_factors(b, &t);
    gf_filter_terms_free(&t);
    return rc;
}

enum gf_gpu_buffer_id gf_gpu_filter_buffer(const struct gf_gpu_plan *p) {
    return p->filter_form == FILTER_FACTORS ? GF_GPU_TABLES : GF_GPU_FILTER;
}

void gf_gpu_filter_options(const struct gf_gpu_plan *p, struct gf_gpu_pass *pass) {
    gf_gpu_option(pass, "-DFILTER=%d -DPROFILE=%d -DBANDS=%d", p->filter_form, p->filter_profile,
                  p->filter_bands);
}

/* True if mirrored bins whose index along the halved axis is k are conjugates, but for rounding.
 * With `change` they become the mean of one and the other's conjugate. */
static bool mirrored(const struct gf_job *job, int half, int64_t k, bool change,
                     struct gf_array *table) {
    const int64_t count = gf_array_count(table) / table->shape[half];
    const double rounding = gf_dtype_real(table->dtype) == GF_F64 ? 1e-13 : 1e-5;
    bool all = true;
    for (int64_t i = 0; i < count && (all || change); i++) {
        int64_t rest = i, stride = 1, at = 0, mirror = 0;
        for (int axis = job->ndim - 1; axis >= 0; axis--) {
            const int64_t n = table->shape[axis];
            const int64_t here = axis == half ? k : rest % n;
            const bool mirrors = axis != half && here && job->axes >> axis & 1;
            rest /= axis == half ? 1 : n;
            at += here * stride;
            mirror += (mirrors ? n - here : here) * stride;
            stride *= n;
        }
        if (at > mirror)
            continue;
        const struct gf_number x = gf_filter_number(table, at), y = gf_filter_number(table, mirror);
        const double apart = hypot(x.re - y.re, x.im + y.im);
        all = all && apart <= rounding * hypot(x.re, x.im);
        if (change) {
            const struct gf_number mean = {(x.re + y.re) / 2, (x.im - y.im) / 2};
            gf_filter_put_number(table, at, mean);
            gf_filter_put_number(table, mirror, (struct gf_number){mean.re, -mean.im});
        }
    }
    return all;
}

/* The user's table may differ between two mirrored bins that are both in the half spectrum; the
 * real part of the result depends only on their mean. */
int gf_gpu_filter_table(const struct gf_job *job, int threads, struct gf_array *out) {
    int rc = gf_filter_tabulate(job, threads, out);
    if (rc)
        return rc;
    const int half = gf_job_half_axis(job);
    const int64_t n = job->shape[half], ends = n % 2 ? 1 : 2;
    bool good = true;
    for (int i = 0; i < ends; i++)
        good = good && mirrored(job, half, i * n / 2, false, out);
    if (!good && !out->base) { /* it is the filter's own */
        const struct gf_array view = *out;
        rc = gf_array_alloc(out, view.dtype, view.rank, view.shape);
        if (!rc)
            gf_array_copy(out, &view);
    }
    for (int i = 0; i < ends && !good && !rc; i++)
        mirrored(job, half, i * n / 2, true, out);
    return rc;
}
