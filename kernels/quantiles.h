/* The range from a sample's keys, by one group: its quantiles, the upper digit from a histogram of
 * upper digits, then the lower one from histograms of the keys with those. core/base/range_sample.c
 * does the same on the host. THREADS work items, any number. */
#ifndef QUANTILES_H
#define QUANTILES_H

#include "range_key.h"

#ifndef KIND
#define KIND KIND_MAGNITUDE
#endif

/* Words of local memory: two histograms, the work items' parts of both, the sums of blocks of those,
 * two digits with the ranks left there, the largest keys. */
#define QUANTILE_WORDS (2 * SAMPLE_SUMS + 4 * THREADS + 6)
#define SCAN_AT        (2 * SAMPLE_SUMS)
#define MOST_AT        (QUANTILE_WORDS - 2)
#define EACH_DIGITS    ((SAMPLE_DIGITS + THREADS - 1) / THREADS)
#define SUM_BLOCK      (THREADS > 256 ? 32 : 16)
#define SUM_BLOCKS     ((THREADS + SUM_BLOCK - 1) / SUM_BLOCK)
/* Where a digit's sum is: so that work items whose parts are 8 or 32 digits meet no bank twice. */
#define SUM_AT(digit) ((int)((digit) + ((digit) >> 5)))
/* Keys that a work item reads at the same time, and its group: all of most samples, where it has 256
 * work items. */
#define AT_ONCE (THREADS > 256 ? SAMPLE_BATCH / THREADS : SAMPLE_BATCH / 256)
#define BATCH   (AT_ONCE * THREADS)

struct keys {
    GLOBAL uint *key;
    GLOBAL const int *weight; /* 0: a zero frequency's */
    int count;
    uint from; /* keys up to it are left out */
};

/* How much of a histogram is in a work item's part of it. */
INLINE uint sum_own(LOCAL const uint *sum) {
    uint own = 0;
    UNROLL for (int i = 0; i < EACH_DIGITS; i++) {
        const int digit = LOCAL_ID * EACH_DIGITS + i;
        own += digit < SAMPLE_DIGITS ? sum[SUM_AT(digit)] : 0;
    }
    return own;
}

/* What is in a work item's part of `n` histograms, and before it; the total of the first is
 * returned. Few barriers: sums within blocks of work items, then those of the blocks. */
INLINE uint sum_before(LOCAL const uint *sum, LOCAL uint *scan, const int n, uint *own,
                       uint *before) {
    LOCAL uint *blocks = scan + 2 * THREADS;
    const int block = LOCAL_ID / SUM_BLOCK, in = LOCAL_ID % SUM_BLOCK;
    uint all = 0;
    UNROLL for (int q = 0; q < n; q++) {
        own[q] = sum_own(sum + q * SAMPLE_SUMS);
        scan[q * THREADS + LOCAL_ID] = own[q];
    }
    BARRIER();
    UNROLL for (int q = 0; q < n; q++) {
        before[q] = 0;
        UNROLL for (int i = 0; i < SUM_BLOCK - 1; i++) before[q] +=
            i < in ? scan[q * THREADS + LOCAL_ID - in + i] : 0;
        if (in == SUM_BLOCK - 1 || LOCAL_ID == THREADS - 1)
            blocks[q * SUM_BLOCKS + block] = before[q] + own[q];
    }
    BARRIER();
    UNROLL for (int q = 0; q < n; q++) {
        UNROLL for (int i = 0; i < SUM_BLOCKS; i++) {
            const uint more = blocks[q * SUM_BLOCKS + i];
            before[q] += i < block ? more : 0;
            all += q ? 0 : more;
        }
    }
    return all;
}

/* The digit at which the running sum of the histogram exceeds `rank`, to digit[0], and what of the
 * rank is left there, to digit[1]: by the work item whose part has it. */
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

/* A key to the histogram of upper digits and, by whether it is a zero frequency's, to the largest. */
INLINE void put_key(LOCAL uint *sum, LOCAL uint *most, uint key, uint weight) {
    if (weight)
        ATOMIC_ADD(&sum[SUM_AT(key >> SAMPLE_DIGIT)], weight);
    RAISE(most + (weight ? 0 : 1), key);
}

