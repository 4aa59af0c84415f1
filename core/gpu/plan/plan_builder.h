/* The planner's working types, shared while passes are added. make.c decides which transforms a job
 * needs, filter.c those of a filter, endpoints.c where they read and write, axis.c how an axis is
 * split into passes. */
#ifndef GF_CORE_GPU_PLAN_PLAN_BUILDER_H
#define GF_CORE_GPU_PLAN_PLAN_BUILDER_H

#include "core/gpu/plan/space.h"

struct gf_gpu_plan_builder {
    struct gf_gpu_plan *p;
    const struct gf_job *job;
    int64_t n[4]; /* z, y, x, channels of the work buffer */
    int half;     /* last transformed axis, in device numbering; -1: none */
    int axes;     /* transformed axes longer than one point */
    int dir;
    bool in_parts; /* the only axis, of real lines, is folded and split into parts */
    bool widen;    /* reals are transformed as complex numbers */
    int across;    /* axis whose last radix, 2, is done by the next axis' pass; -1: none */
    /* Complex volumes: the last radix of z and of y, done by the pass along x on a tile of as many
     * rows; 1: none. */
    int left[2];
    int complex_bytes, real_bytes;
};

/* A pass along one axis, or along a part of it, as requested by the planner. */
struct gf_gpu_axis_pass {
    int axis;
    int64_t length;    /* points transformed by this pass */
    int64_t before[2]; /* lengths of earlier parts, outer one first; 1: none */
    int64_t after;     /* product of later parts */
    int dir, sense;    /* direction of the pass; of the transform that a convolution computes */
    int load, store;
    enum gf_dtype in_type, out_type; /* of samples, if any */
    const struct gf_output *sample;  /* STORE_SAMPLE, STORE_PAIR */
    int output;                      /* its number; -1: none */
    /* STORE_SAMPLE: the sample for the display range. It is computed by an earlier pass, with
     * `keys` set, over the sample's lines only. */
    const struct gf_range_sample *range;
    bool keys;
    int pair_axis;   /* along which samples are packed in pairs; -1: none */
    int mirror_axis; /* mirrored, half of it enumerated; -1: none */
    bool mirror, scaled, multiply_in, multiply_out;
    bool leaves_radix; /* does all of its axis except the last radix, 2 */
    int across_axis;   /* whose last radix this pass does on load; -1: none */
    /* Like the builder's. Between passes an axis of n points with a deferred radix r is stored as r
     * blocks of n / r points that are equal modulo r. The pass that sorts reads the axes in natural
     * order. */
    int left[2];
    bool sorts;
    bool filtered;       /* transforms, multiplies by the filter, transforms back */
    bool fold;           /* pairs real samples along the line: half the points */
    int64_t convolution; /* points of a split line's convolution; else 0 */
    /* The middle of a split convolution's three passes: multiplies by the spectrum. */
    bool both;
    /* Number of Rader's pass, 1 to 3: points are in his order, the zeroth one last. Otherwise 0. */
    int rader;
};

/* True for one of several passes along its axis. */
static inline bool gf_gpu_is_part(const struct gf_gpu_axis_pass *ap) {
    return ap->before[0] * ap->before[1] * ap->after > 1;
}
/* The axis' last radix, deferred to the pass along x; 1: none. */
static inline int gf_gpu_leaves(const struct gf_gpu_axis_pass *ap) {
    return ap->axis < 2 ? ap->left[ap->axis] : 1;
}
/* Rows joined by deferred radices; 1: none. */
static inline int gf_gpu_joins(const struct gf_gpu_axis_pass *ap) {
    return ap->axis == 2 ? ap->left[0] * ap->left[1] : 1;
}
/* True if results are multiplied by a split line's four-step twiddles. */
static inline bool gf_gpu_is_turned(const struct gf_gpu_axis_pass *ap) {
    return (ap->after > 1 && !ap->leaves_radix && gf_gpu_leaves(ap) == 1) || ap->both;
}
/* True if lines come with their mirror images: in the part of a folded axis that combines
 * frequencies k and n/2 - k of the real line. */
