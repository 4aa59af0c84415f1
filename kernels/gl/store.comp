/* kernels/store.cl in GLSL, with its options. */
#include "lang.glsl"
#include "codes.h"
#include "complex.h"
#include "sample.h"
#include "loadstore.glsl"

#if IN_COMPLEX
#define element cplx
#else
#define element real
#endif
layout(std430, binding = 0) readonly restrict buffer src_block {
    element src[];
};
layout(std430, binding = 1) restrict buffer dst_block {
    uint dst[];
};
layout(std430, binding = 2) readonly restrict buffer params_block {
    real params[];
};
layout(std430, binding = 3) restrict buffer counters_block {
    uint counters[];
};

#include "samples_out.glsl"

int wrapped(int k, int n) {
    return k < 0 ? k + n : k;
}

cplx frequency_at(place p, int channel) {
    const place k = place(wrapped(p.z - args.centre[0], args.n[0]),
                          wrapped(p.y - args.centre[1], args.n[1]),
                          wrapped(p.x - args.centre[2], args.n[2]));
    const bool folded = is_folded(k, args.work_half);
    const place from = folded ? on_axes(negated(k), k) : k;
    const int at =
        ((channel * args.work[0] + from.z) * args.work[1] + from.y) * args.work[2] + from.x;
#if IN_COMPLEX
    cplx v = folded ? conj_of(src[at]) : src[at];
    if (args.real_ != 0 && k == on_axes(negated(k), k))
        v.y = 0.0;
    return v;
#else
    return cplx(src[at], 0);
#endif
}

bool is_counted(place p) {
    return p.z < args.counted[0] && p.y < args.counted[1] && p.x < args.counted[2];
}

void main() {
    if (GROUP_ID >= groups)
        return;
    const int count = args.channels * args.array[0] * args.array[1] * args.array[2];
    const real scale = params[args.params + PARAM_SCALE];
    const shade shades = shade_of(args.kind, args.scale, params[args.params + PARAM_LOW],
                                  params[args.params + PARAM_HIGH]);
    int clipped = 0;
    for (int i = GROUP_ID * GROUP + LOCAL_ID; i < count; i += groups * GROUP) {
        int channel;
        const place p = place_of(i, args.array[1], args.array[2], args.array[0], channel);
        const cplx v = scale * frequency_at(p, channel);
        const int at = p.z * args.stride[0] + p.y * args.stride[1] + p.x * args.stride[2] +
                       channel * args.stride[3];
#if OUT_COMPLEX
        write_sample(2 * at, floatBitsToUint(v.x));
        write_sample(2 * at + 1, floatBitsToUint(v.y));
#else
        const real number = value_of(v, args.kind);
        int outside = 0;
#if OUT_INTEGER
        if (args.display != 0)
            write_sample(at, uint(displayed(number, args.kind, args.scale, shades) * real(OUT_HIGH) +
                                  0.5));
        else
#endif
            write_sample(at, as_number(number, outside));
        if (is_counted(p))
            clipped += outside;
#endif
    }
    if (clipped != 0)
        atomicAdd(counters[args.counters + GROUP_ID % COUNTERS], uint(clipped));
}
