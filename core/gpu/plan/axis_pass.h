/* One leg as it becomes a pass: core/gpu/plan/axis_pass.c chooses lanes, tile and tables, core/gpu/plan/cost.c
 * says what that costs, core/gpu/plan/axis_pass_options.c tells the kernel and the reader. */
#ifndef GF_CORE_GPU_PLAN_AXIS_PASS_H
#define GF_CORE_GPU_PLAN_AXIS_PASS_H

#include "core/gpu/plan/plan.h"

struct gf_gpu_pass_builder {
    struct gf_gpu_plan *p;
    const struct gf_gpu_axis_pass *leg;
    const struct gf_gpu_space *src, *dst;
    struct pass_args args; /* indices in any order */
    int axis[5];           /* which axis an index runs along; 4 and up: a part of the leg's own */
    int n;                 /* indices */
    int64_t in_bytes, out_bytes; /* of one element as it stands in memory */
    int64_t in_step, out_step;   /* from point to point in memory, elements */
    double lines, read, written; /* in all; bytes */
};

static inline bool gf_gpu_samples_out(const struct gf_gpu_axis_pass *g) {
    return g->store == STORE_SAMPLE || g->store == STORE_PAIR;
}
static inline bool gf_gpu_samples_in(const struct gf_gpu_axis_pass *g) {
    return g->load == LOAD_PAIR || g->load == LOAD_REAL;
}

/* Bytes that the pass reads and writes, every element once. */
void gf_gpu_axis_pass_bytes(struct gf_gpu_pass_builder *l);
/* In bytes moved at the device's copy bandwidth. */
double gf_gpu_axis_pass_cost(const struct gf_gpu_pass_builder *l, const struct gf_gpu_tile *t);

/* What fft.cl is given by -D. */
void gf_gpu_axis_pass_options(const struct gf_gpu_pass_builder *l, const struct gf_gpu_tile *t,
                              struct gf_gpu_pass *pass);
/* The pass's line of `gpufft plan`. */
void gf_gpu_axis_pass_describe(const struct gf_gpu_pass_builder *l, const struct gf_gpu_tile *t,
                               struct gf_gpu_pass *pass);

#endif
