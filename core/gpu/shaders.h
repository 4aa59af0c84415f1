/* Plans for devices whose kernels are the shaders of kernels/gl: which passes those have, and how they
 * are asked for. */
#ifndef GF_CORE_GPU_SHADERS_H
#define GF_CORE_GPU_SHADERS_H

#include "core/gpu/plan/plan.h"

/* GF_EUNABLE, naming what is missing and a backend that has it, unless the shaders have all of the
 * plan's passes. */
int gf_gpu_shaders_check(const struct gf_gpu_plan *plan);

/* The shader in place of the request's kernel: a file of its own, with one entry point. */
void gf_gpu_shaders_name(struct gf_kernel_request *request);

#endif
