/* Spaces describe where a block of elements lies in a buffer, by axis. The device numbers four
 * axes: z, y, x and channel; a job of fewer dimensions has its last one at x.
 *
 *     int64_t extent[4] = {1, 480, 640, 3};
 *     struct gf_gpu_space s = gf_gpu_planes(GF_GPU_A, extent, 8);
 *     gf_gpu_reserve(p, &s); */
#ifndef GF_CORE_GPU_PLAN_SPACE_H
#define GF_CORE_GPU_PLAN_SPACE_H

#include "core/base/range_sample.h"
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

/* ---- loadstore.c: the generic first and last steps and the search for a range ---- */

/* Appends the pass that fills the work buffer from the input: with reals, else complex numbers;
 * with half a spectrum, else the whole. */
int gf_gpu_add_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work, bool real, bool half);
/* Appends the pass that writes an output out of such a buffer. */
int gf_gpu_add_store(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     bool half);
/* Appends the search for the upper end of an output's range over the whole work buffer; or, unless
 * `axis` is -1, over the zero-frequency lines of packed pairs along that axis. */
int gf_gpu_add_range(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     int axis);

/* ---- range_sample.c: the automatic display range of a spectrum in a buffer, in two passes: the bins of
 * a sample, then their quantiles, by one group. Also serves other searches in a sample ---- */

/* The range of an output out of the work buffer that has the spectrum. */
int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work);

/* The last step: from the keys of all bins, in GF_GPU_FOUND, to the output's parameters.
 * GF_EUNSUPP: too many passes; GF_ENOMEM. */
int gf_gpu_add_quantiles(struct gf_gpu_plan *p, int output, const struct gf_range_sample *s);

/* Adds to the plan's integers the first `count` indices of an axis in the sample (NULL: of all of an axis), or
 * the bin, or -1, of each coordinate of an axis of n. Returns the place of the first one, or GF_ENOMEM. */
int64_t gf_gpu_range_list(struct gf_gpu_plan *p, const struct gf_range_axis *axis, int64_t count);
int64_t gf_gpu_range_bins(struct gf_gpu_plan *p, const struct gf_range_axis *axis, int64_t n);

/* ---- transpose.c: the pass between a long line's columns and its rows, see `line` in struct gf_job ---- */

/* Whether a job of this direction ends, or begins, with it. */
static inline bool gf_gpu_job_transposes(const struct gf_job *job, enum gf_direction direction) {
    return job->line && job->op == GF_FFT && job->direction == direction;
}
/* Forward: from spectra in a work buffer's planes to output 0; inverse: from the input to such.
 * Times the line's twiddles. */
int gf_gpu_add_transpose(struct gf_gpu_plan *p, const struct gf_gpu_space *work);
/* Turns a plan for some columns into the plan for those that begin with column `first` of the line. */
void gf_gpu_transpose_move(struct gf_gpu_plan *p, int64_t first);

#endif
