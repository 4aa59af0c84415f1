/* Plans a GF_FILTER job: forward transform, multiplication and inverse in one plan. */
#ifndef GF_CORE_GPU_PLAN_FILTER_H
#define GF_CORE_GPU_PLAN_FILTER_H

#include "core/gpu/plan/plan_builder.h"

/* A part of a filter (struct gf_job, `whole`) transforms one axis. */
int gf_gpu_filter_job(struct gf_gpu_plan_builder *b);
/* A plan for a part becomes that for the one that begins at index `first` of the device's axis; where
 * the filter is a table, that is the part's own. */
void gf_gpu_filter_move(struct gf_gpu_plan *p, int axis, int64_t first);

#endif
