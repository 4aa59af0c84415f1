/* A filter's job on a GPU: forward, multiply, back, in one plan. The multiplication is a pass of
 * its own over the half spectrum, in the work buffer's planes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter.h"
#include "core/gpu_axis.h"
#include "core/status.h"

/* Up to so many factors are evaluated where they are wanted, which costs arithmetic; more become a
 * table that is read. */
enum { FEW_FACTORS = 6 };

/* In single precision a table is better where the power of a rounded number would be off by that
 * many times its rounding, or squares of bins are no longer exact. */
enum { HIGHEST_ORDER = 8, LARGEST_SQUARE = 1 << 24 };

/* ---- values ---- */

static bool on(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return i >= 0 && job->axes >> i & 1;
}

static double joined(const struct gf_filter_term *term, double a, double b) {
    return term->profile == GF_GAUSSIAN ? a * b : a + b;
}

/* A low pass as args.h lays it out. Axes of one point have one value: it goes into those of `main`,
 * the axis that every pass can tell its place on. */
static void put_lowpass(const struct gf_gpu_builder *b, const struct gf_filter_terms *t, int which,
                        int main, double *to) {
    const struct gf_filter_term *term = &t->term[which];
    const struct filter_args *f = &b->p->filter;
    double rest = term->profile == GF_GAUSSIAN ? 1 : 0;
    to[FILTER_PROFILE] = term->profile;
    to[FILTER_ORDER] = term->order;
    to[FILTER_LIMIT] = term->limit;
    to[FILTER_INVERSE] = 1 / term->limit;
    for (int axis = 0; axis < 3; axis++)
        if (on(b->job, axis) && axis != main && b->n[axis] == 1)
            rest = joined(term, rest, t->value[term->at[gf_gpu_job_axis(b->job, axis)]]);
    for (int axis = 0; axis < 3; axis++) {
        if (!f->at[axis])
            continue;
        const double *from = t->value + term->at[gf_gpu_job_axis(b->job, axis)];
        int64_t count = axis == b->half ? b->n[axis] / 2 + 1 : b->n[axis];
        for (int64_t k = 0; k < count; k++)
            to[f->at[axis] + k] = axis == main ? joined(term, from[k], rest) : from[k];
    }
}

static int put_factors(struct gf_gpu_builder *b, const struct gf_filter_terms *t) {
    struct gf_gpu_plan *p = b->p;
    struct filter_args *f = &p->filter;
    int main = b->half;
    for (int axis = 0; axis < 3; axis++)
        if (on(b->job, axis) && b->n[main] == 1 && b->n[axis] > 1)
            main = axis;
    f->each = FILTER_HEAD;
    for (int axis = 0; axis < 3; axis++) {
        f->at[axis] = 0;
        if (!on(b->job, axis) || (axis != main && b->n[axis] == 1))
            continue;
        f->at[axis] = f->each;
        f->each += axis == b->half ? b->n[axis] / 2 + 1 : b->n[axis];
    }
    f->factors = t->n_factors;
    int64_t count = 2 * f->factors * f->each;
    double *v = calloc((size_t)count + 1, sizeof *v);
    if (!v)
        return gf_fail(GF_ENOMEM, "no memory for the filter's values");
    p->filter_profile = t->n_terms ? (int)t->term[0].profile : PROFILE_GAUSSIAN;
    for (int i = 0; i < t->n_factors; i++) {
        double *to = v + 2 * i * f->each;
        put_lowpass(b, t, t->factor[i].a, main, to);
        if (t->factor[i].b >= 0)
            put_lowpass(b, t, t->factor[i].b, main, to + f->each);
        to[FILTER_C0] = t->factor[i].c0;
        to[FILTER_CA] = t->factor[i].ca;
        to[FILTER_CAB] = t->factor[i].cab;
        p->filter_bands |= t->factor[i].b >= 0;
        if (t->factor[i].b < 0) /* its second low pass counts for nothing, as any number will */
            memcpy(to + f->each + FILTER_PROFILE, to + FILTER_PROFILE,
                   (size_t)(f->each - FILTER_PROFILE) * sizeof *to);
    }
    for (int i = 0; i < t->n_terms; i++)
        if ((int)t->term[i].profile != p->filter_profile)
            p->filter_profile = PROFILE_MIXED;
    f->values = gf_gpu_table_reals(&p->tables, v, count + 1);
    free(v);
    return f->values < 0 ? GF_ENOMEM : 0;
}

