/* Remembers from run to run how outputs were made, as pairs of hashes in the cache folder
 * (core/store/store.h): one of the file on disk, one of everything that went into it. A
 * failure here never fails a run: if the folder is missing or damaged, all files are unknown.
 *
 *     struct gf_made *made = gf_made_open(env, true, true);
 *     if (gf_made_find(made, file, recipe) == GF_MADE_SO)
 *         ...
 *     gf_made_note(made, file, recipe);
 *     gf_made_close(made);
 *
 * Several runs may add notes at the same time. A note takes 24 bytes; at 24 MiB the older half is
 * dropped. */
#ifndef GF_CORE_STORE_MADE_H
#define GF_CORE_STORE_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/host/environment.h"

struct gf_made;

/* `look`: read notes of earlier runs; `add`: write new ones. NULL if memory is short; the other
 * functions accept NULL. */
struct gf_made *gf_made_open(const struct gf_environment *env, bool look, bool add);
void gf_made_close(struct gf_made *m);

enum gf_made_how { GF_MADE_UNKNOWN, GF_MADE_SO, GF_MADE_OTHERWISE };
enum gf_made_how gf_made_find(const struct gf_made *m, uint64_t file, uint64_t recipe);
/* Any thread may call it. The note reaches the disk within moments; gf_made_find() sees it in later
 * runs. */
void gf_made_note(struct gf_made *m, uint64_t file, uint64_t recipe);

#endif
