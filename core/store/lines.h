/* Records kept beside the built kernels (core/store/store.h): a file for each kind, in
 * which every line begins with its key. Failures never fail a run: a damaged file, or one that is
 * not the user's, counts as empty.
 *
 *     char value[32];
 *     gf_store_lines_keep(env, "disk-speeds", "64768 ", "1.2e9");
 *     …
 *     if (gf_store_lines_find(env, "disk-speeds", "64768 ", value, sizeof value))
 *         speed = strtod(value, NULL);
 *
 * A run reads a file once, so it sees its own additions, but not those of other processes. */
#ifndef GF_CORE_STORE_LINES_H
#define GF_CORE_STORE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/host/environment.h"

/* Returns 1 if it was deleted, 0 if there was none, or a negative code with the reason. */
int gf_store_lines_remove(const struct gf_environment *env, const char *name);

enum { GF_STORE_LINES_BYTES = 256 << 10 }; /* bytes of a file */
/* Copies the rest of the key's line, cut to `size` with its zero; false if there is no such
 * line. */
bool gf_store_lines_find(const struct gf_environment *env, const char *name, const char *key,
                         char *value, size_t size);
/* Replaces the key's line, as the newest; drops the oldest lines to make room. False if it cannot
 * be written. */
bool gf_store_lines_keep(const struct gf_environment *env, const char *name, const char *key,
                         const char *value);
/* Returns the whole text, which the caller frees; NULL if memory is short. */
char *gf_store_lines_text(const struct gf_environment *env, const char *name);
/* For tests: makes the run read its files again. */
void gf_store_lines_reread(void);

/* Locks the folder against other processes, so that reading and rewriting a file loses none of
 * their lines. Returns -1, which unlocking ignores, if there is no folder. */
int gf_store_lines_lock(const struct gf_environment *env);
void gf_store_lines_unlock(int lock);

#endif
