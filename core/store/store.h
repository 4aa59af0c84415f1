/* A folder that outlasts the run, gpufft/ within the cache folder of core/base/host/environment.h: blobs
 * by key, such as built kernels, and files of lines (core/store/lines.h). Failures never fail a run: a
 * damaged folder or file, or one that is not the user's, counts as absent.
 *
 *     struct gf_store s;
 *     if (gf_store_open(env, &s, true))
 *         gf_store_write(&s, key, key_bytes, binary, bytes);
 *     gf_store_close(&s); */
#ifndef GF_CORE_STORE_H
#define GF_CORE_STORE_H

#include <sys/stat.h>

#include "core/base/job/backend.h"

struct gf_store {
    int folder;           /* file descriptor; -1: nothing is kept or found */
    const char *suffix;   /* of the files read and written; by default a kernel's */
    char path[GF_REASON]; /* the folder's, perhaps cut */
    char why[GF_REASON];  /* why nothing is kept */
};

/* Opens the folder, creating it (0700) if `make` is set. True if it is usable: no link, the user's,
 * and writable by no other user. */
bool gf_store_open(const struct gf_environment *env, struct gf_store *s, bool make);
void gf_store_close(struct gf_store *s);

/* Reads the binary with this key into memory that the caller frees. False if the whole key or the
 * file's checksum does not match. */
bool gf_store_read(const struct gf_store *s, const void *key, size_t key_bytes, void **binary,
                   size_t *bytes);
/* Writes a file atomically, even if several processes write. */
void gf_store_write(const struct gf_store *s, const void *key, size_t key_bytes, const void *binary,
                    size_t bytes);
void gf_store_remove(const struct gf_store *s, const void *key, size_t key_bytes);

/* Keeps the folder below 256 MiB and 4096 files by deleting those unused for longest. */
void gf_store_prune(const struct gf_store *s);
/* Counts the kernels, up to `most`, and their bytes. */
int gf_store_count(const struct gf_store *s, int most, int64_t *bytes);

/* ---- other files of the folder ---- */

/* Opens a regular file that is the user's and writable by nobody else; -1 for any other. */
int gf_store_file(const struct gf_store *s, const char *name, int flags, struct stat *st);
/* Reads such a file of 1 to `most` bytes, adding a zero, into memory that the caller frees; else
 * NULL. */
void *gf_store_load(const struct gf_store *s, const char *name, off_t most, struct stat *st,
                    size_t *bytes);
struct gf_store_part {
    const void *data;
    size_t bytes;
};
/* Writes these parts as one file, atomically. False if it cannot be written. */
bool gf_store_replace(const struct gf_store *s, const char *name, const struct gf_store_part *part,
                      int n);

#endif
