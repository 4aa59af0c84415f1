/* The ends of a job's transforms: spaces of arrays and work buffers, first passes that read
 * samples, last ones that write them.
 *
 *     struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, axis);
 *     struct gf_gpu_space src, dst = gf_gpu_half_planes(b, GF_GPU_A, true);
 *     int rc = gf_gpu_real_source(b, &ap, &src);
 *     if (!rc)
 *         rc = gf_gpu_add_axis(b, &ap, &src, &dst, false); */
#ifndef GF_CORE_GPU_PLAN_ENDPOINTS_H
#define GF_CORE_GPU_PLAN_ENDPOINTS_H

#include "core/gpu/plan/plan_builder.h"

/* Whole planes of the work buffer. */
struct gf_gpu_space gf_gpu_full_planes(const struct gf_gpu_plan_builder *b,
                                       enum gf_gpu_buffer_id buffer_id, int element);
/* Half spectra along the halved axis, or packed pairs. */
struct gf_gpu_space gf_gpu_half_planes(const struct gf_gpu_plan_builder *b,
                                       enum gf_gpu_buffer_id buffer_id, bool packed);
/* Complex to complex along the axis, for the caller to change. */
struct gf_gpu_axis_pass gf_gpu_axis_pass_along(const struct gf_gpu_plan_builder *b, int axis);
/* The transformed axis next to the halved one, whose lines meet their mirror images. */
int gf_gpu_mirror_axis(const struct gf_gpu_plan_builder *b);
/* With one transformed axis: along which two real lines make a complex one. */
int gf_gpu_partner_axis(const struct gf_gpu_plan_builder *b);
/* Neighbours on a line of even length make one complex number, in either direction. */
void gf_gpu_fold_line(struct gf_gpu_axis_pass *ap);
/* One transformed axis: how its real lines become half spectra. */
void gf_gpu_set_lines(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap);
/* The pass writes output 0 and applies the norm's factor. */
void gf_gpu_scale_last(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap);
/* True if axis passes can write the type; the generic store writes every type. */
bool gf_gpu_fused_type(enum gf_dtype t);
/* Appends searches for ranges, and stores of all outputs, from the work buffer. */
int gf_gpu_add_outputs(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *work, bool real,
                       bool half);
/* Real samples for the first pass: the array, or planes that a load step makes of it. */
int gf_gpu_real_source(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *first,
                       struct gf_gpu_space *src);
/* The last pass's real destination; true if that is the output itself. */
bool gf_gpu_real_sink(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap,
                      struct gf_gpu_space *dst);
/* Two or more axes: real samples, as packed pairs, through all but the halved one. */
int gf_gpu_packed_forward(struct gf_gpu_plan_builder *b, struct gf_gpu_space *to);
/* Half spectra along the halved axis to packed pairs. */
int gf_gpu_packed_halves(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *halves,
                         struct gf_gpu_space *to);
/* Packed pairs through the other axes to the outputs. */
int gf_gpu_packed_back(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *packed);
/* One axis: half spectra to the outputs. */
int gf_gpu_lines_back(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *halves);

#endif
