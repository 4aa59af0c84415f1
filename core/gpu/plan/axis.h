/* Plans the transform along one axis of a job: in one tile, cut into parts, or as a convolution. */
#ifndef GF_CORE_GPU_PLAN_AXIS_H
#define GF_CORE_GPU_PLAN_AXIS_H

#include "core/gpu/plan/plan_builder.h"

/* Appends the cheapest passes that transform along the axis of `ap`. Chooses to->buffer_id unless
 * that is an output. `one_tile`: load or store cannot work in parts. */
int gf_gpu_add_axis(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap,
                    const struct gf_gpu_space *from, struct gf_gpu_space *to, bool one_tile);
/* Whether the line can be cut into parts. Appends nothing. */
bool gf_gpu_fits_parts(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                       const struct gf_gpu_space *from, const struct gf_gpu_space *to);
/* Whether one tile holds the pass's lines. Appends nothing. */
bool gf_gpu_fits_tile(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                      const struct gf_gpu_space *from, const struct gf_gpu_space *to);

#endif
