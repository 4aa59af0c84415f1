/* The upper end of a display range: the largest value of a kind. Every group writes its largest to
 * `found`, then range_last takes the largest of those to params. `found` of a single group is in
 * params. Given by -D: REALS, for range_scan over reals. */
#include "args.h"
#include "sample.h"

INLINE real largest_of(LOCAL real *tile, real v, const int sum) {
    tile[LOCAL_ID] = v;
    for (int step = GROUP / 2; step; step /= 2) {
        BARRIER();
        if (LOCAL_ID < step) {
            real other = tile[LOCAL_ID + step];
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
        wide next = row / a->extent[i];
        at += (row - next * a->extent[i]) * a->step[i];
        row = next;
    }
    return at;
}

INLINE real size_of(cplx v, const int kind) {
    real number = value_of(v, kind);
    return number < R(0) ? -number : number;
}

#ifdef REALS
typedef real element;
INLINE cplx scaled_element(real v, real scale) {
    return CPLX(v * scale, R(0));
}
#else
typedef cplx element;
INLINE cplx scaled_element(cplx v, real scale) {
    return scaled_by(v, scale);
}
#endif

KERNEL(GROUP, 1)
VOID range_scan(GLOBAL const element *src, GLOBAL real *found, GLOBAL const real *params,
                const struct range_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    const struct range_args *a = &args;
    const real scale = params[a->params + PARAM_SCALE];
    real largest = R(0);
    for (wide row = GROUP_ID; row < a->rows; row += GROUPS) {
        const wide at = row_offset(a, row);
        for (wide i = LOCAL_ID; i < a->count; i += GROUP) {
            real v = size_of(scaled_element(src[at + i * a->stride], scale), (int)a->kind);
            largest = v > largest ? v : largest;
        }
    }
    largest = largest_of(tile, largest, 0);
    if (LOCAL_ID == 0)
        found[a->found + GROUP_ID] = largest;
}

/* Samples that are never negative have their largest magnitude at the zero frequency, their sum. A
 * row is its line before the last pass, of packed pairs: both parts are summed. */
KERNEL(GROUP, 1)
VOID range_zero(GLOBAL const cplx *src, GLOBAL real *found, GLOBAL const real *params,
                const struct range_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    const struct range_args *a = &args;
    const real scale = params[a->params + PARAM_SCALE];
    real largest = R(0);
    for (wide row = GROUP_ID; row < a->rows; row += GROUPS) {
        const wide at = row_offset(a, row);
        real sum = R(0);
        for (wide i = LOCAL_ID; i < a->count; i += GROUP) {
            cplx v = src[at + i * a->stride];
            sum += v.x + v.y;
        }
        sum = largest_of(tile, sum, 1);
        real v = size_of(CPLX(sum * scale, R(0)), (int)a->kind);
        largest = v > largest ? v : largest;
    }
    if (LOCAL_ID == 0)
        found[a->found + GROUP_ID] = largest;
}

KERNEL(GROUP, 1)
VOID range_last(GLOBAL const real *found, GLOBAL real *params,
                const struct range_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    const struct range_args *a = &args;
    real largest = R(0);
    for (wide i = LOCAL_ID; i < a->groups; i += GROUP)
        largest = found[i] > largest ? found[i] : largest;
    largest = largest_of(tile, largest, 0);
    if (LOCAL_ID == 0)
        params[a->params + PARAM_HIGH] = largest;
}
