/* Lists the inputs: operands, and the contents of folders and name lists.
 *
 *     struct gf_inputs inputs;
 *     int rc = gf_inputs_gather(settings, operands, n, &inputs);
 *     …
 *     gf_inputs_free(&inputs);
 */
#ifndef GF_CLI_BATCH_INPUTS_H
#define GF_CLI_BATCH_INPUTS_H

#include "cli/batch/template.h"
#include "cli/settings.h"

struct gf_inputs {
    char **path; /* "-" is stdin */
    int n;
    int failed;            /* unreadable names, already reported */
    int64_t skipped;       /* files in folders that are not pictures */
    struct gf_roots roots; /* of --recursive */
    bool many;             /* a folder or list was named, so even one file gets a summary */
};

/* Fills `list`. A folder stands for its pictures in natural order; --recursive adds those of its
 * subfolders, but does not follow symbolic links to folders. GF_EUSAGE and GF_ENOMEM end the run.
 * The caller frees the list with gf_inputs_free(). */
int gf_inputs_gather(const struct gf_settings *s, char **operands, int n, struct gf_inputs *list);
void gf_inputs_free(struct gf_inputs *list);

/* The i-th file read besides the inputs (a phase, mask or kernel), or NULL. */
const char *gf_inputs_beside(const struct gf_settings *s, int i);

/* Protects every file that the run reads from being overwritten: these inputs, name lists, masks,
 * kernels, both files of a pair, records, wisdom. gf_inputs_gather() calls it for its list. */
int gf_inputs_guard(const struct gf_settings *s, char *const *path, int n);

#endif
