#include "core/gpu_axis.h"

#include <stdlib.h>
#include <string.h>

#include "core/gpu_dwt.h"
#include "core/status.h"
#include "core/steps.h"

/* ---- spaces ---- */

/* The job's own array, channels innermost. */
static struct gf_gpu_space array_space(const struct gf_gpu_builder *b, enum gf_gpu_place place,
                                       const int64_t *shape, enum gf_dtype type) {
    struct gf_gpu_space s = {.place = place, .element = (int)gf_dtype_size(type)};
    int64_t stride = shape[b->job->ndim];
    s.extent[3] = b->n[3];
    s.stride[3] = 1;
    for (int axis = 2; axis >= 0; axis--) {
        int i = gf_gpu_job_axis(b->job, axis);
        s.extent[axis] = i >= 0 ? shape[i] : 1;
        s.stride[axis] = stride;
        stride *= s.extent[axis];
    }
    return s;
}

static struct gf_gpu_space full_planes(const struct gf_gpu_builder *b, enum gf_gpu_place place,
                                       int element) {
    return gf_gpu_planes(place, b->n, element);
}

/* Half spectra, or packed pairs, along the halved axis. */
static struct gf_gpu_space half_planes(const struct gf_gpu_builder *b, enum gf_gpu_place place,
                                       bool packed) {
    int64_t extent[4];
    memcpy(extent, b->n, sizeof extent);
    extent[b->half] = packed ? (extent[b->half] + 1) / 2 : extent[b->half] / 2 + 1;
    return gf_gpu_planes(place, extent, b->complex_bytes);
}

/* ---- jobs ---- */

static struct gf_gpu_leg leg_along(const struct gf_gpu_builder *b, int axis) {
    return (struct gf_gpu_leg){.axis = axis,
                               .before = {1, 1},
                               .after = 1,
                               .dir = b->dir,
                               .load = LOAD_COMPLEX,
                               .store = STORE_COMPLEX,
                               .in_type = b->job->in_dtype,
                               .out_type = b->job->out[0].dtype,
                               .output = -1,
                               .pair_axis = -1,
                               .own_axis = -1};
}

static bool on(const struct gf_gpu_builder *b, int axis) {
    return gf_gpu_axis_on(b->job, axis);
}

/* The transformed axis next to the halved one whose lines meet their mirror images. */
static int own_axis(const struct gf_gpu_builder *b) {
    for (int axis = 2; axis >= 0; axis--)
        if (axis != b->half && on(b, axis))
            return axis;
    return -1;
}

/* An axis along which two lines make one: the longest. */
static int partner_axis(const struct gf_gpu_builder *b) {
    int best = -1;
    for (int axis = 0; axis < 4; axis++)
        if (axis != b->half && (best < 0 || b->n[axis] > b->n[best]))
            best = axis;
    return best;
}

/* Types that the fused ends write; the others go through the generic step. */
static bool fused_type(enum gf_dtype t) {
    return t == GF_U8 || t == GF_I8 || t == GF_U16 || t == GF_I16 || t == GF_F32 || t == GF_F64;
}

static bool displayed(const struct gf_output *out) {
    return out->map == GF_MAP_DISPLAY && gf_dtype_is_integer(out->dtype);
}

static void scale_last(const struct gf_gpu_builder *b, struct gf_gpu_leg *leg) {
    leg->scaled = gf_job_scale(b->job) != 1;
    leg->output = 0;
}

/* Ranges and stores of all outputs out of the work buffer. */
static int add_outputs(struct gf_gpu_builder *b, const struct gf_gpu_space *work, bool real,
                       bool half) {
    for (int i = 0; i < b->job->n_out; i++) {
        const struct gf_output *out = &b->job->out[i];
        int rc = 0;
        if (displayed(out) && !out->has_range && out->kind != GF_PHASE)
            rc = gf_gpu_add_range(b->p, i, work, real, -1);
        if (!rc)
            rc = gf_gpu_add_store(b->p, i, work, real, half);
        if (rc)
            return rc;
    }
    return 0;
}

/* The input as the first leg may read it: the array itself, or planes that a step made of it. */
static int real_source(struct gf_gpu_builder *b, struct gf_gpu_leg *first,
                       struct gf_gpu_space *src) {
    const struct gf_job *job = b->job;
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(job, shape);
    *src = array_space(b, GF_GPU_IN, shape, job->in_dtype);
    if (!job->luma)
        return 0;
    *src = full_planes(b, GF_GPU_A, b->real_bytes);
    gf_gpu_need(b, src);
    first->in_type = job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
    return gf_gpu_add_load(b->p, src, true, false);
}

