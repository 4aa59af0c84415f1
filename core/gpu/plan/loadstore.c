/* Generic load and store passes, and range searches. */

#include "core/base/value/status.h"
#include "core/gpu/plan/pass_builder.h"
#include "core/gpu/plan/pass.h"
#include "core/base/job/loadstore.h"

static int64_t count_of(const struct gf_gpu_space *s) {
    return s->extent[0] * s->extent[1] * s->extent[2] * s->extent[3];
}

static void set_array(const struct gf_job *job, int output, struct loadstore_args *a) {
    const struct gf_gpu_space s = gf_gpu_array_space(job, output);
    memcpy(a->array, s.extent, sizeof a->array);
    memcpy(a->stride, s.stride, sizeof a->stride);
}

static void set_work(const struct gf_job *job, const struct gf_gpu_space *work,
                     struct loadstore_args *a) {
    for (int axis = 0; axis < 3; axis++) {
        int i = gf_gpu_job_axis(job, axis);
        a->n[axis] = i >= 0 ? job->shape[i] : 1;
        a->on[axis] = i >= 0 && job->axes >> i & 1;
        a->counted[axis] = gf_gpu_counted(job, axis);
        a->work[axis] = work->extent[axis];
    }
    a->channels = work->extent[3];
    a->halved = gf_job_half_axis(job) + GF_MAX_DIMS - job->ndim;
}

/* Sets the element types of both sides of a step; 32 bits are enough for most coordinates. */
static void step_options(struct gf_gpu_pass *pass, const struct gf_gpu_space *work,
                         const bool is_complex[2]) {
    gf_gpu_option(pass, "-DIN_COMPLEX=%d -DOUT_COMPLEX=%d -DFAR=%d", is_complex[0], is_complex[1],
                  count_of(work) >= 1 << 29);
}

static int64_t groups_for(int64_t count) {
    return gf_min(gf_divide_up(count, GROUP), GF_GPU_GROUPS);
}

/* True if the array has the work buffer's reals in the same order. */
static bool is_straight(const struct gf_job *job, const struct gf_gpu_space *work, bool real) {
    const struct gf_gpu_space array = gf_gpu_array_space(job, -1);
    int64_t dense = 1;
    bool straight = real && !job->luma && !gf_dtype_is_complex(job->in_dtype);
    for (int i = 2; i >= 0; dense *= array.extent[i--])
        straight &= array.extent[i] == work->extent[i] &&
                    (array.extent[i] == 1 || array.stride[i] == dense);
    return straight && array.extent[3] == 1;
}

int gf_gpu_add_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work, bool real, bool half) {
    const struct gf_job *job = &p->job;
    struct gf_gpu_pass *pass = gf_gpu_next_pass(p, GF_GPU_PASS_LOAD, "load.cl", "load_step");
    if (!pass)
        return GF_EUNSUPP;
    struct loadstore_args *a = &pass->args.loadstore;
    set_array(job, -1, a);
    set_work(job, work, a);
    for (int axis = 0; axis < 3; axis++)
        if (a->on[axis] && job->in_shift && !(job->in_half && axis == a->halved))
            a->centre[axis] = a->n[axis] / 2;
    a->luma = job->luma;
    a->work_half = half;
    a->array_half = job->in_half;
    a->hermitian = job->direction == GF_INVERSE && job->real && (!job->in_half || !half);
    gf_gpu_type_options(pass, "IN", job->in_dtype);
    step_options(pass, work, (bool[]){gf_dtype_is_complex(job->in_dtype), !real});
    gf_gpu_option(pass, "-DSTRAIGHT=%d", is_straight(job, work, real));
    GF_GPU_BUFFERS(pass, GF_GPU_IN, work->buffer_id, GF_GPU_ENERGY);
    const int64_t word = gf_gpu_word(job);
    p->bytes[GF_GPU_ENERGY] = 2 * GF_GPU_GROUPS * word;
    gf_gpu_set_launch(pass, groups_for(count_of(work)), GROUP, 2 * GROUP * word, sizeof *a);
    pass->energy = a->hermitian && !job->in_half;
    gf_work_load_text(job, pass->summary.what, sizeof pass->summary.what);
    pass->summary.bytes_read = gf_job_bytes(job, -1) * (a->hermitian && half ? 2 : 1);
    pass->summary.bytes_written = count_of(work) * work->element;
    pass->cost = (double)(pass->summary.bytes_read + pass->summary.bytes_written) / 0.6 +
                 gf_gpu_launch_cost(&p->props);
    return 0;
}

