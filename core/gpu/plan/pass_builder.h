/* The state of a pass along an axis while axis_pass.c builds it. */
#ifndef GF_CORE_GPU_PLAN_PASS_BUILDER_H
#define GF_CORE_GPU_PLAN_PASS_BUILDER_H

#include "core/gpu/plan/plan_builder.h"

struct gf_gpu_pass_builder {
    struct gf_gpu_plan *p;
    const struct gf_gpu_axis_pass *ap;
    const struct gf_gpu_space *src, *dst;
    struct pass_args args;       /* fast index first, once chosen */
    int axis[5];                 /* of each index; 4 and up: a part of the pass's own axis */
    int n;                       /* number of indices */
    int64_t in_bytes, out_bytes; /* of one element in memory */
    int64_t in_step, out_step;   /* from point to point in memory, in elements */
    double lines, read, written; /* total lines; bytes */
    bool chains;                 /* may be chained with the pass along the planes' other axis */
    bool general;                /* uses the general kernel */
};

/* A tile and the cost of the pass with it. */
struct gf_gpu_tile_choice {
    struct gf_gpu_tile tile;
    double cost;
};

/* True if the pass reads, or writes, samples of the array's type. */
static inline bool gf_gpu_samples_in(const struct gf_gpu_axis_pass *ap) {
    return ap->load == LOAD_PAIR || ap->load == LOAD_REAL;
}
static inline bool gf_gpu_samples_out(const struct gf_gpu_axis_pass *ap) {
    return ap->store == STORE_SAMPLE || ap->store == STORE_PAIR;
}

/* ---- axis_pass_options.c ---- */

/* Sets the options listed in kernels/pass.h. */
void gf_gpu_axis_pass_options(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                              struct gf_gpu_pass *pass);
/* Sets the options for the tile's shape, "-DLENGTH=…", with a prefix to their names. */
void gf_gpu_tile_options(struct gf_gpu_pass *pass, const char *prefix, const struct gf_gpu_tile *t);
/* True if adjacent work items need different four-step twiddles and tables of these by line are
 * small. */
bool gf_gpu_turns_by_line(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* Sets the options of kernels/fft_general.cl. */
void gf_gpu_general_options(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass);
/* Writes the line for `gpufft plan`: "y: u8, 512 = 8·8·8, tiles of 8 columns". */
void gf_gpu_axis_pass_describe(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                               struct gf_gpu_pass *pass);

/* True if the group can read (`in`) or write a tile's rows in memory order: plain samples or
 * complex numbers, and lines that are whole axes without gaps. */
bool gf_gpu_can_coalesce(const struct gf_gpu_pass_builder *b, bool in);

/* ---- ahead.c: prefetched tiles (kernels/fft_ahead.cl), for columns of sample pairs whose tile
 * fills a compute unit, if each unit processes several tiles ---- */

struct gf_gpu_ahead {
    int tiles;           /* fetched at once; 0: no prefetch */
    int64_t groups;      /* in the launch */
    int64_t at;          /* offset in local memory, after the tile */
    int64_t local_bytes; /* including the tile */
};

struct gf_gpu_ahead gf_gpu_fetch_ahead(const struct gf_gpu_pass_builder *b,
                                       const struct gf_gpu_tile *t);

/* ---- cost.c: traffic and time ---- */

/* Sets the bytes read and written, counting each element once. */
void gf_gpu_axis_pass_bytes(struct gf_gpu_pass_builder *b);
/* Cost of any launch on the device, in the same unit. */
double gf_gpu_launch_cost(const struct gf_gpu_props *props);
/* Time of the host that queues a launch, likewise: a run of many takes at least as long. */
double gf_gpu_queue_cost(const struct gf_gpu_props *props);
/* Cost of the pass with this tile, in bytes moved at the device's copy bandwidth. */
double gf_gpu_axis_pass_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* True for rows of complex numbers or floats, whose cost decides on the number of work items too. */
bool gf_gpu_is_rows(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* True if doubling the work items is worth some idle ones: for rows of halves, if a unit has less
 * than a third of the items that fit; for a display range's sample, because its groups are alone on their
 * units and everything else waits for them. */
bool gf_gpu_wants_items(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* True if real words are worth another exchange: they leave the first-level cache room for the twiddles
 * of a long line of real samples, which are read from places far apart. */
bool gf_gpu_wants_reals(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* Cost of two passes in one launch; each runs alone, at the start or the end, for the fraction
 * `alone` of the time. */
double gf_gpu_chain_cost(const struct gf_gpu_pass *first, const struct gf_gpu_pass *second,
                         double alone);
/* Cost of two passes through planes in tiles. Tiles, groups and residency must be set. */
double gf_gpu_planes_cost(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                          const struct gf_gpu_pass *second, const struct gf_gpu_planes *planes);

/* ---- general.c: kernels/fft_general.cl, for any length ---- */

/* True if that kernel can do the pass for which `chosen` was planned; *t is its tile, of at most as
 * many lines. */
bool gf_gpu_general_tile(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *chosen,
                         struct gf_gpu_tile *t);
/* Sets the kernel's arguments and tables. */
void gf_gpu_general_args(struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);

/* ---- range_sample.c: the automatic display range. The pass that writes the display first runs over
 * the lines of the range's sample only, and stores the keys of its bins ---- */

/* Sets the lines of the sample, ap->range, as tiles of the pass, with one tile per unit. */
void gf_gpu_range_args(struct gf_gpu_pass_builder *b, struct gf_gpu_tile *tile);
/* Completes the pass's groups, buffer, description and cost, and appends the search for the range,
 * like gf_gpu_add_range_sample(). */
int gf_gpu_range_pass(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass);

#endif
