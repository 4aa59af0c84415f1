/* kernels/load.cl in GLSL, with its options. */
#include "lang.glsl"
#include "codes.h"
#include "complex.h"
#include "loadstore.glsl"

layout(std430, binding = 0) readonly restrict buffer src_block {
    uint src[];
};
#if OUT_COMPLEX
#define element cplx
#else
#define element real
#endif
layout(std430, binding = 1) writeonly restrict buffer dst_block {
    element dst[];
};
layout(std430, binding = 2) writeonly restrict buffer energy_block {
    real energy[];
};

#include "samples_in.glsl"

shared real kept_by[GROUP], lost_by[GROUP];

int wrapped(int k, int n) {
    return k >= n ? k - n : k;
}

/* The value at frequency or position k of channel c. */
cplx read_at(place k, int c) {
    const bool folded = is_folded(k, args.array_half);
    const place from = folded ? on_axes(negated(k), k) : k;
    const int at = c * args.stride[3] +
                   wrapped(from.z + args.centre[0], args.n[0]) * args.stride[0] +
                   wrapped(from.y + args.centre[1], args.n[1]) * args.stride[1] +
                   wrapped(from.x + args.centre[2], args.n[2]) * args.stride[2];
#if IN_COMPLEX
    const cplx v = cplx(sample_at(2 * at), sample_at(2 * at + 1));
    return folded ? conj_of(v) : v;
#else
    return cplx(sample_at(at), 0);
#endif
}

void main() {
    if (GROUP_ID >= groups)
        return;
    const int count = args.channels * args.work[0] * args.work[1] * args.work[2];
    real kept = 0.0, lost = 0.0;
    for (int i = GROUP_ID * GROUP + LOCAL_ID; i < count; i += groups * GROUP) {
        int channel;
        const place p = place_of(i, args.work[1], args.work[2], args.work[0], channel);
        cplx v = read_at(p, args.luma != 0 ? 0 : channel);
        if (args.luma != 0)
            v = cplx(0.2126 * v.x + 0.7152 * read_at(p, 1).x + 0.0722 * read_at(p, 2).x, 0);
        if (args.hermitian != 0) {
            const cplx m = read_at(on_axes(negated(p), p), channel);
            const cplx rest = 0.5 * cplx(v.x - m.x, v.y + m.y);
            const int k = along_half(p);
            const bool once = args.work_half == 0 || k == 0 || 2 * k == args.n[args.halved];
            const real weight = once ? 0.5 : 1.0;
            v = 0.5 * cplx(v.x + m.x, v.y - m.y);
            kept += weight * (v.x * v.x + v.y * v.y);
            lost += weight * (rest.x * rest.x + rest.y * rest.y);
        }
#if OUT_COMPLEX
        dst[i] = v;
#else
        dst[i] = v.x;
#endif
    }
    if (args.hermitian == 0)
        return;
    kept_by[LOCAL_ID] = kept;
    lost_by[LOCAL_ID] = lost;
    for (int each = GROUP / 2; each != 0; each /= 2) {
        BARRIER();
        if (LOCAL_ID < each) {
            kept_by[LOCAL_ID] += kept_by[LOCAL_ID + each];
            lost_by[LOCAL_ID] += lost_by[LOCAL_ID + each];
        }
    }
    if (LOCAL_ID == 0) {
        energy[2 * GROUP_ID] = kept_by[0];
        energy[2 * GROUP_ID + 1] = lost_by[0];
    }
}
