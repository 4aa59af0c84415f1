/* Places of a pass's points: a line is a combination of its five indices, the fast one and four
 * outer ones. See struct gf_gpu_pass in core/gpu/plan/plan.h. */
#ifndef LINES_H
#define LINES_H

#include "complex.h"
#include "coord.h"
#include "share.h"
#include "twiddle.h"

/* Offset of a line's point, or coordinate, j: in 32 bits if all lines are short enough. */
#define SPAN(fits, j, stride) \
    ((fits) ? (place)((uint)(j) * (uint)(stride)) : (place)(j) * (place)(stride))

/* Lines of a tile: a constant, or a kernel's argument. */
#ifndef TILE_LINES
#define TILE_LINES(args) ((uint)LINES)
#endif
#ifndef COUNTED
#define COUNTED 0
#endif

/* Lines in pairs with their mirror images: a tile's second half mirrors the first. Line 0, its own
 * image, pairs with line count / 2, its own too. */
#ifndef MIRRORED
#define MIRRORED 0
#endif

/* The fast index' axis lacks its last radix, 2: lines k and k + n/2 of n come from two neighbours
 * in the source, whose pairs the index' stride `in` counts. Such lines follow each other, so that
 * the second finds them cached. */
#ifndef ACROSS
#define ACROSS 0
#endif

/* The tile's lines are JOIN_Z times JOIN_Y rows across which the last radices of z and y are done:
 * blocks of z, and in each blocks of y. */
#ifndef JOIN_Z
#define JOIN_Z 1
#endif
#ifndef JOIN_Y
#define JOIN_Y 1
#endif
#define JOINS (JOIN_Z * JOIN_Y)

struct line {
    place in, in_mirror, out, out_mirror; /* element offsets of point 0 */
    place at_in, at_out;                  /* of point 0, along the axis */
    place turn;                           /* exponent of point 1's four-step twiddle */
    int there; /* inside the array; else the last line again, read but not written */
    int lone;  /* its pair lacks the second half */
    int own;   /* its mirror image is a line of this pass, or itself: it writes only itself */
    int self;  /* it is its own mirror image */
    int zero;  /* zero frequency on all axes across it */
    int counts, second_counts; /* samples, and those of its pair, that count if they clip */
    uint at[5];                /* the indices */
#if ACROSS
    place across, across_mirror; /* k, and the mirror image's */
#endif
#if SAMPLED
    place keys, keys_mirror; /* bins of the sample, and of the mirror image */
#endif
};

#if SAMPLED
#define COUNT_OF(a, i) (uint)((a)->sample.count[i])
#else
#define COUNT_OF(a, i) (uint)((a)->index[i].count)
#endif

#if ACROSS
/* The fast index' line at position `at`: pairs are k and k + n/2 or, for lines 0 to n/2 with their
 * mirror images, k and n/2 - k. */
INLINE uint across_order(const struct pass_args *a, uint at) {
    const uint middle = (uint)a->index[0].size / 2;
    if (a->own_index == 0)
        return at % 2 ? middle - at / 2 : at / 2;
    return at / 2 + at % 2 * middle;
}
#endif

/* The share's line, among the TILE_LINES neighbours along the fast index of its tile. INDICES of
 * the five are in use. */
INLINE struct line line_at(const struct pass_args *a, const struct share share) {
    struct line l;
    uint at[5];
    const uint tiles = (COUNT_OF(a, 0) + TILE_LINES(a) - 1) / TILE_LINES(a);
    uint rest = INDICES > 1 ? share.tile / tiles : 0;
#if MIRRORED
    const uint number = share.line % (LINES / 2);
    at[0] = (share.tile - rest * tiles) * (LINES / 2) + number;
    if (share.line != number)
        at[0] = at[0] ? (uint)a->index[0].count - at[0] : (uint)a->index[0].count / 2;
#else
    at[0] = (share.tile - rest * tiles) * TILE_LINES(a) + share.line;
#endif
    UNROLL for (int i = 1; i < INDICES; i++) {
        const uint count = COUNT_OF(a, i);
        const uint next = i + 1 < INDICES ? rest / count : 0;
        at[i] = rest - next * count;
        rest = next;
    }
    l.there = at[0] < COUNT_OF(a, 0);
    at[0] = l.there ? at[0] : COUNT_OF(a, 0) - 1;
    l.in = l.in_mirror = l.out = l.out_mirror = l.at_in = l.at_out = l.turn = 0;
    l.lone = l.own = 0;
    l.self = l.zero = l.counts = l.second_counts = 1;
#if SAMPLED
    l.keys = l.keys_mirror = 0;
    UNROLL for (int i = 0; i < INDICES; i++) {
        const uint n = (uint)a->sample.size[i], mirror = n && at[i] ? n - at[i] : at[i];
        l.keys += (place)at[i] * (place)a->sample.stride[i];
        l.keys_mirror += (place)mirror * (place)a->sample.stride[i];
        at[i] = (uint)share.order[a->sample.list[i] + at[i]];
    }
#elif ACROSS
    at[0] = across_order(a, at[0]);
#endif
    UNROLL for (int i = 0; i < INDICES; i++) {
        l.at[i] = at[i];
#if JOINS > 1
        if (i == 0) {
            l.in = (place)(at[0] / JOIN_Y) * (place)a->index[0].in +
                   (place)(at[0] % JOIN_Y) * (place)a->pair_in;
            continue;
        }
#endif
        l.zero &= !a->index[i].size || !at[i];
        const place n = (place)a->index[i].size;
        place k = (place)at[i], m = n ? negated(k, n) : k, from = k, from_mirror = m;
        l.self &= m == k;
#if ACROSS
        if (i == 0) {
            l.across = k;
            l.across_mirror = m;
            from = k < n / 2 ? k : k - n / 2;
            from_mirror = m < n / 2 ? m : m - n / 2;
        }
#endif
        l.in += from * (place)a->index[i].in;
        l.in_mirror += from_mirror * (place)a->index[i].in;
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

#ifdef COALESCED_IN
/* A tile's lines in sequence: the first, how many are inside the array; `lone` if the last is a
 * pair without its second half. */
struct tile_lines {
    struct line first;
    int count, lone;
};
INLINE struct tile_lines lines_of_tile(const struct pass_args *a, struct share share) {
    struct tile_lines t;
    share.line = 0;
    t.first = line_at(a, share);
    const uint left = (uint)a->index[0].count - t.first.at[0];
    t.count = (int)(left < TILE_LINES(a) ? left : TILE_LINES(a));
    t.lone = t.first.at[0] + (uint)t.count - 1 == (uint)a->lone;
    return t;
}

/* The work item's element number i of rows of `length`. Signed, as slots are. */
struct element {
    int row, at;
};
INLINE struct element element_of(const int i, const int length) {
    const uint number = (uint)LOCAL_ID + (THREADS % length ? i * THREADS : 0);
    struct element e;
    e.row = (int)(number / length) + (THREADS % length ? 0 : i * (THREADS / length));
    e.at = (int)(number % length);
    return e;
}
#endif

#if MIRRORED
/* Combines even and odd samples of a folded axis. */
INLINE cplx fold_twiddle(const struct pass_args *a, GLOBAL const cplx *table, place k) {
    return root_of(table, a->table_fold, a->table_fold_low, a->fold_bits, k, FOLD_SPLIT);
}
#endif

#endif
