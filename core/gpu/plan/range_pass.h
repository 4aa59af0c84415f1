/* Finds the automatic display range with the pass that writes the display, run only over the lines
 * of the range's sample, where it leaves the keys of its bins. */
#ifndef GF_CORE_GPU_PLAN_RANGE_PASS_H
#define GF_CORE_GPU_PLAN_RANGE_PASS_H

#include "core/gpu/plan/pass_builder.h"

/* Sets the sample's lines, ap->range, in tiles of the pass, and how many tiles share a unit. GF_ENOMEM. */
int gf_gpu_range_args(struct gf_gpu_pass_builder *b, struct gf_gpu_tile *tile);
/* Completes the pass: its groups, where they write, what it is called and what it costs; and
 * appends the one that finds the range. As gf_gpu_add_quantiles(). */
int gf_gpu_range_pass(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass);

#endif
