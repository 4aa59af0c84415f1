/* A volume whose planes are transformed by themselves, a few pages at a time: while some are
 * transformed, a thread reads the next ones and another writes those before.
 *
 *     if (t->pages.at_once)             after gf_task_ready()
 *         rc = gf_pages_run(t);         instead of gf_task_run() and gf_task_write()
 */
#ifndef GF_CLI_BATCH_PAGES_H
#define GF_CLI_BATCH_PAGES_H

#include "cli/batch/task.h"

/* Writes, byte for byte, what the samples in one piece would have given. */
int gf_pages_run(struct gf_task *t);

#endif