static inline bool gf_gpu_is_mirrored(const struct gf_gpu_axis_pass *ap) {
    return ap->fold && gf_gpu_is_part(ap) &&
           (ap->load == LOAD_ROW_HALVES || ap->store == STORE_ROW_HALVES);
}

/* Passes added between these two calls are removed by the second, which returns their cost:
 *
 *     struct gf_gpu_trial trial = gf_gpu_trial_begin(p);
 *     int rc = add_some_passes(p);
 *     double cost = gf_gpu_trial_end(p, &trial); */
struct gf_gpu_trial {
    int n_passes;
    bool nested;
    int64_t bytes[GF_GPU_N_BUFFERS];
};

struct gf_gpu_trial gf_gpu_trial_begin(struct gf_gpu_plan *p);
double gf_gpu_trial_end(struct gf_gpu_plan *p, const struct gf_gpu_trial *trial);

/* ---- axis_pass.c: one pass along an axis ---- */

/* Appends the cheapest pass for `ap`. GF_EUNSUPP without a message: no tile fits. */
int gf_gpu_add_axis_pass(struct gf_gpu_plan *p, const struct gf_gpu_axis_pass *ap,
                         const struct gf_gpu_space *src, const struct gf_gpu_space *dst);

/* ---- axis.c: the transform along one axis: in one tile, in parts or as a convolution ---- */

/* Appends the cheapest passes along ap->axis. Chooses to->buffer_id unless that is an output.
 * `one_tile`: the ends do not support parts. */
int gf_gpu_add_axis(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap,
                    const struct gf_gpu_space *from, struct gf_gpu_space *to, bool one_tile);
/* True if one tile holds the pass's lines or, with `parts`, if they can be split into parts. Appends
 * nothing. */
bool gf_gpu_fits(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                 const struct gf_gpu_space *from, const struct gf_gpu_space *to, bool parts);

/* ---- planes.c: two passes along the axes of planes in a tile (kernels/fft_planes.cl) ---- */

/* True if two passes, the second reading what the first writes, can share such a launch. Fills
 * *planes, and *args except for tables. */
bool gf_gpu_planes_fit(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                       const struct gf_gpu_pass *second, struct gf_gpu_planes *planes,
                       struct chain_args *args);

/* ---- chain.c: two passes in one launch, over the parts of an axis or the axes of planes; the data
 * between them stays in the second-level cache or, for small planes, in a tile ---- */

/* Adds profitable chains to a complete plan: both passes stay, and the first names the chain.
 * GF_EUNSUPP if the script names something else (decision.h). */
int gf_gpu_plan_chains(struct gf_gpu_plan *p);
/* Saving of the chains among passes from `first` on. */
double gf_gpu_chains_gain(const struct gf_gpu_plan *p, int first);
/* True if chaining through planes of complex points is profitable; extents: z, y, x, channels. */
bool gf_gpu_chains_planes(const struct gf_gpu_plan *p, const int64_t n[4]);

/* ---- filter.c: a GF_FILTER job: forward transform, multiplication and inverse ---- */

/* A part of a filter (`whole` in struct gf_job) transforms one axis. */
int gf_gpu_filter_job(struct gf_gpu_plan_builder *b);
/* Adapts a part's plan to the part at index `first` of the device's axis, whose filter values
 * differ. */
void gf_gpu_filter_move(struct gf_gpu_plan *p, int axis, int64_t first);

/* ---- dwt.c: wavelets, one pass per level; core/gpu/dwt_share.c does the CPU's share ---- */

/* Fills an empty plan for gf_gpu_plan_make(). Reduces p->job to the device's share and sets
 * p->host_share if the CPU has one. GF_EUNSUPP. */
int gf_gpu_dwt_make(struct gf_gpu_plan *p);

#endif
