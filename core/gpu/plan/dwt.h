/* Plans wavelets on a GPU: one pass a level. core/gpu/dwt_host.h does the CPU's share. */
#ifndef GF_CORE_GPU_PLAN_DWT_H
#define GF_CORE_GPU_PLAN_DWT_H

#include "core/gpu/plan/plan.h"

/* How a level's work is divided; see kernels/wavelet.h. */
struct gf_gpu_wave_tile {
    int items;     /* of a group */
    int width;     /* items adjacent along x, a power of two */
    int rows;      /* rows of each band per item, if planes and rows are transformed */
    int resident;  /* groups that should share a multiprocessor */
    bool ahead;    /* the next planes are read before the last ones are finished */
    int64_t strip; /* steps of an item along its walk */
};

/* The properties by which a level's tile is chosen. */
struct gf_gpu_wave_request {
    bool inverse, along_walk, along_row;
    bool wide;       /* double precision */
    int64_t columns; /* along x: work items */
    int64_t rows;    /* bands' rows, pairs of rows, or independent rows */
    int64_t steps;   /* along the walk */
};
void gf_gpu_wave_tile(const struct gf_gpu_wave_request *request, const struct gf_gpu_props *props,
                      struct gf_gpu_wave_tile *tile);

/* Fills an empty plan for its job, for gf_gpu_plan_make(). Reduces p->job to the device's share,
 * and sets p->host_share if that is not the whole. GF_EUNSUPP. */
int gf_gpu_dwt_make(struct gf_gpu_plan *p);

#endif
