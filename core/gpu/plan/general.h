/* Plans passes with the kernel that serves every length, kernels/fft_general.cl. */
#ifndef GF_CORE_GPU_PLAN_GENERAL_H
#define GF_CORE_GPU_PLAN_GENERAL_H

#include "core/gpu/plan/pass_builder.h"

/* Whether the kernel can do the pass that `chosen` was planned for. If so, *t is its tile, of at
 * most as many lines. */
bool gf_gpu_general_tile(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *chosen,
                         struct gf_gpu_tile *t);
/* The kernel's own arguments and tables; GF_ENOMEM. */
int gf_gpu_general_args(struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);

#endif
