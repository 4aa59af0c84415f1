/* The planner's working types: what its parts know of the job while they add passes to its plan.
 * core/gpu/plan/make.c decides which transforms a job needs, filter.c those of a filter,
 * endpoints.c where they read and write, axis.c how one axis is cut into passes. */
#ifndef GF_CORE_GPU_PLAN_PLAN_BUILDER_H
#define GF_CORE_GPU_PLAN_PLAN_BUILDER_H

#include "core/gpu/plan/space.h"

struct gf_gpu_plan_builder {
    struct gf_gpu_plan *p;
    const struct gf_job *job;
    int64_t n[4]; /* extents: z, y, x, channels of the work buffer */
    int half;     /* the last transformed axis, device numbering; -1 none */
    int axes;     /* transformed axes longer than one point */
    int dir;
    bool in_parts; /* the only axis, of real lines, is folded and cut into parts */
    bool widen;    /* reals are transformed as complex numbers */
    int across;    /* the axis whose last radix, 2, is in the next axis' pass; -1 none */
    /* The last radix of z and of y that the pass along x does, whose tile then has as many rows; 1: none.
     * Complex volumes. */
    int left[2];
    int complex_bytes, real_bytes;
};

/* A pass along one axis, or one part of it, as the planner asks for it. */
struct gf_gpu_axis_pass {
    int axis;
    int64_t length;    /* points of the pass's own transform */
    int64_t before[2]; /* lengths of the parts done before, 1 if none: the outer one first */
    int64_t after;     /* product of those still to come */
    int dir, sense;    /* of the pass; of the transform, where that is a convolution */
    int load, store;
    enum gf_dtype in_type, out_type; /* of samples, where the pass reads or writes samples */
    const struct gf_output *sample;  /* STORE_SAMPLE, STORE_PAIR: what is written */
    int output;                      /* its number, -1 none */
    /* STORE_SAMPLE: its display range is found in this sample; a pass before it, `keys`, takes the lines
     * of that alone. */
    const struct gf_range_sample *range;
    bool keys;
    int pair_axis;   /* axis along which samples are packed two by two, -1 none */
    int mirror_axis; /* mirrored axis of which half is enumerated, -1 none */
    bool mirror, scaled, multiply_in, multiply_out;
    bool leaves_radix; /* all of its axis but the last radix, 2, is done */
    int across_axis;   /* the axis whose last radix this pass does on the way in, -1 none */
    /* As the builder's. Between the passes an axis of n points with a radix r left is r blocks of n / r: of
     * the points that are the same modulo r. The pass that sorts reads the axes in their own order. */
    int left[2];
    bool sorts;
    bool filtered;       /* transforms, multiplies by the filter and transforms back */
    bool fold;           /* real samples are paired along the line itself, in either direction: the
                    * transform has half the axis' points */
    int64_t convolution; /* of a split line's, its points; else 0 */
    /* The middle pass of the three of a split convolution: multiplies by its spectrum. */
    bool both;
    /* Rader's split convolution takes its points in his order and carries the zeroth one behind the
     * others: which of its three passes this is: 1, 2, 3; else 0. */
    int rader;
};

/* Whether it is one of several passes along its axis. */
static inline bool gf_gpu_is_part(const struct gf_gpu_axis_pass *ap) {
    return ap->before[0] * ap->before[1] * ap->after > 1;
}
/* The last radix of its axis, which it leaves to the pass along x; 1: none. */
static inline int gf_gpu_leaves(const struct gf_gpu_axis_pass *ap) {
    return ap->axis < 2 ? ap->left[ap->axis] : 1;
}
/* How many rows it joins by the radices left, 1: none are. */
static inline int gf_gpu_joins(const struct gf_gpu_axis_pass *ap) {
    return ap->axis == 2 ? ap->left[0] * ap->left[1] : 1;
}
/* Whether its results are multiplied by the four-step twiddles of a split line. */
static inline bool gf_gpu_is_turned(const struct gf_gpu_axis_pass *ap) {
    return (ap->after > 1 && !ap->leaves_radix && gf_gpu_leaves(ap) == 1) || ap->both;
}
/* Whether its lines come in pairs, each with its mirror image: the pass of a folded axis in parts in
 * which frequencies k and n/2 - k of the real line meet. */
