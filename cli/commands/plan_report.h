/* The report of `gpufft plan` on a task that is planned. */
#ifndef GF_CLI_COMMANDS_PLAN_REPORT_H
#define GF_CLI_COMMANDS_PLAN_REPORT_H

#include "cli/batch/task.h"
#include "cli/commands/plan_parts.h"
#include "cli/commands/plan_ranks.h"

/* Bytes that all passes read and write. */
int64_t gf_plan_moved(const struct gf_task *t);
/* On stdout, as text or JSON. `parts`, `ranks`: how others share the job; with n or ranks 0 they do not. */
void gf_plan_print(const char *name, struct gf_task *t, const struct gf_plan_parts *parts,
                   const struct gf_ranks_plan *ranks);

#endif
