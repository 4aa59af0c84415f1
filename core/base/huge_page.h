/* One huge page for the buffers of a picture. A huge page is there in 70 us, 1 MiB of small pages in
 * 300 us, which is a twentieth of what a small picture takes from its file to its spectrum's.
 *
 *     void *p = gf_huge_page_take(bytes, true);
 *     if (!p) p = malloc(bytes);
 *     if (!gf_huge_page_give(p)) free(p);
 *
 * Blocks lie one behind the other, from any thread. The room behind the last block in use is free; the
 * room of a freed block before it is not, until all behind it are freed too. */
#ifndef GF_CORE_BASE_HUGE_PAGE_H
#define GF_CORE_BASE_HUGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { GF_HUGE_PAGE = 2 << 20 };

/* A block aligned to 64 bytes; NULL where it does not fit, and where there is no huge page yet and
 * `opens` does not ask for one. */
void *gf_huge_page_take(size_t bytes, bool opens);
/* False for what is no block of the page. */
bool gf_huge_page_give(void *p);

#endif