static bool sample_fused(const struct gf_gpu_builder *b) {
    const struct gf_output *out = &b->job->out[0];
    return b->job->n_out == 1 && out->kind != GF_COMPLEX && fused_type(out->dtype) && !out->half;
}

/* Whether the one output is the half spectrum as the arithmetic has it. */
static bool half_output(const struct gf_gpu_builder *b) {
    const struct gf_output *out = &b->job->out[0];
    return b->job->n_out == 1 && out->kind == GF_COMPLEX && out->half && !out->shift &&
           (int)gf_dtype_size(out->dtype) == b->complex_bytes;
}

/* Rows too long for a tile, all points of them complex, but not when folded to half as many: they
 * go first then, and the other axes through their halves. */
static bool rows_first(struct gf_gpu_builder *b) {
    if (!half_output(b) || b->n[b->half] % 2 || b->half != 2)
        return false;
    struct gf_gpu_leg leg = leg_along(b, b->half);
    struct gf_gpu_space s = half_planes(b, GF_GPU_A, false);
    leg.load = LOAD_UNTANGLE;
    leg.own_axis = own_axis(b);
    leg.store = STORE_HALVES;
    if (gf_gpu_fits_tile(b, &leg, &s, &s))
        return false;
    leg = leg_along(b, b->half);
    leg.load = LOAD_PAIR;
    leg.fold = true;
    leg.store = STORE_ROW_HALVES;
    return gf_gpu_fits_tile(b, &leg, &s, &s);
}

static int forward_rows_first(struct gf_gpu_builder *b) {
    struct gf_gpu_leg leg = leg_along(b, b->half);
    struct gf_gpu_space src, dst = half_planes(b, GF_GPU_A, false);
    int64_t shape[GF_MAX_RANK];
    dst = gf_gpu_padded_planes(dst.place, dst.extent, dst.element);
    int last = own_axis(b), rc = real_source(b, &leg, &src);
    leg.load = LOAD_PAIR;
    leg.fold = true;
    leg.store = STORE_ROW_HALVES;
    if (!rc)
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, true);
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (axis == b->half || !on(b, axis))
            continue;
        src = dst;
        leg = leg_along(b, axis);
        if (axis == last) {
            gf_job_out_shape(b->job, 0, shape);
            dst = array_space(b, GF_GPU_OUT, shape, b->job->out[0].dtype);
            scale_last(b, &leg);
        }
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, false);
    }
    return rc;
}

/* Forward, two or more axes, real samples: packed pairs through all other axes, then the halved
 * one. */
static int forward_real(struct gf_gpu_builder *b) {
    const struct gf_job *job = b->job;
    const struct gf_output *out = &job->out[0];
    struct gf_gpu_leg leg = leg_along(b, own_axis(b));
    struct gf_gpu_space src, dst;
    int64_t shape[GF_MAX_RANK];
    if (rows_first(b))
        return forward_rows_first(b);
    int rc = real_source(b, &leg, &src);
    enum gf_dtype in_type = leg.in_type;
    bool first = true;
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (axis == b->half || !on(b, axis))
            continue;
        leg = leg_along(b, axis);
        if (first) {
            leg.load = LOAD_PAIR;
            leg.pair_axis = b->half;
            leg.in_type = in_type;
        }
        dst = half_planes(b, GF_GPU_A, true);
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, false);
        src = dst;
        first = false;
    }
    if (rc)
        return rc;
    leg = leg_along(b, b->half);
    leg.load = LOAD_UNTANGLE;
    leg.own_axis = own_axis(b);
    gf_job_out_shape(job, 0, shape);
    bool scans = gf_step_scans(job, 0);
    if (sample_fused(b) && !scans) {
        if (displayed(out) && !out->has_range && out->kind != GF_PHASE)
            rc = gf_gpu_add_range(b->p, 0, &src, false, b->half);
        leg.store = STORE_SAMPLE;
        leg.sample = out;
        leg.mirror = true;
        scale_last(b, &leg);
        dst = array_space(b, GF_GPU_OUT, shape, out->dtype);
        return rc ? rc : gf_gpu_add_axis(b, &leg, &src, &dst, false);
    }
    leg.store = STORE_HALVES;
    if (half_output(b)) {
        scale_last(b, &leg);
        dst = array_space(b, GF_GPU_OUT, shape, out->dtype);
        return gf_gpu_add_axis(b, &leg, &src, &dst, false);
    }
    dst = half_planes(b, GF_GPU_A, false);
    rc = gf_gpu_add_axis(b, &leg, &src, &dst, false);
    return rc ? rc : add_outputs(b, &dst, false, true);
}

