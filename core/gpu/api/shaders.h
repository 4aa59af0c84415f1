/* The dialect of kernels/gl, for the tables of core/gpu/gpu.h of OpenGL, Vulkan and Direct3D. */
#ifndef GF_CORE_GPU_SHADERS_H
#define GF_CORE_GPU_SHADERS_H

#include "core/gpu/plan/plan.h"

enum { GF_SHADERS_ARGS_AT = 6 }; /* the argument block's binding, behind the most buffers */

/* gf_gpu.check and gf_gpu.copier. */
int gf_shaders_check(const struct gf_gpu_plan *plan);
int gf_shaders_copier(void *gpu, const struct gf_gpu_props *props, struct gf_gpu_copier *copier);

/* True for renderers on the CPU, which are named by what they are. */
bool gf_shaders_on_cpu(const char *device);

/* Returns the text that a compiler takes, which the caller frees: its first line, the options
 * "-DA=1 -DB=x" as lines of #define, and the source. A value that is a name becomes TYPE_x, as
 * GLSL's preprocessor compares only numbers. NULL if memory is short. */
#define GF_SHADERS_HLSL "#define HLSL 1"
char *gf_shaders_text(const char *first, const char *options, const char *source);

/* GF_EBACKEND unless a clear is one of whole words; the last word of the buffer may be padding in
 * part. */
int gf_shaders_clear(const struct gf_gpu_device *d, const struct gf_gpu_buffer *to, int64_t offset,
                     int64_t bytes);

/* GF_EBACKEND if a kernel needs more shared memory than the device has, or its binary is not whole. */
int gf_shaders_fit(const struct gf_gpu_device *d, const char *entry, int64_t local_bytes,
                   bool whole);
/* GF_EBACKEND: a compiler refused a text, with the first complaint of its log, or NULL. */
int gf_shaders_refused(const char *name, const char *device, const char *log);

/* A launch as shaders take it: groups in two dimensions, and the argument block's 64-bit integers
 * in 32 bits. */
struct gf_shader_launch {
    int32_t args[sizeof(struct chain_args) / 8];
    size_t bytes; /* of args that are used */
    uint32_t across, down;
    int32_t groups;
};
/* GF_EBACKEND for a launch that no device can do, GF_EUNSUPP if a number needs more bits. */
int gf_shaders_launch(const struct gf_gpu_device *d, const struct gf_gpu_launch *l,
                      struct gf_shader_launch *to);

#endif
