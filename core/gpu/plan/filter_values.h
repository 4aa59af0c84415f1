/* The values by which a filter's passes multiply: factors evaluated in the kernel, or a table over
 * the half spectrum. */
#ifndef GF_CORE_GPU_PLAN_FILTER_VALUES_H
#define GF_CORE_GPU_PLAN_FILTER_VALUES_H

#include "core/gpu/plan/plan_builder.h"

/* Chooses between them, and appends the factors' values to the plan's tables. */
int gf_gpu_filter_values(struct gf_gpu_plan_builder *b);
/* The buffer of the values and the options of kernels/filter.h. */
enum gf_gpu_buffer_id gf_gpu_filter_buffer(const struct gf_gpu_plan *p);
void gf_gpu_filter_options(const struct gf_gpu_plan *p, struct gf_gpu_pass *pass);
/* Tabulates the filter of a GF_FILTER job over the half spectrum, for GF_GPU_FILTER; the caller
 * frees it. */
int gf_gpu_filter_table(const struct gf_job *job, int threads, struct gf_array *out);

#endif
