/* A part of a walk over a job in slabs (core/gpu/slab.h) as a job that a device's plan is made for. Private to
 * core/gpu/slab_*.c.
 *
 *     const struct gf_job job = gf_gpu_part_job(s, &s->walk[0], 16);
 *     int rc = gf_gpu_run_make(c, &run, &job);
 */
#ifndef GF_CORE_GPU_SLAB_JOB_H
#define GF_CORE_GPU_SLAB_JOB_H

#include "core/gpu/slab.h"

static inline bool gf_gpu_job_walks_twice(const struct gf_job *job) {
    return job->axes & 1 && job->axes != 1;
}
/* The type of the numbers between the walks. */
static inline enum gf_dtype gf_gpu_work_type(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? GF_C128 : GF_C64;
}
static inline bool gf_gpu_slabs_are_line(const struct gf_gpu_slabs *s) {
    return s->asked.ndim == 1;
}

/* Every so many bins, of at least 8 bytes, a view can begin. */
enum { GF_GPU_VIEW_BINS = GF_GPU_VIEW_ALIGNED / 8 };
/* Blocks of a volume's filter are rows; those of an exchange in place begin at views. */
static inline int64_t gf_gpu_slabs_granule(const struct gf_gpu_slabs *s) {
    if (s->role.in_place)
        return GF_GPU_VIEW_BINS;
    return s->filter && !s->picture ? s->plan.width * s->plan.number / s->unit : 1;
}

/* `count` pages or bins. A walk for display ranges has the outputs that need one, the others are given
 * theirs: notes in w->output which outputs of the job these are. */
struct gf_job gf_gpu_part_job(const struct gf_gpu_slabs *s, struct gf_gpu_walk *w, int64_t count);

/* Sizes the parts of all walks and makes their plans; GF_ENOMEM where they do not fit. */
int gf_gpu_slabs_fit(const struct gf_gpu_context *c, struct gf_gpu_slabs *s);
void gf_gpu_slabs_drop_runs(const struct gf_gpu_context *c, struct gf_gpu_walk *w);

#endif
