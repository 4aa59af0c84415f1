/* Huffman's tree from two queues: the symbols by count, and the sums in the order of their making.
 */
#include "formats/png_huffman_codes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BITS = 15 };

/* Sorted by count, then by symbol: the codes are the same with every qsort(). */
static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Depths of m leaves whose weights ascend, m >= 2. */
static void leaf_depths(const uint64_t *leaf, int m, int *depth) {
    uint64_t weight[2 * GF_MAX_SYMBOLS];
    int parent[2 * GF_MAX_SYMBOLS], next_leaf = 0, next_sum = m;
    for (int k = m; k < 2 * m - 1; k++) {
        weight[k] = 0;
        for (int child = 0; child < 2; child++) {
            bool from_leaf =
                next_leaf < m && (next_sum == k || leaf[next_leaf] >> 16 <= weight[next_sum]);
            weight[k] += from_leaf ? leaf[next_leaf] >> 16 : weight[next_sum];
            parent[from_leaf ? next_leaf++ : next_sum++] = k;
        }
    }
    int all[2 * GF_MAX_SYMBOLS];
    all[2 * m - 2] = 0;
    for (int k = 2 * m - 3; k >= 0; k--)
        all[k] = all[parent[k]] + 1;
    memcpy(depth, all, (size_t)m * sizeof *depth);
}

/* Cuts depths to the limit, and makes the code complete again: rare symbols grow until there is room
 * for all, then frequent ones shrink into what is left. */
static void limit_depths(int *depth, int m, int limit) {
    int64_t room = (int64_t)1 << limit; /* a symbol of d bits takes 2^(limit - d) */
    for (int k = 0; k < m; k++) {
        if (depth[k] > limit)
            depth[k] = limit;
        room -= (int64_t)1 << (limit - depth[k]);
    }
    for (int k = 0; k < m && room < 0; k++)
        for (; depth[k] < limit && room < 0; depth[k]++)
            room += (int64_t)1 << (limit - depth[k] - 1);
    while (room > 0)
        for (int k = m - 1; k >= 0; k--)
            if (room >= (int64_t)1 << (limit - depth[k])) {
                room -= (int64_t)1 << (limit - depth[k]);
                depth[k]--;
            }
}

void gf_huffman_lengths(const uint32_t *count, int n, int limit, uint8_t *length) {
    uint64_t leaf[GF_MAX_SYMBOLS]; /* count << 16 | symbol */
    int depth[GF_MAX_SYMBOLS], m = 0;
    memset(length, 0, (size_t)n);
    for (int i = 0; i < n; i++)
        if (count[i])
            leaf[m++] = (uint64_t)count[i] << 16 | (uint64_t)i;
    qsort(leaf, (size_t)m, sizeof *leaf, compare);
    leaf_depths(leaf, m, depth);
    limit_depths(depth, m, limit);
    for (int k = 0; k < m; k++)
        length[leaf[k] & 0xffff] = (uint8_t)depth[k];
}

void gf_huffman_codes(const uint8_t *length, int n, uint16_t *code) {
    unsigned next[MAX_BITS + 2] = {0}, per[MAX_BITS + 1] = {0};
    for (int i = 0; i < n; i++)
        per[length[i]]++;
    per[0] = 0;
    for (int bits = 1; bits <= MAX_BITS; bits++)
        next[bits + 1] = (next[bits] + per[bits]) << 1;
    for (int i = 0; i < n; i++) {
        unsigned forward = next[length[i]]++, reversed = 0;
        for (int bit = 0; bit < length[i]; bit++)
            reversed |= (forward >> bit & 1) << (length[i] - 1 - bit);
        code[i] = (uint16_t)reversed;
    }
}
