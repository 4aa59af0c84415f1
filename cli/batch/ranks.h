/* What a launcher's processes (mpirun, srun) do with a command line that all of them were given: one
 * run of all, or each its own. */
#ifndef GF_CLI_BATCH_RANKS_H
#define GF_CLI_BATCH_RANKS_H

#include "cli/environment.h"
#include "cli/batch/targets.h"
#include "core/mpi/ranks.h"

/* What is to be read and written, and by which command. */
struct gf_rank_work {
    const struct gf_settings *s;
    const char *command;
    bool spreads; /* the command can share its work */
    const struct gf_targets *targets;
    char *const *names; /* of the inputs */
    int n_names;
};

/* True in *joined where this process and the others are one run, with `ranks` open, which the caller
 * closes. GF_EUSAGE where they would write the same file without being one, and GF_EABSENT where
 * --mpi=on has no plugin. All but the first process are silent then. */
int gf_ranks_join(const struct gf_launcher *launcher, const struct gf_rank_work *work,
                  struct gf_ranks *ranks, bool *joined);

/* Loads the launcher's plugin and joins the processes that it started; GF_EABSENT where that cannot be.
 * The caller closes `ranks`, and ends with gf_keeper_stop(). */
int gf_ranks_start(const struct gf_launcher *launcher, struct gf_ranks *ranks);

/* Of a command that only prints: whether this process does. Of several that a launcher started it is
 * the first, unless --mpi=off, or where an operand names this process's rank: then they print
 * different things. */
bool gf_ranks_prints(const struct gf_settings *s, char *const *operands, int n);

/* True where one of the whole numbers in `text` is `rank`: spectrum_03.npy for rank 3. */
bool gf_ranks_differ(const char *text, int rank);

#endif
