/* The generic store step: the work buffer to an array of any type, order and kind.
 *
 * Given by -D: OUT_T, the samples' type, OUT_COMPLEX for pairs of it; IN_COMPLEX if the work buffer
 * holds pairs; OUT_INTEGER with OUT_LOW and OUT_HIGH. */
#include "loadstore.h"

#if IN_COMPLEX
#define element cplx
#else
#define element real
#endif

INLINE cplx frequency_at(const struct loadstore_args *a, GLOBAL const element *src,
                         STRUCT(element_coord) p) {
    UNROLL for (int i = 0; i < 3; i++) {
        p.at[i] -= ARG(centre)[i];
        p.at[i] = p.at[i] < 0 ? p.at[i] + ARG(n)[i] : p.at[i];
    }
    const bool folded = is_folded(a, p, ARG(work_half));
    bool self = true;
    wide at = p.channel;
    UNROLL for (int i = 0; i < 3; i++) {
        const wide k = p.at[i], m = ARG(on)[i] != 0 ? negated(k, ARG(n)[i]) : k;
        self = self && k == m;
        at = at * ARG(work)[i] + (folded ? m : k);
    }
#if IN_COMPLEX
    const cplx v = src[at];
    return CPLX(v.x, self && ARG(reals) != 0 ? R(0) : folded ? -v.y : v.y);
#else
    return CPLX(src[at], R(0));
#endif
}

KERNEL(GROUP, 1)
VOID store_step(GLOBAL const element *src, GLOBAL OUT_T *dst, GLOBAL const real *params,
                GLOBAL uint *counters, const struct loadstore_args args) {
    AWAIT_PREVIOUS();
    TAKE_ARGS(loadstore_args)
    const wide count = ARG(channels) * ARG(array)[0] * ARG(array)[1] * ARG(array)[2];
    const real scale = params[ARG(params) + PARAM_SCALE];
#if OUT_INTEGER
    const STRUCT(shade) shades = shade_of(ARG(kind), ARG(scale), params[ARG(params) + PARAM_LOW],
                                          params[ARG(params) + PARAM_HIGH]);
#endif
    uint clipped = 0u;
    for (wide i = GROUP_ID * GROUP + LOCAL_ID; i < count; i += GROUPS * GROUP) {
        const STRUCT(element_coord) p = coord_of(i, ARG(array));
        const cplx v = scaled_by(frequency_at(a, src, p), scale);
        const wide at = p.at[0] * ARG(stride)[0] + p.at[1] * ARG(stride)[1] +
                        p.at[2] * ARG(stride)[2] + p.channel * ARG(stride)[3];
#if OUT_COMPLEX
        WRITE_SAMPLE(2 * at, SAMPLE_OF(v.x));
        WRITE_SAMPLE(2 * at + 1, SAMPLE_OF(v.y));
#else
        real number = value_of(v, ARG(kind));
#if OUT_INTEGER
        if (ARG(display) != 0) {
            number = displayed(number, ARG(kind), ARG(scale), shades) * R(OUT_HIGH);
            number = floor(number + R(0.5));
        } else {
            number = round(number);
            if (!(number >= R(OUT_LOW) && number <= R(OUT_HIGH)) && is_counted(a, p))
                clipped++;
        }
        /* INT32_MAX is not representable as a float; 2^31 is used */
        WRITE_SAMPLE(at, !(number > R(OUT_LOW))  ? SAMPLE_OF(OUT_LOW)
                         : number >= R(OUT_HIGH) ? SAMPLE_OF(OUT_HIGH)
                                                 : SAMPLE_OF(number));
#else
        WRITE_SAMPLE(at, SAMPLE_OF(number));
#endif
#endif
    }
    if (clipped != 0u)
        ADD_TO(counters[ARG(counters) + GROUP_ID % COUNTERS], clipped);
}
