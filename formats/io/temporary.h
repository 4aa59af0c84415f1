/* The temporaries that exist at this moment, in a fixed table that a signal handler can walk. */
#ifndef GF_FORMATS_IO_TEMPORARY_H
#define GF_FORMATS_IO_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>

/* Creates an empty file in the folder of `target` (whose last component is no symbolic link) and
 * enters it into the table: one without a name where the file system makes such, else one of its
 * own name. Files that killed runs left in the folder are removed. `mode` is the mode to keep, or
 * -1 for the umask's. Returns the slot and fills fd, which must stay open until the file is renamed
 * or dropped; or a negative status, and errno. */
int gf_temporary_create(const char *target, int mode, int *fd);
/* Gives the file a name if it has none yet, and tells it. Returns 0 or -1. */
int gf_temporary_name(int slot, const char **path);
/* Moves the file to `target`. With replace = false an existing target is left alone (errno EEXIST),
 * without a moment in which two writers could both believe to be the first. Returns 0 or -1. */
int gf_temporary_rename(int slot, const char *target, bool replace);
/* The calls between these two are not interrupted by INT, TERM or HUP: gf_sink_remove_temporaries()
 * waits for its end. Blocks this thread's signals and keeps the mask in `before`. False, with a
 * message and nothing to end, when the program is about to end. Inside another such stretch it is true. */
bool gf_uncut_begin(sigset_t *before);
void gf_uncut_end(const sigset_t *before);
/* Removes the file if it is still there and gives the slot back. */
void gf_temporary_drop(int slot);

#endif
