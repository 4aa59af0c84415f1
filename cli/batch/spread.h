/* A task that the processes of one run share: slabs and blocks of it are each one's, and what is between the
 * walks is in the memory of all (cli/batch/slabs.h). */
#ifndef GF_CLI_BATCH_SPREAD_H
#define GF_CLI_BATCH_SPREAD_H

#include "cli/batch/task.h"
#include "cli/environment.h"
#include "core/mpi/ranks.h"

/* A process's share of its machine: threads, memory and, unless one is named, the next device for each. The
 * backend is openmp unless one is named. Makes s->wish. */
int gf_spread_settings(struct gf_settings *s, const struct gf_launcher *launcher);
/* From the header to the outputs; t->s, hooks, targets, read and runner are set. The status is the same
 * in all processes; the message is that of the one that is ranks->speaker. */
int gf_spread_task(struct gf_task *t, struct gf_ranks *ranks);

#endif
