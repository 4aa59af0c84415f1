/* Multiplies the spectrum in the work buffer by a filter, in place, a row a group at a time. Given
 * by -D: see filter.h. */
#include "coord.h"
#include "filter.h"

/* Maps (z, y, x) of the work buffer to the half spectrum; true: to the mirror image. */
INLINE int fold(const struct filter_multiply_args *a, wide *k) {
    if (2 * k[a->halved] <= a->n[a->halved])
        return 0;
    UNROLL for (int i = 0; i < 3; i++) {
        if (a->on[i])
            k[i] = negated(k[i], a->n[i]);
    }
    return 1;
}

#if FILTER == FILTER_FACTORS
INLINE real lowpass_here(const struct filter_multiply_args *a, GLOBAL const real *from, const wide *k) {
    const struct lowpass l = lowpass_at(from, 0);
    real v = l.rest;
    UNROLL for (int i = 0; i < 3; i++) {
        if (a->filter.at[i])
            v = joined(v, from[a->filter.at[i] + k[i]], l.profile);
    }
    return lowpass_value(&l, v);
}
#endif

INLINE factor filter_value(const struct filter_multiply_args *a, GLOBAL const factor *filter, wide z,
                           wide y, wide x) {
    wide k[3] = {z, y, x};
    const int folded = fold(a, k);
#if FILTER == FILTER_FACTORS
    real m = R(1);
    GLOBAL const real *from = filter + a->filter.values;
    for (int i = 0; i < (int)a->filter.factors; i++, from += 2 * a->filter.each) {
        const real v = lowpass_here(a, from, k);
        real second = from[FILTER_CA];
#if BANDS
        second += from[FILTER_CAB] * lowpass_here(a, from + a->filter.each, k);
#endif
        m *= from[FILTER_C0] + v * second;
    }
    (void)folded;
    return m;
#else
    const factor m =
        filter[k[0] * a->filter.at[0] + k[1] * a->filter.at[1] + k[2] * a->filter.at[2]];
    return folded ? MIRRORED_M(m) : m;
#endif
}

KERNEL(GROUP, 1)
VOID filter_step(GLOBAL const cplx *src, GLOBAL cplx *dst, GLOBAL const factor *filter,
                 GLOBAL const real *params, const struct filter_multiply_args args) {
    AWAIT_PREVIOUS();
    const struct filter_multiply_args *a = &args;
    const wide rows = a->channels * a->work[0] * a->work[1];
    for (wide row = GROUP_ID; row < rows; row += GROUPS) {
        const wide plane = row / a->work[1], y = row - plane * a->work[1], z = plane % a->work[0];
        for (wide x = LOCAL_ID; x < a->work[2]; x += GROUP) {
            const wide at = row * a->work[2] + x;
            cplx v = TIMES(src[at], filter_value(a, filter, z, y, x));
            if (!(z * a->on[0]) && !(y * a->on[1]) && !(x * a->on[2]))
                v.x += params[PARAM_OFFSET];
            dst[at] = v;
        }
    }
}
