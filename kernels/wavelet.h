/* Shared by both directions of a wavelet level: taps, boundaries, and work items' parts of the
 * array.
 *
 * One kernel serves any rank. An item walks along one axis (`walk`: z, or y if z is not
 * transformed) and keeps in registers what the filter needs of the planes behind it. If y is
 * transformed too, it holds ROWS rows of each plane's bands (`row`). Along x, where rows are dense,
 * a group's items are adjacent. A sample thus comes from memory once; neighbours find it in the
 * nearest cache. Along an axis that is not transformed, which takes the place of `row`, items are
 * independent.
 *
 * Given by -D: ALONG_WALK, ALONG_ROW, ALONG_X: transformed axes (ALONG_ROW only with ALONG_WALK);
 * BOUNDARY; TAPS_FROM: the wavelet's taps among all; ROWS; ITEMS of a group, RESIDENT groups of a
 * multiprocessor; AHEAD: the next planes are read before the last ones are done; NEAR: pairs of
 * samples on the finer side are aligned; FAR: a plane or an axis needs more than 32 bits;
 * THRESHOLD; types. */
#ifndef WAVELET_H
#define WAVELET_H

#include "args.h"
#include "wavelets.h"

/* Indices along an axis, and offsets in a plane: 32 bits if all arrays allow. */
#if FAR
typedef wide coord;
typedef wide span;
#else
typedef int coord;
typedef uint span;
#endif

/* The four taps (core/wavelet/dwt.h); details have H3, -H2, H1, -H0. */
#define TAP(x)                                           R(x),
#define ITS_TAPS(NAME, taps, name, also, alias, what, h) h
INLINE real tap_of(int i) {
    const real h[] = {WAVELETS(ITS_TAPS)};
    return h[TAPS_FROM + i];
}
#define H0 tap_of(0)
#define H1 tap_of(1)
#define H2 tap_of(2)
#define H3 tap_of(3)

INLINE real low_of(real a, real b, real c, real d) {
    return H3 * d + (H2 * c + (H1 * b + H0 * a));
}
INLINE real high_of(real a, real b, real c, real d) {
    return -H0 * d + (H1 * c + (-H2 * b + H3 * a));
}
/* A pair of samples from two neighbours in each band: approximations a, details d. */
INLINE real first_of(real a0, real a1, real d0, real d1) {
    return H3 * d1 + (H1 * d0 + (H0 * a1 + H2 * a0));
}
INLINE real second_of(real a0, real a1, real d0, real d1) {
    return -H2 * d1 + (-H0 * d0 + (H1 * a1 + H3 * a0));
}

/* Band sample k takes samples 2 k - OFFSET and the three after it. */
#define OFFSET (BOUNDARY == BOUNDARY_PERIODIC ? 1 : 2)

/* The sample at index i of a line of n; -1: zero. One reflection suffices for the filter's reach,
 * two for a line of one sample; what tiles read beyond is not used. */
INLINE coord extended(coord i, coord n) {
#if BOUNDARY == BOUNDARY_ZERO
    return i < n && i >= 0 ? i : -1;
#else
    const coord period = n + (n & 1);
    if (BOUNDARY == BOUNDARY_PERIODIC) {
        i = i < 0 ? i + period : i;
        i = i >= period ? i - period : i;
    } else {
        i = i < 0 ? -1 - i : i;
        i = i >= n ? 2 * n - 1 - i : i;
    }
    i = i < n ? i : n - 1;
    return i < 0 ? 0 : i;
#endif
}

INLINE real shrunk(real v, real limit) {
    const real size = v < R(0) ? -v : v;
#if THRESHOLD == THRESHOLD_SOFT
    return size > limit ? (v < R(0) ? v + limit : v - limit) : R(0);
#elif THRESHOLD == THRESHOLD_HARD
    return size < limit ? R(0) : v;
#else
    (void)size;
    (void)limit;
    return v;
#endif
}

/* A work item's share: steps [first, end) of the walk, for one column and ROWS rows, or for one
 * position along an axis that is not transformed. */
struct spot {
    uint column; /* step along x and channel: k * channels + channel */
    coord row, first, end;
    int there;
};

INLINE struct spot spot_of(const struct wave_args *a) {
    struct spot s;
    const uint bits = (uint)a->width_bits, lane = (uint)LOCAL_ID;
    const uint group = (uint)GROUP_ID, blocks = (uint)a->blocks;
    const uint line = group / blocks;
    const uint unit = line * ((uint)ITEMS >> bits) + (lane >> bits);
    const uint outer = unit / (uint)a->inner, inner = unit - outer * (uint)a->inner;
#if ALONG_ROW
    const uint strip = outer;
    s.row = (coord)inner * ROWS;
#else
    const uint strip = inner;
    s.row = (coord)outer;
#endif
    s.column = ((group - line * blocks) << bits) + (lane & ((1u << bits) - 1u));
    s.first = (coord)strip * (coord)a->strip;
    s.end = a->steps - s.first > a->strip ? s.first + (coord)a->strip : (coord)a->steps;
    s.there = s.column < (uint)a->columns && s.row < a->rows && s.first < a->steps;
    return s;
}

#endif
