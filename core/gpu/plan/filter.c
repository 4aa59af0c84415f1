/* Plans a filter: forward transform, multiplication and inverse. The last axis forward is the first
 * one back, so one pass does all three if a tile holds its lines; otherwise a separate pass
 * multiplies the half spectrum in the work buffer. */
#include "core/base/value/status.h"
#include "core/gpu/plan/endpoints.h"
#include "core/gpu/plan/filter_values.h"
#include "core/gpu/plan/pass.h"

/* Adds the multiplication alone, in place. */
static int add_step(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *work) {
    struct gf_gpu_plan *p = b->p;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_MULTIPLY, "filter.cl", "filter_step");
    if (!pass)
        return GF_EUNSUPP;
    struct filter_multiply_args *a = &pass->args.filter;
    a->filter = p->filter;
    a->channels = work->extent[3];
    const bool part = b->job->whole.axes != 0;
    a->halved = part ? 0 : b->half;
    for (int axis = 0; axis < 3; axis++) {
        a->n[axis] = part ? 2 * b->n[axis] : b->n[axis]; /* a part's bins keep their coordinates */
        int i = gf_gpu_job_axis(b->job, axis);
        a->on[axis] = i >= 0 && b->job->axes >> i & 1;
        a->work[axis] = work->extent[axis];
    }
    gf_gpu_filter_options(p, pass);
    GF_GPU_BUFFERS(pass, work->buffer_id, work->buffer_id, gf_gpu_filter_buffer(p), GF_GPU_PARAMS);
    int64_t rows = work->extent[3] * work->extent[0] * work->extent[1];
    int64_t bytes = rows * work->extent[2] * work->element;
    gf_gpu_set_launch(pass, gf_min(rows, 8 * GF_GPU_GROUPS), GROUP, 0, sizeof *a);
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

/* Sets up the filter on packed pairs; false if no tile holds it. */
static bool packed_filter_pass(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap) {
    struct gf_gpu_space s = gf_gpu_half_planes(b, GF_GPU_A, true);
    *ap = gf_gpu_axis_pass_along(b, b->half);
    ap->load = LOAD_PACKED;
    ap->store = STORE_PACKED;
    ap->mirror_axis = gf_gpu_mirror_axis(b);
    ap->filtered = true;
    return b->n[b->half] % 2 == 0 && b->n[b->half] > 2 && gf_gpu_fits(b, ap, &s, &s, false);
}

/* For two or more axes of real samples, as packed pairs. */
static int plan_packed(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_space src, halves, packed;
    struct gf_gpu_axis_pass ap;
    int rc = gf_gpu_packed_forward(b, &src);
    if (rc)
        return rc;
    if (packed_filter_pass(b, &ap)) {
        packed = gf_gpu_half_planes(b, GF_GPU_A, true);
        rc = gf_gpu_add_axis(b, &ap, &src, &packed, true);
        b->dir = -1;
        return rc ? rc : gf_gpu_packed_back(b, &packed);
    }
    ap = gf_gpu_axis_pass_along(b, b->half);
    ap.load = LOAD_UNTANGLE;
    ap.store = STORE_HALVES;
    ap.mirror_axis = gf_gpu_mirror_axis(b);
    halves = gf_gpu_half_planes(b, GF_GPU_A, false);
    rc = gf_gpu_add_axis(b, &ap, &src, &halves, false);
    if (!rc)
        rc = add_step(b, &halves);
    b->dir = -1;
    if (!rc)
        rc = gf_gpu_packed_halves(b, &halves, &packed);
    return rc ? rc : gf_gpu_packed_back(b, &packed);
}

/* For two axes, the halved one first and last: half spectra are written transposed, so that the
 * filter's pass moves contiguous lines. */
