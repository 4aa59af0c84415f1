/* The ends of a job's transforms: spaces of arrays and work buffers, first passes that read
 * samples, last passes that write them.
 *
 *     struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, axis);
 *     struct gf_gpu_space src, dst = gf_gpu_half_planes(b, GF_GPU_A, true);
 *     int rc = gf_gpu_real_source(b, &ap, &src);
 *     if (!rc)
 *         rc = gf_gpu_add_axis(b, &ap, &src, &dst, false); */
#ifndef GF_CORE_GPU_PLAN_ENDPOINTS_H
#define GF_CORE_GPU_PLAN_ENDPOINTS_H

#include "core/gpu/plan/plan_builder.h"

/* Full planes of the work buffer. */
struct gf_gpu_space gf_gpu_full_planes(const struct gf_gpu_plan_builder *b,
                                       enum gf_gpu_buffer_id buffer_id, int element);
struct gf_gpu_space gf_gpu_half_planes(const struct gf_gpu_plan_builder *b,
                                       enum gf_gpu_buffer_id buffer_id, bool packed);
/* Returns a complex pass along the axis, for the caller to modify. */
struct gf_gpu_axis_pass gf_gpu_axis_pass_along(const struct gf_gpu_plan_builder *b, int axis);
/* The transformed axis next to the halved one; its lines are combined with their mirror images. */
int gf_gpu_mirror_axis(const struct gf_gpu_plan_builder *b);
/* For one transformed axis: the axis along which two real lines form a complex one. */
int gf_gpu_partner_axis(const struct gf_gpu_plan_builder *b);
/* Combines adjacent samples of an even line into complex numbers, in either direction. */
void gf_gpu_fold_line(struct gf_gpu_axis_pass *ap);
/* For one transformed axis: chooses how real lines become half spectra. */
void gf_gpu_set_lines(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap);
/* Makes the pass write output 0, times the norm's factor. */
void gf_gpu_scale_last(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap);
/* True if axis passes can write the type; the generic store writes all types. */
bool gf_gpu_fused_type(enum gf_dtype t);
/* Appends range searches and stores of all outputs from the work buffer. */
int gf_gpu_add_outputs(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *work, bool real,
                       bool half);
/* Provides real samples for the first pass: the array, or planes loaded from it. */
int gf_gpu_real_source(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *first,
                       struct gf_gpu_space *src);
/* Sets the last pass's real destination; true if that is the output itself. */
bool gf_gpu_real_sink(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap,
                      struct gf_gpu_space *dst);
/* For two or more axes: transforms packed real samples along all axes but the halved one. */
int gf_gpu_packed_forward(struct gf_gpu_plan_builder *b, struct gf_gpu_space *to);
/* Converts half spectra along the halved axis to packed pairs. */
int gf_gpu_packed_halves(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *halves,
                         struct gf_gpu_space *to);
/* Transforms packed pairs along the other axes, to the outputs. */
int gf_gpu_packed_back(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *packed);
/* For one axis: transforms half spectra to the outputs. */
int gf_gpu_lines_back(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *halves);

#endif
