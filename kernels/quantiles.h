/* The display range from a sample's keys, by one group of any THREADS: quantiles, whose upper digit
 * comes from a histogram of upper digits, the lower one from histograms of the keys with that upper
 * digit. core/base/job/range_sample.c does the same on the host. */
#ifndef QUANTILES_H
#define QUANTILES_H

#include "range_key.h"

#ifndef KIND
#define KIND KIND_MAGNITUDE
#endif

#define WARPS (THREADS / WARP)
/* Words of local memory: the histograms of upper digits and of the two quantiles' lower ones, two
 * running sums of the warps' parts and their predecessors, two digits with the ranks left in them,
 * and TOTALS. */
#define QUANTILE_WORDS (3 * SAMPLE_SUMS + 4 * WARPS + 4 + TOTALS)
#define EACH_DIGITS    ((SAMPLE_DIGITS + THREADS - 1) / THREADS)
/* A digit's sum, padded so that items with 8 or 32 digits meet no bank twice. */
#define SUM_AT(digit) ((int)((digit) + ((digit) >> 5)))
/* Keys that a work item reads at a time: all, for most samples. */
#if THREADS > 1
#define AT_ONCE ((9216 + THREADS - 1) / THREADS)
#else /* a CPU: compiling unrolled loops and barriers would take seconds */
#define AT_ONCE 1
#undef BARRIER
#define BARRIER()
#endif

/* Totals over all keys: the largest, the largest of zero frequencies, the weights, and the weights
 * of keys whose digit is below that of `from`. */
enum { LARGEST, ZERO, WEIGHTS, BELOW, TOTALS };

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

/* Sums a work item's part of a histogram, from digit `first` on. */
INLINE uint sum_own(LOCAL const uint *sum, const int first) {
    uint own = 0;
    for (int i = 0; i < EACH_DIGITS; i++) {
        const int digit = LOCAL_ID * EACH_DIGITS + i;
        own += digit >= first && digit < SAMPLE_DIGITS ? sum[SUM_AT(digit)] : 0;
    }
    return own;
}

/* Sums a work item's part of `n` histograms, and the parts before it. Returns the first one's
 * total. */
INLINE uint sum_before(LOCAL const uint *sum, LOCAL uint *scan, const int first, const int n,
                       uint *own, uint *before) {
    const int warp = LOCAL_ID / WARP;
    int turn = 0;
    UNROLL for (int q = 0; q < n; q++) {
        own[q] = sum_own(sum + q * SAMPLE_SUMS, first);
        before[q] = sum_of_warp(own[q]);
        if (LOCAL_ID % WARP == WARP - 1)
            scan[q * WARPS + warp] = before[q];
    }
    ROLLED for (int step = 1; step < WARPS; step *= 2) {
        LOCAL const uint *last = scan + turn * 2 * WARPS + LOCAL_ID;
        turn = 1 - turn;
        BARRIER();
        UNROLL for (int q = 0; q < n; q++) {
            if (LOCAL_ID < WARPS)
                scan[(2 * turn + q) * WARPS + LOCAL_ID] =
                    last[q * WARPS] + (LOCAL_ID >= step ? last[q * WARPS - step] : 0);
        }
    }
    BARRIER();
    UNROLL for (int q = 0; q < n; q++) before[q] +=
        (warp ? scan[(2 * turn + q) * WARPS + warp - 1] : 0) - own[q];
    return scan[(2 * turn + 1) * WARPS - 1];
}

/* Sets digit[0] to the digit at which the histogram's running sum exceeds `rank`, and digit[1] to
 * the rank left in it. Done by the work item whose part has it. */