/* The half spectrum as the inverse's first leg reads it. */
static int half_source(struct gf_gpu_builder *b, struct gf_gpu_space *src) {
    const struct gf_job *job = b->job;
    int64_t shape[GF_MAX_RANK];
    bool same =
        gf_dtype_is_complex(job->in_dtype) && (int)gf_dtype_size(job->in_dtype) == b->complex_bytes;
    if (job->in_half && !job->in_shift && same) {
        gf_job_in_shape(job, shape);
        *src = array_space(b, GF_GPU_IN, shape, job->in_dtype);
        return 0;
    }
    *src = half_planes(b, GF_GPU_A, false);
    gf_gpu_need(b, src);
    return gf_gpu_add_load(b->p, src, false, true);
}

/* Where a real result goes: the output itself where it takes numbers, else planes. */
static bool real_sink(struct gf_gpu_builder *b, struct gf_gpu_leg *leg, struct gf_gpu_space *dst) {
    const struct gf_output *out = &b->job->out[0];
    int64_t shape[GF_MAX_RANK];
    leg->store = STORE_PAIR;
    if (b->job->n_out == 1 && out->kind == GF_REAL && fused_type(out->dtype) && !displayed(out)) {
        gf_job_out_shape(b->job, 0, shape);
        *dst = array_space(b, GF_GPU_OUT, shape, out->dtype);
        scale_last(b, leg);
        return true;
    }
    leg->out_type = b->job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
    *dst = full_planes(b, GF_GPU_A, b->real_bytes);
    return false;
}

static int inverse_real(struct gf_gpu_builder *b) {
    struct gf_gpu_leg leg = leg_along(b, b->half);
    struct gf_gpu_space src, dst;
    int last = own_axis(b), rc = half_source(b, &src);
    if (rc)
        return rc;
    leg.load = LOAD_HERMITIAN;
    leg.store = STORE_TANGLE;
    leg.own_axis = own_axis(b);
    dst = half_planes(b, GF_GPU_A, true);
    rc = gf_gpu_add_axis(b, &leg, &src, &dst, true);
    bool done = false;
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (axis == b->half || !on(b, axis))
            continue;
        src = dst;
        leg = leg_along(b, axis);
        dst = half_planes(b, GF_GPU_A, true);
        if (axis == last) {
            done = real_sink(b, &leg, &dst);
            leg.pair_axis = b->half;
        }
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, false);
    }
    return rc || done ? rc : add_outputs(b, &dst, true, false);
}

/* One axis: two real lines are one complex one; or, where lines are long or alone, the neighbours
 * on a line of even length are one complex number: half the tile, and more to do at its end. */
static void set_lines(const struct gf_gpu_builder *b, struct gf_gpu_leg *leg) {
    enum { LONG = 4096 };
    int64_t n = b->n[b->half];
    int partner = partner_axis(b);
    leg->load = LOAD_PAIR;
    leg->fold = n % 2 == 0 && n > 2 && (n >= LONG || b->n[partner] == 1);
    leg->store = leg->fold ? STORE_ROW_HALVES : STORE_TWO_HALVES;
    leg->pair_axis = leg->fold ? -1 : partner;
}

static int lines_forward(struct gf_gpu_builder *b) {
    const struct gf_job *job = b->job;
    const struct gf_output *out = &job->out[0];
    struct gf_gpu_leg leg = leg_along(b, b->half);
    struct gf_gpu_space src, dst;
    int64_t shape[GF_MAX_RANK];
    int rc = real_source(b, &leg, &src);
    set_lines(b, &leg);
    bool alias = half_output(b);
    dst = half_planes(b, GF_GPU_A, false);
    if (alias) {
        gf_job_out_shape(job, 0, shape);
        dst = array_space(b, GF_GPU_OUT, shape, out->dtype);
        scale_last(b, &leg);
    }
    if (!rc)
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, true);
    return rc || alias ? rc : add_outputs(b, &dst, false, true);
}

