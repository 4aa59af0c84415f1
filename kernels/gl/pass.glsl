/* A pass along an axis: arguments, buffers, and an invocation's line, as in kernels/lines.h. Lines
 * do not come in mirrored pairs here. */

#include "coord.h"

/* struct pass_args, in 32 bits: a launch narrows the block. */
struct index_args {
    int count, in_stride, out_stride, size, centre, point_in, point_out, turn, filter_at, counted;
};
struct filter_args {
    int factors, values, each, at[3];
};
struct sample_lines {
    int tiles, count[5], size[5], list[5], stride[5], bins, stride_along;
};
struct pass_args {
    index_args index[5];
    int in_point, out_point, axis_size, axis_in, axis_out, step_in, step_out, pair_in, pair_out;
    int lone, lone_index, counted[2], pair_counted, own_index;
    int table_stage, table_split, table_split_low, split_bits;
    int table_fold, table_fold_low, fold_bits;
    int table_in, table_out, limit, table_chirp, table_spectrum, order, params;
    filter_args filter_;
    int filter_along, points, lines, stages, radix[GENERAL_STAGES], rows_in, rows_out;
    sample_lines sampled;
    int elsewhere_first, elsewhere_count;
};
ARGS_ARE(pass_args)

/* The last stage's radix, and its function that writes to the tile. */
#if STAGES == 1
#define LAST     RADIX0
#define PUT_LAST put0
#elif STAGES == 2
#define LAST     RADIX1
#define PUT_LAST put1
#elif STAGES == 3
#define LAST     RADIX2
#define PUT_LAST put2
#elif STAGES == 4
#define LAST     RADIX3
#define PUT_LAST put3
#elif STAGES == 5
#define LAST     RADIX4
#define PUT_LAST put4
#else
#define LAST     RADIX5
#define PUT_LAST put5
#endif

#define SAMPLES_IN  (LOAD == LOAD_PAIR || LOAD == LOAD_REAL)
#define SAMPLES_OUT (STORE == STORE_PAIR || STORE == STORE_SAMPLE)

/* Samples are words. Source and destination may be one buffer. */
#if SAMPLES_IN
BUFFER(0, readonly buffer, src_block, uint, src)
#else
BUFFER(0, readonly buffer, src_block, cplx, src)
#endif
#if SAMPLES_OUT
BUFFER(1, buffer, dst_block, uint, dst)
#else
BUFFER_OR(1, writeonly buffer, dst_block, cplx, dst, src)
#endif
BUFFER(2, readonly restrict buffer, table_block, cplx, table)
BUFFER(3, readonly restrict buffer, params_block, real, params)
BUFFER(4, readonly restrict buffer, order_block, int, order)
BUFFER(5, restrict buffer, counters_block, uint, counters)

/* A pass over the lines of a display range's sample alone: kernels/share.h. */
#ifndef SAMPLED
#define SAMPLED 0
#endif

PRIVATE int clipped = 0; /* the invocation's clipped samples */

struct pass_line {
    int in_at, in_mirror, out_at, out_mirror; /* element offsets of point 0 */
    int at_in, at_out;                        /* of point 0, along the axis */
    int turn;                                 /* exponent of point 1's four-step twiddle */
    int number;                               /* along the fast index */
    bool there; /* inside the array; else the last line again, read but not written */
    bool lone;  /* its pair lacks the second half */
    bool own;   /* its mirror image is a line of this pass, or itself */
    bool self;  /* it is its own mirror image */
    bool counts, second_counts; /* samples, and those of its pair, that count if they clip */
    int keys, keys_mirror;      /* bins of a sample, and of the mirror image */
};

#ifndef COUNTED
#define COUNTED 0
#endif

#if SAMPLED
#define COUNT_OF(i) args.sampled.count[i]
#else
#define COUNT_OF(i) args.index[i].count
#endif

/* Line `number` of a tile: neighbours along the fast index. */
pass_line line_at(uint tile_number, uint number) {
    pass_line l;
    l.in_at = l.in_mirror = l.out_at = l.out_mirror = l.at_in = l.at_out = l.turn = 0;
    l.number = l.keys = l.keys_mirror = 0;
    l.lone = l.own = false;
    l.self = l.counts = l.second_counts = true;
    const uint tiles = (uint(COUNT_OF(0)) + uint(LINES) - 1u) / uint(LINES);
    uint rest = INDICES > 1 ? tile_number / tiles : 0u;
    int k = int((tile_number - rest * tiles) * uint(LINES) + number);
    l.there = k < COUNT_OF(0);
    k = min(k, COUNT_OF(0) - 1);
    for (int i = 0; i < INDICES; i++) {
        const int n = args.index[i].size;
#if SAMPLED
        const int all = args.sampled.size[i], mirror = all != 0 && k != 0 ? all - k : k;
        l.keys += k * args.sampled.stride[i];
        l.keys_mirror += mirror * args.sampled.stride[i];
        k = GET(order, args.sampled.list[i] + k);
#endif
        if (i == 0)
            l.number = k;
        int m = n != 0 ? negated(k, n) : k;
        l.self = l.self && m == k;
        l.in_at += k * args.index[i].in_stride;
        l.in_mirror += m * args.index[i].in_stride;
        l.at_in += k * args.index[i].point_in;
        l.at_out += k * args.index[i].point_out;
        l.turn += k * args.index[i].turn;
        if (i == args.own_index)
            l.own = m == k;
        if (i == args.lone_index)
            l.lone = k == args.lone;
#if COUNTED
        l.counts = l.counts && k < args.index[i].counted;
        l.second_counts = l.second_counts && k < (i == args.lone_index ? args.pair_counted
                                                                      : args.index[i].counted);
#endif
        if (n != 0) {
            k = centred(k, args.index[i].centre, n);
            m = centred(m, args.index[i].centre, n);
        }
        l.out_at += k * args.index[i].out_stride;
        l.out_mirror += m * args.index[i].out_stride;
        if (i + 1 < INDICES) {
            const uint count = uint(COUNT_OF(i + 1)), next = i + 2 < INDICES ? rest / count : 0u;
            k = int(rest - next * count);
            rest = next;
        }
    }
    return l;
}

#if SPLIT == SPLIT_BY_LINE
/* The four-step twiddle of result p + q POINTS / LAST: a product of two, from tables in which
 * neighbouring lines are neighbours (kernels/sink.h). */
cplx line_twiddle(int number, uint p, const int q) {
    const int lines = args.index[0].count;
    const cplx w = GET(table, args.table_split + int(p) * lines + number);
    return q == 0 ? w : mul(w, GET(table, args.table_split_low + q * lines + number));
}
#elif SPLIT
/* exp(-2 pi i k / n), k < n, from a table, or from two of about sqrt(n) entries. */
cplx split_twiddle(int k) {
#if SPLIT == 1
    return GET(table, args.table_split + k);
#else
    return mul(GET(table, args.table_split + (k >> args.split_bits)),
               GET(table, args.table_split_low + (k & ((1 << args.split_bits) - 1))));
#endif
}
#endif
