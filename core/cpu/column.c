/* The separate last column of half spectra: plan.h. */
#include "core/cpu/plan.h"

#include "core/cpu/mirror.h"

/* With more blocks the column hardly matters. */
enum { MOST_BLOCKS = 8 };

bool gf_cpu_column_pays(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    const int64_t lanes = p->kernels->lanes;
    return job->direction == GF_INVERSE && job->op == GF_FFT && job->in_half && job->ndim == 3 &&
           job->axes == 7 && job->channels == 1 && p->inner == 2 && p->half == 2 &&
           job->shape[0] >= lanes && job->shape[1] >= lanes && job->shape[2] % (2 * lanes) == 0 &&
           job->shape[2] <= 2 * MOST_BLOCKS * lanes;
}

/* Bytes between planes, which have one row along y each. */
static ptrdiff_t pitch_of(const struct gf_cpu_plan *p) {
    const ptrdiff_t bytes = (ptrdiff_t)p->job.shape[1] * p->kernels->bits / 4;
    return ((bytes + 63) / 64 | 1) * 64; /* different cache sets */
}

static struct gf_cpu_axis plain_axis(int64_t n, ptrdiff_t stride) {
    return (struct gf_cpu_axis){.n = n, .stride = stride, .counted = n};
}

/* Returns a pass along `axis`, z or y, with the other one across the lanes. */
static struct gf_cpu_pass column_pass(const struct gf_cpu_plan *p, int axis) {
    const int lane = 1 - axis;
    return (struct gf_cpu_pass){.axis = axis,
                                .lane = lane,
                                .outer = {-1, -1},
                                .output = -1,
                                .is_column = true,
                                .args = {.line = p->line[axis],
                                         .form = GF_CPU_C2C,
                                         .inverse = true,
                                         .n = (int64_t)p->job.shape[axis],
                                         .n_lane = (int64_t)p->job.shape[lane],
                                         .n_outer = {1, 1}}};
}

void gf_cpu_column_add(struct gf_cpu_plan *p) {
    memmove(p->pass + 2, p->pass, (size_t)p->n_passes * sizeof *p->pass);
    p->pass[0] = column_pass(p, 0);
    p->pass[1] = column_pass(p, 1);
    p->n_passes += 2;
    p->column_at = (p->work.bytes + 63) / 64 * 64;
    p->work.bytes = p->column_at + pitch_of(p) * p->job.shape[0];
}

static struct gf_cpu_end column_end(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass) {
    const struct gf_cpu_plan *p = b->plan;
    const bool single = p->kernels->bits == 32;
    const ptrdiff_t stride[2] = {pitch_of(p), p->kernels->bits / 4};
    return (struct gf_cpu_end){.type = single ? GF_CPU_C64 : GF_CPU_C128,
                               .data = b->work_data + p->column_at,
                               .line = plain_axis(pass->args.n, stride[pass->axis]),
                               .lane = plain_axis(pass->args.n_lane, stride[pass->lane]),
                               .outer = {plain_axis(1, 0), plain_axis(1, 0)},
                               .half_axis = GF_CPU_HALF_OUTER,
                               .value = GF_CPU_COMPLEX,
                               .factor = 1,
                               .gain = 1};
}

/* An axis of the input, which may be centred. */
static struct gf_cpu_axis input_axis(const struct gf_cpu_plan *p, const struct gf_array *in,
                                     int axis) {
    struct gf_cpu_axis a = plain_axis((int64_t)in->shape[axis], in->stride[axis]);
    a.shift = p->job.in_shift ? a.n / 2 : 0;
    return a;
}

void gf_cpu_column_bind(const struct gf_cpu_bound *b, struct gf_cpu_pass *pass,
                        const struct gf_array *in) {
    const struct gf_cpu_plan *p = b->plan;
    pass->args.source = pass->args.destination = column_end(b, pass);
    if (pass->axis != 0)
        return;
    struct gf_cpu_end *from = &pass->args.source;
    from->type = gf_cpu_sample_of(in->dtype);
    from->data = (char *)in->data + in->stride[2] * (p->job.shape[2] / 2);
    from->line = input_axis(p, in, pass->axis);
    from->lane = input_axis(p, in, pass->lane);
}

struct gf_cpu_column gf_cpu_column_of(const struct gf_cpu_bound *b,
                                      const struct gf_cpu_pass *pass) {
    const struct gf_cpu_plan *p = b->plan;
    const ptrdiff_t stride[GF_MAX_RANK] = {pitch_of(p), p->kernels->bits / 4};
    struct gf_cpu_column c = {.data = b->work_data + p->column_at, .lane = stride[pass->lane]};
    for (int d = 0; d < 2; d++)
        c.outer[d] = pass->outer[d] < 0 ? 0 : stride[pass->outer[d]];
    return c;
}
