/* Decides whether processes that mpirun or srun started with one command line are one run. */
#ifndef GF_CLI_BATCH_RANKS_H
#define GF_CLI_BATCH_RANKS_H

#include "cli/environment.h"
#include "cli/batch/targets.h"
#include "core/base/job/ranks.h"

/* The files to be read and written, and the command. */
struct gf_rank_work {
    const struct gf_settings *s;
    const char *command;
    const struct gf_targets *targets;
    char *const *names; /* of the inputs */
    int n_names;
};

/* Sets *joined, and opens `ranks`, which the caller closes, if all processes have the same command,
 * inputs, outputs and options: they are one run. GF_EUSAGE if they differ but would write the same
 * file, or one of them fails before this call; GF_EABSENT if --mpi=on finds no plugin. One process
 * prints the message. */
int gf_ranks_join(const struct gf_launcher *launcher, const struct gf_rank_work *work,
                  struct gf_ranks *ranks, bool *joined);

/* Call this first. The process will meet the others in gf_ranks_join() or, if it ends before that,
 * in gf_ranks_end(), so that none waits forever. Until then messages are kept. */
void gf_ranks_expect(const struct gf_launcher *launcher);

/* Call this last, or before work that this process does alone, with the exit code. Returns `code`,
 * or that of GF_EUSAGE if the others wait in gf_ranks_join(). */
int gf_ranks_end(const struct gf_launcher *launcher, int code);

/* For the handler of SIGALRM, raised if the others do not meet this process in time: prints why
 * this process ends, and returns the exit code. Async-signal-safe. */
int gf_ranks_late(void);

/* For commands that only print: true for rank 0; for all ranks with --mpi=off, or if an operand
 * contains the rank, since they then print different things. */
bool gf_ranks_prints(const struct gf_settings *s, char *const *operands, int n);

/* True if one of the whole numbers in `text` is `rank`: spectrum_03.npy for rank 3. */
bool gf_ranks_differ(const char *text, int rank);

#endif
