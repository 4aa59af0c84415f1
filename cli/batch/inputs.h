/* Lists the inputs: operands, and what folders and name lists contain.
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
    int failed;            /* names that could not be read, already reported */
    int64_t skipped;       /* files in folders that are not pictures */
    struct gf_roots roots; /* of --recursive */
    bool many;             /* a folder or a list was named: even one file has a summary */
};

/* Fills `list`. A folder stands for its pictures in natural order, with --recursive also for those in its
 * folders, except where a symbolic link leads to one. Returns 0, or a status for a failure that ends the run
 * (GF_EUSAGE, GF_ENOMEM). The caller frees the list with gf_inputs_free(). */
int gf_inputs_gather(const struct gf_settings *s, char **operands, int n, struct gf_inputs *list);
void gf_inputs_free(struct gf_inputs *list);

/* The i-th file that is read besides the inputs (a phase, masks, kernels), or NULL. */
const char *gf_inputs_beside(const struct gf_settings *s, int i);

/* Protects everything that the run reads from being written: these inputs, name lists, masks, kernels, the files
 * of a pair, records, wisdom. gf_inputs_gather() does it for its list. */
int gf_inputs_guard(const struct gf_settings *s, char *const *path, int n);

#endif
