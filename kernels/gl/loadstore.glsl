/* kernels/loadstore.h in GLSL. */

layout(local_size_x = GROUP) in;

/* struct loadstore_args, in 32 bits. */
layout(std430, binding = 6) ARGS args_block {
    int n[3], on[3], centre[3], work[3], array[3], stride[4];
    int channels, halved, work_half, array_half, luma, hermitian, real_, counted[3];
    int kind, scale, display, params, counters;
}
args;

struct place {
    int z, y, x;
};

place negated(place k) {
    return place(k.z == 0 ? 0 : args.n[0] - k.z, k.y == 0 ? 0 : args.n[1] - k.y,
                 k.x == 0 ? 0 : args.n[2] - k.x);
}

/* The first place along transformed axes, the second along the others. */
place on_axes(place first, place second) {
    return place(args.on[0] != 0 ? first.z : second.z, args.on[1] != 0 ? first.y : second.y,
                 args.on[2] != 0 ? first.x : second.x);
}

int along_half(place k) {
    return args.halved == 0 ? k.z : args.halved == 1 ? k.y : k.x;
}

bool is_folded(place k, int half_spectrum) {
    return half_spectrum != 0 && 2 * along_half(k) > args.n[args.halved];
}

/* Element i of a block of these extents, and its channel. */
place place_of(int i, int rows, int columns, int planes, out int channel) {
    const int row = i / columns, plane = row / rows;
    channel = plane / planes;
    return place(plane - channel * planes, row - plane * rows, i - row * columns);
}
