/* Large blocks of memory that a run over many files uses again, so that the kernel need not clear new pages for
 * each file, and a device locks each block once. While anyone keeps blocks, gf_alloc() and gf_array_alloc() take
 * those of GF_BLOCK_LEAST bytes and more from here, and gf_free() gives them back.
 *
 *     gf_blocks_keep();
 *     for (each file) … gf_array_alloc(), gf_array_free() …
 *     gf_blocks_end();
 *
 * Blocks in use and kept together are never larger than those in use once were: keeping them takes no memory. Any
 * thread may call. */
#ifndef GF_CORE_BASE_BLOCKS_H
#define GF_CORE_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GF_BLOCK_LEAST = 1 << 20 };

/* Calls nest; the last end frees the kept blocks. Those in use stay their users'. */
void gf_blocks_keep(void);
void gf_blocks_end(void);

/* For allocators. take(): a kept block of at least `bytes` and not much more, or NULL, then there is room for a new
 * one, which add() lists, of aligned_alloc(). give(): false if it is not listed. */
void *gf_block_take(size_t bytes);
void gf_block_add(void *block, size_t bytes);
bool gf_block_give(void *block);

/* A device's context, with functions as in struct gf_on_device. */
struct gf_block_locker {
    void *context;
    int (*lock)(void *context, void *host, int64_t bytes, bool *locked);
    void (*unlock)(void *context, void *host);
};
/* Locks the block in use that holds an array, if it is listed and not locked yet. It is unlocked before it is freed,
 * on any thread, or by gf_blocks_unlock() before the context closes. Returns lock()'s status. */
int gf_block_lock(const void *array, const struct gf_block_locker *by);
void gf_blocks_unlock(const void *context);

#endif
