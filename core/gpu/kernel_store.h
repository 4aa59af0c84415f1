/* The folder in which built kernels are kept from run to run: gpufft/ within the cache
 * folder of core/base/process.h. Nothing here can make a run fail: whatever is wrong with the folder or a file in
 * it, the answer is "not there", and nothing is kept. */
#ifndef GF_CORE_GPU_KERNEL_STORE_H
#define GF_CORE_GPU_KERNEL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/backend.h"

struct gf_kernel_store {
    int folder;           /* file descriptor; -1: nothing is kept */
    char path[GF_REASON]; /* of the folder, as far as it fits */
    char why[GF_REASON];  /* nothing is kept, because … */
};

/* Opens the folder, made (0700) where `make` says so, and sees to it that it is the user's own: no
 * link, nobody else's, written by nobody else. True when it may be used. */
bool gf_kernel_store_open(struct gf_kernel_store *s, bool make);
void gf_kernel_store_close(struct gf_kernel_store *s);

/* What was kept under this key, in memory of the caller's to free. The whole key is compared and
 * the file's checksum verified; false for anything else. */
bool gf_kernel_store_read(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                          void **binary, size_t *bytes);
/* Readers see the old file or the new one, whole, however many write at once. */
void gf_kernel_store_write(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                           const void *binary, size_t bytes);

/* Keeps the folder below 256 MiB and 4096 files: those unused for longest go. */
void gf_kernel_store_prune(const struct gf_kernel_store *s);
/* How many kernels there are, and their size in all. */
int gf_kernel_store_count(const struct gf_kernel_store *s, int64_t *bytes);

#endif
