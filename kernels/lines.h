/* Where a pass reads its points and where it writes them: one line is one choice of the pass's five
 * indices, the fast index and four outer ones. See struct gf_gpu_pass in core/gpu/plan/plan.h. */
#ifndef LINES_H
#define LINES_H

#include "complex.h"
#include "coord.h"

/* How far point, or coordinate, j of a line is from its first: in 32 bits where all lines are so
 * short. */
#define SPAN(fits, j, stride)                                                                      \
    ((fits) ? (place)((uint)(j) * (uint)(stride)) : (place)(j) * (place)(stride))

/* Lines of a tile: a constant, or an argument of the kernel's. */
#ifndef TILE_LINES
#define TILE_LINES(args) ((uint)LINES)
#endif
#ifndef COUNTED
#define COUNTED 0
#endif

/* A pass that finds its display range, range_pass.h: itself, or only the keys of the sample's bins. */
#define SAMPLED_FIRST 1
#define SAMPLED_ALONE 2
#ifndef SAMPLED
#define SAMPLED 0
#endif

/* What a group works on: a tile of the pass's lines or, in a pass that finds its display range, of
 * those in the sample. */
struct task {
    uint tile;
    int sampling;
    int own;                 /* a tile of the pass's lines is still to come */
    uint stolen;             /* a tile of the sample that nobody has begun */
    uint range[4];           /* its words, 0 as long as they are not there: known to work item 0 */
    GLOBAL const int *order; /* where the lists of the sample are */
};

/* The only task of a group. */
INLINE struct task only_task(GLOBAL const int *order) {
    struct task t;
    t.tile = (uint)GROUP_ID;
    t.sampling = SAMPLED == SAMPLED_ALONE;
    t.own = 0;
    t.stolen = 0;
    t.order = order;
    UNROLL for (int i = 0; i < 4; i++) t.range[i] = 0;
    return t;
}

struct line {
    place in, in_mirror, out, out_mirror; /* element offsets of point 0 */
    place at_in, at_out;                  /* coordinate of point 0 along the axis */
    place turn;                           /* exponent of point 1's four-step twiddle */
    int there; /* inside the array: else the last line again, which is read and not written */
    int lone;  /* its pair lacks the second half */
    int own;   /* its mirror image is a line of this pass too, or itself: it writes only itself */
    int self;  /* it is its own mirror image */
    int zero;  /* the zero frequency of all axes that it runs across */
    int counts, second_counts; /* its samples are counted where they clip; those of its pair are */
    uint at[5];                /* the indices */
};

#if SAMPLED
#define PARAMS               real
#define COUNT_OF(a, task, i) (uint)((task)->sampling ? (a)->sample.count[i] : (a)->index[i].count)
#else
#define PARAMS               const real
#define COUNT_OF(a, task, i) (uint)((a)->index[i].count)
#endif

/* Line number `number` of the TILE_LINES of this task's tile, neighbours along the fast index. INDICES
 * of the five are in use. */
INLINE struct line line_at(const struct pass_args *a, const struct task *task, uint number) {
    struct line l;
    uint at[5];
    const uint tile = task->tile;
    const uint tiles = (COUNT_OF(a, task, 0) + TILE_LINES(a) - 1) / TILE_LINES(a);
    uint rest = INDICES > 1 ? tile / tiles : 0;
    at[0] = (tile - rest * tiles) * TILE_LINES(a) + number;
    UNROLL for (int i = 1; i < INDICES; i++) {
        const uint count = COUNT_OF(a, task, i);
        const uint next = i + 1 < INDICES ? rest / count : 0;
        at[i] = rest - next * count;
        rest = next;
    }
    l.there = at[0] < COUNT_OF(a, task, 0);
    at[0] = l.there ? at[0] : COUNT_OF(a, task, 0) - 1;
    l.in = l.in_mirror = l.out = l.out_mirror = l.at_in = l.at_out = l.turn = 0;
    l.lone = l.own = 0;
    l.self = l.zero = l.counts = l.second_counts = 1;
#if SAMPLED
    UNROLL for (int i = 0; i < INDICES && task->sampling; i++) at[i] =
        (uint)task->order[a->sample.list[i] + at[i]];
#endif
    UNROLL for (int i = 0; i < INDICES; i++) {
        l.at[i] = at[i];
        l.zero &= !a->index[i].size || !at[i];
        const place n = (place)a->index[i].size;
        place k = (place)at[i], m = n ? negated(k, n) : k;
        l.self &= m == k;
        l.in += k * (place)a->index[i].in;
        l.in_mirror += m * (place)a->index[i].in;
        l.at_in += k * (place)a->index[i].point_in;
        l.at_out += k * (place)a->index[i].point_out;
        l.turn += k * (place)a->index[i].turn;
        if (i == (int)a->own_index)
            l.own = m == k;
        if (i == (int)a->lone_index)
            l.lone = k == (place)a->lone;
#if COUNTED
        const int pairs = i == (int)a->lone_index;
        l.counts &= k < (place)a->index[i].counted;
        l.second_counts &= k < (place)(pairs ? a->pair_counted : a->index[i].counted);
#endif
        if (n) {
            k = centred(k, (place)a->index[i].centre, n);
            m = centred(m, (place)a->index[i].centre, n);
        }
        l.out += k * (place)a->index[i].out;
        l.out_mirror += m * (place)a->index[i].out;
    }
    return l;
}

#endif
