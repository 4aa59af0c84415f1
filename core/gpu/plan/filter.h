/* Plans a GF_FILTER job: forward transform, multiplication and inverse in one plan. */
#ifndef GF_CORE_GPU_PLAN_FILTER_H
#define GF_CORE_GPU_PLAN_FILTER_H

#include "core/gpu/plan/plan_builder.h"

/* A part of a filter (struct gf_job, `whole`) transforms one axis. */
int gf_gpu_filter_job(struct gf_gpu_plan_builder *b);
/* Turns a part's plan into the plan of the part that begins at index `first` of the device's axis;
 * a filter's table is each part's own. */
void gf_gpu_filter_move(struct gf_gpu_plan *p, int axis, int64_t first);

#endif
