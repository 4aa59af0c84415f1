/* Wavelet transforms, along the slowest axis among others, of arrays that do not fit the device: they
 * pass through it in chunks of planes, which are a picture's rows, all levels in one walk.
 */
#ifndef GF_CORE_GPU_DWT_SLABS_H
#define GF_CORE_GPU_DWT_SLABS_H

#include "core/gpu/run.h"

/* Whether these slabs, and not those of core/gpu/slab.h, are for the job. */
static inline bool gf_gpu_dwt_slabs_serve(const struct gf_job *job) {
    return job->op == GF_DWT && job->axes & 1 && job->ndim > 1;
}
/* Makes the plan of plan->job: its operations, and its one pass. GF_EUNSUPP for a job that is not run so,
 * GF_ENOMEM where the device has no room for a chunk. */
int gf_gpu_dwt_slabs_plan(const struct gf_gpu_context *c, struct gf_plan *plan);

#endif
