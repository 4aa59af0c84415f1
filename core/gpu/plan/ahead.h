/* Decides which passes fetch tiles ahead (kernels/fft_ahead.cl): columns of pairs of samples whose
 * tile fills a compute unit, if a unit gets several tiles in turn. */
#ifndef GF_CORE_GPU_PLAN_AHEAD_H
#define GF_CORE_GPU_PLAN_AHEAD_H

#include "core/gpu/plan/pass_builder.h"

struct gf_gpu_ahead {
    int tiles;           /* fetched together; 0: the pass fetches none ahead */
    int64_t groups;      /* of the launch */
    int64_t at;          /* their offset in the group's local memory, behind the tile */
    int64_t local_bytes; /* of both */
};

struct gf_gpu_ahead gf_gpu_fetch_ahead(const struct gf_gpu_pass_builder *b,
                                       const struct gf_gpu_tile *t);

#endif
