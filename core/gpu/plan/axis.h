/* What the parts of the planner share: core/gpu/plan/make.c says which transforms a job needs,
 * core/gpu/plan/filter.c which a filter does, core/gpu/plan/endpoints.c where they begin and end, core/gpu/plan/axis.c
 * how one axis is cut into passes. */
#ifndef GF_CORE_GPU_PLAN_AXIS_H
#define GF_CORE_GPU_PLAN_AXIS_H

#include "core/gpu/plan/plan.h"

struct gf_gpu_builder {
    struct gf_gpu_plan *p;
    const struct gf_job *job;
    int64_t n[4]; /* extents: z, y, x, channels of the work buffer */
    int half;     /* the last transformed axis, device numbering; -1 none */
    int axes;     /* transformed axes longer than one point */
    int dir;
    bool widen; /* reals are transformed as complex numbers */
    int complex_bytes, real_bytes;
};

/* Planes of `element` bytes each, channel by channel, tightly packed. */
struct gf_gpu_space gf_gpu_planes(enum gf_gpu_buffer_id place, const int64_t extent[4],
                                  int element);
/* Between two legs, which ask for no dense rows: long ones begin at cache lines. */
struct gf_gpu_space gf_gpu_padded_planes(enum gf_gpu_buffer_id place, const int64_t extent[4],
                                         int element);
/* Makes a buffer of ours large enough for the space; outputs are as large as they are. */
void gf_gpu_need(struct gf_gpu_builder *b, const struct gf_gpu_space *s);
/* The transform along the leg's axis: the cheapest way, appended. `to->place` is chosen here unless
 * it is an output. `one_tile`: the ends do not work in parts. */
int gf_gpu_add_axis(struct gf_gpu_builder *b, struct gf_gpu_axis_pass *leg,
                    const struct gf_gpu_space *from, struct gf_gpu_space *to, bool one_tile);
/* Whether the leg is done in one tile. */
bool gf_gpu_fits_tile(struct gf_gpu_builder *b, const struct gf_gpu_axis_pass *leg,
                      const struct gf_gpu_space *from, const struct gf_gpu_space *to);

/* ---- core/gpu/plan/endpoints.c ---- */

/* The job's own array, channels innermost; planes of the work buffer, whole; half spectra along the
 * halved axis, or the packed pairs. */
struct gf_gpu_space gf_gpu_array_space(const struct gf_gpu_builder *b, enum gf_gpu_buffer_id place,
                                       const int64_t *shape, enum gf_dtype type);
struct gf_gpu_space gf_gpu_full_planes(const struct gf_gpu_builder *b, enum gf_gpu_buffer_id place,
                                       int element);
struct gf_gpu_space gf_gpu_half_planes(const struct gf_gpu_builder *b, enum gf_gpu_buffer_id place,
                                       bool packed);
struct gf_gpu_axis_pass gf_gpu_axis_pass_along(const struct gf_gpu_builder *b, int axis);
/* The transformed axis next to the halved one whose lines meet their mirror images. */
int gf_gpu_mirror_axis(const struct gf_gpu_builder *b);
int gf_gpu_partner_axis(const struct gf_gpu_builder *b);
void gf_gpu_set_lines(const struct gf_gpu_builder *b, struct gf_gpu_axis_pass *leg);
void gf_gpu_scale_last(const struct gf_gpu_builder *b, struct gf_gpu_axis_pass *leg);
bool gf_gpu_fused_type(enum gf_dtype t);
bool gf_gpu_displayed(const struct gf_output *out);
int gf_gpu_add_outputs(struct gf_gpu_builder *b, const struct gf_gpu_space *work, bool real,
                       bool half);
/* Where the first leg reads real samples; where the last one puts a real result, true when that is
 * the output itself. */
int gf_gpu_real_source(struct gf_gpu_builder *b, struct gf_gpu_axis_pass *first,
                       struct gf_gpu_space *src);
bool gf_gpu_real_sink(struct gf_gpu_builder *b, struct gf_gpu_axis_pass *leg,
                      struct gf_gpu_space *dst);
/* Two or more axes: real samples through all axes but the halved one; half spectra along that one
 * to packed pairs; packed pairs through the others to the outputs. */
int gf_gpu_packed_forward(struct gf_gpu_builder *b, struct gf_gpu_space *to);
int gf_gpu_packed_halves(struct gf_gpu_builder *b, const struct gf_gpu_space *halves,
                         struct gf_gpu_space *to);
int gf_gpu_packed_back(struct gf_gpu_builder *b, const struct gf_gpu_space *packed);
/* One axis: half spectra to the outputs. */
int gf_gpu_lines_back(struct gf_gpu_builder *b, const struct gf_gpu_space *halves);

/* ---- core/gpu/plan/filter.c ---- */

/* All of a GF_FILTER job. */
int gf_gpu_filter_job(struct gf_gpu_builder *b);
/* core/gpu/plan/filter_values.c: chooses between factors and a table, and puts the factors' values among
 * the plan's tables. */
int gf_gpu_filter_values(struct gf_gpu_builder *b);

#endif
