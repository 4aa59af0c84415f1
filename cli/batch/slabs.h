/* How tasks are divided. A volume that does not fit memory goes through a scratch file: --scratch.
 *
 *     if (t->state == GF_TASK_TOO_LARGE)
 *         rc = gf_slabs_plan(t);     after gf_task_preview()
 *     if (!rc)
 *         rc = gf_slabs_run(t);      instead of the other steps
 */
#ifndef GF_CLI_BATCH_SLABS_H
#define GF_CLI_BATCH_SLABS_H

#include "cli/batch/task.h"
#include "cli/environment.h"
#include "core/slab/plan.h"

/* The task's need becomes that of its slabs. Without --scratch, or where slabs do not serve, it fails
 * as before: GF_ENOMEM with the need and the limit, and with the option or the reason. */
int gf_slabs_plan(struct gf_task *t);
/* Reads, transforms and writes. */
int gf_slabs_run(struct gf_task *t);
/* The plan of a task that gf_slabs_refuses() does not refuse. */
int gf_slabs_describe(struct gf_task *t, struct gf_slab_plan *plan);
/* The unit of its slabs: "pages". */
const char *gf_slabs_unit(const struct gf_slab_plan *plan);
/* The folder of its scratch file, on the heap; of the output where no other is asked for. NULL without
 * memory. */
char *gf_slabs_folder(const struct gf_task *t);
/* NULL, or why the task cannot be run in slabs. */
const char *gf_slabs_refuses(const struct gf_task *t);

/* Does a task that is READY and whose planes are transformed by themselves, t->pages.at_once at a time: while some are
 * transformed, a thread reads the next ones and another writes those before. The outputs are, byte for byte, what the
 * samples in one piece would give. */
int gf_pages_run(struct gf_task *t);

/* ---- a task that the processes of one run share: each has slabs and blocks of it, or planes ---- */

/* A process's share of its machine: threads, memory and, unless one is named, the next device for each. The
 * backend is openmp unless one is named. Makes s->wish. */
int gf_spread_settings(struct gf_settings *s, const struct gf_launcher *launcher);
/* From the header to the outputs; t->s, hooks, targets, read and runner are set. The status is the same
 * in all processes; the message is that of the one that is ranks->speaker. */
int gf_spread_task(struct gf_task *t, struct gf_ranks *ranks);

#endif
