/* Plain kernels around a library's real transforms, to make a picture of a spectrum or to filter
 * one: the yardstick for our passes, which include these steps.
 *
 * plain_load: bytes or 16-bit samples to reals. Given by -D: IN_T, IN_T4.
 * plain_store: half a spectrum to magnitude or power on black..white, mirrored, shifted. Given by
 * -D: OUT_T with its limits, OUT_T4, ALIGNED, KIND, SCALE; RANGED if the display range is known,
 * else its end is the value at frequency 0, as for samples that are never negative.
 * plain_times: half a spectrum times a table of TIMES 1, reals, or 2, complex numbers; work[2] bins.
 * plain_hermitian (HERMITIAN): makes bins of half a spectrum that mirror each other Hermitian.
 * plain_round: reals to samples of OUT_T, ROUND_EACH an item, work[2] of them. */
#include "loadstore.h"

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

/* An item takes four neighbours; the last takes the rest. */
KERNEL(GROUP, 1)
VOID plain_load(GLOBAL const IN_T *src, GLOBAL real *dst, const struct loadstore_args args) {
    AWAIT_PREVIOUS();
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
    AWAIT_PREVIOUS();
    const wide bins = args.work[2], k = GROUP_ID * GROUP + LOCAL_ID;
    if (k < bins) {
        const times_element f = table[k];
        for (wide channel = 0; channel < args.channels; channel++) {
            const cplx v = spectrum[channel * bins + k];
#if TIMES == 2
            spectrum[channel * bins + k] = mul(v, f);
#else
            spectrum[channel * bins + k] = scaled_by(v, f);
#endif
        }
    }
}
#endif

#ifdef HERMITIAN
/* In spectra of reals, bins at frequency 0 of the halved axis, and at its last one if even, are
 * conjugates of their mirror images. An item makes a bin and its image so. */
KERNEL(GROUP, 1)
VOID plain_hermitian(GLOBAL cplx *spectrum, const struct loadstore_args args) {
    AWAIT_PREVIOUS();
    const struct loadstore_args *a = &args;
    wide extent[3], at = 0, mirror = 0;
    UNROLL for (int i = 0; i < 3; i++) extent[i] = i == (int)a->halved ? a->array[i] : a->work[i];
    const struct element_coord p = coord_of(GROUP_ID * GROUP + LOCAL_ID, extent);
    UNROLL for (int i = 0; i < 3; i++) {
        const int halved = i == (int)a->halved;
        const wide k = halved ? p.at[i] * (a->n[i] / 2) : p.at[i];
        at = at * a->work[i] + k;
        mirror = mirror * a->work[i] + (a->on[i] && !halved ? NEGATED(k, a->n[i]) : k);
    }
    if (p.channel >= a->channels || mirror < at)
        return;
    spectrum += p.channel * a->work[0] * a->work[1] * a->work[2];
    const cplx v = spectrum[at], m = spectrum[mirror];
    const cplx mean = CPLX(R(0.5) * (v.x + m.x), R(0.5) * (v.y - m.y));
    spectrum[at] = mean;
    if (mirror != at)
        spectrum[mirror] = conj_of(mean);
}
#endif

#ifdef ROUND_EACH
KERNEL(GROUP, 1)
VOID plain_round(GLOBAL const real *src, GLOBAL OUT_T *dst, GLOBAL const real *params,
                 GLOBAL uint *counters, const struct loadstore_args args) {
    AWAIT_PREVIOUS();
    const wide count = args.work[2];
    const real scale = params[args.params + PARAM_SCALE];
    int clipped = 0;
    UNROLL for (int i = 0; i < ROUND_EACH; i++) {
        const wide at = (GROUP_ID * ROUND_EACH + i) * GROUP + LOCAL_ID;
        if (at < count) {
            real number = src[at] * scale;
#if OUT_INTEGER
            number = round(number);
            if (!(number >= R(OUT_LOW) && number <= R(OUT_HIGH))) {
                const struct element_coord p = coord_of(at, args.array);
                clipped += is_counted(&args, p);
            }
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
INLINE OUT_T pixel_of(cplx v, real scale, const struct shade *shade) {
    const real number = displayed(value_of(scaled_by(v, scale), KIND), KIND, SCALE, *shade);
    return (OUT_T)floor(number * R(OUT_HIGH) + R(0.5));
}

/* An item reads four bins of a row and writes their pixels and mirror images, in accesses of four
 * if ALIGNED (rows of a multiple of eight pixels). */
KERNEL(GROUP, 1)
VOID plain_store(GLOBAL const cplx *src, GLOBAL OUT_T *dst, GLOBAL real *params,
                 const struct loadstore_args args) {
    AWAIT_PREVIOUS();
    const uint height = (uint)args.n[1], width = (uint)args.n[2], bins = width / 2 + 1;
    const uint top = (uint)args.centre[1], left = (uint)args.centre[2];
    const uint each = ALIGNED ? width / 8 : (bins + 3) / 4;
    const wide id = GROUP_ID * GROUP + LOCAL_ID;
    const uint row = (uint)(id / each), column = 4 * (uint)(id - (wide)row * each);
    const real scale = params[args.params + PARAM_SCALE];
    real low = R(0), high;
#if RANGED
    low = params[args.params + PARAM_LOW];
    high = params[args.params + PARAM_HIGH];
#else
    high = value_of(scaled_by(src[0], scale), KIND);
    if (id == 0)
        params[args.params + PARAM_HIGH] = high; /* for the report */
#endif
    const struct shade shade = shade_of(KIND, SCALE, low, high);
    if (row >= height)
        return;
    const uint mirrored = row ? height - row : 0;
    const uint y = row + top < height ? row + top : row + top - height;
    const uint mirrored_y = mirrored + top < height ? mirrored + top : mirrored + top - height;
    GLOBAL const cplx *bin = src + (wide)row * bins + column;
    GLOBAL OUT_T *to = dst + (wide)y * width, *mirrored_to = dst + (wide)mirrored_y * width;
#if ALIGNED
    OUT_T4 v, m;
    v.x = pixel_of(bin[0], scale, &shade);
    v.y = m.w = pixel_of(bin[1], scale, &shade);
    v.z = m.z = pixel_of(bin[2], scale, &shade);
    v.w = m.y = pixel_of(bin[3], scale, &shade);
    m.x = pixel_of(bin[4], scale, &shade);
    const uint x = column + left, mirrored_x = width - 4 - column + left;
    *(GLOBAL OUT_T4 *)(to + (x < width ? x : x - width)) = v;
    *(GLOBAL OUT_T4 *)(mirrored_to + (mirrored_x < width ? mirrored_x : mirrored_x - width)) = m;
#else
    for (uint k = column; k < column + 4 && k < bins; k++) {
        const OUT_T v = pixel_of(bin[k - column], scale, &shade);
        const uint x = k + left, mirrored_x = width - k + left;
        to[x < width ? x : x - width] = v;
        if (k > 0 && 2 * k != width)
            mirrored_to[mirrored_x < width ? mirrored_x : mirrored_x - width] = v;
    }
#endif
}
#endif
