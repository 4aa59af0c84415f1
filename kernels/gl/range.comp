/* kernels/range.cl in GLSL. */
#include "lang.glsl"
#include "codes.h"
#include "complex.h"
#include "sample.h"

layout(local_size_x = GROUP) in;

/* struct range_args */
layout(std430, binding = 6) ARGS args_block {
    int count, stride, rows, extent[4], steps[4], kind, params_at, found_at, n_groups;
}
args;

#ifdef ENTRY_range_last
layout(std430, binding = 0) readonly restrict buffer found_block {
    real found[];
};
layout(std430, binding = 1) restrict buffer params_block {
    real params[];
};
#else
#ifdef REALS
#define element real
#else
#define element cplx
#endif
layout(std430, binding = 0) readonly restrict buffer src_block {
    element src[];
};
/* One buffer if there is a single group. */
layout(std430, binding = 1) writeonly buffer found_block {
    real found[];
};
layout(std430, binding = 2) readonly buffer params_block {
    real params[];
};
#endif

shared real tile[GROUP];

real largest_of(real v, const bool sum) {
    tile[LOCAL_ID] = v;
    for (int each = GROUP / 2; each != 0; each /= 2) {
        BARRIER();
        if (LOCAL_ID < each) {
            const real other = tile[LOCAL_ID + each];
            tile[LOCAL_ID] = sum ? tile[LOCAL_ID] + other : max(tile[LOCAL_ID], other);
        }
    }
    BARRIER();
    const real all = tile[0];
    BARRIER();
    return all;
}

int row_offset(int row) {
    int at = 0, rest = row;
    for (int i = 0; i < 4; i++) {
        const int next = rest / args.extent[i];
        at += (rest - next * args.extent[i]) * args.steps[i];
        rest = next;
    }
    return at;
}

real size_of(cplx v) {
    return abs(value_of(v, args.kind));
}

void main() {
    real largest = 0.0;
#ifdef ENTRY_range_last
    const int count = args.n_groups;
    for (int i = LOCAL_ID; i < count; i += GROUP)
        largest = max(largest, found[i]);
    largest = largest_of(largest, false);
    if (LOCAL_ID == 0)
        params[args.params_at + PARAM_HIGH] = largest;
#else
    const real scale = params[args.params_at + PARAM_SCALE];
    if (GROUP_ID >= groups)
        return;
    const int count = args.count, rows = args.rows;
    for (int row = GROUP_ID; row < rows; row += groups) {
        const int at = row_offset(row);
#ifdef ENTRY_range_zero
        /* The zero frequency is the sum of samples, here packed pairs. */
        real sum = 0.0;
        for (int i = LOCAL_ID; i < count; i += GROUP)
            sum += src[at + i * args.stride].x + src[at + i * args.stride].y;
        largest = max(largest, size_of(cplx(largest_of(sum, true) * scale, 0)));
#else
        for (int i = LOCAL_ID; i < count; i += GROUP)
#ifdef REALS
            largest = max(largest, size_of(cplx(src[at + i * args.stride] * scale, 0)));
#else
            largest = max(largest, size_of(scaled_by(src[at + i * args.stride], scale)));
#endif
#endif
    }
#ifndef ENTRY_range_zero
    largest = largest_of(largest, false);
#endif
    if (LOCAL_ID == 0)
        found[args.found_at + GROUP_ID] = largest;
#endif
}
