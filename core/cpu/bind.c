/* Binds a pass's ends to a run's arrays, and sets the display range of outputs. */
#include "core/cpu/plan.h"

#include <float.h>
#include <math.h>

#include "core/cpu/mirror.h"

static struct gf_cpu_axis layout_axis(const struct gf_cpu_plan *p, const struct gf_cpu_layout *l,
                                      int axis) {
    if (axis < 0)
        return (struct gf_cpu_axis){.n = 1};
    return (struct gf_cpu_axis){.n = p->extent[axis], .stride = l->stride[axis]};
}

/* An axis of the input or an output, shifted if the spectrum is centred. */
static struct gf_cpu_axis array_axis(const struct gf_cpu_plan *p, const struct gf_array *a,
                                     int axis, bool shifted, bool half) {
    if (axis < 0)
        return (struct gf_cpu_axis){.n = 1, .counted = 1};
    const struct gf_job *job = &p->job;
    bool frequency = axis < job->ndim && (job->axes >> axis & 1);
    bool halved = half && axis == gf_job_half_axis(job) && job->shape[axis] > 1;
    int64_t n = a->shape[axis];
    return (struct gf_cpu_axis){.n = n,
                                .shift = shifted && frequency && !halved ? n / 2 : 0,
                                .stride = a->stride[axis],
                                .mirrored = frequency,
                                .counted = axis < job->ndim ? gf_job_counted(job, axis) : n};
}

/* Binds the workspace, the spent input, or a thread's plane, whose address take_part() sets. */
static void bind_layout(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass, bool plane,
                        const struct gf_array *in, struct gf_cpu_end *e) {
    const struct gf_cpu_plan *p = b->plan;
    const struct gf_cpu_layout *l = plane ? &p->plane : &p->work;
    e->type = GF_CPU_WORK;
    e->data = plane ? NULL : b->work_data;
    e->line = layout_axis(p, l, pass->axis);
    e->lane = layout_axis(p, l, pass->lane);
    for (int d = 0; d < 2; d++)
        e->outer[d] = layout_axis(p, l, pass->outer[d]);
    e->line_is_inner = pass->axis == p->inner;
    e->band = l->band;
    if (!l->band)
        return;
    e->rest_from = l->rest_from;
    e->row_bytes = l->row_bytes;
    e->rest = b->work_data;
    e->data = b->banded ? b->banded : in->data;
}

static void bind_array(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                       const struct gf_array *a, bool shifted, bool half, struct gf_cpu_end *e) {
    e->fold.row = 0;
    e->type = gf_cpu_sample_of(a->dtype);
    e->data = a->data;
    e->line = array_axis(p, a, pass->axis, shifted, half);
    e->lane = array_axis(p, a, pass->lane, shifted, half);
    for (int d = 0; d < 2; d++)
        e->outer[d] = array_axis(p, a, pass->outer[d], shifted, half);
    /* The arithmetic halves an axis that the array stores in full. */
    e->hermitian = p->half >= 0 && !(half && gf_job_half_axis(&p->job) == p->half);
    e->half_axis = pass->axis == p->half   ? GF_CPU_HALF_LINE
                   : pass->lane == p->half ? GF_CPU_HALF_LANE
                                           : GF_CPU_HALF_OUTER;
    e->half_n = p->half >= 0 ? p->job.shape[p->half] : 0;
}

/* Binds the workspace, a thread's plane, or an array of plain complex numbers that serves as
 * workspace: the output or the run's own. */
static void bind_between(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass, bool plane,
                         const struct gf_array *in, const struct gf_array *out,
                         struct gf_cpu_end *e) {
    const struct gf_cpu_plan *p = b->plan;
    if ((!p->lean && !p->plain.rank) || plane) {
        bind_layout(b, pass, plane, in, e);
        return;
    }
    struct gf_array rows = p->lean ? *out : p->plain;
    if (!p->lean)
        rows.data = b->work_data;
    bind_array(p, pass, &rows, false, p->half >= 0, e);
    e->hermitian = e->real_origin = false;
    e->value = GF_CPU_COMPLEX;
    e->factor = e->gain = 1;
}

/* True for complex numbers of the pass's precision, contiguous along its lines. */
static bool has_plain_lines(const struct gf_cpu_end *e, int bits) {
    if (e->type == GF_CPU_WORK)
        return e->line_is_inner;
    return e->type == (bits == 32 ? GF_CPU_C64 : GF_CPU_C128) && e->line.stride == bits / 4 &&
           !e->line.shift && !e->hermitian;
}

