/* A huge page for small buffers, pages cleared ahead of use, and copies past the caches. */
#ifndef GF_CORE_BASE_PAGES_H
#define GF_CORE_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* One huge page for a picture's buffers. Mapping a huge page takes 70 us, 1 MiB of small pages 300
 * us: a twentieth of the time from a small picture's file to its spectrum's.
 *
 *     void *p = gf_huge_page_take(bytes, true);
 *     if (!p) p = malloc(bytes);
 *     if (!gf_huge_page_give(p)) free(p);
 *
 * Any thread may take blocks, which follow one another. Only the room behind the last used block is
 * free: a freed block's room becomes available once all blocks behind it are freed. */
enum { GF_HUGE_PAGE = 2 << 20 };

/* Takes a 64-byte aligned block. NULL if it does not fit, or if `opens` is false and no huge page
 * exists yet. */
void *gf_huge_page_take(size_t bytes, bool opens);
/* False if p is not a block of the page. */
bool gf_huge_page_give(void *p);

/* Clears the whole pages of a range on `threads` threads. Otherwise the kernel clears each page
 * when a thread first writes it, and threads that copy side by side into new memory wait for one
 * another at the same huge page. Pages already in use are unchanged. Does nothing before Linux
 * 5.14.
 *
 *     gf_populate(a.data, (size_t)gf_array_bytes(&a), 16); */
void gf_populate(void *at, size_t bytes, int threads);

/* memcpy() past the caches, for memory that is not read again soon: lines are not read before they
 * are overwritten. */
void gf_copy_streaming(void *to, const void *from, size_t bytes);

#endif
