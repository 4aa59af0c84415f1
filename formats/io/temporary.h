/* The existing temporaries, in a fixed table that a signal handler can walk. */
#ifndef GF_FORMATS_IO_TEMPORARY_H
#define GF_FORMATS_IO_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>

/* Creates an empty file in the folder of `target` (whose last component is no symbolic link) and
 * enters it into the table. The file is unnamed if the file system supports that. Removes files
 * that killed runs left in the folder. `mode` is the mode to keep, or -1 for the umask's. Returns
 * the slot and sets *fd, which must stay open until the file is renamed or dropped; or returns a
 * negative status and sets errno. */
int gf_temporary_create(const char *target, int mode, int *fd);
/* Gives an unnamed file a name; sets *path. Returns 0 or -1. */
int gf_temporary_name(int slot, const char **path);
/* Moves the file to `target`. With replace = false an existing target fails (EEXIST), atomically,
 * so that two writers cannot both succeed. Returns 0 or -1. */
int gf_temporary_rename(int slot, const char *target, bool replace);
/* Delimit calls that INT, TERM and HUP must not interrupt: gf_sink_remove_temporaries() waits for
 * the end. Block this thread's signals; `before` keeps the mask. May be nested. Returns false, with
 * a message, if the program is about to end; then do not call gf_uncut_end(). */
bool gf_uncut_begin(sigset_t *before);
void gf_uncut_end(const sigset_t *before);
/* Removes the file if it still exists and frees the slot. */
void gf_temporary_drop(int slot);

#endif
