/* A task that does not fit memory goes through a scratch file: --scratch.
 *
 *     if (t->state == GF_TASK_TOO_LARGE)
 *         rc = gf_slabs_plan(t);     after gf_task_preview()
 *     if (!rc)
 *         rc = gf_slabs_run(t);      instead of the other steps
 */
#ifndef GF_CLI_BATCH_SLABS_H
#define GF_CLI_BATCH_SLABS_H

#include "cli/batch/task.h"
#include "core/schedule/plan.h"

/* Sets t->op.need to that of the slabs. Without --scratch, or if the task cannot be run in slabs, it
 * fails again with GF_ENOMEM; the message adds the option or the reason. */
int gf_slabs_plan(struct gf_task *t);
/* Reads, transforms and writes. */
int gf_slabs_run(struct gf_task *t);
/* The plan of a task that gf_slabs_refuses() does not refuse. */
int gf_slabs_describe(struct gf_task *t, struct gf_slab_plan *plan);
/* The folder of its scratch file, which the caller frees: --scratch=DIR, or the output's. NULL: no
 * memory. */
char *gf_slabs_folder(const struct gf_task *t);
/* NULL, or the reason why the task cannot be run in slabs. */
const char *gf_slabs_refuses(const struct gf_task *t);

#endif
