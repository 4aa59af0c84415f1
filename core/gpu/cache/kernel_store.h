/* The folder that keeps built kernels from run to run: gpufft/ within the cache folder of
 * core/base/process.h. A failure here never fails a run: a folder or file that is damaged, or is
 * not the user's own, counts as absent.
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
    char path[GF_REASON]; /* of the folder, as far as it fits */
    char why[GF_REASON];  /* why nothing is kept */
};

/* Opens the folder, creating it (0700) if `make` is set. True if it may be used: it is no link,
 * belongs to the user, and no other user can write into it. */
bool gf_kernel_store_open(struct gf_kernel_store *s, bool make);
void gf_kernel_store_close(struct gf_kernel_store *s);

/* Reads the binary with this key into memory that the caller frees. Compares the whole key and
 * verifies the file's checksum; false if either fails. */
bool gf_kernel_store_read(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                          void **binary, size_t *bytes);
/* Writes a file. Readers see the old file or the new one, complete, even if several processes write. */
void gf_kernel_store_write(const struct gf_kernel_store *s, const void *key, size_t key_bytes,
                           const void *binary, size_t bytes);
void gf_kernel_store_remove(const struct gf_kernel_store *s, const void *key, size_t key_bytes);

/* Keeps the folder below 256 MiB and 4096 files: deletes those unused for longest. */
void gf_kernel_store_prune(const struct gf_kernel_store *s);
/* Counts the kernels, up to `most`, and their bytes. */
int gf_kernel_store_count(const struct gf_kernel_store *s, int most, int64_t *bytes);

/* ---- other files of the folder ---- */

/* Opens a regular file of the user's own to which nobody else may write; -1 for any other. O_CREAT
 * creates it. */
int gf_kernel_store_file(const struct gf_kernel_store *s, const char *name, int flags,
                         struct stat *st);
/* Reads such a file of at most `most` bytes, adding a zero, into memory that the caller frees; NULL
 * for an empty file or any other. */
void *gf_kernel_store_load(const struct gf_kernel_store *s, const char *name, off_t most,
                           struct stat *st, size_t *bytes);
struct gf_kernel_store_part {
    const void *data;
    size_t bytes;
};
/* Writes these parts as one file. Readers see the old file or the new one, complete. False if it
 * could not be written. */
bool gf_kernel_store_replace(const struct gf_kernel_store *s, const char *name,
                             const struct gf_kernel_store_part *part, int n);

#endif
