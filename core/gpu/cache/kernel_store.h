/* The folder in which built kernels are kept from run to run: gpufft/ within the cache folder of
 * core/base/process.h. Nothing here can make a run fail: a folder or file that is damaged, or not
 * the user's own, counts as absent, and nothing is kept.
 *
 *     struct gf_kernel_store s;
 *     if (gf_kernel_store_open(&s, true))
 *         gf_kernel_store_write(&s, key, key_bytes, binary, bytes);
 *     gf_kernel_store_close(&s);
 */
#ifndef GF_CORE_GPU_KERNEL_STORE_H
#define GF_CORE_GPU_KERNEL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/backend.h"

struct gf_kernel_store {
    int folder;           /* file descriptor; -1: nothing is kept */
    const char *suffix;   /* of the files read and written: a kernel's, until told otherwise */
    char path[GF_REASON]; /* of the folder, as far as it fits */
    char why[GF_REASON];  /* why nothing is kept */
};

/* Opens the folder, and creates it (0700) where `make` is set. True when it may be used: it is no
 * link, belongs to the user, and no other user can write into it. */
bool gf_kernel_store_open(struct gf_kernel_store *s, bool make);
void gf_kernel_store_close(struct gf_kernel_store *s);

/* The binary that was kept under this key, in memory that the caller frees. The whole key is
 * compared and the file's checksum verified; false for anything else. */
bool gf_kernel_store_read(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                          void **binary, size_t *bytes);
/* Readers see either the old file or the new one, whole, even when several processes write. */
void gf_kernel_store_write(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                           const void *binary, size_t bytes);
void gf_kernel_store_remove(const struct gf_kernel_store *s, const void *key, size_t key_bytes);

/* Keeps the folder below 256 MiB and 4096 files: deletes those unused for longest. */
void gf_kernel_store_prune(const struct gf_kernel_store *s);
/* Whether there is a kernel, without a look at each. */
bool gf_kernel_store_has_any(const struct gf_kernel_store *s);
/* How many kernels there are, and their size in all. */
int gf_kernel_store_count(const struct gf_kernel_store *s, int64_t *bytes);

/* ---- other files of the folder ---- */

/* Opens a regular file of the user's own, which nobody else may write to; -1 for any other. O_CREAT makes it. */
int gf_kernel_store_file(const struct gf_kernel_store *s, const char *name, int flags,
                         struct stat *st);
/* All of such a file of `most` bytes at most, with a zero behind them, in memory that the caller frees; NULL for
 * an empty one or any other. */
void *gf_kernel_store_load(const struct gf_kernel_store *s, const char *name, off_t most,
                           struct stat *st, size_t *bytes);
struct gf_kernel_store_part {
    const void *data;
    size_t bytes;
};
/* Readers see the old file or the new one, whole: these parts. False where it could not be written. */
bool gf_kernel_store_replace(const struct gf_kernel_store *s, const char *name,
                             const struct gf_kernel_store_part *part, int n);

#endif
