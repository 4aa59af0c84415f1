/* Describes a pass along an axis: options for its kernel, a line for `gpufft plan`. */
#ifndef GF_CORE_GPU_PLAN_AXIS_PASS_OPTIONS_H
#define GF_CORE_GPU_PLAN_AXIS_PASS_OPTIONS_H

#include "core/gpu/plan/pass_builder.h"

/* The options that kernels/pass.h lists. */
void gf_gpu_axis_pass_options(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                              struct gf_gpu_pass *pass);
/* The options for the tile's shape, "-DLENGTH=…", with a prefix to the names. */
void gf_gpu_tile_options(struct gf_gpu_pass *pass, const char *prefix, const struct gf_gpu_tile *t);
/* Whether neighbouring work items need different four-step twiddles; these are then in tables by
 * line, if such tables are small. */
bool gf_gpu_turns_by_line(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* The options of kernels/fft_general.cl. */
void gf_gpu_general_options(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass);
/* The line of `gpufft plan`, "y: u8, 512 = 8·8·8, tiles of 8 columns". */
void gf_gpu_axis_pass_describe(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                               struct gf_gpu_pass *pass);

/* Whether the group's items together can read (`in`) or write a tile's rows in memory order: plain
 * samples or complex numbers of lines that are whole axes and follow one another without gaps. */
bool gf_gpu_can_coalesce(const struct gf_gpu_pass_builder *b, bool in);

#endif
