/* The range from a sample's keys, by one group of any THREADS: quantiles, the upper digit from a
 * histogram of upper digits, the lower one from histograms of the keys with those.
 * core/base/range_sample.c does the same on the host. */
#ifndef QUANTILES_H
#define QUANTILES_H

#include "range_key.h"

#ifndef KIND
#define KIND KIND_MAGNITUDE
#endif

/* Words of local memory: two histograms, two running sums of the work items' parts and their
 * predecessors, two digits and the ranks left there. */
#define QUANTILE_WORDS (2 * SAMPLE_SUMS + 4 * THREADS + 4)
#define EACH_DIGITS    ((SAMPLE_DIGITS + THREADS - 1) / THREADS)
/* A digit's sum, padded so that items with 8 or 32 digits meet no bank twice. */
#define SUM_AT(digit) ((int)((digit) + ((digit) >> 5)))
/* Keys that a work item reads at a time: all, for most samples. */
#define AT_ONCE ((9216 + THREADS - 1) / THREADS)

struct keys {
    GLOBAL const uint *key;
    GLOBAL const int *weight; /* 0: a zero frequency */
    wide count;
    uint from; /* keys up to it are left out */
};

/* A work item's AT_ONCE keys and weights, 0 behind the last. */
struct some_keys {
    uint key[AT_ONCE], weight[AT_ONCE];
};

/* The sum of a work item's part of a histogram. */
INLINE uint sum_own(LOCAL const uint *sum) {
    uint own = 0;
    UNROLL for (int i = 0; i < EACH_DIGITS; i++) {
        const int digit = LOCAL_ID * EACH_DIGITS + i;
        own += digit < SAMPLE_DIGITS ? sum[SUM_AT(digit)] : 0;
    }
    return own;
}

/* Sums the work item's parts of `n` histograms, and the parts before; returns the first's total. */
INLINE uint sum_before(LOCAL const uint *sum, LOCAL uint *scan, const int n, uint *own,
                       uint *before) {
    int turn = 0;
    UNROLL for (int q = 0; q < n; q++) {
        own[q] = sum_own(sum + q * SAMPLE_SUMS);
        scan[q * THREADS + LOCAL_ID] = own[q];
    }
    for (int step = 1; step < THREADS; step *= 2) {
        LOCAL const uint *last = scan + turn * 2 * THREADS + LOCAL_ID;
        turn = 1 - turn;
        BARRIER();
        UNROLL for (int q = 0; q < n; q++) scan[(2 * turn + q) * THREADS + LOCAL_ID] =
            last[q * THREADS] + (LOCAL_ID >= step ? last[q * THREADS - step] : 0);
    }
    BARRIER();
    UNROLL for (int q = 0; q < n; q++) before[q] =
        scan[(2 * turn + q) * THREADS + LOCAL_ID] - own[q];
    return scan[(2 * turn + 1) * THREADS - 1];
}

/* The work item whose part has it writes the digit at which the running sum exceeds `rank` to
 * digit[0], and the rest of the rank to digit[1]. */
INLINE void find_digit(LOCAL const uint *sum, uint own, uint before, uint rank, LOCAL uint *digit) {
    if (rank < before || rank - before >= own)
        return;
    for (int i = LOCAL_ID * EACH_DIGITS; i < SAMPLE_DIGITS; i++) {
        const uint here = sum[SUM_AT(i)];
        if (rank - before < here) {
            digit[0] = (uint)i;
            digit[1] = rank - before;
            return;
        }
        before += here;
    }
}

INLINE void clear_words(LOCAL uint *words, int count) {
    for (int i = LOCAL_ID; i < count; i += THREADS)
        words[i] = 0;
}

/* Adds a key to the histogram of upper digits and, as a zero frequency or not, to the largest. */
INLINE void put_key(LOCAL uint *sum, LOCAL uint *most, uint key, uint weight) {
    if (weight)
        ATOMIC_ADD(&sum[SUM_AT(key >> SAMPLE_DIGIT)], weight);
    RAISE(most + (weight ? 0 : 1), key);
}

/* Weights, or keys, from the i-th on, for one work item. */
INLINE void take_weights(const struct keys *k, wide i, struct some_keys *some) {
    UNROLL for (int j = 0; j < AT_ONCE; j++) {
        const wide at = i + j * THREADS;
        some->weight[j] = at < k->count ? (uint)k->weight[at] : 0;
    }
}
INLINE void take_keys(const struct keys *k, wide i, struct some_keys *some) {
    UNROLL for (int j = 0; j < AT_ONCE; j++) {
        const wide at = i + j * THREADS;
        some->key[j] = at < k->count ? k->key[at] : 0;
    }
}