/* True if the kernels can transform the pass's lines within vectors. */
static bool has_rows(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass) {
    const struct gf_cpu_pass_args *a = &pass->args;
    const struct gf_cpu_end *from = &a->source, *to = &a->destination;
    const int bits = p->kernels->bits;
    if (!p->rows || pass->axis != p->inner || !a->line || a->gain || a->unpacks || to->discard)
        return false;
    bool to_complex =
        has_plain_lines(to, bits) && (to->type == GF_CPU_WORK || to->value == GF_CPU_COMPLEX);
    switch (a->form) {
    case GF_CPU_C2C:
        return has_plain_lines(from, bits) && to_complex && !to->real_origin;
    case GF_CPU_R2C: {
        const enum gf_dtype type = p->job.in_dtype;
        return !from->luma && !from->line.shift && from->type < GF_CPU_C64 &&
               from->line.stride == (ptrdiff_t)gf_dtype_size(type) && to_complex;
    }
    case GF_CPU_C2R:
        return has_plain_lines(from, bits) && to->type == (bits == 32 ? GF_CPU_F32 : GF_CPU_F64) &&
               to->line.stride == bits / 8 && to->value == GF_CPU_REAL;
    case GF_CPU_R2R:
        break;
    }
    return false;
}

static void bind_ends(const struct gf_cpu_bound *b, struct gf_cpu_pass *pass,
                      const struct gf_array *in, struct gf_array *out) {
    const struct gf_cpu_plan *p = b->plan;
    const struct gf_job *job = &p->job;
    bool inverse = job->direction == GF_INVERSE, samples = inverse || job->op == GF_FILTER;
    struct gf_cpu_end *from = &pass->args.source, *to = &pass->args.destination;
    if (pass->from_input) {
        bind_array(p, pass, in, inverse && job->in_shift, inverse && job->in_half, from);
        from->hermitian &= inverse;
        from->luma = job->luma;
        from->channel_stride = in->stride[job->ndim];
    } else {
        bind_between(b, pass, pass->from_plane, in, &out[0], from);
        if (p->column_at && pass->args.form == GF_CPU_C2R)
            from->last = gf_cpu_column_of(b, pass);
        if (p->packed_back && pass->args.form == GF_CPU_C2R) /* the first column's imaginary part */
            from->last = (struct gf_cpu_column){
                .data = from->data + p->kernels->lanes * p->kernels->bits / 8,
                .lane = from->lane.stride,
                .outer = {from->outer[0].stride, from->outer[1].stride}};
    }
    to->stream = pass->stream;
    if (pass->output < 0) {
        bind_between(b, pass, pass->to_plane, in, &out[0], to);
        return;
    }
    const struct gf_output *o = &job->out[pass->output];
    bind_array(p, pass, &out[pass->output], !inverse && o->shift, !inverse && o->half, to);
    to->hermitian &= !samples;
    /* In a part, the zero frequencies contain rounding errors of other parts. */
    to->real_origin = !samples && p->half >= 0 && !job->elsewhere;
    gf_cpu_pass_display(p, pass, (const double[2]){0, 0});
}

/* Treats rows that are adjacent at both ends as one. */
static void fold_lanes(struct gf_cpu_pass *pass) {
    struct gf_cpu_end *end[2] = {&pass->args.source, &pass->args.destination};
    const int64_t row = end[1]->lane.n, rows = end[1]->outer[0].n;
    const bool mirrored = end[1]->outer[0].mirrored;
    pass->args.n_lane = row;
    pass->args.n_outer[0] = rows;
    for (int i = 0; i < 2; i++)
        if (end[i]->outer[0].stride != row * end[i]->lane.stride || end[i]->hermitian ||
            end[i]->lane.shift || end[i]->outer[0].shift)
            return;
    for (int i = 0; i < 2; i++) {
        end[i]->lane.n = end[i]->lane.counted = row * rows;
        end[i]->outer[0] = (struct gf_cpu_axis){.n = 1, .counted = 1};
    }
    end[1]->fold = (struct gf_cpu_fold){.row = row, .n = rows, .mirrored = mirrored};
    pass->args.n_lane = row * rows;
    pass->args.n_outer[0] = 1;
}

