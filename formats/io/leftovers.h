/* Temporaries that are left where a run was killed while it had one: the next run into that folder removes
 * them. A living process holds a lock on each of its own. Private to formats/. */
#ifndef GF_FORMATS_IO_LEFTOVERS_H
#define GF_FORMATS_IO_LEFTOVERS_H

#include <stdbool.h>

/* Marks an open temporary as in use until its descriptor is closed. False where it is taken for a leftover
 * at this moment; true also where the file system has no locks, and nothing is ever taken there. */
bool gf_leftovers_lock(int fd);

/* Removes those in a folder, the first time that this process asks for it. */
void gf_leftovers_remove(const char *folder);

#endif