/* Strides of the table over the half spectrum, and its room. */
static void set_table(struct gf_gpu_builder *b) {
    const struct gf_array *table = &b->job->filter->table;
    struct gf_gpu_plan *p = b->p;
    int64_t count = 1;
    bool complex = table->data && gf_dtype_is_complex(table->dtype);
    for (int axis = 2; axis >= 0; axis--) {
        p->filter.at[axis] = count;
        count *= axis == b->half ? b->n[axis] / 2 + 1 : b->n[axis];
    }
    p->filter_form = complex ? FILTER_COMPLEX : FILTER_REALS;
    p->bytes[GF_GPU_FILTER] = count * (complex ? b->complex_bytes : b->real_bytes);
}

static bool is_exact(const struct gf_job *job, const struct gf_filter_terms *t) {
    for (int i = 0; i < t->n_terms && job->precision == GF_SINGLE; i++)
        if ((t->term[i].profile == GF_BUTTERWORTH && t->term[i].order > HIGHEST_ORDER) ||
            (t->term[i].profile == GF_IDEAL && t->term[i].limit > LARGEST_SQUARE))
            return false;
    return true;
}

static int set_filter(struct gf_gpu_builder *b) {
    const struct gf_filter *filter = b->job->filter;
    struct gf_filter_terms t;
    if (filter->table.data || filter->n_factors > FEW_FACTORS) {
        set_table(b);
        return 0;
    }
    b->p->filter_form = FILTER_FACTORS;
    int rc = gf_filter_compile(b->job, &t);
    if (!rc && !is_exact(b->job, &t))
        set_table(b);
    else if (!rc)
        rc = put_factors(b, &t);
    gf_filter_terms_free(&t);
    return rc;
}

/* The mean of two elements and each other's conjugate. */
static void make_hermitian(struct gf_array *a, int64_t i, int64_t j, bool complex) {
    bool wide = gf_dtype_real(a->dtype) == GF_F64;
    for (int c = 0; c <= complex; c++) {
        int64_t at = complex ? 2 * i + c : i, to = complex ? 2 * j + c : j;
        double sign = c ? -1 : 1;
        double *d = a->data;
        float *f = a->data;
        double mean =
            wide ? 0.5 * (d[at] + sign * d[to]) : 0.5 * ((double)f[at] + sign * (double)f[to]);
        if (wide) {
            d[at] = mean;
            d[to] = sign * mean;
        } else {
            f[at] = (float)mean;
            f[to] = (float)(sign * mean);
        }
    }
}

/* A given table may not be its own mirror image where the half spectrum holds both of two mirrored
 * bins; then the real part of the result is that of the mean. */
int gf_gpu_filter_table(const struct gf_job *job, int threads, struct gf_array *out) {
    int rc = gf_filter_tabulate(job, threads, out);
    if (rc)
        return rc;
    bool complex = gf_dtype_is_complex(out->dtype);
    int half = gf_job_half_axis(job);
    int64_t n = job->shape[half], count = gf_array_count(out);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, stride = 1, mirror = 0, k = 0;
        for (int axis = job->ndim - 1; axis >= 0; axis--) {
            int64_t at = rest % out->shape[axis], m = at;
            rest /= out->shape[axis];
            if (axis == half)
                k = at;
            else if (job->axes >> axis & 1)
                m = at ? job->shape[axis] - at : 0;
            mirror += m * stride;
            stride *= out->shape[axis];
        }
        if ((k == 0 || 2 * k == n) && i <= mirror)
            make_hermitian(out, i, mirror, complex);
    }
    return 0;
}

/* ---- passes ---- */

enum gf_gpu_place gf_gpu_filter_place(const struct gf_gpu_plan *p) {
    return p->filter_form == FILTER_FACTORS ? GF_GPU_TABLES : GF_GPU_FILTER;
}

void gf_gpu_filter_options(const struct gf_gpu_plan *p, struct gf_gpu_pass *pass) {
    gf_gpu_option(pass, "-DFILTER=%d -DPROFILE=%d -DBANDS=%d", p->filter_form, p->filter_profile,
                  p->filter_bands);
}

