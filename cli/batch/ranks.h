/* Divides a command line among a launcher's processes (mpirun, srun), all of which were given it: one
 * run of all, or each its own. */
#ifndef GF_CLI_BATCH_RANKS_H
#define GF_CLI_BATCH_RANKS_H

#include "cli/environment.h"
#include "cli/batch/targets.h"
#include "core/base/ranks.h"

/* The files to be read and written, and the command. */
struct gf_rank_work {
    const struct gf_settings *s;
    const char *command;
    const struct gf_targets *targets;
    char *const *names; /* of the inputs */
    int n_names;
};

/* True in *joined where this process and the others are one run, with `ranks` open, which the caller
 * closes: they have the same command, inputs, outputs and options. GF_EUSAGE where they would write
 * the same file without being one, or where one of them fails before it comes here, and GF_EABSENT
 * where --mpi=on has no plugin. One process speaks then. */
int gf_ranks_join(const struct gf_launcher *launcher, const struct gf_rank_work *work,
                  struct gf_ranks *ranks, bool *joined);

/* Called before this process does anything: it will meet the others, in gf_ranks_join() or, where it
 * ends before that, in gf_ranks_end(), so that none waits for one that does something else. Until
 * then messages are kept. */
void gf_ranks_expect(const struct gf_launcher *launcher);

/* Called last, or before work that is this process's own, with the exit code, which it returns: GF_EUSAGE's where
 * others wait for this process at a work that it was not given. Returns `code` where they have met. */
int gf_ranks_end(const struct gf_launcher *launcher, int code);

/* For the handler of SIGALRM, which comes where the others did not meet this process in time: prints a line that
 * says so, or why this process ends, and returns the exit code. Async-signal-safe. */
int gf_ranks_late(void);

/* Whether this process prints, for commands that only print: the first of those that a launcher
 * started; all of them with --mpi=off or if an operand names the rank, since they then print
 * different things. */
bool gf_ranks_prints(const struct gf_settings *s, char *const *operands, int n);

/* True where one of the whole numbers in `text` is `rank`: spectrum_03.npy for rank 3. */
bool gf_ranks_differ(const char *text, int rank);

#endif