static inline bool gf_gpu_is_mirrored(const struct gf_gpu_axis_pass *ap) {
    return ap->fold && gf_gpu_is_part(ap) &&
           (ap->load == LOAD_ROW_HALVES || ap->store == STORE_ROW_HALVES);
}

/* Passes that are added to learn what they cost, and taken back. */
struct gf_gpu_trial {
    int n_passes;
    bool nested;
    int64_t bytes[GF_GPU_N_BUFFERS];
};

/* Between these two a plan's passes are a trial:
 *
 *     struct gf_gpu_trial trial = gf_gpu_trial_begin(p);
 *     int rc = add_some_passes(p);
 *     double cost = gf_gpu_trial_end(p, &trial);
 *
 * The end returns the cost of the passes added since, and removes them. */
struct gf_gpu_trial gf_gpu_trial_begin(struct gf_gpu_plan *p);
double gf_gpu_trial_end(struct gf_gpu_plan *p, const struct gf_gpu_trial *trial);

/* ---- axis_pass.c: one pass along an axis ---- */

/* Appends the cheapest pass that does what `ap` asks. GF_EUNSUPP without a message when no tile
 * fits. */
int gf_gpu_add_axis_pass(struct gf_gpu_plan *p, const struct gf_gpu_axis_pass *ap,
                         const struct gf_gpu_space *src, const struct gf_gpu_space *dst);

/* ---- axis.c: the transform along one axis: in one tile, cut into parts, or as a convolution ---- */

/* Appends the cheapest passes that transform along the axis of `ap`. Chooses to->buffer_id unless
 * that is an output. `one_tile`: load or store cannot work in parts. */
int gf_gpu_add_axis(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap,
                    const struct gf_gpu_space *from, struct gf_gpu_space *to, bool one_tile);
/* Whether the line can be cut into parts. Appends nothing. */
bool gf_gpu_fits_parts(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                       const struct gf_gpu_space *from, const struct gf_gpu_space *to);
/* Whether one tile holds the pass's lines. Appends nothing. */
bool gf_gpu_fits_tile(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                      const struct gf_gpu_space *from, const struct gf_gpu_space *to);

/* ---- planes.c: two passes along the axes of planes that fit one tile, kernels/fft_planes.cl ---- */

/* Whether two passes, the second of which reads what the first writes, can be such a launch on the
 * plan's device. If so, fills *planes, and *args except for the tables. */
bool gf_gpu_planes_fit(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                       const struct gf_gpu_pass *second, struct gf_gpu_planes *planes,
                       struct chain_args *args);

/* ---- chain.c: two passes, over the parts of one axis or along the axes of planes, in one launch, so that
 * the data between them stays in the second-level cache or, for small planes, in a tile ---- */

/* Adds chains to a plan with all its passes, where the device gains by them: both passes stay in
 * the plan, and the first one names the chain. Returns 0, or GF_EUNSUPP for a script that names
 * something else (core/gpu/plan/decision.h). */
int gf_gpu_plan_chains(struct gf_gpu_plan *p);
/* How much the chains save among the passes from this one on. */
double gf_gpu_chains_gain(const struct gf_gpu_plan *p, int first);
/* Whether the device gains by chaining through planes of complex points; extents are z, y, x, channels. */
bool gf_gpu_chains_planes(const struct gf_gpu_plan *p, const int64_t n[4]);

/* ---- filter.c: a GF_FILTER job: forward transform, multiplication and inverse ---- */

/* A part of a filter (struct gf_job, `whole`) transforms one axis. */
int gf_gpu_filter_job(struct gf_gpu_plan_builder *b);
/* Turns a part's plan into the plan of the part that begins at index `first` of the device's axis;
 * a filter's table is each part's own. */
void gf_gpu_filter_move(struct gf_gpu_plan *p, int axis, int64_t first);

/* ---- dwt.c: wavelets, one pass a level; core/gpu/dwt_host.c does the CPU's share ---- */

/* Fills an empty plan for its job, for gf_gpu_plan_make(). Reduces p->job to the device's share,
 * and sets p->host_share if that is not the whole. GF_EUNSUPP. */
int gf_gpu_dwt_make(struct gf_gpu_plan *p);

#endif