void gf_cpu_pass_bind(const struct gf_cpu_bound *b, struct gf_cpu_pass *pass,
                      const struct gf_array *in, struct gf_array *out) {
    const struct gf_cpu_plan *p = b->plan;
    if (pass->is_column) {
        gf_cpu_column_bind(b, pass, in);
        return;
    }
    bind_ends(b, pass, in, out);
    if (pass->folds)
        fold_lanes(pass);
    pass->args.part = p->job.elsewhere != 0;
    pass->args.rows = has_rows(p, pass) ? p->rows : NULL;
    if (pass->row_groups)
        pass->args.groups = pass->args.rows ? pass->row_groups : 0;
}

static double curve(enum gf_scale scale, double v) {
    return scale == GF_SCALE_LOG ? log1p(v) : scale == GF_SCALE_SQRT ? sqrt(v) : v;
}

/* The norm's factor for |F|, |F|^2, … */
static double value_factor(const struct gf_job *job, enum gf_kind kind) {
    double scale = gf_job_scale(job);
    return kind == GF_POWER ? scale * scale : kind == GF_PHASE ? 1 : scale;
}

/* The gain that maps `span` to 0..white within the precision's range. Tiny values, for which log(1
 * + v) is v, are scaled up first. */
static double gain_of(const struct gf_cpu_plan *p, struct gf_cpu_end *e, double span,
                      double white) {
    const bool single = p->kernels->bits == 32;
    const double least = single ? 1e-26 : 1e-290, up = single ? 0x1p100 : 0x1p200;
    if (!(span > 0))
        return 0;
    if (span > least || e->curve == GF_CPU_SQRT)
        return white / span;
    e->factor *= up;
    e->curve = GF_CPU_LINEAR;
    return white / (span * up);
}

void gf_cpu_pass_display(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                         const double range[2]) {
    const struct gf_job *job = &p->job;
    const struct gf_output *o = &job->out[pass->output];
    struct gf_cpu_end *e = &pass->args.destination;
    e->value = gf_cpu_value_of(o->kind);
    e->factor = value_factor(job, o->kind);
    e->curve = GF_CPU_LINEAR;
    e->gain = 1;
    e->offset = 0;
    gf_dtype_range(o->dtype, &e->floor, &e->ceiling);
    if (o->map == GF_MAP_NUMBER || !gf_dtype_is_integer(o->dtype))
        return;
    double white = e->ceiling;
    e->floor = 0;
    if (o->kind == GF_PHASE) {
        e->gain = white / (2 * 3.14159265358979323846);
        e->offset = white / 2;
    } else if (o->kind == GF_REAL || o->kind == GF_IMAG) {
        e->gain = gain_of(p, e, 2 * range[1], white);
        e->offset = white / 2;
    } else {
        double low = curve(o->scale, range[0]), top = curve(o->scale, range[1]);
        double factor = e->factor;
        e->curve = gf_cpu_curve_of(o->scale);
        e->gain = gain_of(p, e, top - low, white);
        e->offset = -low * (e->factor / factor) * e->gain;
    }
}

const char *gf_cpu_work_at(const struct gf_cpu_bound *b, const int64_t index[GF_MAX_RANK]) {
    const struct gf_cpu_plan *p = b->plan;
    const int lanes = p->kernels->lanes;
    const char *at = b->work_data;
    for (int i = 0; i <= p->job.ndim; i++)
        at += (i == p->inner ? index[i] / lanes * lanes : index[i]) * p->work.stride[i];
    return at;
}

double gf_cpu_zero_frequency(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass,
                             const struct gf_output *o) {
    const struct gf_cpu_plan *p = b->plan;
    const struct gf_job *job = &p->job;
    int64_t index[GF_MAX_RANK] = {0};
    double largest = 0;
    for (bool more = true; more;) {
        double sum = 0;
        for (int64_t k = 0; k < p->extent[pass->axis]; k++) {
            index[pass->axis] = k;
            sum += gf_cpu_get_real(gf_cpu_work_at(b, index), p->kernels->bits,
                                   index[p->inner] % p->kernels->lanes);
        }
        largest = fmax(largest, sum);
        more = false;
        for (int i = job->ndim; i >= 0 && !more; i--) {
            if (i < job->ndim && (job->axes >> i & 1))
                continue;
            more = ++index[i] < p->extent[i];
            if (!more)
                index[i] = 0;
        }
    }
    return gf_range_end(job, o->kind, largest);
}
