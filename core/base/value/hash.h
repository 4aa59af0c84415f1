/* Fowler, Noll and Vo's hash, 1a, 64 bits: one changed bit always changes it. It does not withstand
 * a deliberate search for collisions.
 *
 *     uint64_t h = gf_hash(GF_HASH_START, key, key_bytes);
 *     h = gf_hash(h, more, more_bytes); */
#ifndef GF_CORE_BASE_HASH_H
#define GF_CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GF_HASH_START UINT64_C(0xCBF29CE484222325)

static inline uint64_t gf_hash(uint64_t h, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001B3);
    return h;
}

/* With the zero at its end, so that "ab" and "c" are not "a" and "bc". NULL is no text, and not
 * "". */
static inline uint64_t gf_hash_text(uint64_t h, const char *text) {
    return text ? gf_hash(h, text, strlen(text) + 1) : gf_hash(h, "\xff", 1);
}

#endif
