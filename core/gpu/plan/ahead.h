/* Which passes fetch tiles ahead, kernels/fft_ahead.cl: columns of pairs of samples, where a tile fills
 * a compute unit and a unit has several in turn. */
#ifndef GF_CORE_GPU_PLAN_AHEAD_H
#define GF_CORE_GPU_PLAN_AHEAD_H

#include "core/gpu/plan/pass_builder.h"

struct gf_gpu_ahead {
    int tiles;           /* fetched together; 0: the pass fetches none ahead */
    int64_t groups;      /* of the launch */
    int64_t at;          /* where they are in the group's local memory, behind the tile */
    int64_t local_bytes; /* of both */
};

struct gf_gpu_ahead gf_gpu_fetch_ahead(const struct gf_gpu_pass_builder *b,
                                       const struct gf_gpu_tile *t);

#endif