/* Removes keys that are left out from the histogram of upper digits. */
INLINE void leave_out(const struct keys *k, LOCAL uint *sum) {
    const int digit = (int)(k->from >> SAMPLE_DIGIT);
    const uint partly = sum[SUM_AT(digit)];
    BARRIER();
    clear_words(sum, SUM_AT(digit) + 1);
    BARRIER();
    for (wide i = LOCAL_ID; i < k->count && partly; i += THREADS) {
        const uint key = k->key[i];
        if (key > k->from && (int)(key >> SAMPLE_DIGIT) == digit)
            ATOMIC_ADD(&sum[SUM_AT(digit)], (uint)k->weight[i]);
    }
    BARRIER();
}

/* The keys of both quantiles; 0 if no key is left. Local memory begins with the histogram of upper
 * digits, complete; `some` are the work item's first keys. */
INLINE int find_quantiles(const struct keys *k, LOCAL uint *sum, struct some_keys *some,
                          uint *found) {
    LOCAL uint *scan = sum + 2 * SAMPLE_SUMS, *digit = scan + 4 * THREADS;
    uint own[2], before[2], rank[2];
    leave_out(k, sum);
    const uint all = sum_before(sum, scan, 1, own, before); /* 0: the digits are of no use */
    find_digit(sum, own[0], before[0], all / 100, digit);
    find_digit(sum, own[0], before[0], all - 1 - all / 1000, digit + 2);
    BARRIER();
    UNROLL for (int q = 0; q < 2; q++) {
        found[q] = digit[2 * q];
        rank[q] = digit[2 * q + 1];
    }
    clear_words(sum, 2 * SAMPLE_SUMS);
    BARRIER();
    for (wide i = LOCAL_ID; i < k->count; i += AT_ONCE * THREADS) {
        if (i >= AT_ONCE * THREADS) {
            take_weights(k, i, some);
            take_keys(k, i, some);
        }
        UNROLL for (int j = 0; j < 2 * AT_ONCE; j++) {
            const uint key = some->key[j / 2];
            if (key >> SAMPLE_DIGIT == found[j % 2] && key > k->from)
                ATOMIC_ADD(&sum[j % 2 * SAMPLE_SUMS + SUM_AT(key & (SAMPLE_DIGITS - 1))],
                           some->weight[j / 2]);
        }
    }
    BARRIER();
    sum_before(sum, scan, 2, own, before);
    UNROLL for (int q = 0; q < 2; q++)
        find_digit(sum + q * SAMPLE_SUMS, own[q], before[q], rank[q], digit + 2 * q);
    BARRIER();
    UNROLL for (int q = 0; q < 2; q++) found[q] = found[q] << SAMPLE_DIGIT | digit[2 * q];
    return all != 0;
}

/* True if more than half of the histogram's weights are at digits below `key`'s. */
INLINE int most_are_below(LOCAL const uint *sum, LOCAL uint *count, uint key) {
    uint below = 0, all = 0;
    if (LOCAL_ID == 0)
        count[0] = count[1] = 0;
    BARRIER();
    for (int i = LOCAL_ID; i < SAMPLE_DIGITS; i += THREADS) {
        const uint here = sum[SUM_AT(i)];
        below += i < (int)(key >> SAMPLE_DIGIT) ? here : 0;
        all += here;
    }
    ATOMIC_ADD(&count[0], below);
    ATOMIC_ADD(&count[1], all);
    BARRIER();
    return count[0] > count[1] / 2;
}

/* A magnitude as it is shown. */
INLINE real size_shown(real v) {
    return fmin(KIND == KIND_POWER ? v * v : v, LARGEST_REAL);
}

/* Black and white, for all work items, from the histogram, the first keys, the largest key, the
 * zero frequencies', PARAM_RMS and PARAM_ROUNDING. */
INLINE void find_range(struct keys *k, LOCAL uint *sum, struct some_keys *some, uint largest,
                       uint zero, real rms, real rounding, real *range) {
    const real small = KIND == KIND_POWER ? R(1e-12) : R(1e-6);
    const real most = fmax(size_shown(rms), range_value(largest));
    uint found[2];
    rounding = size_shown(rounding);
    k->from = range_key_of(rounding);
    if (!most_are_below(sum, sum + 2 * SAMPLE_SUMS + 4 * THREADS, k->from)) {
        rounding = R(0);
        k->from = range_key_of(small * most);
    }
    real white = fmax(range_value(zero), most), black = white;
    if (find_quantiles(k, sum, some, found)) {
        black = range_value(found[0]);
        white = range_value(found[1]);
    }
    range[0] = black > white * R(0.99) ? fmax(small * white, rounding) : black;
    range[1] = white;
}

#endif
