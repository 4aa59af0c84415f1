/* A task that the processes of one run share: a volume from file to file, in none of them whole. */
#ifndef GF_CLI_BATCH_SPREAD_H
#define GF_CLI_BATCH_SPREAD_H

#include "cli/batch/task.h"
#include "cli/environment.h"
#include "core/mpi/ranks.h"

/* From the header to the output; t->s, hooks, targets, read and runner are set. The status is the same
 * in all processes; the message is that of the one that is ranks->speaker. */
int gf_spread_task(struct gf_task *t, struct gf_ranks *ranks, const struct gf_launcher *launcher);

#endif
