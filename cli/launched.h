/* Runs as one of several processes that mpirun or srun started with the same command line. */
#ifndef GF_CLI_LAUNCHED_H
#define GF_CLI_LAUNCHED_H

#include <stdbool.h>

/* True where this line ends here, with *code: its command runs in one process, or the first one prints
 * what it prints. What is wrong with the line is told by the first process alone, or by
 * each where the line is the first one's own. Lines with --mpi=off, or with the process's rank in an
 * operand or an output, are this process's own. */
bool gf_launched_ends(int argc, char **argv, int *code);

/* Called last, with the exit code: of processes that wait for each other none is left behind. */
int gf_launched_end(int code);

#endif
