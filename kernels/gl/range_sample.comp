/* The buffers of kernels/range_sample.cl, and a range_select of its own, without pointers. */
#include "lang.glsl"
#include "args.h"
#include "range_key.h"

ARGS_ARE(sample_args)

#ifndef THREADS
BUFFER(0, readonly restrict buffer, src_block, cplx, src)
BUFFER(1, writeonly restrict buffer, found_block, uint, found)
BUFFER(2, readonly restrict buffer, params_block, real, params)
BUFFER(3, readonly restrict buffer, order_block, int, order)

#define element_at(a, order, i)                        element_of(i)
#define range_gather(src, found, params, order, args) main()
#include "range_sample.cl"
#else
BUFFER(0, readonly restrict buffer, found_block, uint, found)
BUFFER(1, restrict buffer, params_block, real, params)
BUFFER(2, readonly restrict buffer, order_block, int, order)

#ifndef KIND
#define KIND KIND_MAGNITUDE
#endif

KERNEL(THREADS, 1)

/* The invocations' sums, two histograms, four results. */
shared uint sums[THREADS], histogram[2 * SAMPLE_DIGITS], digit[4];

#define EACH_HAS (SAMPLE_DIGITS / THREADS) /* digits of an invocation */

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
        const uint weight = uint(GET(order, args.weight + i));
        below += GET(found, i) < key ? weight : 0u;
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
    for (int i = 0; i < EACH_HAS; i++)
        own += histogram[from + LOCAL_ID * EACH_HAS + i];
    sums[LOCAL_ID] = own;
    for (int far = 1; far < THREADS; far *= 2) {
        BARRIER();
        const uint other = sums[max(LOCAL_ID - far, 0)];
        BARRIER();
        sums[LOCAL_ID] += LOCAL_ID >= far ? other : 0u;
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
    for (int i = 0; i < EACH_HAS; i++) {
        const uint here = histogram[from + LOCAL_ID * EACH_HAS + i];
        if (rank >= before && rank - before < here) {
            digit[at] = uint(LOCAL_ID * EACH_HAS + i);
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
    const uint key = GET(found, i);
    if (key > from && key >> SAMPLE_DIGIT == high)
        atomicAdd(histogram[to + int(key & (SAMPLE_DIGITS - 1u))],
                  uint(GET(order, args.weight + i)));
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
        if (GET(order, args.weight + i) != 0)
            largest = max(largest, GET(found, i));
        else
            zero = max(zero, GET(found, i));
    }
    largest = largest_of(largest);
    zero = largest_of(zero);
    const real most =
        max(size_shown(GET(params, args.params + PARAM_RMS)), range_value(largest));
    real rounding = size_shown(GET(params, args.params + PARAM_ROUNDING));
    uint from = range_key_of(rounding);
    if (!most_are_below(from)) {
        rounding = 0.0;
        from = range_key_of(small * most);
    }
    clear_digits(SAMPLE_DIGITS);
    for (int i = LOCAL_ID; i < count; i += THREADS)
        if (GET(found, i) > from)
            atomicAdd(histogram[GET(found, i) >> SAMPLE_DIGIT], uint(GET(order, args.weight + i)));
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
        real white = max(range_value(zero), most), black = white;
        if (all != 0u) {
            black = range_value(black_high << SAMPLE_DIGIT | digit[0]);
            white = range_value(white_high << SAMPLE_DIGIT | digit[2]);
        }
        SET(params, args.params + PARAM_LOW,
            black > white * 0.99 ? max(small * white, rounding) : black);
        SET(params, args.params + PARAM_HIGH, white);
    }
}
#endif
