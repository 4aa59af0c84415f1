/* Computes the checksum of a file written in any order from those of its parts, without reading it
 * back. Private to formats/. */
#ifndef GF_FORMATS_SUMS_H
#define GF_FORMATS_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gf_sums {
    struct gf_sum {
        int64_t at, n;
        uint32_t crc;
    } * run; /* owned */
    size_t n, room;
    bool lost; /* there are too many parts, or no memory for them */
};

void gf_sums_add(struct gf_sums *s, int64_t at, const void *data, size_t n, int threads);
/* The same of a part whose sum is known. */
void gf_sums_join(struct gf_sums *s, int64_t at, size_t n, uint32_t crc);
/* Continues *crc, the sum of all bytes before `begin`, to `end`. False if the parts are not exactly
 * those bytes. */
bool gf_sums_total(struct gf_sums *s, int64_t begin, int64_t end, uint32_t *crc);
void gf_sums_free(struct gf_sums *s);

#endif