static int lines_inverse(struct gf_gpu_builder *b) {
    struct gf_gpu_leg leg = leg_along(b, b->half);
    struct gf_gpu_space src, dst;
    int rc = half_source(b, &src);
    leg.load = LOAD_TWO_HALVES;
    leg.pair_axis = partner_axis(b);
    bool done = real_sink(b, &leg, &dst);
    if (!rc)
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, true);
    return rc || done ? rc : add_outputs(b, &dst, true, false);
}

/* Complex numbers, or reals taken as such. */
static int complex_job(struct gf_gpu_builder *b) {
    const struct gf_job *job = b->job;
    const struct gf_output *out = &job->out[0];
    struct gf_gpu_space src, dst;
    int64_t shape[GF_MAX_RANK];
    int last = -1, rc = 0, load = LOAD_COMPLEX;
    bool complex_in = gf_dtype_is_complex(job->in_dtype), done = false;
    gf_job_in_shape(job, shape);
    src = array_space(b, GF_GPU_IN, shape, job->in_dtype);
    bool plain_in = b->axes && !job->luma && !job->in_shift && !job->in_half && !job->real;
    if (plain_in && !complex_in) {
        load = LOAD_REAL;
    } else if (!plain_in || (int)gf_dtype_size(job->in_dtype) != b->complex_bytes) {
        src = full_planes(b, GF_GPU_A, b->complex_bytes);
        gf_gpu_need(b, &src);
        rc = gf_gpu_add_load(b->p, &src, false, false);
    }
    for (int axis = 0; axis < 3; axis++)
        last = on(b, axis) ? axis : last;
    dst = src;
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (!on(b, axis))
            continue;
        struct gf_gpu_leg leg = leg_along(b, axis);
        leg.load = load;
        load = LOAD_COMPLEX;
        dst = full_planes(b, GF_GPU_A, b->complex_bytes);
        gf_job_out_shape(job, 0, shape);
        bool plain = !gf_job_is_real(job) || (job->real && out->kind == GF_REAL);
        bool known = !displayed(out) || out->has_range || out->kind == GF_PHASE;
        if (axis == last && sample_fused(b) && plain && known) {
            leg.store = STORE_SAMPLE;
            leg.sample = out;
            dst = array_space(b, GF_GPU_OUT, shape, out->dtype);
            done = true;
        } else if (axis == last && job->n_out == 1 && out->kind == GF_COMPLEX && !out->shift &&
                   !gf_job_is_real(job) && (int)gf_dtype_size(out->dtype) == b->complex_bytes) {
            dst = array_space(b, GF_GPU_OUT, shape, out->dtype);
            done = true;
        }
        if (done)
            scale_last(b, &leg);
        rc = gf_gpu_add_axis(b, &leg, &src, &dst, false);
        src = dst;
    }
    return rc || done ? rc : add_outputs(b, &src, false, false);
}

/* Whether packing and its ends, which want the halved axis in one tile, can be had. */
static bool must_widen(struct gf_gpu_builder *b) {
    if (!gf_job_is_real(b->job))
        return false;
    if (b->half < 0 || b->n[b->half] == 1 || !b->axes)
        return true;
    struct gf_gpu_leg leg = leg_along(b, b->half);
    struct gf_gpu_space s = half_planes(b, GF_GPU_A, false),
                        packed = half_planes(b, GF_GPU_B, true);
    if (b->axes == 1) {
        leg.pair_axis = partner_axis(b);
        leg.load = LOAD_TWO_HALVES;
        leg.store = STORE_PAIR;
        if (b->dir > 0)
            set_lines(b, &leg);
        leg.out_type = GF_F32;
        return !gf_gpu_fits_tile(b, &leg, &s, &s);
    }
    leg.own_axis = own_axis(b);
    leg.load = LOAD_HERMITIAN;
    leg.store = STORE_TANGLE;
    return b->dir < 0 && !gf_gpu_fits_tile(b, &leg, &s, &packed);
}

/* A pass that could run in place, from a buffer of ours to the output: then the buffer is the
 * output. */