int gf_gpu_add_store(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     bool half) {
    const struct gf_job *job = &p->job;
    const struct gf_output *out = &job->out[output];
    struct gf_gpu_pass *pass = gf_gpu_next_pass(p, GF_GPU_PASS_STORE, "store.cl", "store_step");
    const int64_t bytes = gf_job_bytes(job, output);
    if (!pass)
        return GF_EUNSUPP;
    struct loadstore_args *a = &pass->args.loadstore;
    set_array(job, output, a);
    set_work(job, work, a);
    bool spectrum = job->direction == GF_FORWARD;
    for (int axis = 0; axis < 3; axis++) {
        if (a->on[axis] && out->shift && !(out->half && axis == a->halved))
            a->centre[axis] = a->n[axis] / 2;
        /* The imaginary parts of a real result computed as complex are rounding errors. */
        if (!spectrum)
            a->on[axis] = 0;
    }
    a->work_half = half;
    a->array_half = spectrum && out->half;
    a->reals = gf_job_is_real(job);
    a->kind = out->kind;
    a->scale = out->scale;
    a->display = out->map == GF_MAP_DISPLAY;
    a->params = output * GF_GPU_PARAMS_EACH;
    a->counters = output * COUNTERS;
    gf_gpu_output_options(pass, out->dtype);
    step_options(pass, work, (bool[]){!real, gf_dtype_is_complex(out->dtype)});
    gf_gpu_option(pass, "-DCOARSE=%d",
                  gf_job_is_bounded(job) && job->precision == GF_SINGLE &&
                      gf_dtype_is_integer(out->dtype) && gf_dtype_size(out->dtype) <= 2);
    GF_GPU_BUFFERS(pass, work->buffer_id, (enum gf_gpu_buffer_id)(GF_GPU_OUT + output),
                   GF_GPU_PARAMS, GF_GPU_COUNTERS);
    gf_gpu_set_launch(pass, groups_for(bytes / (int64_t)gf_dtype_size(out->dtype)) * 8, GROUP, 0,
                      sizeof *a);
    pass->output = gf_output_is_display(out) ? -1 : output;
    gf_work_store_text(job, output, pass->summary.what, sizeof pass->summary.what);
    pass->summary.bytes_read = count_of(work) * work->element;
    pass->summary.bytes_written = bytes;
    pass->cost = (double)(pass->summary.bytes_read + pass->summary.bytes_written) / 0.6 +
                 gf_gpu_launch_cost(&p->props);
    return 0;
}

int gf_gpu_add_range(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     int axis) {
    const struct gf_job *job = &p->job;
    bool zero = axis >= 0;
    int row = zero ? axis : 2, level = 0;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_RANGE, "range.cl", zero ? "range_zero" : "range_scan");
    if (!pass)
        return GF_EUNSUPP;
    if (real && !zero)
        gf_gpu_option(pass, "-DREALS");
    struct range_args *a = &pass->args.range;
    a->count = work->extent[row];
    a->stride = work->stride[row];
    a->rows = 1;
    for (int i = 0; i < 4; i++)
        a->extent[i] = 1;
    for (int i = 3; i >= 0; i--) {
        if (i == row || (zero && gf_gpu_axis_on(job, i)))
            continue;
        a->extent[level] = work->extent[i];
        a->step[level++] = work->stride[i];
        a->rows *= work->extent[i];
    }
    a->kind = job->out[output].kind;
    a->params = output * GF_GPU_PARAMS_EACH;
    const int64_t groups = gf_min(a->rows, GF_GPU_GROUPS), word = gf_gpu_word(job);
    a->found = groups > 1 ? 0 : a->params + PARAM_HIGH;
    GF_GPU_BUFFERS(pass, work->buffer_id, groups > 1 ? GF_GPU_FOUND : GF_GPU_PARAMS, GF_GPU_PARAMS);
    gf_gpu_set_launch(pass, groups, GROUP, GROUP * word, sizeof *a);
    snprintf(pass->summary.what, sizeof pass->summary.what, "range: largest %s%s",
             gf_kind_name(job->out[output].kind), zero ? ", the zero frequency's" : "");
    pass->summary.bytes_read = a->rows * a->count * work->element;
    pass->summary.bytes_written = groups * word;
    pass->cost = (double)pass->summary.bytes_read / 0.6 + gf_gpu_launch_cost(&p->props);
    int64_t params = a->params;
    if (groups == 1)
        return 0;
    pass = gf_gpu_next_pass(p, GF_GPU_PASS_RANGE_LAST, "range.cl", "range_last");
    if (!pass)
        return GF_EUNSUPP;
    pass->args.range = (struct range_args){.params = params, .groups = groups};
    GF_GPU_BUFFERS(pass, GF_GPU_FOUND, GF_GPU_PARAMS);
    gf_gpu_set_launch(pass, 1, GROUP, GROUP * word, sizeof *a);
    pass->cost = gf_gpu_launch_cost(&p->props);
    pass->unlisted = true;
    return 0;
}
