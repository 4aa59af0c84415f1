/* One walk of a job in slabs (core/gpu/slab.h): all its parts from one array to others. */
#ifndef GF_CORE_GPU_SLAB_WALK_H
#define GF_CORE_GPU_SLAB_WALK_H

#include "core/gpu/slab_part.h"

/* Walk `index` of all. Adds to `found`; of a walk for display ranges high[i] becomes output i's largest
 * value. */
int gf_gpu_slab_walk(const struct gf_gpu_walkers *all, int index,
                     const struct gf_gpu_slab_ends *ends, struct gf_report *found, double *high);
/* The memory of a walk on one device; given back also after a failure. */
int gf_gpu_transit_take(struct gf_gpu_transit *t);
void gf_gpu_transit_give_back(struct gf_gpu_transit *t);
/* Names the device in the message of a failure, where there are several; returns `rc`. */
int gf_gpu_member_name(const struct gf_gpu_member *m, int rc);
int gf_gpu_transit_name(const struct gf_gpu_transit *t, int rc);
/* CPU threads for copies; a device that is the CPU has its own threads there. */
int gf_gpu_slab_threads(const struct gf_gpu_context *c);

#endif
