/* Memory as the machine has it: a huge page for small buffers, pages cleared ahead, copies past the
 * caches. */
#ifndef GF_CORE_BASE_PAGES_H
#define GF_CORE_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* One huge page for the buffers of a picture. Mapping a huge page takes 70 us, 1 MiB of small pages
 * 300 us: a twentieth of the time from a small picture's file to its spectrum's.
 *
 *     void *p = gf_huge_page_take(bytes, true);
 *     if (!p) p = malloc(bytes);
 *     if (!gf_huge_page_give(p)) free(p);
 *
 * Any thread takes blocks, which follow one another. Only the room behind the last used block is
 * free: a freed block's room becomes available once all blocks behind it are freed too. */
enum { GF_HUGE_PAGE = 2 << 20 };

/* Takes a block aligned to 64 bytes. NULL if it does not fit, or if there is no huge page yet and
 * `opens` is false. */
void *gf_huge_page_take(size_t bytes, bool opens);
/* Returns false if the pointer is no block of the page. */
bool gf_huge_page_give(void *p);

/* Memory that nobody has written yet is cleared by the kernel, a page at a time, by the thread that
 * meets it first. Several threads that copy into such memory side by side meet the same huge page
 * and wait for one of them. This has the whole pages of the range cleared on so many threads; what
 * is there stays as it is. Does nothing where the kernel cannot (before Linux 5.14).
 *
 *     gf_populate(a.data, (size_t)gf_array_bytes(&a), 16); */
void gf_populate(void *at, size_t bytes, int threads);

/* memcpy() of memory that is not read again soon: past the caches, which spares the read of every
 * line before it is overwritten. */
void gf_copy_streaming(void *to, const void *from, size_t bytes);

#endif
