/* Wavelet transforms, along the slowest axis among others, of arrays that do not fit the device: they
 * pass through it in chunks of planes, which are a picture's rows, all levels in one walk.
 *
 *     struct gf_gpu_dwt_slabs *w;
 *     int rc = gf_gpu_dwt_slabs_plan(c, &job, &w);
 *     if (!rc) rc = gf_gpu_dwt_slabs_exec(c, w, &in, out, &report);
 *     gf_gpu_dwt_slabs_drop(c, w);
 */
#ifndef GF_CORE_GPU_DWT_SLABS_H
#define GF_CORE_GPU_DWT_SLABS_H

#include "core/gpu/run.h"

struct gf_gpu_dwt_slabs;

/* Whether these slabs, and not those of core/gpu/slab.h, are for the job. */
static inline bool gf_gpu_dwt_slabs_serve(const struct gf_job *job) {
    return job->op == GF_DWT && job->axes & 1 && job->ndim > 1;
}
/* GF_EUNSUPP for a job that is not run so, GF_ENOMEM where the device has no room for a chunk. */
int gf_gpu_dwt_slabs_plan(const struct gf_gpu_context *c, const struct gf_job *job,
                          struct gf_gpu_dwt_slabs **slabs);
void gf_gpu_dwt_slabs_list(const struct gf_gpu_dwt_slabs *w, struct gf_plan *plan);
/* As gf_plan_ops.exec. */
int gf_gpu_dwt_slabs_exec(const struct gf_gpu_context *c, struct gf_gpu_dwt_slabs *w,
                          const struct gf_array *in, struct gf_array *out,
                          struct gf_report *report);
void gf_gpu_dwt_slabs_drop(const struct gf_gpu_context *c,
                           struct gf_gpu_dwt_slabs *w); /* takes NULL */

#endif
