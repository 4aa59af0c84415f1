/* The table of commands. */
#include "cli/command.h"

const struct gf_command *const gf_commands[] = {
    &gf_command_fwd,      &gf_command_inv,        &gf_command_dwt,
    &gf_command_idwt,     &gf_command_filter,     &gf_command_stats,
    &gf_command_match,    &gf_command_frc,        &gf_command_info,
    &gf_command_plan,     &gf_command_devices,    &gf_command_formats,
    &gf_command_tune,     &gf_command_bench,      &gf_command_demo,
    &gf_command_selftest, &gf_command_completion, NULL,
};