static struct gf_gpu_space turned_planes(const struct gf_gpu_plan_builder *b) {
    struct gf_gpu_space s = gf_gpu_half_planes(b, GF_GPU_A, false);
    int own = gf_gpu_mirror_axis(b);
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

/* Forward along the halved axis, filter along the other, back. */
static void turned_passes(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass ap[3]) {
    int own = gf_gpu_mirror_axis(b);
    ap[0] = gf_gpu_axis_pass_along(b, b->half);
    ap[0].load = LOAD_PAIR;
    ap[0].fold = b->n[b->half] % 2 == 0 && b->n[b->half] > 2;
    ap[0].store = ap[0].fold ? STORE_ROW_HALVES : STORE_TWO_HALVES;
    ap[0].pair_axis = ap[0].fold ? -1 : own;
    ap[1] = gf_gpu_axis_pass_along(b, own);
    ap[1].filtered = true;
    ap[2] = gf_gpu_axis_pass_along(b, b->half);
    ap[2].dir = ap[2].sense = -1;
    ap[2].fold = ap[0].fold && gf_gpu_has_codelets(b->n[b->half] / 2);
    ap[2].load = ap[2].fold ? LOAD_ROW_HALVES : LOAD_TWO_HALVES;
    ap[2].pair_axis = ap[2].fold ? -1 : own;
    ap[2].store = STORE_PAIR;
}

static bool turned_fits(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_space full = gf_gpu_full_planes(b, GF_GPU_A, b->real_bytes);
    struct gf_gpu_space turned = turned_planes(b);
    struct gf_gpu_axis_pass ap[3];
    turned_passes(b, ap);
    return b->axes == 2 && gf_gpu_fits(b, &ap[0], &full, &turned, false) &&
           gf_gpu_fits(b, &ap[1], &turned, &turned, false) &&
           gf_gpu_fits(b, &ap[2], &turned, &full, false);
}

static int plan_turned(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_axis_pass ap[3];
    struct gf_gpu_space src, turned = turned_planes(b), to = turned, dst;
    turned_passes(b, ap);
    int rc = gf_gpu_real_source(b, &ap[0], &src);
    if (!rc)
        rc = gf_gpu_add_axis(b, &ap[0], &src, &turned, true);
    if (!rc)
        rc = gf_gpu_add_axis(b, &ap[1], &turned, &to, true);
    bool done = gf_gpu_real_sink(b, &ap[2], &dst);
    if (!rc)
        rc = gf_gpu_add_axis(b, &ap[2], &to, &dst, true);
    return rc || done ? rc : gf_gpu_add_outputs(b, &dst, true, false);
}

/* Sets up the whole filter as one pass on pairs of lines; false if no tile holds it or the lines'
 * filters may differ. */
static bool lines_pass(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap) {
    int partner = gf_gpu_partner_axis(b);
    struct gf_gpu_space s = gf_gpu_full_planes(b, GF_GPU_A, b->real_bytes);
    *ap = gf_gpu_axis_pass_along(b, b->half);
    ap->load = LOAD_PAIR;
    ap->store = STORE_PAIR;
    ap->pair_axis = partner;
    ap->filtered = true;
    bool same = partner == 3 || b->n[partner] == 1 || b->p->filter_form == FILTER_FACTORS;
    return same && gf_gpu_fits(b, ap, &s, &s, false);
}

static int plan_lines(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_axis_pass ap;
    struct gf_gpu_space src, dst, halves = gf_gpu_half_planes(b, GF_GPU_A, false);
    bool one = lines_pass(b, &ap), done;
    if (!one)
        ap = gf_gpu_axis_pass_along(b, b->half);
    int rc = gf_gpu_real_source(b, &ap, &src);
    if (!rc && one) {
        done = gf_gpu_real_sink(b, &ap, &dst);
        rc = gf_gpu_add_axis(b, &ap, &src, &dst, true);
        return rc || done ? rc : gf_gpu_add_outputs(b, &dst, true, false);
    }
    gf_gpu_set_lines(b, &ap);
    if (!rc)
        rc = gf_gpu_add_axis(b, &ap, &src, &halves, true);
    if (!rc)
        rc = add_step(b, &halves);
    b->dir = -1;
    return rc ? rc : gf_gpu_lines_back(b, &halves);
}

/* Adds the passes of one direction on complex numbers; the first may read reals. */
static int complex_passes(struct gf_gpu_plan_builder *b, int load, bool back,
                          struct gf_gpu_space *src, bool *done) {
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
        struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, axis);
        struct gf_gpu_space dst = gf_gpu_full_planes(b, GF_GPU_A, b->complex_bytes);
        ap.load = load;
        load = LOAD_COMPLEX;
        if (axis == last && back && numbers) {
            ap.store = STORE_SAMPLE;
            ap.sample = out;
            dst = gf_gpu_array_space(b->job, 0);
            gf_gpu_scale_last(b, &ap);
            *done = true;
        }
        rc = gf_gpu_add_axis(b, &ap, src, &dst, false);
        *src = dst;
    }
    return rc;
}

