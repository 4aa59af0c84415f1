/* The automatic display range found by the pass that writes the display: what its kernel,
 * kernels/range_pass.h, is told. */
#ifndef GF_CORE_GPU_PLAN_RANGE_PASS_H
#define GF_CORE_GPU_PLAN_RANGE_PASS_H

#include "core/gpu/plan/pass_builder.h"

/* The sample's lines as the pass finds them, ap->range; and the bytes of the tile's memory that it
 * needs. GF_EUNSUPP: more than the device has. */
int gf_gpu_range_args(struct gf_gpu_pass_builder *b, struct gf_gpu_tile *tile);
/* What its groups exchange is in the buffer that takes the place of its counters, as it counts no
 * samples; the pass before clears it. */
void gf_gpu_share_words(struct gf_gpu_pass *pass);
void gf_gpu_clear_shared(struct gf_gpu_pass *before);
/* The pass that only leaves the keys, as it is listed. */
void gf_gpu_range_describe(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass);

#endif
