/* Available memory, so that a need above it is refused before anything is allocated.
 *
 *     int64_t limit = 0;
 *     rc = gf_memory_parse("1.5G", &limit);
 *     if (!rc)
 *         rc = gf_memory_check(bytes_needed, limit); */
#ifndef GF_CORE_BASE_MEMORY_H
#define GF_CORE_BASE_MEMORY_H

#include <stdint.h>

enum { GF_SIZE_TEXT = 32 };

/* Bytes that this process can still allocate: the machine's MemAvailable, or less if limited by a
 * control group (v1 or v2) or `ulimit -v`. INT64_MAX if none is known. */
int64_t gf_memory_available(void);

/* "2G", "512M", "1.5GiB", "1000000": K, M, G, T and KiB, MiB, … are powers of 1024, KB, MB, … of
 * 1000, as in GNU's tools. GF_EUSAGE for anything else, and below one byte. */
int gf_memory_parse(const char *text, int64_t *bytes);

/* "12.0 GiB" into `text`; returns it. */
const char *gf_memory_text(int64_t bytes, char text[GF_SIZE_TEXT]);
/* The same rounded up for a need, and down for the limit below it, so that the texts differ and the
 * need, given as the limit, is enough. */
const char *gf_memory_need_text(int64_t bytes, char text[GF_SIZE_TEXT]);
const char *gf_memory_limit_text(int64_t bytes, char text[GF_SIZE_TEXT]);

/* GF_ENOMEM, "needs 12.0 GiB, limit 8.0 GiB (--max-memory)", if `need` exceeds the limit; 0 means
 * gf_memory_available(). If it is within the limit but near it, calls gf_memory_spare(). */
int gf_memory_check(int64_t need, int64_t limit);

/* For when memory is short: from here on the process takes hardly more than it has allocated. This
 * costs time. */
void gf_memory_spare(void);

#endif
