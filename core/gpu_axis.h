/* What the two halves of the planner share: core/gpu_plan.c says which transforms a job needs,
 * core/gpu_axis.c how one axis is cut into passes. */
#ifndef GF_CORE_GPU_AXIS_H
#define GF_CORE_GPU_AXIS_H

#include "core/gpu_plan.h"

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
struct gf_gpu_space gf_gpu_planes(enum gf_gpu_place place, const int64_t extent[4], int element);
/* Between two legs, which ask for no dense rows: long ones begin at cache lines. */
struct gf_gpu_space gf_gpu_padded_planes(enum gf_gpu_place place, const int64_t extent[4],
                                         int element);
/* Makes a buffer of ours large enough for the space; outputs are as large as they are. */
void gf_gpu_need(struct gf_gpu_builder *b, const struct gf_gpu_space *s);
/* The transform along the leg's axis: the cheapest way, appended. `to->place` is chosen here unless
 * it is an output. `one_tile`: the ends do not work in parts. */
int gf_gpu_add_axis(struct gf_gpu_builder *b, struct gf_gpu_leg *leg,
                    const struct gf_gpu_space *from, struct gf_gpu_space *to, bool one_tile);
/* Whether the leg is done in one tile. */
bool gf_gpu_fits_tile(struct gf_gpu_builder *b, const struct gf_gpu_leg *leg,
                      const struct gf_gpu_space *from, const struct gf_gpu_space *to);

#endif
