/* Notes of how outputs were made, kept from run to run in the cache folder (core/gpu/cache/kernel_store.h): pairs of
 * numbers, one for a file as it is on its disk, one for all that made it. Nothing here can make a
 * run fail: without a folder, or where it is damaged, nothing is known.
 *
 *     struct gf_made *made = gf_made_open(true, true);
 *     if (gf_made_find(made, file, recipe) == GF_MADE_SO)
 *         ...
 *     gf_made_note(made, file, recipe);
 *     gf_made_close(made);
 *
 * Several runs may add to it at the same time. It takes 24 bytes a file and 24 MiB in all; the oldest
 * half is dropped when that is reached. */
#ifndef GF_CORE_SESSION_MADE_H
#define GF_CORE_SESSION_MADE_H

#include <stdbool.h>
#include <stdint.h>

struct gf_made;

/* `look`: with what earlier runs have noted; `add`: to note more. NULL without memory, which the others
 * take. */
struct gf_made *gf_made_open(bool look, bool add);
void gf_made_close(struct gf_made *m);

enum gf_made_how { GF_MADE_UNKNOWN, GF_MADE_SO, GF_MADE_OTHERWISE };
enum gf_made_how gf_made_find(const struct gf_made *m, uint64_t file, uint64_t recipe);
/* Any thread's. What is noted reaches the disk within moments, and gf_made_find() in another run. */
void gf_made_note(struct gf_made *m, uint64_t file, uint64_t recipe);

#endif
