/* Plans the pass between a long line's columns and its rows, see `line` in struct gf_job. */
#ifndef GF_CORE_GPU_PLAN_TRANSPOSE_H
#define GF_CORE_GPU_PLAN_TRANSPOSE_H

#include "core/gpu/plan/space.h"

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
