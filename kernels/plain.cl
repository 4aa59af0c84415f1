/* What anybody would write around a library's real transforms, to make a picture's spectrum a
 * picture, or to filter it: the yardstick for passes that do the same on their way.
 *
 * plain_load: bytes or 16-bit samples -> reals. Given by -D: IN_T, and IN_T4, four of them.
 * plain_store: half a spectrum -> magnitude or power on black..white, mirrored, shifted. Given by
 * -D: OUT_T with its limits, KIND, SCALE, RANGED where the display's range is known beforehand.
 * Without one the largest value is that of frequency 0, as of all samples that are never negative.
 *
 * plain_times: half a spectrum times a table of TIMES 1, reals, or 2, complex numbers; work[2] bins
 * in all. plain_round: reals -> samples of OUT_T, ROUND_EACH an item, work[2] of them. */
#include "sample.h"

#ifdef IN_T
INLINE void put4(GLOBAL real *dst, wide i, real a, real b, real c, real d) {
#ifdef DOUBLE
    GLOBAL cplx *to = (GLOBAL cplx *)dst + 2 * i;
    to[0] = CPLX(a, b);
    to[1] = CPLX(c, d);
#else
    float4 v;
    v.x = a;
    v.y = b;
    v.z = c;
    v.w = d;
    ((GLOBAL float4 *)dst)[i] = v;
#endif
}

/* A work item takes four neighbours; the last one what is left. */
KERNEL(GROUP, 1)
VOID plain_load(GLOBAL const IN_T *src, GLOBAL real *dst, const struct loadstore_args args) {
    const wide count = args.n[1] * args.n[2], i = GROUP_ID * GROUP + LOCAL_ID;
    if (4 * i + 3 < count) {
        const IN_T4 v = ((GLOBAL const IN_T4 *)src)[i];
        put4(dst, i, (real)v.x, (real)v.y, (real)v.z, (real)v.w);
    } else {
        for (wide k = 4 * i; k < count; k++)
            dst[k] = (real)src[k];
    }
}
#endif

#ifdef TIMES
#if TIMES == 2
typedef cplx times_element;
#else
typedef real times_element;
#endif
KERNEL(GROUP, 1)
VOID plain_times(GLOBAL cplx *spectrum, GLOBAL const times_element *table,
                 const struct loadstore_args args) {
    const wide bins = args.work[2], k = GROUP_ID * GROUP + LOCAL_ID;
    if (k < bins) {
        const times_element f = table[k];
        for (wide channel = 0; channel < args.channels; channel++) {
            const cplx v = spectrum[channel * bins + k];
#if TIMES == 2
            spectrum[channel * bins + k] = CPLX(v.x * f.x - v.y * f.y, v.x * f.y + v.y * f.x);
#else
            spectrum[channel * bins + k] = CPLX(v.x * f, v.y * f);
#endif
        }
    }
}
#endif

#ifdef ROUND_EACH
KERNEL(GROUP, 1)
VOID plain_round(GLOBAL const real *src, GLOBAL OUT_T *dst, GLOBAL const real *params,
                 GLOBAL uint *counters, const struct loadstore_args args) {
    const wide count = args.work[2];
    const real scale = params[args.params + PARAM_SCALE];
    int clipped = 0;
    UNROLL for (int i = 0; i < ROUND_EACH; i++) {
        const wide at = (GROUP_ID * ROUND_EACH + i) * GROUP + LOCAL_ID;
        if (at < count) {
            real number = src[at] * scale;
#if OUT_INTEGER
            number = round(number);
            clipped += !(number >= R(OUT_LOW) && number <= R(OUT_HIGH));
            dst[at] = !(number > R(OUT_LOW))  ? (OUT_T)(OUT_LOW)
                      : number >= R(OUT_HIGH) ? (OUT_T)(OUT_HIGH)
                                              : (OUT_T)number;
#else
            dst[at] = (OUT_T)number;
#endif
        }
    }
    if (clipped)
        ATOMIC_ADD(&counters[args.counters + GROUP_ID % COUNTERS], (uint)clipped);
}
#elif defined(OUT_T)
/* A group takes PLAIN_COLUMNS pixels of a row, an item every GROUP-th of them. */
KERNEL(GROUP, 1)
VOID plain_store(GLOBAL const cplx *src, GLOBAL OUT_T *dst, GLOBAL real *params,
                 const struct loadstore_args args) {
    const uint height = (uint)args.n[1], width = (uint)args.n[2], bins = width / 2 + 1;
    const uint blocks = (width + PLAIN_COLUMNS - 1) / PLAIN_COLUMNS;
    const uint y = (uint)GROUP_ID / blocks, block = (uint)GROUP_ID - y * blocks;
    const uint top = (uint)args.centre[1], left = (uint)args.centre[2];
    const uint row = y >= top ? y - top : y + height - top;
    const uint mirrored = row ? height - row : 0;
    const real scale = params[args.params + PARAM_SCALE];
    real low = R(0), high;
#if RANGED
    low = params[args.params + PARAM_LOW];
    high = params[args.params + PARAM_HIGH];
#else
    high = value_of(scaled_by(src[0], scale), KIND);
    if (GROUP_ID == 0 && LOCAL_ID == 0)
        params[args.params + PARAM_HIGH] = high; /* for the report; nobody reads it here */
#endif
    const struct shade shade = shade_of(KIND, SCALE, low, high);
    UNROLL for (int i = 0; i < PLAIN_COLUMNS / GROUP; i++) {
        const uint x = block * PLAIN_COLUMNS + (uint)(i * GROUP + LOCAL_ID);
        if (x < width) {
            const uint column = x >= left ? x - left : x + width - left;
            const int folded = column >= bins;
            const cplx v = src[(wide)(folded ? mirrored : row) * bins +
                               (folded ? width - column : column)];
            const real number = displayed(value_of(scaled_by(v, scale), KIND), KIND, SCALE, &shade);
            dst[(wide)y * width + x] = (OUT_T)floor(number * R(OUT_HIGH) + R(0.5));
        }
    }
}
#endif
