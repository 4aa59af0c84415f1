/* A task whose planes are transformed separately, a few of them at a time. */
#ifndef GF_CLI_BATCH_PAGES_H
#define GF_CLI_BATCH_PAGES_H

#include "cli/batch/task.h"

/* Runs a READY task, gf_task_at_once(t) planes at a time; one thread reads ahead and another writes
 * meanwhile. The outputs equal, byte for byte, those of the samples in one piece. */
int gf_pages_run(struct gf_task *t);

#endif
