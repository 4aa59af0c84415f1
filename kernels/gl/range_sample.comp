/* kernels/range_sample.cl in GLSL. Given by -D: KIND; THREADS of range_select. */
#include "lang.glsl"
#include "codes.h"
#include "complex.h"
#include "sample.h"

#ifndef THREADS
#define THREADS GROUP
#endif
#ifndef KIND
#define KIND KIND_MAGNITUDE
#endif
#define KEY_SHIFT (31 - 2 * SAMPLE_DIGIT)

layout(local_size_x = THREADS) in;

/* struct sample_args */
layout(std430, binding = 6) ARGS args_block {
    int count, extent[4], index[4], weight_at, stride[4], kind, params_at;
}
args;

#ifdef ENTRY_range_select
layout(std430, binding = 0) readonly restrict buffer found_block {
    uint found[];
};
layout(std430, binding = 1) restrict buffer params_block {
    real params[];
};
layout(std430, binding = 2) readonly restrict buffer order_block {
    int order[];
};
#else
layout(std430, binding = 0) readonly restrict buffer src_block {
    cplx src[];
};
layout(std430, binding = 1) writeonly restrict buffer found_block {
    uint found[];
};
layout(std430, binding = 2) readonly restrict buffer params_block {
    real params[];
};
layout(std430, binding = 3) readonly restrict buffer order_block {
    int order[];
};
#endif

uint key_of(real v) {
    return floatBitsToUint(v) >> KEY_SHIFT;
}
real value_of_key(uint key) {
    return uintBitsToFloat(key << KEY_SHIFT);
}

#ifdef ENTRY_range_select
/* The invocations' sums, two histograms, four results. */
shared uint sums[THREADS], histogram[2 * SAMPLE_DIGITS], digit[4];

const int each = SAMPLE_DIGITS / THREADS; /* digits of an invocation */

uint key_at(int i) {
    return found[i];
}

uint largest_of(uint v) {
    sums[LOCAL_ID] = v;
    for (int apart = THREADS / 2; apart != 0; apart /= 2) {
        BARRIER();
        if (LOCAL_ID < apart)
            sums[LOCAL_ID] = max(sums[LOCAL_ID], sums[LOCAL_ID + apart]);
    }
    BARRIER();
    const uint all = sums[0];
    BARRIER();
    return all;
}

/* True if more than half of the keys, by weight, are below `key`. */
bool most_are_below(uint key) {
    const int count = args.count;
    uint below = 0u, all = 0u;
    if (LOCAL_ID == 0)
        digit[0] = digit[1] = 0u;
    BARRIER();
    for (int i = LOCAL_ID; i < count; i += THREADS) {
        const uint weight = uint(order[args.weight_at + i]);
        below += key_at(i) < key ? weight : 0u;
        all += weight;
    }
    atomicAdd(digit[0], below);
    atomicAdd(digit[1], all);
    BARRIER();
    return digit[0] > digit[1] / 2u;
}

/* A magnitude as it is shown. */
real size_shown(real v) {
    return min(KIND == KIND_POWER ? v * v : v, LARGEST_REAL);
}

/* Sums the digits before an invocation's own, to sums[LOCAL_ID]; returns the total. */
uint sum_before(int from) {
    uint own = 0u;
    for (int i = 0; i < each; i++)
        own += histogram[from + LOCAL_ID * each + i];
    sums[LOCAL_ID] = own;
    for (int far = 1; far < THREADS; far *= 2) {
        BARRIER();
        const uint other = LOCAL_ID >= far ? sums[LOCAL_ID - far] : 0u;
        BARRIER();
        sums[LOCAL_ID] += other;
    }
    BARRIER();
    const uint all = sums[THREADS - 1], before = sums[LOCAL_ID] - own;
    BARRIER();
    sums[LOCAL_ID] = before;
    BARRIER();
    return all;
}

/* Writes the digit at which the running sum exceeds `rank` to digit[at], and the rest of the rank
 * to digit[at + 1]. */
