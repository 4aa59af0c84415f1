/* An automatic display range: the sizes of a sample's bins as keys (range_gather, where the spectrum
 * is in a work buffer), and the quantiles of the keys, by one group (range_select): a histogram of
 * their upper digit, then of the lower one, where each quantile's upper digit is. core/base/
 * range_sample.c does the same on the host.
 *
 * Given by -D: KIND; THREADS of range_select. */
#include "range_key.h"

#ifndef THREADS
#define THREADS GROUP
#endif
#ifndef KIND
#define KIND KIND_MAGNITUDE
#endif

/* Where the i-th choice of four indices is in the work buffer. */
INLINE wide element_at(const struct sample_args *a, GLOBAL const int *order, wide i) {
    wide at = 0;
    UNROLL for (int k = 0; k < 4; k++) {
        const wide next = i / a->extent[k];
        at += order[a->index[k] + i - next * a->extent[k]] * a->stride[k];
        i = next;
    }
    return at;
}

/* Elements of a work buffer to a dense one that has only the given indices of each axis: the lines
 * that a pass transforms for the sample. `found` is their destination. */
KERNEL(GROUP, 1)
VOID range_lines(GLOBAL const cplx *src, GLOBAL cplx *found, GLOBAL const int *order,
                 const struct sample_args args) {
    AWAIT_PREVIOUS();
    const struct sample_args *a = &args;
    const wide i = GROUP_ID * GROUP + LOCAL_ID;
    if (i < a->count)
        found[i] = src[element_at(a, order, i)];
}

/* A work item takes a bin. */
KERNEL(GROUP, 1)
VOID range_gather(GLOBAL const cplx *src, GLOBAL uint *found, GLOBAL const real *params,
                  GLOBAL const int *order, const struct sample_args args) {
    AWAIT_PREVIOUS();
    const struct sample_args *a = &args;
    const wide bin = GROUP_ID * GROUP + LOCAL_ID;
    if (bin < a->count)
        found[bin] = range_key(
            scaled_by(src[element_at(a, order, bin)], params[a->params + PARAM_SCALE]), KIND);
}

/* The sums of the digits before a work item's own, in tile[LOCAL_ID]; their total is returned. */
INLINE uint sum_before(LOCAL uint *tile, uint own) {
    tile[LOCAL_ID] = own;
    for (int step = 1; step < THREADS; step *= 2) {
        BARRIER();
        const uint other = LOCAL_ID >= step ? tile[LOCAL_ID - step] : 0;
        BARRIER();
        tile[LOCAL_ID] += other;
    }
    BARRIER();
    const uint all = tile[THREADS - 1];
    const uint before = tile[LOCAL_ID] - own;
    BARRIER();
    tile[LOCAL_ID] = before;
    BARRIER();
    return all;
}

/* The digit at which the running sum of the histogram exceeds `rank`, to digit[0], and what of the
 * rank is left there, to digit[1]. */
INLINE void find_digit(LOCAL uint *tile, LOCAL const uint *sum, uint rank, LOCAL uint *digit) {
    const int each = SAMPLE_DIGITS / THREADS;
    uint before = tile[LOCAL_ID];
    for (int i = 0; i < each; i++) {
        const uint here = sum[LOCAL_ID * each + i];
        if (rank >= before && rank - before < here) {
            digit[0] = (uint)(LOCAL_ID * each + i);
            digit[1] = rank - before;
        }
        before += here;
    }
}

INLINE uint sum_own(LOCAL const uint *sum) {
    const int each = SAMPLE_DIGITS / THREADS;
    uint own = 0;
    for (int i = 0; i < each; i++)
        own += sum[LOCAL_ID * each + i];
    return own;
}

INLINE uint largest_of(LOCAL uint *tile, uint v) {
    tile[LOCAL_ID] = v;
    for (int step = THREADS / 2; step; step /= 2) {
        BARRIER();
        if (LOCAL_ID < step && tile[LOCAL_ID + step] > tile[LOCAL_ID])
            tile[LOCAL_ID] = tile[LOCAL_ID + step];
    }
    BARRIER();
    v = tile[0];
    BARRIER();
    return v;
}

INLINE void clear_digits(LOCAL uint *sum, int count) {
    for (int i = LOCAL_ID; i < count; i += THREADS)
        sum[i] = 0;
    BARRIER();
}

/* The tile: THREADS words, four results, and two histograms. */
KERNEL(THREADS, 1)
VOID range_select(GLOBAL const uint *found, GLOBAL real *params, GLOBAL const int *order,
                  const struct sample_args args TILE_PARAMETER(uint)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(uint)
    const struct sample_args *a = &args;
    GLOBAL const int *weight = order + a->weight;
    LOCAL uint *digit = tile + THREADS, *sum = digit + 4;
    const real small = KIND == KIND_POWER ? R(1e-12) : R(1e-6);
    uint largest = 0, zero = 0;
    for (wide i = LOCAL_ID; i < a->count; i += THREADS) {
        const uint key = found[i];
        if (weight[i])
            largest = key > largest ? key : largest;
        else
            zero = key > zero ? key : zero;
    }
    largest = largest_of(tile, largest);
    zero = largest_of(tile, zero);
    real most = params[a->params + PARAM_RMS];
    most = fmin(KIND == KIND_POWER ? most * most : most, LARGEST_REAL);
    most = fmax(most, range_value(largest));
    const uint from = range_key_of(small * most);
    clear_digits(sum, SAMPLE_DIGITS);
    for (wide i = LOCAL_ID; i < a->count; i += THREADS)
        if (found[i] > from)
            ATOMIC_ADD(&sum[found[i] >> SAMPLE_DIGIT], (uint)weight[i]);
    BARRIER();
    const uint all = sum_before(tile, sum_own(sum));
    if (all) {
        find_digit(tile, sum, all / 100, digit);
        find_digit(tile, sum, all - 1 - all / 1000, digit + 2);
    }
    BARRIER();
    const uint high[2] = {digit[0], digit[2]}, rank[2] = {digit[1], digit[3]};
    BARRIER();
    clear_digits(sum, 2 * SAMPLE_DIGITS);
    for (wide i = LOCAL_ID; i < a->count && all; i += THREADS) {
        const uint key = found[i];
        for (int q = 0; q < 2; q++)
            if (key > from && key >> SAMPLE_DIGIT == high[q])
                ATOMIC_ADD(&sum[q * SAMPLE_DIGITS + (key & (SAMPLE_DIGITS - 1))],
                           (uint)weight[i]);
    }
    BARRIER();
    for (int q = 0; q < 2; q++) {
        sum_before(tile, sum_own(sum + q * SAMPLE_DIGITS));
        if (all)
            find_digit(tile, sum + q * SAMPLE_DIGITS, rank[q], digit + 2 * q);
        BARRIER();
    }
    if (LOCAL_ID == 0) {
        real white = fmax(range_value(zero), most), black = white;
        if (all) {
            black = range_value(high[0] << SAMPLE_DIGIT | digit[0]);
            white = range_value(high[1] << SAMPLE_DIGIT | digit[2]);
        }
        params[a->params + PARAM_LOW] = black > white * R(0.99) ? small * white : black;
        params[a->params + PARAM_HIGH] = white;
    }
}
