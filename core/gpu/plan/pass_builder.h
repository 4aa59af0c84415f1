/* A pass along an axis while axis_pass.c builds it. */
#ifndef GF_CORE_GPU_PLAN_PASS_BUILDER_H
#define GF_CORE_GPU_PLAN_PASS_BUILDER_H

#include "core/gpu/plan/plan_builder.h"

struct gf_gpu_pass_builder {
    struct gf_gpu_plan *p;
    const struct gf_gpu_axis_pass *ap;
    const struct gf_gpu_space *src, *dst;
    struct pass_args args;       /* the fast index first, once chosen */
    int axis[5];                 /* an index's axis; 4 and up: part of the pass's own */
    int n;                       /* indices */
    int64_t in_bytes, out_bytes; /* of one element in memory */
    int64_t in_step, out_step;   /* from point to point in memory, elements */
    double lines, read, written; /* in all; bytes */
    bool chains;                 /* may be chained with the pass along the planes' other axis */
    bool general;                /* for the kernel of any length */
};

/* A tile, and the pass's cost with it. */
struct gf_gpu_tile_choice {
    struct gf_gpu_tile tile;
    double cost;
};

/* Samples of the array's own type. */
static inline bool gf_gpu_samples_in(const struct gf_gpu_axis_pass *ap) {
    return ap->load == LOAD_PAIR || ap->load == LOAD_REAL;
}
static inline bool gf_gpu_samples_out(const struct gf_gpu_axis_pass *ap) {
    return ap->store == STORE_SAMPLE || ap->store == STORE_PAIR;
}

/* ---- axis_pass_options.c ---- */

/* The options that kernels/pass.h lists. */
void gf_gpu_axis_pass_options(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                              struct gf_gpu_pass *pass);
/* The options for the tile's shape, "-DLENGTH=…", with a prefix to the names. */
void gf_gpu_tile_options(struct gf_gpu_pass *pass, const char *prefix, const struct gf_gpu_tile *t);
/* True if neighbouring work items need different four-step twiddles, and tables of these by line
 * are small. */
bool gf_gpu_turns_by_line(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* The options of kernels/fft_general.cl. */
void gf_gpu_general_options(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass);
/* The line of `gpufft plan`, "y: u8, 512 = 8·8·8, tiles of 8 columns". */
void gf_gpu_axis_pass_describe(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                               struct gf_gpu_pass *pass);

/* True if the group's items together can read (`in`) or write a tile's rows in memory order: plain
 * samples or complex numbers, lines being whole axes without gaps. */
bool gf_gpu_can_coalesce(const struct gf_gpu_pass_builder *b, bool in);

/* ---- ahead.c: passes that fetch tiles ahead (kernels/fft_ahead.cl): columns of pairs of samples
 * whose tile fills a compute unit, if a unit gets several tiles ---- */

struct gf_gpu_ahead {
    int tiles;           /* fetched together; 0: none ahead */
    int64_t groups;      /* of the launch */
    int64_t at;          /* offset in local memory, behind the tile */
    int64_t local_bytes; /* of both */
};

struct gf_gpu_ahead gf_gpu_fetch_ahead(const struct gf_gpu_pass_builder *b,
                                       const struct gf_gpu_tile *t);

/* ---- cost.c: its traffic and its time ---- */

/* Sets the bytes read and written, every element once. */
void gf_gpu_axis_pass_bytes(struct gf_gpu_pass_builder *b);
/* The cost of any launch on the device, in the same unit. */
double gf_gpu_launch_cost(const struct gf_gpu_props *props);
/* The pass with this tile, in bytes moved at the device's copy bandwidth. */
double gf_gpu_axis_pass_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* Groups of the pass for each of the device's compute units. */
double gf_gpu_groups_of_unit(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);
/* The cost of two passes in one launch; each runs alone, at the start or the end, for the fraction
 * `alone` of the time. */
double gf_gpu_chain_cost(const struct gf_gpu_pass *first, const struct gf_gpu_pass *second,
                         double alone);
/* Two passes through planes in tiles, whose tiles, groups and residency are set. */
double gf_gpu_planes_cost(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                          const struct gf_gpu_pass *second, const struct gf_gpu_planes *planes);

/* ---- general.c: kernels/fft_general.cl, for every length ---- */

/* True if that kernel can do the pass for which `chosen` was planned; *t is its tile, of at most as
 * many lines. */
bool gf_gpu_general_tile(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *chosen,
                         struct gf_gpu_tile *t);
/* The kernel's own arguments and tables; GF_ENOMEM. */
int gf_gpu_general_args(struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t);

/* ---- range_pass.c: the automatic display range: the pass that writes the display is also run over
 * the lines of the range's sample alone, and leaves the keys of its bins ---- */

/* Sets the sample's lines, ap->range, in tiles of the pass, and the tiles of a unit. GF_ENOMEM. */
int gf_gpu_range_args(struct gf_gpu_pass_builder *b, struct gf_gpu_tile *tile);
/* Completes the pass's groups, buffer, description and cost, and appends the one that finds the
 * range, as gf_gpu_add_quantiles(). */
int gf_gpu_range_pass(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass);

#endif
