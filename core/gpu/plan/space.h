/* A block of elements in a buffer, by axis. The device numbers four axes: z, y, x and channel; a
 * job of fewer dimensions has its last one at x.
 *
 *     int64_t extent[4] = {1, 480, 640, 3};
 *     struct gf_gpu_space s = gf_gpu_planes(GF_GPU_A, extent, 8);
 *     gf_gpu_reserve(p, &s); */
#ifndef GF_CORE_GPU_PLAN_SPACE_H
#define GF_CORE_GPU_PLAN_SPACE_H

#include <string.h>

#include "core/base/job/range.h"
#include "core/gpu/plan/plan.h"

struct gf_gpu_space {
    enum gf_gpu_buffer_id buffer_id;
    int64_t extent[4], stride[4]; /* in elements */
    int element;                  /* bytes */
};

/* The job's number of a device axis; -1: none. */
static inline int gf_gpu_job_axis(const struct gf_job *job, int axis) {
    return axis == 3 ? -1 : axis - (GF_MAX_DIMS - job->ndim);
}
/* True if the axis is transformed and longer than one point. */
static inline bool gf_gpu_axis_on(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return i >= 0 && job->axes >> i & 1 && job->shape[i] > 1;
}
/* gf_job_counted() of that axis; 0 for channels. */
static inline int64_t gf_gpu_counted(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return axis == 3 ? 0 : i >= 0 ? gf_job_counted(job, i) : 1;
}

/* The space of the input (`output` -1) or an output, channels innermost. */
struct gf_gpu_space gf_gpu_array_space(const struct gf_job *job, int output);
/* Dense planes of `element` bytes, channel by channel. */
struct gf_gpu_space gf_gpu_planes(enum gf_gpu_buffer_id buffer_id, const int64_t extent[4],
                                  int element);
/* The same, with long rows aligned to cache lines. */
struct gf_gpu_space gf_gpu_padded_planes(enum gf_gpu_buffer_id buffer_id, const int64_t extent[4],
                                         int element);
int64_t gf_gpu_space_bytes(const struct gf_gpu_space *s);
bool gf_gpu_same_layout(const struct gf_gpu_space *a, const struct gf_gpu_space *b);
/* Enlarges GF_GPU_A or GF_GPU_B for the space; other buffers keep their size. */
void gf_gpu_reserve(struct gf_gpu_plan *p, const struct gf_gpu_space *s);
/* Sizes the buffers that follow from the job alone. */
void gf_gpu_size_buffers(struct gf_gpu_plan *p);
/* Sizes GF_GPU_ORDER for the tables' integers so far, plus one, as no buffer may be empty. */
void gf_gpu_size_order(struct gf_gpu_plan *p);

/* ---- loadstore.c: generic first and last steps, and range searches ---- */

/* Appends the pass from the input to the work buffer, which holds reals or complex numbers, a half
 * or a full spectrum. */
int gf_gpu_add_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work, bool real, bool half);
/* Appends the pass from such a buffer to an output. */
int gf_gpu_add_store(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     bool half);
/* Appends the search for an output's largest value over the work buffer or, unless `axis` is -1,
 * over the zero-frequency lines of packed pairs along that axis. */
int gf_gpu_add_range(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     int axis);

/* ---- range_sample.c: the automatic display range of a spectrum in a buffer, in two passes: the
 * keys of a sample's bins, then their quantiles by one group. Also serves other searches in a
 * sample ---- */

int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work);

/* ---- transpose.c: the pass between columns and rows of a long line, job->line ---- */

/* True if a job of this direction ends (forward) or begins (inverse) with it. */
static inline bool gf_gpu_job_transposes(const struct gf_job *job, enum gf_direction direction) {
    return job->line && job->op == GF_FFT && job->direction == direction;
}
/* Forward: from spectra in a work buffer to output 0; inverse: from the input to the work buffer.
 * Multiplies by the line's twiddles. */
int gf_gpu_add_transpose(struct gf_gpu_plan *p, const struct gf_gpu_space *work);
/* Adapts a plan for some columns to the columns from `first` on. */
void gf_gpu_transpose_move(struct gf_gpu_plan *p, int64_t first);

#endif