/* The AT_ONCE keys from the i-th on that the work item takes next, 0 behind the last. */
INLINE void next_keys(const struct keys *k, int i, uint *key) {
    UNROLL for (int j = 0; j < AT_ONCE; j++) {
        const int at = i + j * THREADS;
        key[j] = at < k->count ? SEEN(&k->key[at]) & KEY_BITS : 0;
    }
}

/* Waits for all keys, behind which there are some of 0 that are there, up to a multiple of what the
 * group reads at the same time. The work item's first ones are at `key`, the largest and that of the
 * zero frequencies at `most`, which was 0. */
INLINE void await_keys(const struct keys *k, uint *key, LOCAL uint *most) {
    uint largest = 0, zero = 0;
    int i = (k->count - 1) / BATCH * BATCH;
    do {
        GLOBAL uint *from = k->key + i + LOCAL_ID;
        uint there;
        do {
            UNROLL for (int j = 0; j < AT_ONCE; j++) key[j] = SEEN(from + j * THREADS);
            there = KEY_THERE;
            UNROLL for (int j = 0; j < AT_ONCE; j++) there &= key[j];
        } while (!there);
        UNROLL for (int j = 0; j < AT_ONCE; j++) {
            const uint value = key[j] & KEY_BITS;
            if (key[j] & KEY_OF_ZERO)
                zero = value > zero ? value : zero;
            else
                largest = value > largest ? value : largest;
            key[j] = value;
        }
        i -= BATCH;
    } while (i >= 0);
    RAISE(most, largest);
    RAISE(most + 1, zero);
}

/* Takes the keys that are left out from the histogram of upper digits. */
INLINE void leave_out(const struct keys *k, LOCAL uint *sum) {
    const int digit = (int)(k->from >> SAMPLE_DIGIT);
    const uint partly = sum[SUM_AT(digit)];
    BARRIER();
    clear_words(sum, SUM_AT(digit) + 1);
    BARRIER();
    for (int i = LOCAL_ID; i < k->count && partly; i += THREADS) {
        const uint key = SEEN(&k->key[i]) & KEY_BITS;
        if (key > k->from && (int)(key >> SAMPLE_DIGIT) == digit)
            ATOMIC_ADD(&sum[SUM_AT(digit)], (uint)k->weight[i]);
    }
    BARRIER();
}

/* The keys of the two quantiles; 0 where no key is left. On the way in the local memory begins with
 * the histogram of upper digits, which all work items see; `key` are the work item's first ones, read
 * before that was there. */
INLINE int find_quantiles(const struct keys *k, LOCAL uint *sum, uint *key, uint *found) {
    LOCAL uint *scan = sum + SCAN_AT, *digit = scan + 4 * THREADS;
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
    for (int i = LOCAL_ID; i < k->count; i += BATCH) {
        if (i >= BATCH)
            next_keys(k, i, key);
        UNROLL for (int n = 0; n < AT_ONCE; n++) {
            const uint upper = key[n] >> SAMPLE_DIGIT;
            if (upper == found[0] || upper == found[1]) {
                const int lower = SUM_AT(key[n] & (SAMPLE_DIGITS - 1));
                const uint weight = key[n] > k->from ? (uint)k->weight[i + n * THREADS] : 0;
                if (upper == found[0])
                    ATOMIC_ADD(&sum[lower], weight);
                if (upper == found[1])
                    ATOMIC_ADD(&sum[SAMPLE_SUMS + lower], weight);
            }
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

/* Black and white, the same for all work items, from the histogram and the first keys, the largest key, that of the
 * zero frequencies, and the root of the mean square. */
INLINE void find_range(struct keys *k, LOCAL uint *sum, uint *key, uint largest, uint zero,
                       real most, real *range) {
    const real small = KIND == KIND_POWER ? R(1e-12) : R(1e-6);
    uint found[2];
    most = fmin(KIND == KIND_POWER ? most * most : most, LARGEST_REAL);
    most = fmax(most, range_value(largest));
    k->from = range_key_of(small * most);
    real white = fmax(range_value(zero), most), black = white;
    if (find_quantiles(k, sum, key, found)) {
        black = range_value(found[0]);
        white = range_value(found[1]);
    }
    range[0] = black > white * R(0.99) ? small * white : black;
    range[1] = white;
}

#endif
