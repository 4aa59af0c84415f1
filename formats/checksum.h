/* CRC-32, as zlib's crc32(), on several threads, and of files whose parts are written in any
 * order. */
#ifndef GF_FORMATS_CHECKSUM_H
#define GF_FORMATS_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gf_source;

/* Continues from `crc` (0 at the start) over n bytes. */
uint32_t gf_crc32(uint32_t crc, const void *data, size_t n, int threads);
/* The CRC-32 of two parts from theirs; the second has n bytes. */
uint32_t gf_crc32_join(uint32_t first, uint32_t second, int64_t n);
/* Open files, one behind the other; the second may be NULL. */
struct gf_chain {
    const struct gf_source *first, *second;
};
int64_t gf_chain_size(const struct gf_chain *chain); /* -1: not known */
/* The CRC-32 of bytes begin .. end. Keeps the files' positions. GF_EFORMAT if there are fewer. */
int gf_crc32_part(const struct gf_chain *of, int64_t begin, int64_t end, uint32_t *out);
/* The CRC-32 of the first `size` bytes. */
int gf_crc32_source(const struct gf_chain *of, int64_t size, int threads, uint32_t *out);

/* The CRC-32 of bytes that are written or read in any order, from those of the parts. */
struct gf_sums {
    int64_t at, n; /* the run that the next part may continue */
    uint32_t crc;
    int64_t bytes; /* of the runs before it */
    uint32_t rest; /* their sums, each moved back to byte 0 */
    bool lost;     /* parts were left out */
};

void gf_sums_add(struct gf_sums *s, int64_t at, const void *data, size_t n, int threads);
/* Adds a part of known CRC-32. */
void gf_sums_join(struct gf_sums *s, int64_t at, size_t n, uint32_t crc);
/* Extends *crc, that of all bytes before `begin`, to `end`. False if the parts, which must not
 * overlap, do not add up to as many bytes. */
bool gf_sums_total(struct gf_sums *s, int64_t begin, int64_t end, uint32_t *crc);

#endif