/* The multiplication alone, on half spectra or whole ones, in place. */
static int add_step(struct gf_gpu_builder *b, const struct gf_gpu_space *work) {
    struct gf_gpu_plan *p = b->p;
    struct gf_gpu_pass *pass = gf_gpu_next_pass(p, "filter.cl", "filter_step");
    if (!pass)
        return GF_EUNSUPP;
    struct filter_step_args *a = &pass->args.filter;
    a->filter = p->filter;
    a->channels = work->extent[3];
    a->halved = b->half;
    for (int axis = 0; axis < 3; axis++) {
        a->n[axis] = b->n[axis];
        a->on[axis] = on(b->job, axis);
        a->work[axis] = work->extent[axis];
    }
    gf_gpu_filter_options(p, pass);
    const enum gf_gpu_place buffers[] = {work->place, work->place, gf_gpu_filter_place(p),
                                         GF_GPU_PARAMS};
    memcpy(pass->buffer, buffers, sizeof buffers);
    pass->n_buffers = 4;
    pass->args_bytes = sizeof *a;
    pass->group = GROUP;
    int64_t rows = work->extent[3] * work->extent[0] * work->extent[1];
    int64_t bytes = rows * work->extent[2] * work->element;
    pass->groups = rows < 8 * GF_GPU_GROUPS ? rows : 8 * GF_GPU_GROUPS;
    if (p->filter_form == FILTER_FACTORS)
        snprintf(pass->summary.what, sizeof pass->summary.what,
                 "filter: times %lld factor%s, evaluated on the way", (long long)p->filter.factors,
                 p->filter.factors == 1 ? "" : "s");
    else
        snprintf(pass->summary.what, sizeof pass->summary.what, "filter: times a table of %s",
                 p->filter_form == FILTER_REALS ? "reals" : "complex numbers");
    pass->summary.bytes_read = bytes + p->bytes[GF_GPU_FILTER] * work->extent[3];
    pass->summary.bytes_written = bytes;
    pass->cost = (double)(pass->summary.bytes_read + bytes) / 0.8;
    return 0;
}

/* ---- jobs ---- */

/* The pass that goes there and back on packed pairs; false when there is none. */
static bool packed_leg(struct gf_gpu_builder *b, struct gf_gpu_leg *leg) {
    struct gf_gpu_space s = gf_gpu_half_planes(b, GF_GPU_A, true);
    *leg = gf_gpu_leg_along(b, b->half);
    leg->load = LOAD_PACKED;
    leg->store = STORE_PACKED;
    leg->own_axis = gf_gpu_own_axis(b);
    leg->both = true;
    return b->n[b->half] % 2 == 0 && b->n[b->half] > 2 && gf_gpu_fits_tile(b, leg, &s, &s);
}

/* Two or more axes, real samples as packed pairs. */
static int packed_job(struct gf_gpu_builder *b) {
    struct gf_gpu_space src, halves, packed;
    struct gf_gpu_leg leg;
    int rc = gf_gpu_packed_forward(b, &src);
    if (rc)
        return rc;
    if (packed_leg(b, &leg)) {
        packed = gf_gpu_half_planes(b, GF_GPU_A, true);
        rc = gf_gpu_add_axis(b, &leg, &src, &packed, true);
        b->dir = -1;
        return rc ? rc : gf_gpu_packed_back(b, &packed);
    }
    leg = gf_gpu_leg_along(b, b->half);
    leg.load = LOAD_UNTANGLE;
    leg.store = STORE_HALVES;
    leg.own_axis = gf_gpu_own_axis(b);
    halves = gf_gpu_half_planes(b, GF_GPU_A, false);
    rc = gf_gpu_add_axis(b, &leg, &src, &halves, false);
    if (!rc)
        rc = add_step(b, &halves);
    b->dir = -1;
    if (!rc)
        rc = gf_gpu_packed_halves(b, &halves, &packed);
    return rc ? rc : gf_gpu_packed_back(b, &packed);
}

/* Two axes, the halved one first and last: its half spectra are written so that the other axis'
 * points are neighbours, and that one goes there and back along straight lines. */
