/* --resume: finds whether the outputs of a task exist, made from the same files with the same
 * options.
 *
 *     gf_resume_begin(&resume, "fwd", settings, paths, n);       before the files are opened
 *     if (gf_resume_finds(&resume, &outputs)) …                  once the products are described
 *     gf_resume_note(&resume, &outputs);                         once they are written
 */
#ifndef GF_CLI_BATCH_RESUME_H
#define GF_CLI_BATCH_RESUME_H

#include <time.h>

#include "cli/batch/store.h"
#include "core/store/made.h"

struct gf_resume {
    struct gf_made *made; /* the caller's notes of how outputs were made; NULL: none */
    const struct gf_settings *s;
    bool by_time;           /* at least one output had no note of how it was made */
    bool known;             /* all inputs are existing files, and no pipes */
    struct timespec newest; /* their latest modification time */
    /* A hash of the version, options that change outputs, and inputs' inodes, sizes and times; 0:
     * unknown. */
    uint64_t made_of;
};

/* Examines the inputs, once for all pictures of a file. */
void gf_resume_begin(struct gf_resume *r, const char *command, const struct gf_settings *s,
                     char *const *read, int n_read);

/* True if all outputs are up to date, as the notes of how they were made say. Without a note the
 * output must be newer than all inputs, complete as far as its header and its end show, and have
 * the record that would be written. Sets r->by_time. */
bool gf_resume_finds(struct gf_resume *r, const struct gf_outputs *outputs);

/* Notes how outputs were made. */
void gf_resume_note(struct gf_resume *r, const struct gf_outputs *outputs);

#endif
