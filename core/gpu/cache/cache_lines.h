/* Records kept from run to run beside the built kernels (core/gpu/cache/kernel_store.h): lines that begin with a key, in a
 * file for each kind of them. Nothing here can make a run fail: a file that is damaged, or not the user's own, counts
 * as empty.
 *
 *     char value[32];
 *     gf_cache_record_keep("disk-speeds", "64768 ", "1.2e9");
 *     …
 *     if (gf_cache_record_find("disk-speeds", "64768 ", value, sizeof value))
 *         speed = strtod(value, NULL);
 *
 * A file is read once in a run, so that other processes change nothing for it; what the run keeps itself it finds. */
#ifndef GF_CORE_GPU_CACHE_LINES_H
#define GF_CORE_GPU_CACHE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1: deleted, 0: there was none, or a negative code and why it is still there. */
int gf_cache_lines_remove(const char *name);

enum { GF_CACHE_RECORDS = 256 << 10 }; /* bytes of a file */
/* Copies the rest of the key's line, cut to `size` with its zero; false without such a line. */
bool gf_cache_record_find(const char *name, const char *key, char *value, size_t size);
/* In place of the line of that key, as the newest; the oldest ones make room. False where it could not be kept. */
bool gf_cache_record_keep(const char *name, const char *key, const char *value);
/* All of the text as this run has it, "" for none, in memory that the caller frees; NULL without memory. */
char *gf_cache_records(const char *name);
/* Forgets the files that were read, as a new run would. */
void gf_cache_records_reread(void);

/* Waits until no other process changes a text, so that none loses what another one adds between its
 * read and its write. -1 without a folder to lock, which unlocking ignores. */
int gf_cache_lines_lock(void);
void gf_cache_lines_unlock(int lock);

#endif
