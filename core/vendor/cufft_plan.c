/* Describes a transform to cuFFT, and makes the passes around it. */
#include "core/vendor/cufft_plan.h"

#include "core/base/job/loadstore.h"
#include "core/base/value/status.h"
#include "core/gpu/plan/endpoints.h"
#include "core/gpu/plan/pass.h"

/* ---- layout ---- */

/* Joins the axes that are not transformed, outermost first, if they are contiguous: at most two
 * remain, for cuFFT's batch and for the loop. */
static void set_batches(const struct gf_job *job, const struct gf_gpu_space *in,
                        const struct gf_gpu_space *out, struct gf_cufft_layout *l) {
    static const int order[4] = {3, 0, 1, 2};
    struct {
        int64_t count, in, out;
    } batch[4] = {{1, 0, 0}, {1, 0, 0}};
    int n = 0;
    for (int i = 0; i < 4; i++) {
        int axis = order[i];
        int64_t count = in->extent[axis];
        if (count == 1 || (axis < 3 && gf_gpu_axis_on(job, axis)))
            continue;
        if (n && batch[n - 1].in == in->stride[axis] * count &&
            batch[n - 1].out == out->stride[axis] * count) {
            count *= batch[n - 1].count;
            n--;
        }
        batch[n].count = count;
        batch[n].in = in->stride[axis];
        batch[n++].out = out->stride[axis];
    }
    int most = n > 1 && batch[1].count > batch[0].count;
    l->batch = batch[most].count;
    l->in_dist = batch[most].in;
    l->out_dist = batch[most].out;
    l->loops = batch[!most].count;
    l->in_step = batch[!most].in;
    l->out_step = batch[!most].out;
}

struct gf_gpu_space gf_cufft_space(const struct gf_job *job, enum gf_gpu_buffer_id buffer_id,
                                   bool is_complex, bool half) {
    int64_t extent[4];
    for (int axis = 0; axis < 3; axis++) {
        int i = gf_gpu_job_axis(job, axis);
        extent[axis] = i < 0 ? 1 : job->shape[i];
        if (half && i >= 0 && i == gf_job_half_axis(job))
            extent[axis] = extent[axis] / 2 + 1;
    }
    extent[3] = job->luma ? 1 : job->channels;
    return gf_gpu_planes(buffer_id, extent,
                         (job->precision == GF_DOUBLE ? 8 : 4) * (is_complex ? 2 : 1));
}

struct gf_cufft_layout gf_cufft_lay_out(const struct gf_job *job, const struct gf_gpu_space *in,
                                        const struct gf_gpu_space *out) {
    struct gf_cufft_layout l = {.dense = true};
    int64_t n[3] = {1, 1, 1}, in_points = 1, out_points = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (!gf_gpu_axis_on(job, axis))
            continue;
        n[l.rank] = job->shape[gf_gpu_job_axis(job, axis)];
        l.n[l.rank] = n[l.rank];
        l.in_embed[l.rank] = in->extent[axis];
        l.out_embed[l.rank] = out->extent[axis];
        /* The outer axis' stride in strides of this one. */
        if (l.rank) {
            l.in_embed[l.rank] = l.in_stride / in->stride[axis];
            l.out_embed[l.rank] = l.out_stride / out->stride[axis];
        }
        l.dense = l.dense && l.in_embed[l.rank] == in->extent[axis] &&
                  l.out_embed[l.rank] == out->extent[axis];
        l.in_stride = in->stride[axis];
        l.out_stride = out->stride[axis];
        in_points *= in->extent[axis];
        out_points *= out->extent[axis];
        l.rank++;
    }
    set_batches(job, in, out, &l);
    l.dense = l.dense && l.in_stride == 1 && l.out_stride == 1 &&
              (l.batch == 1 || (l.in_dist == in_points && l.out_dist == out_points));
    if (l.batch == 1) {
        l.in_dist = in_points;
        l.out_dist = out_points;
    }
    return l;
}

/* ---- around a picture ---- */

bool gf_cufft_is_plain(const struct gf_job *job) {
    const struct gf_output *out = &job->out[0];
    return job->direction == GF_FORWARD && job->ndim == 2 && job->channels == 1 && job->axes == 3 &&
           job->shape[0] > 1 && job->shape[1] > 1 && job->shape[0] < 1 << 28 &&
           job->shape[1] < 1 << 28 && (job->in_dtype == GF_U8 || job->in_dtype == GF_U16) &&
           !job->luma && job->n_out == 1 && gf_output_is_display(out) && !out->half &&
           (out->kind == GF_MAGNITUDE || out->kind == GF_POWER) &&
           (out->dtype == GF_U8 || out->dtype == GF_U16);
}

/* Appends a pass of kernels/plain.cl with `items` items; NULL with a message if the plan is
 * full. */
static struct gf_gpu_pass *add(struct gf_gpu_plan *p, const char *kernel, int64_t items, int n,
                               const enum gf_gpu_buffer_id *buffer) {
    const struct gf_job *job = &p->job;
    struct gf_gpu_pass *pass = gf_gpu_next_pass(p, GF_GPU_PASS_VENDOR, "plain.cl", kernel);
    if (!pass)
        return NULL;
    struct loadstore_args *a = &pass->args.loadstore;
    for (int i = 0; i < 2; i++) {
        a->n[i + 1] = job->shape[i];
        a->centre[i + 1] = job->out[0].shift ? job->shape[i] / 2 : 0;
    }
    pass->args_bytes = sizeof *a;
    pass->group = GROUP;
    pass->groups = gf_divide_up(items, GROUP);
    gf_gpu_set_buffers(pass, n, buffer);
    return pass;
}

