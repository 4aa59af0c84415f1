/* The folder that keeps built kernels: gpufft/ within the cache folder of core/base/process.h.
 * Failures never fail a run: a damaged folder or file, or one that is not the user's, counts as
 * absent.
 *
 *     struct gf_kernel_store s;
 *     if (gf_kernel_store_open(&s, true))
 *         gf_kernel_store_write(&s, key, key_bytes, binary, bytes);
 *     gf_kernel_store_close(&s); */
#ifndef GF_CORE_GPU_KERNEL_STORE_H
#define GF_CORE_GPU_KERNEL_STORE_H

#include <sys/stat.h>

#include "core/base/backend.h"

struct gf_kernel_store {
    int folder;           /* file descriptor; -1: nothing is kept or found */
    const char *suffix;   /* of the files read and written; by default a kernel's */
    char path[GF_REASON]; /* the folder's, perhaps cut */
    char why[GF_REASON];  /* why nothing is kept */
};

/* Opens the folder, creating it (0700) if `make` is set. True if it is usable: no link, the user's,
 * and writable by no other user. */
bool gf_kernel_store_open(struct gf_kernel_store *s, bool make);
void gf_kernel_store_close(struct gf_kernel_store *s);

/* Reads the binary with this key into memory that the caller frees. False if the whole key or the
 * file's checksum does not match. */
bool gf_kernel_store_read(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                          void **binary, size_t *bytes);
/* Writes a file atomically, even if several processes write. */
void gf_kernel_store_write(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                           const void *binary, size_t bytes);
void gf_kernel_store_remove(const struct gf_kernel_store *s, const void *key, size_t key_bytes);

/* Keeps the folder below 256 MiB and 4096 files by deleting those unused for longest. */
void gf_kernel_store_prune(const struct gf_kernel_store *s);
/* Counts the kernels, up to `most`, and their bytes. */
int gf_kernel_store_count(const struct gf_kernel_store *s, int most, int64_t *bytes);

/* ---- other files of the folder ---- */

/* Opens a regular file that is the user's and writable by nobody else; -1 for any other. */
int gf_kernel_store_file(const struct gf_kernel_store *s, const char *name, int flags,
                         struct stat *st);
/* Reads such a file of 1 to `most` bytes, adding a zero, into memory that the caller frees; else
 * NULL. */
void *gf_kernel_store_load(const struct gf_kernel_store *s, const char *name, off_t most,
                           struct stat *st, size_t *bytes);
struct gf_kernel_store_part {
    const void *data;
    size_t bytes;
};
/* Writes these parts as one file, atomically. False if it cannot be written. */
bool gf_kernel_store_replace(const struct gf_kernel_store *s, const char *name,
                             const struct gf_kernel_store_part *part, int n);

#endif
