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

/* A copy of `bytes`, a multiple of 16, by a shader: drivers' own copies may be far slower than their
 * device's memory. Prepares the launch, which reads this struct; the caller unloads its kernel. */
struct gf_gpu_shaders_copy {
    struct gf_gpu_buffer *from, *to;
    int64_t bytes, count;
    struct gf_gpu_launch launch;
};
int gf_gpu_shaders_copy(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *props,
                        struct gf_gpu_shaders_copy *copy);

#endif
