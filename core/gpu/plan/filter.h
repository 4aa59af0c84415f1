/* Plans a GF_FILTER job: forward transform, multiplication and inverse in one plan. */
#ifndef GF_CORE_GPU_PLAN_FILTER_H
#define GF_CORE_GPU_PLAN_FILTER_H

#include "core/gpu/plan/plan_builder.h"

int gf_gpu_filter_job(struct gf_gpu_plan_builder *b);

#endif
