/* A pass along an axis while core/gpu/plan/axis_pass.c builds it; cost.c and axis_pass_options.c
 * read it. */
#ifndef GF_CORE_GPU_PLAN_PASS_BUILDER_H
#define GF_CORE_GPU_PLAN_PASS_BUILDER_H

#include "core/gpu/plan/plan_builder.h"

struct gf_gpu_pass_builder {
    struct gf_gpu_plan *p;
    const struct gf_gpu_axis_pass *ap;
    const struct gf_gpu_space *src, *dst;
    struct pass_args args; /* the fast index comes first once it is chosen */
    int axis[5];           /* which axis an index runs along; 4 and up: a part of the pass's own */
    int n;                 /* indices */
    int64_t in_bytes, out_bytes; /* of one element in memory */
    int64_t in_step, out_step;   /* from point to point in memory, elements */
    double lines, read, written; /* in all; bytes */
    bool chains;  /* it and the pass along the planes' other axis may be one launch */
    bool general; /* by the kernel of any length */
};

/* A tile for it, and what the pass costs with that. */
struct gf_gpu_tile_choice {
    struct gf_gpu_tile tile;
    double cost;
};

/* Whether the pass reads, or writes, samples of the array's own type. */
static inline bool gf_gpu_samples_in(const struct gf_gpu_axis_pass *ap) {
    return ap->load == LOAD_PAIR || ap->load == LOAD_REAL;
}
static inline bool gf_gpu_samples_out(const struct gf_gpu_axis_pass *ap) {
    return ap->store == STORE_SAMPLE || ap->store == STORE_PAIR;
}

#endif
