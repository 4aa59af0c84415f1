/* Runs as one of several processes that mpirun or srun started with the same command line. */
#ifndef GF_CLI_LAUNCHED_H
#define GF_CLI_LAUNCHED_H

#include <stdbool.h>

/* True if this process ends here, with *code: the command runs in one process only, or the first process prints for
 * all. Only the first process reports a mistake in the command line; or each does, if the first one's line is
 * its own. A line is a process's own with --mpi=off, or with the process's rank in an operand or an output. */
bool gf_launched_ends(int argc, char **argv, int *code);

/* Called last, with the exit code: leaves behind no process that waits for this one. */
int gf_launched_end(int code);

#endif
