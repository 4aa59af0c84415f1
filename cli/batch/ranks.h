/* What a launcher's processes (mpirun, srun) do with a command line that all of them were given. */
#ifndef GF_CLI_BATCH_RANKS_H
#define GF_CLI_BATCH_RANKS_H

#include "cli/environment.h"
#include "cli/batch/targets.h"

/* GF_EUSAGE where this process is one of several that would write the same file: one of the outputs of
 * the inputs `names` is a regular file whose path has no number in it that is this process's rank.
 * All but the first process are silent from then on. `command` is for the message. */
int gf_ranks_check(const struct gf_settings *s, const struct gf_launcher *launcher,
                   const char *command, const struct gf_targets *targets, char *const *names,
                   int n_names);

/* True where one of the whole numbers in `text` is `rank`: spectrum_03.npy for rank 3. */
bool gf_ranks_differ(const char *text, int rank);

#endif