static void share_output(struct gf_gpu_plan *p) {
    struct gf_gpu_pass *last = &p->pass[p->n_passes - 1];
    enum gf_gpu_place from = last->buffer[0];
    const struct pass_args *a = &last->args.pass;
    if (strcmp(last->kernel.file, "fft.cl") || last->buffer[1] != GF_GPU_OUT ||
        (from != GF_GPU_A && from != GF_GPU_B) || p->bytes[from] > p->bytes[GF_GPU_OUT] ||
        !strstr(last->kernel.options, "-DLOAD=0 -DSTORE=0 ") || a->in_point != a->out_point)
        return;
    for (int i = 0; i < 5; i++)
        if (a->index[i].in != a->index[i].out)
            return;
    for (int i = 0; i < p->n_passes; i++)
        for (int j = 0; j < p->pass[i].n_buffers; j++)
            if (p->pass[i].buffer[j] == from)
                p->pass[i].buffer[j] = GF_GPU_OUT;
    p->bytes[from] = 0;
}

static int64_t array_bytes(const struct gf_job *job, const int64_t *shape, enum gf_dtype type) {
    int64_t bytes = (int64_t)gf_dtype_size(type);
    for (int i = 0; i <= job->ndim; i++)
        bytes *= shape[i];
    return bytes;
}

static void count_buffers(struct gf_gpu_plan *p) {
    const struct gf_job *job = &p->job;
    int64_t shape[GF_MAX_RANK], word = job->precision == GF_DOUBLE ? 8 : 4;
    gf_job_in_shape(job, shape);
    p->bytes[GF_GPU_IN] = array_bytes(job, shape, job->in_dtype);
    for (int i = 0; i < job->n_out; i++) {
        gf_job_out_shape(job, i, shape);
        p->bytes[GF_GPU_OUT + i] = array_bytes(job, shape, job->out[i].dtype);
    }
    p->bytes[GF_GPU_TABLES] = (p->tables.count + 1) * 2 * word;
    p->bytes[GF_GPU_ORDER] = (p->tables.order_count + 1) * 4;
    p->bytes[GF_GPU_PARAMS] = GF_MAX_OUTPUTS * GF_GPU_PARAMS_EACH * word;
    p->bytes[GF_GPU_COUNTERS] = GF_MAX_OUTPUTS * COUNTERS * 4;
    p->bytes[GF_GPU_FOUND] = 2 * GF_GPU_GROUPS * word;
}

static bool needs_double(const struct gf_job *job) {
    bool wide = job->precision == GF_DOUBLE || job->in_dtype == GF_F64 || job->in_dtype == GF_C128;
    for (int i = 0; i < job->n_out; i++)
        wide |= job->out[i].dtype == GF_F64 || job->out[i].dtype == GF_C128;
    return wide;
}

int gf_gpu_plan_make(const struct gf_job *job, const struct gf_gpu_props *props,
                     struct gf_gpu_plan **out) {
    *out = NULL;
    if (needs_double(job) && !props->fp64)
        return gf_fail(GF_EUNSUPP, "%s has no double precision", props->name);
    struct gf_gpu_plan *p = calloc(1, sizeof *p);
    if (!p)
        return gf_fail(GF_ENOMEM, "no memory for a plan");
    p->job = *job;
    p->props = *props;
    bool wide = job->precision == GF_DOUBLE;
    struct gf_gpu_builder b = {.p = p,
                               .job = &p->job,
                               .n = {1, 1, 1, job->luma ? 1 : job->channels},
                               .half = -1,
                               .dir = job->direction == GF_FORWARD ? 1 : -1,
                               .complex_bytes = wide ? 16 : 8,
                               .real_bytes = wide ? 8 : 4};
    for (int i = 0; i < job->ndim; i++)
        b.n[gf_work_axis(job, i)] = job->shape[i];
    if (gf_job_half_axis(job) >= 0)
        b.half = gf_work_axis(job, gf_job_half_axis(job));
    for (int axis = 0; axis < 3; axis++)
        b.axes += on(&b, axis);
    int rc;
    b.widen = job->op != GF_DWT && must_widen(&b);
    if (job->op == GF_DWT)
        rc = gf_gpu_dwt_make(p);
    else if (b.widen || !gf_job_is_real(job))
        rc = complex_job(&b);
    else if (b.axes == 1)
        rc = b.dir > 0 ? lines_forward(&b) : lines_inverse(&b);
    else
        rc = b.dir > 0 ? forward_real(&b) : inverse_real(&b);
    if (rc) {
        gf_gpu_plan_free(p);
        return rc;
    }
    count_buffers(p);
    if (job->op != GF_DWT)
        share_output(p);
    *out = p;
    return 0;
}

void gf_gpu_plan_free(struct gf_gpu_plan *p) {
    if (p)
        gf_gpu_tables_free(&p->tables);
    free(p);
}
