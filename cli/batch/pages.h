/* A volume whose planes are transformed by themselves, a few pages at a time: while some are
 * transformed, a thread reads the next ones and another writes those before.
 *
 *     if (t->pages.at_once)             once the task is READY
 *         rc = gf_pages_run(t);         instead of the steps to WRITTEN
 */
#ifndef GF_CLI_BATCH_PAGES_H
#define GF_CLI_BATCH_PAGES_H

#include "cli/batch/task.h"

/* Writes, byte for byte, what the samples in one piece would have given. */
int gf_pages_run(struct gf_task *t);

#endif