static struct gf_gpu_space turned_planes(const struct gf_gpu_builder *b) {
    struct gf_gpu_space s = gf_gpu_half_planes(b, GF_GPU_A, false);
    int own = gf_gpu_own_axis(b);
    int64_t stride = s.extent[own] * s.extent[b->half];
    s.stride[own] = 1;
    s.stride[b->half] = s.extent[own];
    for (int axis = 2; axis >= -1; axis--) {
        int at = axis < 0 ? 3 : axis; /* channels last */
        if (at == own || at == b->half)
            continue;
        s.stride[at] = stride;
        stride *= s.extent[at];
    }
    return s;
}

/* Its legs: there, both ways across, back. */
static void turned_legs(const struct gf_gpu_builder *b, struct gf_gpu_leg leg[3]) {
    int own = gf_gpu_own_axis(b);
    leg[0] = gf_gpu_leg_along(b, b->half);
    leg[0].load = LOAD_PAIR;
    leg[0].fold = b->n[b->half] % 2 == 0 && b->n[b->half] > 2;
    leg[0].store = leg[0].fold ? STORE_ROW_HALVES : STORE_TWO_HALVES;
    leg[0].pair_axis = leg[0].fold ? -1 : own;
    leg[1] = gf_gpu_leg_along(b, own);
    leg[1].both = true;
    leg[2] = gf_gpu_leg_along(b, b->half);
    leg[2].dir = leg[2].sense = -1;
    leg[2].load = LOAD_TWO_HALVES;
    leg[2].pair_axis = own;
    leg[2].store = STORE_PAIR;
}

static bool turned_fits(struct gf_gpu_builder *b) {
    struct gf_gpu_space full = gf_gpu_full_planes(b, GF_GPU_A, b->real_bytes);
    struct gf_gpu_space turned = turned_planes(b);
    struct gf_gpu_leg leg[3];
    turned_legs(b, leg);
    return b->axes == 2 && gf_gpu_fits_tile(b, &leg[0], &full, &turned) &&
           gf_gpu_fits_tile(b, &leg[1], &turned, &turned) &&
           gf_gpu_fits_tile(b, &leg[2], &turned, &full);
}

static int turned_job(struct gf_gpu_builder *b) {
    struct gf_gpu_leg leg[3];
    struct gf_gpu_space src, turned = turned_planes(b), to = turned, dst;
    turned_legs(b, leg);
    int rc = gf_gpu_real_source(b, &leg[0], &src);
    if (!rc)
        rc = gf_gpu_add_axis(b, &leg[0], &src, &turned, true);
    if (!rc)
        rc = gf_gpu_add_axis(b, &leg[1], &turned, &to, true);
    bool done = gf_gpu_real_sink(b, &leg[2], &dst);
    if (!rc)
        rc = gf_gpu_add_axis(b, &leg[2], &to, &dst, true);
    return rc || done ? rc : gf_gpu_add_outputs(b, &dst, true, false);
}

/* All in one pass, two lines as one; false when there is none. A table may differ from line to
 * line. */
static bool lines_leg(struct gf_gpu_builder *b, struct gf_gpu_leg *leg) {
    int partner = gf_gpu_partner_axis(b);
    struct gf_gpu_space s = gf_gpu_full_planes(b, GF_GPU_A, b->real_bytes);
    *leg = gf_gpu_leg_along(b, b->half);
    leg->load = LOAD_PAIR;
    leg->store = STORE_PAIR;
    leg->pair_axis = partner;
    leg->both = true;
    bool same = partner == 3 || b->n[partner] == 1 || b->p->filter_form == FILTER_FACTORS;
    return same && gf_gpu_fits_tile(b, leg, &s, &s);
}

static int lines_job(struct gf_gpu_builder *b) {
    struct gf_gpu_leg leg;
    struct gf_gpu_space src, dst, halves = gf_gpu_half_planes(b, GF_GPU_A, false);
    bool one = lines_leg(b, &leg), done;
    if (!one)
        leg = gf_gpu_leg_along(b, b->half);
    int rc = gf_gpu_real_source(b, &leg, &src);
    if (!rc && one) {
        done = gf_gpu_real_sink(b, &leg, &dst);
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, true);
        return rc || done ? rc : gf_gpu_add_outputs(b, &dst, true, false);
    }
    gf_gpu_set_lines(b, &leg);
    if (!rc)
        rc = gf_gpu_add_axis(b, &leg, &src, &halves, true);
    if (!rc)
        rc = add_step(b, &halves);
    b->dir = -1;
    return rc ? rc : gf_gpu_lines_back(b, &halves);
}