/* Treats reals as complex numbers, if they cannot be packed. */
static int plan_complex(struct gf_gpu_plan_builder *b) {
    const struct gf_job *job = b->job;
    bool done = false, plain = b->axes && !job->luma;
    struct gf_gpu_space src = gf_gpu_array_space(b->job, -1);
    int rc = 0;
    if (!plain) {
        src = gf_gpu_full_planes(b, GF_GPU_A, b->complex_bytes);
        gf_gpu_reserve(b->p, &src);
        rc = gf_gpu_add_load(b->p, &src, false, false);
    }
    if (!rc)
        rc = complex_passes(b, plain ? LOAD_REAL : LOAD_COMPLEX, false, &src, &done);
    if (!rc)
        rc = add_step(b, &src);
    b->dir = -1;
    if (!rc)
        rc = complex_passes(b, LOAD_COMPLEX, true, &src, &done);
    return rc || done ? rc : gf_gpu_add_outputs(b, &src, false, false);
}

/* Returns the cost of the passes that `add` would append. */
static int weigh(struct gf_gpu_plan_builder *b, int (*add)(struct gf_gpu_plan_builder *),
                 double *cost) {
    int dir = b->dir;
    struct gf_gpu_trial trial = gf_gpu_trial_begin(b->p);
    int rc = add(b);
    *cost = gf_gpu_trial_end(b->p, &trial);
    b->dir = dir;
    return rc;
}

/* Transforms complex numbers along one axis, applies the filter, and transforms back, without the
 * norm's factor. */
static int plan_part(struct gf_gpu_plan_builder *b) {
    const struct gf_job *job = b->job;
    int axis = 0;
    while (!gf_gpu_axis_on(job, axis))
        if (++axis == 3)
            return gf_fail(GF_EUNSUPP, "a part of a filter has no axis");
    struct gf_gpu_space src = gf_gpu_array_space(b->job, -1), dst = src;
    struct gf_gpu_space work = gf_gpu_full_planes(b, GF_GPU_A, b->complex_bytes);
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, axis);
    dst.buffer_id = GF_GPU_OUT;
    ap.filtered = true;
    if (gf_gpu_fits(b, &ap, &src, &dst, false))
        return gf_gpu_add_axis(b, &ap, &src, &dst, true);
    ap.filtered = false;
    int rc = gf_gpu_add_axis(b, &ap, &src, &work, false);
    if (!rc)
        rc = add_step(b, &work);
    b->dir = -1;
    ap = gf_gpu_axis_pass_along(b, axis);
    return rc ? rc : gf_gpu_add_axis(b, &ap, &work, &dst, false);
}

void gf_gpu_filter_move(struct gf_gpu_plan *p, int axis, int64_t first) {
    const int64_t at = p->filter.at[axis], delta = first - p->filter_first;
    if (p->filter_form != FILTER_FACTORS || !at || !delta)
        return;
    for (int i = 0; i < p->n_passes; i++) {
        struct gf_gpu_pass *pass = &p->pass[i];
        for (int k = 0; k < pass->indices && pass->kind == GF_GPU_PASS_FILTER_AXIS; k++)
            if (pass->args.pass.index[k].filter == at + p->filter_first)
                pass->args.pass.index[k].filter += delta;
        if (pass->kind == GF_GPU_PASS_MULTIPLY)
            pass->args.filter.filter.at[axis] += delta;
    }
    p->filter_first = first;
}

int gf_gpu_filter_job(struct gf_gpu_plan_builder *b) {
    int rc = gf_gpu_filter_values(b);
    if (rc)
        return rc;
    if (b->job->whole.axes)
        return plan_part(b);
    struct gf_gpu_axis_pass ap;
    bool packed = b->half >= 0 && b->axes > 1 && packed_filter_pass(b, &ap);
    if (b->widen && !packed)
        return plan_complex(b);
    if (b->axes == 1)
        return plan_lines(b);
    if (!turned_fits(b))
        return plan_packed(b);
    double cost[2];
    rc = weigh(b, plan_packed, &cost[0]);
    if (!rc)
        rc = weigh(b, plan_turned, &cost[1]);
    return rc ? rc : cost[1] <= cost[0] ? plan_turned(b) : plan_packed(b);
}
