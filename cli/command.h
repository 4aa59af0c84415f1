/* The commands: one file each, one row in main.c's table. */
#ifndef GF_CLI_COMMAND_H
#define GF_CLI_COMMAND_H

#include "cli/settings.h"

struct gf_task_hooks;

/* Each takes the parsed options and the operands, and returns the exit code. */
int gf_command_fwd(struct gf_settings *s, char **operands, int n);
int gf_command_inv(struct gf_settings *s, char **operands, int n);
int gf_command_dwt(struct gf_settings *s, char **operands, int n);
int gf_command_idwt(struct gf_settings *s, char **operands, int n);
int gf_command_stats(struct gf_settings *s, char **operands, int n);
int gf_command_filter(struct gf_settings *s, char **operands, int n);
int gf_command_info(struct gf_settings *s, char **operands, int n);
int gf_command_plan(struct gf_settings *s, char **operands, int n);
int gf_command_devices(struct gf_settings *s, char **operands, int n);
int gf_command_bench(struct gf_settings *s, char **operands, int n);
int gf_command_demo(struct gf_settings *s, char **operands, int n);
int gf_command_selftest(struct gf_settings *s, char **operands, int n);

/* What those that transform files do with each of them (cli/batch/task.h). */
extern const struct gf_task_hooks gf_hooks_forward, gf_hooks_inverse, gf_hooks_dwt, gf_hooks_idwt,
    gf_hooks_filter;

/* main.c: a command line, argv[0] being the program's name, as main() runs it; the exit code. Moves
 * argv about. */
int gf_run_line(int argc, char **argv);

#endif
