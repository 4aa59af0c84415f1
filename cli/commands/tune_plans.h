/* The part of tune that measures plans, on a device. tune.c measures the rest. */
#ifndef GF_CLI_COMMANDS_TUNE_PLANS_H
#define GF_CLI_COMMANDS_TUNE_PLANS_H

#include "cli/settings.h"

/* Measures plans on a device for the operands' shapes, or for a few common ones. Prints the results;
 * the backend stores them. Does nothing for the CPU. Returns an exit code. */
int gf_tune_plans(const struct gf_settings *s, const struct gf_request_device *device,
                  char **operands, int n);

#endif
