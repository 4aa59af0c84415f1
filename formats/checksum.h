/* zlib's crc32 on several threads. Private to formats/. */
#ifndef GF_FORMATS_CHECKSUM_H
#define GF_FORMATS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

struct gf_source;

/* Continues from `crc` (0 at the start) over n bytes. */
uint32_t gf_crc32(uint32_t crc, const void *data, size_t n, int threads);
/* The sum of two parts, the second of n bytes. */
uint32_t gf_crc32_join(uint32_t first, uint32_t second, int64_t n);
/* The CRC-32 of bytes begin .. end of an open file. */
int gf_crc32_part(const struct gf_source *source, int64_t begin, int64_t end, uint32_t *out);
/* The CRC-32 of the first `size` bytes of an open file, whose position stays; GF_EFORMAT when it has fewer. */
int gf_crc32_source(const struct gf_source *source, int64_t size, int threads, uint32_t *out);
/* The same for a file that supports pread(). Returns 0 or an errno. */
int gf_crc32_file(int fd, int64_t size, int threads, uint32_t *out);

#endif
