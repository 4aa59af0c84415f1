/* Spaces in a plan's buffers, and the sizes of the buffers. */
#include "core/gpu/plan/space.h"

struct gf_gpu_space gf_gpu_array_space(const struct gf_job *job, int output) {
    const bool in = output < 0;
    const struct gf_array a = gf_job_array(job, output, NULL);
    const int64_t pitch = in ? job->in_pitch : job->out_pitch;
    struct gf_gpu_space s = {.buffer_id =
                                 in ? GF_GPU_IN : (enum gf_gpu_buffer_id)(GF_GPU_OUT + output),
                             .extent[3] = job->luma ? 1 : job->channels,
                             .stride[3] = 1,
                             .element = (int)gf_dtype_size(a.dtype)};
    int64_t stride = a.shape[job->ndim];
    for (int axis = 2; axis >= 0; axis--) {
        int i = gf_gpu_job_axis(job, axis);
        s.extent[axis] = i >= 0 ? a.shape[i] : 1;
        s.stride[axis] = stride;
        stride *= s.extent[axis];
    }
    if (pitch)
        s.stride[GF_MAX_DIMS - job->ndim] = pitch;
    return s;
}

struct gf_gpu_space gf_gpu_planes(enum gf_gpu_buffer_id buffer_id, const int64_t extent[4],
                                  int element) {
    struct gf_gpu_space s = {.buffer_id = buffer_id, .element = element};
    int64_t stride = 1;
    static const int order[4] = {2, 1, 0, 3};
    memcpy(s.extent, extent, sizeof s.extent);
    for (int i = 0; i < 4; i++) {
        s.stride[order[i]] = stride;
        stride *= extent[order[i]];
    }
    return s;
}

struct gf_gpu_space gf_gpu_padded_planes(enum gf_gpu_buffer_id buffer_id, const int64_t extent[4],
                                         int element) {
    enum { LINE = 128, WORTH = 16 }; /* bytes of a cache line; lines per row */
    struct gf_gpu_space s = gf_gpu_planes(buffer_id, extent, element);
    int64_t unit = LINE / element, row = gf_divide_up(extent[2], unit) * unit;
    if (extent[2] < WORTH * unit)
        return s;
    s.stride[1] = row;
    s.stride[0] = row * extent[1];
    s.stride[3] = s.stride[0] * extent[0];
    return s;
}

int64_t gf_gpu_space_bytes(const struct gf_gpu_space *s) {
    return s->stride[3] * s->extent[3] * s->element;
}

bool gf_gpu_same_layout(const struct gf_gpu_space *a, const struct gf_gpu_space *b) {
    return a->element == b->element && !memcmp(a->extent, b->extent, sizeof a->extent) &&
           !memcmp(a->stride, b->stride, sizeof a->stride);
}

void gf_gpu_reserve(struct gf_gpu_plan *p, const struct gf_gpu_space *s) {
    if (s->buffer_id == GF_GPU_A || s->buffer_id == GF_GPU_B)
        p->bytes[s->buffer_id] = gf_max(p->bytes[s->buffer_id], gf_gpu_space_bytes(s));
}

static int64_t array_bytes(const struct gf_job *job, int output, int64_t pitch) {
    const struct gf_array a = gf_job_array(job, output, NULL);
    const int64_t gap = pitch ? pitch * (int64_t)gf_dtype_size(a.dtype) - a.stride[0] : 0;
    return gf_array_bytes(&a) + (a.shape[0] - 1) * gap;
}

void gf_gpu_size_buffers(struct gf_gpu_plan *p) {
    const struct gf_job *job = &p->job;
    const int64_t word = gf_gpu_word(job);
    p->bytes[GF_GPU_IN] = array_bytes(job, -1, job->in_pitch);
    for (int i = 0; i < job->n_out; i++)
        p->bytes[GF_GPU_OUT + i] = array_bytes(job, i, job->out_pitch);
    p->bytes[GF_GPU_PARAMS] = GF_MAX_OUTPUTS * GF_GPU_PARAMS_EACH * word;
    p->bytes[GF_GPU_COUNTERS] = GF_MAX_OUTPUTS * COUNTERS * 4;
    p->bytes[GF_GPU_FOUND] = gf_max(p->bytes[GF_GPU_FOUND], 2 * GF_GPU_GROUPS * word);
}

void gf_gpu_size_order(struct gf_gpu_plan *p) {
    p->bytes[GF_GPU_ORDER] = (p->tables.order_count + 1) * 4;
}
