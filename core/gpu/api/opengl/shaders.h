/* The dialect of kernels/gl, for the table of core/gpu/gpu.h: which passes have a shader, and the one
 * that copies. */
#ifndef GF_CORE_GPU_OPENGL_SHADERS_H
#define GF_CORE_GPU_OPENGL_SHADERS_H

#include "core/gpu/plan/plan.h"

int gf_opengl_check_plan(const struct gf_gpu_plan *plan);
int gf_opengl_copier(void *gpu, const struct gf_gpu_props *props, struct gf_gpu_copier *copier);

#endif
