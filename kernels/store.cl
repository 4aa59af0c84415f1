/* The generic store step: the work buffer to an array of any type, order and kind.
 *
 * Given by -D: OUT_T, the samples' type, OUT_COMPLEX for pairs of it; IN_COMPLEX if the work buffer
 * holds pairs; OUT_INTEGER with OUT_LOW and OUT_HIGH. Each group reads a run of the work buffer and
 * writes frequencies of half a spectrum to both of their places. */
#include "loadstore.h"

#if IN_COMPLEX
#define element cplx
#else
#define element real
#endif

/* Shared by the frequencies of a row of the work buffer. */
struct store_row {
    wide at, mirror; /* offsets in the array of the row and of its mirror image */
    bool self;       /* the row is its own mirror image */
    bool kept;       /* the array has it */
    bool folded;     /* only the array has its mirror image */
};

INLINE STRUCT(store_row) row_of(const struct loadstore_args *a, const STRUCT(element_coord) k) {
    STRUCT(store_row) row;
    row.at = row.mirror = k.channel * ARG(stride)[3];
    row.self = row.kept = true;
    row.folded = ARG(work_half) != 0 && ARG(array_half) == 0;
    UNROLL for (int i = 0; i < 2; i++) {
        const place n = ARG(n)[i], centre = ARG(centre)[i],
                    m = ARG(on)[i] != 0 ? NEGATED(k.at[i], n) : k.at[i];
        row.self = row.self && k.at[i] == m;
        if (i == ARG(halved)) {
            row.kept = ARG(array_half) == 0 || 2 * k.at[i] <= n;
            row.folded = row.folded && k.at[i] != 0 && 2 * k.at[i] < n;
        }
        row.at += centred(k.at[i], centre, n) * ARG(stride)[i];
        row.mirror += centred(m, centre, n) * ARG(stride)[i];
    }
    return row;
}

KERNEL(GROUP, 1)
VOID store_step(GLOBAL const element *src, GLOBAL OUT_T *dst, GLOBAL const real *params,
                GLOBAL uint *counters, const struct loadstore_args args) {
    AWAIT_PREVIOUS();
    TAKE_ARGS(loadstore_args)
    const wide count = ARG(channels) * ARG(work)[0] * ARG(work)[1] * ARG(work)[2];
    const wide each = (count + GROUPS * GROUP - 1) / (GROUPS * GROUP) * GROUP;
    const wide stop = (GROUP_ID + 1) * each, end = stop < count ? stop : count;
    const place n = ARG(n)[2], centre = ARG(centre)[2], width = ARG(work)[2];
    const bool halves = ARG(halved) == 2, mirrors = ARG(on)[2] != 0;
    const real scale = GET(params, ARG(params) + PARAM_SCALE);
#if OUT_INTEGER
    const STRUCT(shade) shades = shade_of(ARG(kind), ARG(scale), GET(params, ARG(params) + PARAM_LOW),
                                          GET(params, ARG(params) + PARAM_HIGH));
#endif
    uint clipped = 0u;
    STRUCT(element_coord) k = coord_of(GROUP_ID * each + LOCAL_ID, ARG(work));
    STRUCT(store_row) row = row_of(a, k);
    for (wide i = GROUP_ID * each + LOCAL_ID; i < end; i += GROUP) {
        const place x = k.at[2], m = mirrors ? NEGATED(x, n) : x;
        const bool kept = row.kept && !(halves && ARG(array_half) != 0 && 2 * x > n);
        const bool folded = row.folded && !(halves && (x == 0 || 2 * x >= n));
#if IN_COMPLEX
        cplx v = scaled_by(GET(src, i), scale);
        v.y = ARG(reals) != 0 && row.self && x == m ? R(0) : v.y;
#else
        cplx v = CPLX(GET(src, i) * scale, R(0));
#endif
#if !OUT_COMPLEX
        real number = R(0);
#endif
        for (int image = kept ? 0 : 2; image < (folded ? 2 : 1); image++) {
            const wide at = (image != 0 ? row.mirror : row.at) +
                            centred(image != 0 ? m : x, centre, n) * ARG(stride)[2];
            v.y = image != 0 ? -v.y : v.y;
#if OUT_COMPLEX
            WRITE_SAMPLE(2 * at, SAMPLE_OF(v.x));
            WRITE_SAMPLE(2 * at + 1, SAMPLE_OF(v.y));
#else
            if (image == 0 || ARG(kind) == KIND_PHASE || ARG(kind) == KIND_IMAG) {
                number = value_of(v, ARG(kind));
#if OUT_INTEGER
                number =
                    ARG(display) == 0
                        ? round(number)
                        : floor(displayed(number, ARG(kind), ARG(scale), shades) * R(OUT_HIGH) +
                                R(0.5));
#endif
            }
#if OUT_INTEGER
            if (!(number >= R(OUT_LOW) && number <= R(OUT_HIGH)) && is_counted(a, k))
                clipped++;
            /* INT32_MAX is not representable as a float; 2^31 is used */
            WRITE_SAMPLE(at, !(number > R(OUT_LOW))  ? SAMPLE_OF(OUT_LOW)
                             : number >= R(OUT_HIGH) ? SAMPLE_OF(OUT_HIGH)
                                                     : SAMPLE_OF(number));
#else
            WRITE_SAMPLE(at, SAMPLE_OF(number));
#endif
#endif
        }
        k.at[2] += GROUP;
        if (k.at[2] >= width) {
            k = coord_of(i + GROUP, ARG(work));
            row = row_of(a, k);
        }
    }
    if (clipped != 0u)
        ADD_TO(counters, ARG(counters) + GROUP_ID % COUNTERS, clipped);
}
