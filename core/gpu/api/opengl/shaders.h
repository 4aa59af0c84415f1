/* Plans on the shaders of kernels/gl: which passes have a shader, and how it is requested. */
#ifndef GF_CORE_GPU_SHADERS_H
#define GF_CORE_GPU_SHADERS_H

#include "core/gpu/plan/plan.h"

/* GF_EUNABLE, naming what is missing and a backend that has it, unless all passes have shaders. */
int gf_gpu_shaders_check(const struct gf_gpu_plan *plan);

/* Replaces the request's kernel by its shader, a file with one entry point. */
void gf_gpu_shaders_name(struct gf_kernel_request *request);

/* Prepares a shader that copies `bytes`, a multiple of 16, as a driver's copy may be far slower
 * than the device's memory. The launch reads this struct; the caller unloads its kernel. */
struct gf_gpu_shaders_copy {
    struct gf_gpu_buffer *from, *to;
    int64_t bytes, count;
    struct gf_gpu_launch launch;
};
int gf_gpu_shaders_copy(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *props,
                        struct gf_gpu_shaders_copy *copy);

#endif
