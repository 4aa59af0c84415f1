/* A task that processes share: each has slabs and blocks of it, or planes.
 *
 *     rc = gf_spread_settings(&settings, &launcher);   before the engine is opened
 *     …
 *     rc = gf_spread_task(&task, &ranks);              in all processes
 */
#ifndef GF_CLI_BATCH_SPREAD_H
#define GF_CLI_BATCH_SPREAD_H

#include "cli/batch/task.h"
#include "cli/environment.h"

/* Gives a process its share of the machine's threads and memory and, unless a device is named, the
 * next device. The backend is openmp unless one is named. Makes s->request. */
int gf_spread_settings(struct gf_settings *s, const struct gf_launcher *launcher);
/* Runs a task, of which s, hooks, targets, read and runner are set, from its header to its outputs.
 * All processes return the same status; ranks->speaker has the message. */
int gf_spread_task(struct gf_task *t, struct gf_ranks *ranks);

#endif
