/* Shared by the commands that transform files: inputs, claims, the loop over them, reports. */
#ifndef GF_CLI_BATCH_BATCH_H
#define GF_CLI_BATCH_BATCH_H

#include "cli/batch/task.h"

/* Runs a command, which is what its hooks make of each input:
 *
 *     static int run(struct gf_settings *s, char **operands, int n) {       of gf_command_fwd
 *         return gf_batch_run(&gf_hooks_forward, s, operands, n);
 *     }
 *
 * Returns the exit code. */
int gf_batch_run(const struct gf_task_hooks *hooks, struct gf_settings *s, char **operands, int n);

#endif