/* One direction of complex numbers; the first leg of all may read reals. */
static int complex_legs(struct gf_gpu_builder *b, int load, bool back, struct gf_gpu_space *src,
                        bool *done) {
    const struct gf_job *job = b->job;
    const struct gf_output *out = &job->out[0];
    bool numbers = job->n_out == 1 && gf_gpu_fused_type(out->dtype);
    int last = -1, rc = 0;
    for (int axis = 0; axis < 3; axis++)
        last = gf_gpu_axis_on(job, axis) ? axis : last;
    *done = false;
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (!gf_gpu_axis_on(job, axis))
            continue;
        struct gf_gpu_leg leg = gf_gpu_leg_along(b, axis);
        struct gf_gpu_space dst = gf_gpu_full_planes(b, GF_GPU_A, b->complex_bytes);
        leg.load = load;
        load = LOAD_COMPLEX;
        if (axis == last && back && numbers) {
            int64_t shape[GF_MAX_RANK];
            gf_job_out_shape(job, 0, shape);
            leg.store = STORE_SAMPLE;
            leg.sample = out;
            dst = gf_gpu_array_space(b, GF_GPU_OUT, shape, out->dtype);
            gf_gpu_scale_last(b, &leg);
            *done = true;
        }
        rc = gf_gpu_add_axis(b, &leg, src, &dst, false);
        *src = dst;
    }
    return rc;
}

/* Reals as complex numbers, where packing is not to be had. */
static int complex_job(struct gf_gpu_builder *b) {
    const struct gf_job *job = b->job;
    int64_t shape[GF_MAX_RANK];
    bool done = false, plain = b->axes && !job->luma;
    gf_job_in_shape(job, shape);
    struct gf_gpu_space src = gf_gpu_array_space(b, GF_GPU_IN, shape, job->in_dtype);
    int rc = 0;
    if (!plain) {
        src = gf_gpu_full_planes(b, GF_GPU_A, b->complex_bytes);
        gf_gpu_need(b, &src);
        rc = gf_gpu_add_load(b->p, &src, false, false);
    }
    if (!rc)
        rc = complex_legs(b, plain ? LOAD_REAL : LOAD_COMPLEX, false, &src, &done);
    if (!rc)
        rc = add_step(b, &src);
    b->dir = -1;
    if (!rc)
        rc = complex_legs(b, LOAD_COMPLEX, true, &src, &done);
    return rc || done ? rc : gf_gpu_add_outputs(b, &src, false, false);
}

static double cost_of(const struct gf_gpu_plan *p) {
    double cost = 0;
    for (int i = 0; i < p->n_passes; i++)
        cost += p->pass[i].cost;
    return cost;
}

/* No passes, as before the first. */
static int start_again(struct gf_gpu_builder *b) {
    struct gf_gpu_plan *p = b->p;
    gf_gpu_tables_free(&p->tables);
    p->n_passes = 0;
    p->bytes[GF_GPU_A] = p->bytes[GF_GPU_B] = 0;
    b->dir = 1;
    return set_filter(b);
}

int gf_gpu_filter_job(struct gf_gpu_builder *b) {
    int rc = set_filter(b);
    if (rc)
        return rc;
    struct gf_gpu_leg leg;
    bool packed = b->half >= 0 && b->axes > 1 && packed_leg(b, &leg);
    if (b->widen && !packed)
        return complex_job(b);
    if (b->axes == 1)
        return lines_job(b);
    if (!turned_fits(b))
        return packed_job(b);
    /* Whichever is cheaper, and that one's tables alone. */
    double cost[2];
    rc = packed_job(b);
    for (int turned = 1; turned >= 0 && !rc; turned--) {
        cost[!turned] = cost_of(b->p);
        if (!turned && cost[1] <= cost[0])
            break;
        rc = start_again(b);
        if (!rc)
            rc = turned ? turned_job(b) : packed_job(b);
    }
    return rc;
}
