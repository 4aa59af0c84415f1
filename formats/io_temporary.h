/* The temporaries that exist at this moment, in a fixed table that a signal handler can walk. */
#ifndef GF_FORMATS_IO_TEMPORARY_H
#define GF_FORMATS_IO_TEMPORARY_H

#include <stdbool.h>

/* Creates an empty file of its own name in the folder of `target` (whose last component is no
 * symbolic link) and enters it into the table. `mode` is the mode to keep, or -1 for the umask's.
 * Returns the slot and fills fd, or a negative status. */
int gf_temporary_create(const char *target, int mode, int *fd);
const char *gf_temporary_path(int slot);
/* Moves the file to `target`. With replace = false an existing target is left alone (errno EEXIST),
 * without a moment in which two writers could both believe to be the first. Returns 0 or -1. */
int gf_temporary_rename(int slot, const char *target, bool replace);
/* Removes the file if it is still there and gives the slot back. */
void gf_temporary_drop(int slot);

#endif
