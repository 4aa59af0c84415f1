/* --resume: finds out whether the outputs of a task exist, made from the same files with the same options.
 *
 *     gf_resume_begin(&resume, "fwd", settings, paths, n);       before the files are opened
 *     if (gf_resume_finds(&resume, &outputs, &by_time)) ...      once the products are described
 *     gf_resume_note(&resume, &outputs);                         once they are written
 */
#ifndef GF_CLI_BATCH_RESUME_H
#define GF_CLI_BATCH_RESUME_H

#include <time.h>

#include "cli/batch/store.h"
#include "core/session/made.h"

struct gf_resume {
    struct gf_made *made; /* the caller's; NULL: how outputs are made is not kept */
    const struct gf_settings *s;
    bool known;             /* everything that is read is in files that exist; */
    struct timespec newest; /* the modification time of the newest */
    /* A hash of the program's version, the options that change outputs, and the files that are read, by
     * inode, size and time; 0: not known. */
    uint64_t made_of;
};

/* Examines the files that are read, once for all pictures of a file. */
void gf_resume_begin(struct gf_resume *r, const char *command, const struct gf_settings *s,
                     char *const *read, int n_read);

/* True if all outputs are up to date. A note of how an output was made decides. Without one the output must be
 * newer than everything that is read, complete as far as its header and its end show, and have the record that
 * would be written. *by_time: at least one output had no note. */
bool gf_resume_finds(const struct gf_resume *r, const struct gf_outputs *outputs, bool *by_time);

/* Notes how outputs were made. */
void gf_resume_note(const struct gf_resume *r, const struct gf_outputs *outputs);

#endif
