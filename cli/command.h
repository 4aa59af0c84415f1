/* A command is one `struct gf_command`, in the file that runs it. The row drives parsing, --help,
 * `gpufft --help` and the OPTIONS of its manual page, so that none of them can miss an option.
 *
 * To add a command `sum`, copy a short one such as commands/info.c:
 *
 *     cli/commands/sum.c    new; the Makefile finds it
 *         static const struct gf_opt_group sum_group =
 *             GF_GROUP("Sum", GF_FLAG("squares", squares, "sum the squares"));
 *         static const struct gf_opt_group *const groups[] = {&sum_group, &gf_opts_raw,
 *                                                             &gf_opts_common, NULL};
 *         const struct gf_command gf_command_sum = {
 *             .name = "sum", .operands = "IN...", .summary = "the sum of the samples",
 *             .groups = groups, .examples = "  gpufft sum scene.png\n", .run = run_sum};
 *     man/gpufft-sum.1.in   new: the page around its @OPTIONS@
 *     cli/command.h         its declaration below
 *     cli/commands.c        its place in the table
 *     cli/settings.h        the fields that its own rows fill, if there are any
 *     tests/cli/sum.test    new; and UPDATE=1 tests/cli/run help, which renews the texts of --help
 *
 * `gpufft --help`, gpufft(1), `make install` and the checks of help.test and test_man.sh follow the
 * table. */
#ifndef GF_CLI_COMMAND_H
#define GF_CLI_COMMAND_H

#include "cli/options.h"

struct gf_task_hooks;

struct gf_command {
    const char *name;
    const char *operands; /* for the usage line; "": none */
    const char *summary;  /* one line, lower case, no full stop */
    const struct gf_opt_group *const *groups;
    const char *examples; /* lines indented by two spaces */
    /* returns the i-th name of an operand, NULL after the last; or NULL */
    const char *(*known)(int i);
    const char *notes; /* lines at the end of --help, or NULL */
    const char
        *usual;    /* the options that its name alone lists, or NULL: it runs without arguments */
    bool text;     /* its result is text, which --quiet drops */
    bool launched; /* several processes may run it under mpirun; it divides the work */
    bool joins;    /* the processes meet in gf_ranks_join() first */
    /* Runs with parsed options and operands. Returns an exit code, or a status, whose message is
     * printed after the command's name. NULL: gf_batch_run() runs the hooks for each file. */
    int (*run)(struct gf_settings *s, char **operands, int n);
    const struct gf_task_hooks *hooks;
};

extern const struct gf_command gf_command_fwd, gf_command_inv, gf_command_dwt, gf_command_idwt,
    gf_command_filter, gf_command_stats, gf_command_info, gf_command_plan, gf_command_devices,
    gf_command_formats, gf_command_bench, gf_command_demo, gf_command_selftest,
    gf_command_completion, gf_command_tune, gf_command_match, gf_command_frc, gf_command_register;

/* In the order of `gpufft --help`; NULL ends the table. */
extern const struct gf_command *const gf_commands[];

/* Returns the command of that name, or NULL. */
const struct gf_command *gf_command_find(const char *name);

/* Moves -q and -v that stand before the command behind it. */
void gf_command_move_switches(int argc, char **argv);

/* True if a command line asks for the version. */
bool gf_command_asks_version(int argc, char **argv);

/* Runs a command line; argv[0] is the program's name. Returns the exit code. Reorders argv. */
int gf_run_line(int argc, char **argv);

/* Hooks of commands that transform files (cli/batch/task.h). */
extern const struct gf_task_hooks gf_hooks_forward, gf_hooks_inverse, gf_hooks_dwt, gf_hooks_idwt,
    gf_hooks_filter;
/* Runs a command with hooks on its inputs (cli/batch/batch.c); returns the exit code. */
int gf_batch_run(const struct gf_task_hooks *hooks, struct gf_settings *s, char **operands, int n);

#endif
