/* Appends passes of any kind to a plan.
 *
 *     struct gf_gpu_pass *pass = gf_gpu_next_pass(p, GF_GPU_PASS_LOAD, "load.cl", "load_step");
 *     if (!pass)
 *         return GF_EUNSUPP;
 *     gf_gpu_type_options(pass, "IN", GF_U8);
 *     gf_gpu_option(pass, "-DIN_COMPLEX=%d", 0); */
#ifndef GF_CORE_GPU_PLAN_PASS_H
#define GF_CORE_GPU_PLAN_PASS_H

#include "core/gpu/plan/plan.h"

/* Returns a pass with only its kernel set; NULL, after gf_fail(), if there are too many. */
struct gf_gpu_pass *gf_gpu_next_pass(struct gf_gpu_plan *p, enum gf_gpu_pass_kind kind,
                                     const char *file, const char *entry);
void gf_gpu_set_buffers(struct gf_gpu_pass *pass, int n, const enum gf_gpu_buffer_id *buffer_id);
#define GF_GPU_BUFFERS(pass, ...) \
    gf_gpu_set_buffers(pass, sizeof((int[]){__VA_ARGS__}) / sizeof(int), \
                       (enum gf_gpu_buffer_id[]){__VA_ARGS__})
/* Sets the number of groups, items per group, and bytes of local memory and arguments. */
void gf_gpu_set_launch(struct gf_gpu_pass *pass, int64_t groups, int group, int64_t local_bytes,
                       size_t args_bytes);
/* Appends to the kernel's options, after a space. */
void gf_gpu_option(struct gf_gpu_pass *pass, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Options such as "-DIN_T=uchar" for IN or LOW samples. */
void gf_gpu_type_options(struct gf_gpu_pass *pass, const char *which, enum gf_dtype type);
/* Options for OUT samples, with an integer type's limits. */
void gf_gpu_output_options(struct gf_gpu_pass *pass, enum gf_dtype type);

/* Lets a plan's first pass read a range of coordinates from the same offsets in another buffer,
 * GF_GPU_ELSEWHERE: pages that are still in another device's memory. True if the first pass can: it
 * is a plain complex transform. */
bool gf_gpu_plan_can_read_elsewhere(const struct gf_gpu_plan *p);
/* Adds that buffer with an empty range, before kernels are built, and then sets the range. */
void gf_gpu_plan_read_elsewhere(struct gf_gpu_plan *p);
void gf_gpu_plan_set_elsewhere(struct gf_gpu_plan *p, struct gf_span coordinates);

#endif