int gf_cufft_add_plain_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work) {
    const struct gf_job *job = &p->job;
    int64_t count = job->shape[0] * job->shape[1];
    struct gf_gpu_pass *pass = add(p, "plain_load", (count + 3) / 4, 2,
                                   (enum gf_gpu_buffer_id[]){GF_GPU_IN, work->buffer_id});
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_type_options(pass, "IN", job->in_dtype);
    gf_gpu_option(pass, "-DIN_T4=%s", job->in_dtype == GF_U8 ? "uchar4" : "ushort4");
    gf_work_load_text(job, pass->summary.what, sizeof pass->summary.what);
    pass->summary.bytes_read = count * (int64_t)gf_dtype_size(job->in_dtype);
    pass->summary.bytes_written = gf_gpu_space_bytes(work);
    return 0;
}

int gf_cufft_add_plain_store(struct gf_gpu_plan *p, const struct gf_gpu_space *work) {
    const struct gf_job *job = &p->job;
    const struct gf_output *out = &job->out[0];
    int64_t width = job->shape[1];
    bool aligned = width % 8 == 0;
    int64_t each = aligned ? width / 8 : (width / 2 + 1 + 3) / 4; /* items a row */
    struct gf_gpu_pass *pass =
        add(p, "plain_store", job->shape[0] * each, 3,
            (enum gf_gpu_buffer_id[]){work->buffer_id, GF_GPU_OUT, GF_GPU_PARAMS});
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_output_options(pass, out->dtype);
    gf_gpu_option(pass, "-DOUT_T4=%s -DKIND=%d -DSCALE=%d -DRANGED=%d -DCOARSE=%d -DALIGNED=%d",
                  out->dtype == GF_U8 ? "uchar4" : "ushort4", out->kind, out->scale,
                  out->range != GF_RANGE_FULL, job->precision == GF_SINGLE, aligned);
    gf_work_store_text(job, 0, pass->summary.what, sizeof pass->summary.what);
    pass->summary.bytes_read = gf_gpu_space_bytes(work);
    pass->summary.bytes_written =
        job->shape[0] * job->shape[1] * (int64_t)gf_dtype_size(out->dtype);
    return 0;
}

/* ---- around a filter ---- */

int gf_cufft_add_times(struct gf_gpu_plan *p, const struct gf_gpu_space *work,
                       const struct gf_array *table) {
    int64_t bins = gf_array_count(table), bytes = bins * (int64_t)gf_dtype_size(table->dtype);
    struct gf_gpu_pass *pass =
        add(p, "plain_times", bins, 2, (enum gf_gpu_buffer_id[]){work->buffer_id, GF_GPU_TABLES});
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_option(pass, "-DTIMES=%d", gf_dtype_is_complex(table->dtype) ? 2 : 1);
    pass->args.loadstore.channels = work->extent[3];
    pass->args.loadstore.work[2] = bins;
    p->bytes[GF_GPU_TABLES] = bytes;
    snprintf(pass->summary.what, sizeof pass->summary.what,
             "half spectrum times the filter's table");
    pass->summary.bytes_read = gf_gpu_space_bytes(work) + bytes;
    pass->summary.bytes_written = gf_gpu_space_bytes(work);
    return 0;
}

int gf_cufft_add_hermitian(struct gf_gpu_plan *p, const struct gf_gpu_space *work) {
    const struct gf_job *job = &p->job;
    int64_t bins = work->extent[3];
    struct gf_gpu_pass *pass =
        add(p, "plain_hermitian", 1, 1, (enum gf_gpu_buffer_id[]){work->buffer_id});
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_option(pass, "-DHERMITIAN");
    struct loadstore_args *a = &pass->args.loadstore;
    a->channels = work->extent[3];
    for (int axis = 0; axis < 3; axis++) {
        int i = gf_gpu_job_axis(job, axis);
        a->n[axis] = i < 0 ? 1 : job->shape[i];
        a->on[axis] = gf_gpu_axis_on(job, axis);
        a->work[axis] = a->array[axis] = work->extent[axis];
        if (i >= 0 && i == gf_job_half_axis(job)) {
            a->halved = axis;
            a->array[axis] = a->n[axis] % 2 ? 1 : 2;
        }
        bins *= a->array[axis];
    }
    pass->groups = gf_divide_up(bins, GROUP);
    pass->unlisted = true;
    return 0;
}

int gf_cufft_add_round(struct gf_gpu_plan *p, const struct gf_gpu_space *work) {
    enum { EACH = 4 };
    const struct gf_job *job = &p->job;
    const int64_t count = gf_gpu_space_bytes(work) / work->element;
    struct gf_gpu_pass *pass =
        add(p, "plain_round", gf_divide_up(count, EACH), 4,
            (enum gf_gpu_buffer_id[]){work->buffer_id, GF_GPU_OUT, GF_GPU_PARAMS, GF_GPU_COUNTERS});
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_output_options(pass, job->out[0].dtype);
    gf_gpu_option(pass, "-DROUND_EACH=%d", EACH);
    pass->args.loadstore.work[2] = count;
    for (int axis = 0; axis < 3; axis++) {
        pass->args.loadstore.array[axis] = work->extent[axis];
        pass->args.loadstore.counted[axis] = gf_gpu_counted(job, axis);
    }
    pass->output = 0;
    gf_work_store_text(job, 0, pass->summary.what, sizeof pass->summary.what);
    pass->summary.bytes_read = gf_gpu_space_bytes(work);
    pass->summary.bytes_written = count * (int64_t)gf_dtype_size(job->out[0].dtype);
    return 0;
}

bool gf_cufft_rounds(const struct gf_job *job, const struct gf_gpu_space *work) {
    enum gf_dtype t = job->out[0].dtype;
    return job->n_out == 1 && work->extent[3] == 1 && (t == GF_U8 || t == GF_U16 || t == GF_F32);
}
