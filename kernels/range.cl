/* The upper end of a display range: the largest value of a kind. Every group writes its largest to
 * `found`, then range_last takes the largest of those to params. `found` of a single group is in
 * params. Given by -D: REALS, for range_scan over reals. */
#include "args.h"
#include "sample.h"

INLINE real largest_of(LOCAL real *tile, real v, const bool sum) {
    tile[LOCAL_ID] = v;
    for (int apart = GROUP / 2; apart != 0; apart /= 2) {
        BARRIER();
        if (LOCAL_ID < apart) {
            const real other = tile[LOCAL_ID + apart];
            tile[LOCAL_ID] = sum                      ? tile[LOCAL_ID] + other
                             : other > tile[LOCAL_ID] ? other
                                                      : tile[LOCAL_ID];
        }
    }
    BARRIER();
    v = tile[0];
    BARRIER();
    return v;
}

INLINE wide row_offset(const struct range_args *a, wide row) {
    wide at = 0;
    UNROLL for (int i = 0; i < 4; i++) {
        const wide next = row / ARG(extent)[i];
        at += (row - next * ARG(extent)[i]) * ARG(step)[i];
        row = next;
    }
    return at;
}

INLINE real size_of(cplx v, const int kind) {
    real number = value_of(v, kind);
    return number < R(0) ? -number : number;
}

#ifdef REALS
#define element real
INLINE cplx scaled_element(real v, real scale) {
    return CPLX(v * scale, R(0));
}
#else
#define element cplx
INLINE cplx scaled_element(cplx v, real scale) {
    return scaled_by(v, scale);
}
#endif

KERNEL(GROUP, 1)
VOID range_scan(GLOBAL const element *src, GLOBAL real *found, GLOBAL const real *params,
                const struct range_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    TAKE_ARGS(range_args)
    const wide rows = ARG(rows), count = ARG(count);
    const real scale = GET(params, ARG(params) + PARAM_SCALE);
    real largest = R(0);
    for (wide row = GROUP_ID; row < rows; row += GROUPS) {
        const wide at = row_offset(a, row);
        for (wide i = LOCAL_ID; i < count; i += GROUP) {
            const real v = size_of(scaled_element(GET(src, at + i * ARG(stride)), scale), ARG(kind));
            largest = v > largest ? v : largest;
        }
    }
    largest = largest_of(tile, largest, false);
    if (LOCAL_ID == 0)
        SET(found, ARG(found) + GROUP_ID, largest);
}

#ifndef REALS
/* Samples that are never negative have their largest magnitude at the zero frequency, their sum. A
 * row is its line of packed pairs before the last pass: both parts are summed. */
KERNEL(GROUP, 1)
VOID range_zero(GLOBAL const cplx *src, GLOBAL real *found, GLOBAL const real *params,
                const struct range_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    TAKE_ARGS(range_args)
    const wide rows = ARG(rows), count = ARG(count);
    const real scale = GET(params, ARG(params) + PARAM_SCALE);
    real largest = R(0);
    for (wide row = GROUP_ID; row < rows; row += GROUPS) {
        const wide at = row_offset(a, row);
        real sum = R(0);
        for (wide i = LOCAL_ID; i < count; i += GROUP) {
            const cplx v = GET(src, at + i * ARG(stride));
            sum += v.x + v.y;
        }
        sum = largest_of(tile, sum, true);
        const real v = size_of(CPLX(sum * scale, R(0)), ARG(kind));
        largest = v > largest ? v : largest;
    }
    if (LOCAL_ID == 0)
        SET(found, ARG(found) + GROUP_ID, largest);
}
#endif

KERNEL(GROUP, 1)
VOID range_last(GLOBAL const real *found, GLOBAL real *params,
                const struct range_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    TAKE_ARGS(range_args)
    const wide left = ARG(groups);
    real largest = R(0);
    for (wide i = LOCAL_ID; i < left; i += GROUP)
        largest = GET(found, i) > largest ? GET(found, i) : largest;
    largest = largest_of(tile, largest, false);
    if (LOCAL_ID == 0)
        SET(params, ARG(params) + PARAM_HIGH, largest);
}
