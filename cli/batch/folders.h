/* The folders of outputs, looked at once and before any work.
 *
 *     rc = gf_folders_check(settings, &targets, inputs.path, inputs.n);
 */
#ifndef GF_CLI_BATCH_FOLDERS_H
#define GF_CLI_BATCH_FOLDERS_H

#include "cli/batch/targets.h"

/* Every folder that the outputs of the inputs `names` are to be in exists, or with --mkdir is made
 * (with those above it); GF_EIO otherwise. A {page} in a folder's name is left to the writing. */
int gf_folders_check(const struct gf_settings *s, const struct gf_targets *targets,
                     char *const *names, int n_names);

#endif
