/* Computes the checksum of bytes that are written or read in any order from those of its parts, without
 * reading them again. Private to formats/. */
#ifndef GF_FORMATS_SUMS_H
#define GF_FORMATS_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gf_sums {
    int64_t at, n; /* the run that the next part may continue */
    uint32_t crc;
    int64_t bytes; /* of the runs before it, */
    uint32_t rest; /* and their sums, each moved by its distance from byte 0 */
    bool lost;     /* parts were left out */
};

void gf_sums_add(struct gf_sums *s, int64_t at, const void *data, size_t n, int threads);
/* The same of a part whose sum is known. */
void gf_sums_join(struct gf_sums *s, int64_t at, size_t n, uint32_t crc);
/* Continues *crc, the sum of all bytes before `begin`, to `end`. False if the parts are not as many bytes.
 * Parts must not overlap. */
bool gf_sums_total(struct gf_sums *s, int64_t begin, int64_t end, uint32_t *crc);

#endif