INLINE void find_digit(LOCAL const uint *sum, const int first, uint own, uint before, uint rank,
                       LOCAL uint *digit) {
    if (rank < before || rank - before >= own)
        return;
    for (int i = LOCAL_ID * EACH_DIGITS; i < SAMPLE_DIGITS; i++) {
        const uint here = i < first ? 0 : sum[SUM_AT(i)];
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

/* Take the weights, or the keys, of the work item's keys from the i-th on. */
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

/* Adds a key to the histogram of upper digits and to a work item's share of the totals. */
INLINE void put_key(LOCAL uint *sum, uint from, uint key, uint weight, uint *own) {
    if (weight) {
        ATOMIC_ADD(&sum[SUM_AT(key >> SAMPLE_DIGIT)], weight);
        own[LARGEST] = key > own[LARGEST] ? key : own[LARGEST];
    } else {
        own[ZERO] = key > own[ZERO] ? key : own[ZERO];
    }
    own[WEIGHTS] += weight;
    own[BELOW] += key >> SAMPLE_DIGIT < from >> SAMPLE_DIGIT ? weight : 0;
}

/* Adds all keys, of which the work item has taken its first. */
INLINE void put_keys(const struct keys *k, LOCAL uint *sum, LOCAL uint *totals,
                     const struct some_keys *some) {
    uint own[TOTALS] = {0, 0, 0, 0};
    UNROLL for (int j = 0; j < AT_ONCE; j++)
        put_key(sum, k->from, some->key[j], some->weight[j], own);
    for (wide i = LOCAL_ID + AT_ONCE * THREADS; i < k->count; i += THREADS)
        put_key(sum, k->from, k->key[i], (uint)k->weight[i], own);
    RAISE(totals + LARGEST, own[LARGEST]);
    RAISE(totals + ZERO, own[ZERO]);
    UNROLL for (int j = WEIGHTS; j < TOTALS; j++) {
        const uint all = sum_of_warp(own[j]);
        if (LOCAL_ID % WARP == WARP - 1)
            ATOMIC_ADD(&totals[j], all);
    }
    BARRIER();
}

/* Removes the keys that are left out from the sum of the digit that they share with others. */
INLINE void leave_out(const struct keys *k, LOCAL uint *sum, const int digit) {
    if (!sum[SUM_AT(digit)])
        return;
    BARRIER();
    if (LOCAL_ID == 0)
        sum[SUM_AT(digit)] = 0;
    BARRIER();
    for (wide i = LOCAL_ID; i < k->count; i += THREADS) {
        const uint key = k->key[i];
        if (key > k->from && (int)(key >> SAMPLE_DIGIT) == digit)
            ATOMIC_ADD(&sum[SUM_AT(digit)], (uint)k->weight[i]);
    }
    BARRIER();
}

/* Finds the keys of both quantiles; returns 0 if no key is left. Local memory begins with the
 * complete histogram of upper digits; `some` are the work item's first keys. */
INLINE int find_quantiles(const struct keys *k, LOCAL uint *sum, struct some_keys *some,
                          uint *found) {
    LOCAL uint *lower = sum + SAMPLE_SUMS, *scan = lower + 2 * SAMPLE_SUMS;
    LOCAL uint *digit = scan + 4 * WARPS;
    const int first = (int)(k->from >> SAMPLE_DIGIT);
    uint own[2], before[2], rank[2];
    leave_out(k, sum, first);
    const uint all = sum_before(sum, scan, first, 1, own, before); /* 0: the digits are of no use */
    find_digit(sum, first, own[0], before[0], all / 100, digit);
    find_digit(sum, first, own[0], before[0], all - 1 - all / 1000, digit + 2);
    BARRIER();
    UNROLL for (int q = 0; q < 2; q++) {
        found[q] = digit[2 * q];
        rank[q] = digit[2 * q + 1];
    }
    for (wide i = LOCAL_ID; i < k->count; i += AT_ONCE * THREADS) {
        if (i >= AT_ONCE * THREADS) {
            take_weights(k, i, some);
            take_keys(k, i, some);
        }
        UNROLL for (int j = 0; j < 2 * AT_ONCE; j++) {
            const uint key = some->key[j / 2];
            if (key >> SAMPLE_DIGIT == found[j % 2] && key > k->from)
                ATOMIC_ADD(&lower[j % 2 * SAMPLE_SUMS + SUM_AT(key & (SAMPLE_DIGITS - 1))],
                           some->weight[j / 2]);
        }
    }
    BARRIER();
    sum_before(lower, scan, 0, 2, own, before);
    UNROLL for (int q = 0; q < 2; q++)
        find_digit(lower + q * SAMPLE_SUMS, 0, own[q], before[q], rank[q], digit + 2 * q);
    BARRIER();
    UNROLL for (int q = 0; q < 2; q++) found[q] = found[q] << SAMPLE_DIGIT | digit[2 * q];
    return all != 0;
}

/* Converts a magnitude to what is displayed. */
INLINE real size_shown(real v) {
    return fmin(KIND == KIND_POWER ? v * v : v, LARGEST_REAL);
}

/* Finds black and white, the same for all work items, from the keys, of which the work item has
 * taken its first, PARAM_RMS and PARAM_ROUNDING. The local memory, zeros at first, begins with the
 * histograms. */
INLINE void find_range(struct keys *k, LOCAL uint *sum, struct some_keys *some, real rms,
                       real rounding, real *range) {
    const real small = KIND == KIND_POWER ? ROUNDING * ROUNDING : ROUNDING;
    LOCAL uint *totals = sum + QUANTILE_WORDS - TOTALS;
    uint found[2];
    rounding = size_shown(rounding);
    k->from = range_key_of(rounding);
    put_keys(k, sum, totals, some);
    const real most = fmax(size_shown(rms), range_value(totals[LARGEST]));
    if (totals[BELOW] <= totals[WEIGHTS] / 2) {
        rounding = R(0);
        k->from = range_key_of(small * most);
    }
    real white = fmax(range_value(totals[ZERO]), most), black = white;
    if (find_quantiles(k, sum, some, found)) {
        black = range_value(found[0]);
        white = range_value(found[1]);
    }
    range[0] = black > white * R(0.99) ? fmax(small * white, rounding) : black;
    range[1] = white;
}

#endif
