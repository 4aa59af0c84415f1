/* Copies a buffer: four pieces of 16 bytes an invocation. */
#include "lang.glsl"
#include "codes.h"

layout(local_size_x = GROUP) in;

BUFFER(0, readonly restrict buffer, src_block, uvec4, src)
BUFFER(1, writeonly restrict buffer, dst_block, uvec4, dst)
layout(std430, binding = 6) ARGS args_block {
    int count;
}
args;

void main() {
    if (GROUP_ID >= groups)
        return;
    const int count = args.count, first = GROUP_ID * 4 * GROUP + LOCAL_ID;
    if (first + 3 * GROUP < count) {
        const uvec4 a = src[first], b = src[first + GROUP], c = src[first + 2 * GROUP],
                    d = src[first + 3 * GROUP];
        dst[first] = a;
        dst[first + GROUP] = b;
        dst[first + 2 * GROUP] = c;
        dst[first + 3 * GROUP] = d;
    } else {
        for (int i = first; i < count; i += GROUP)
            dst[i] = src[i];
    }
}
