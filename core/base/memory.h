/* The memory that is available, so that a need above it is refused before any is allocated.
 *
 *     int64_t limit = 0;
 *     rc = gf_memory_parse("1.5G", &limit);
 *     if (!rc)
 *         rc = gf_memory_check(bytes_needed, limit); */
#ifndef GF_CORE_BASE_MEMORY_H
#define GF_CORE_BASE_MEMORY_H

#include <stdint.h>

enum { GF_SIZE_TEXT = 32 };

/* Bytes that this process can still allocate: the machine's MemAvailable, or less where a control
 * group (v1 or v2) or `ulimit -v` allows less. INT64_MAX when none of them is known. */
int64_t gf_memory_available(void);

/* "2G", "512M", "1.5GiB", "1000000": K, M, G, T and KiB, MiB, … are powers of 1024, KB, MB, … of
 * 1000, as GNU's tools read them. GF_EUSAGE for anything else, and for less than one byte. */
int gf_memory_parse(const char *text, int64_t *bytes);

/* "12.0 GiB" into `text`; returns it. */
const char *gf_memory_text(int64_t bytes, char text[GF_SIZE_TEXT]);

/* GF_ENOMEM, "needs 12.0 GiB, limit 8.0 GiB (--max-memory)", when `need` is above `limit`; a limit
 * of 0 means gf_memory_available(). */
int gf_memory_check(int64_t need, int64_t limit);

#endif