void find_digit(int from, uint rank, int at) {
    uint before = sums[LOCAL_ID];
    for (int i = 0; i < each; i++) {
        const uint here = histogram[from + LOCAL_ID * each + i];
        if (rank >= before && rank - before < here) {
            digit[at] = uint(LOCAL_ID * each + i);
            digit[at + 1] = rank - before;
        }
        before += here;
    }
}

void clear_digits(int n) {
    for (int i = LOCAL_ID; i < n; i += THREADS)
        histogram[i] = 0u;
    BARRIER();
}

/* Counts key i by its lower digit if `high` is its higher one. */
void count_low(int i, uint from, uint high, int to) {
    const uint key = key_at(i);
    if (key > from && key >> SAMPLE_DIGIT == high)
        atomicAdd(histogram[to + int(key & (SAMPLE_DIGITS - 1u))],
                  uint(order[args.weight_at + i]));
}

/* find_digit() for the lower digit. */
void find_low(int from, uint all, uint rank, int at) {
    sum_before(from);
    if (all != 0u)
        find_digit(from, rank, at);
    BARRIER();
}

void main() {
    const int count = args.count;
    const real small = KIND == KIND_POWER ? 1e-12 : 1e-6;
    uint largest = 0u, zero = 0u;
    for (int i = LOCAL_ID; i < count; i += THREADS) {
        if (order[args.weight_at + i] != 0)
            largest = max(largest, key_at(i));
        else
            zero = max(zero, key_at(i));
    }
    largest = largest_of(largest);
    zero = largest_of(zero);
    const real most =
        max(size_shown(params[args.params_at + PARAM_RMS]), value_of_key(largest));
    real rounding = size_shown(params[args.params_at + PARAM_ROUNDING]);
    uint from = key_of(rounding);
    if (!most_are_below(from)) {
        rounding = 0.0;
        from = key_of(small * most);
    }
    clear_digits(SAMPLE_DIGITS);
    for (int i = LOCAL_ID; i < count; i += THREADS)
        if (key_at(i) > from)
            atomicAdd(histogram[key_at(i) >> SAMPLE_DIGIT], uint(order[args.weight_at + i]));
    BARRIER();
    const uint all = sum_before(0);
    if (all != 0u) {
        find_digit(0, all / 100u, 0);
        find_digit(0, all - 1u - all / 1000u, 2);
    }
    BARRIER();
    const uint black_high = digit[0], black_rank = digit[1];
    const uint white_high = digit[2], white_rank = digit[3];
    BARRIER();
    clear_digits(2 * SAMPLE_DIGITS);
    for (int i = LOCAL_ID; i < count && all != 0u; i += THREADS) {
        count_low(i, from, black_high, 0);
        count_low(i, from, white_high, SAMPLE_DIGITS);
    }
    BARRIER();
    find_low(0, all, black_rank, 0);
    find_low(SAMPLE_DIGITS, all, white_rank, 2);
    if (LOCAL_ID == 0) {
        real white = max(value_of_key(zero), most), black = white;
        if (all != 0u) {
            black = value_of_key(black_high << SAMPLE_DIGIT | digit[0]);
            white = value_of_key(white_high << SAMPLE_DIGIT | digit[2]);
        }
        params[args.params_at + PARAM_LOW] =
            black > white * 0.99 ? max(small * white, rounding) : black;
        params[args.params_at + PARAM_HIGH] = white;
    }
}
#else
/* The work buffer's offset of the i-th choice of four indices. */
int element_at(int i) {
    int at = 0, rest = i;
    for (int k = 0; k < 4; k++) {
        const int next = rest / args.extent[k];
        at += order[args.index[k] + rest - next * args.extent[k]] * args.stride[k];
        rest = next;
    }
    return at;
}

void main() {
    const int i = GROUP_ID * GROUP + LOCAL_ID;
    if (i >= args.count)
        return;
    const cplx bin = scaled_by(src[element_at(i)], params[args.params_at + PARAM_SCALE]);
    found[i] = key_of(abs(value_of(bin, KIND)));
}
#endif
