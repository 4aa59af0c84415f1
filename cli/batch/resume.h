/* Whether the outputs of a task are there already, made of the same files with the same options.
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
    struct gf_made *made; /* the caller's; NULL: how outputs were made is not kept */
    const struct gf_settings *s;
    bool known;             /* all that is read is there, in files, */
    struct timespec newest; /* the latest of which was written then */
    /* A hash of the program's version, the options that change what is written, and the files that are
     * read, by inode, size and time; 0: not known. */
    uint64_t made_of;
};

/* The products of a job. */
struct gf_outputs {
    const struct gf_job *job;
    const struct gf_product *product;
    int n;
};

/* Once for all pictures of a file. */
void gf_resume_begin(struct gf_resume *r, const char *command, const struct gf_settings *s,
                     char *const *read, int n_read);

/* A note of how an output was made decides. Another goes by its time, which is after
 * those of all that is read; it must be complete as far as its header and its end tell, and a record in
 * it the one that would be written. *by_time: it was so for one of them at least. */
bool gf_resume_finds(const struct gf_resume *r, const struct gf_outputs *outputs, bool *by_time);

/* Keeps how outputs were made. */
void gf_resume_note(const struct gf_resume *r, const struct gf_outputs *outputs);

#endif
