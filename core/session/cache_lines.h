/* Small texts kept from run to run beside the built kernels (core/gpu/kernel_store.h). Nothing here can
 * make a run fail: a file that is damaged, or not the user's own, counts as empty.
 *
 *     char text[2048];
 *     int lock = gf_cache_lines_lock();
 *     gf_cache_lines_read("disk-speeds", text, sizeof text);
 *     …
 *     gf_cache_lines_write("disk-speeds", text);
 *     gf_cache_lines_unlock(lock);
 */
#ifndef GF_CORE_SESSION_CACHE_LINES_H
#define GF_CORE_SESSION_CACHE_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* The text of a regular file of the user's own, cut to `size` with its zero; "" for any other. */
void gf_cache_lines_read(const char *name, char *text, size_t size);
/* Readers see the old text or the new one, whole. False where it could not be kept. */
bool gf_cache_lines_write(const char *name, const char *text);
/* 1: deleted, 0: there was none, or a negative code and why it is still there. */
int gf_cache_lines_remove(const char *name);

/* Waits until no other process changes a text, so that none loses what another one adds between its
 * read and its write. -1 without a folder to lock, which unlocking ignores. */
int gf_cache_lines_lock(void);
void gf_cache_lines_unlock(int lock);

#endif
