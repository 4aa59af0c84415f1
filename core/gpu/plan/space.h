/* Spaces describe where a block of elements lies in a buffer, by axis. The device numbers four
 * axes: z, y, x and channel; a job of fewer dimensions has its last one at x.
 *
 *     int64_t extent[4] = {1, 480, 640, 3};
 *     struct gf_gpu_space s = gf_gpu_planes(GF_GPU_A, extent, 8);
 *     gf_gpu_reserve(p, &s); */
#ifndef GF_CORE_GPU_PLAN_SPACE_H
#define GF_CORE_GPU_PLAN_SPACE_H

#include "core/gpu/plan/plan.h"

struct gf_gpu_space {
    enum gf_gpu_buffer_id buffer_id;
    int64_t extent[4], stride[4]; /* strides in elements */
    int element;                  /* bytes */
};

/* Axis i of the device's four as the job numbers it, -1 when the job has no such axis. */
static inline int gf_gpu_job_axis(const struct gf_job *job, int axis) {
    return axis == 3 ? -1 : axis - (GF_MAX_DIMS - job->ndim);
}
/* Whether the job transforms along that axis, and the axis has more than one point. */
static inline bool gf_gpu_axis_on(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return i >= 0 && job->axes >> i & 1 && job->shape[i] > 1;
}
/* gf_job_counted() of that axis; 0 for the channels, which nobody should ask for. */
static inline int64_t gf_gpu_counted(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return axis == 3 ? 0 : i >= 0 ? gf_job_counted(job, i) : 1;
}
/* Whether an output has integers from black to white. */
static inline bool gf_gpu_displayed(const struct gf_output *out) {
    return out->map == GF_MAP_DISPLAY && gf_dtype_is_integer(out->dtype);
}

/* The job's pitch of its input, or of its outputs, among the strides of such an array. */
static inline void gf_gpu_set_pitch(const struct gf_job *job, bool in, wide stride[4]) {
    const int64_t pitch = in ? job->in_pitch : job->out_pitch;
    if (pitch)
        stride[GF_MAX_DIMS - job->ndim] = pitch;
}

/* Planes of `element` bytes each, channel by channel, tightly packed. */
struct gf_gpu_space gf_gpu_planes(enum gf_gpu_buffer_id buffer_id, const int64_t extent[4],
                                  int element);
/* The same for passes that need no dense rows: long rows begin at cache lines. */
struct gf_gpu_space gf_gpu_padded_planes(enum gf_gpu_buffer_id buffer_id, const int64_t extent[4],
                                         int element);
int64_t gf_gpu_space_bytes(const struct gf_gpu_space *s);
bool gf_gpu_same_layout(const struct gf_gpu_space *a, const struct gf_gpu_space *b);
/* Enlarges GF_GPU_A or GF_GPU_B to hold the space; other buffers keep their size. */
void gf_gpu_reserve(struct gf_gpu_plan *p, const struct gf_gpu_space *s);
/* The buffers whose sizes follow from the job alone: input, outputs, parameters, counters, partial
 * results of a search. */
void gf_gpu_size_buffers(struct gf_gpu_plan *p);
/* Sets the size of GF_GPU_ORDER for the integers in the plan's tables so far, and one more, as no
 * buffer may be empty. */
void gf_gpu_size_order(struct gf_gpu_plan *p);

#endif
