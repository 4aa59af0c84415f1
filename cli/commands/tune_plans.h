/* The part of `gpufft tune` that measures plans: which of several is the fastest on a GPU. */
#ifndef GF_CLI_COMMANDS_TUNE_PLANS_H
#define GF_CLI_COMMANDS_TUNE_PLANS_H

#include "cli/settings.h"

/* Measures plans on one device for the shapes as typed, or without any for a few common ones.
 * Prints the results; the backend keeps them. Does nothing for the CPU. Returns an exit code. */
int gf_tune_plans(const struct gf_settings *s, const struct gf_wish_device *device, char **operands,
                  int n);

#endif
