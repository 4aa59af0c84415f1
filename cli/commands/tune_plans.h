/* The part of `gpufft tune` that measures plans: which of several is the fastest on a GPU. */
#ifndef GF_CLI_COMMANDS_TUNE_PLANS_H
#define GF_CLI_COMMANDS_TUNE_PLANS_H

#include "cli/settings.h"

/* Shapes as they are typed, or without any a few common ones, on one device; what is found is printed, and kept
 * by the backend. Nothing happens on the CPU. Returns an exit code. */
int gf_tune_plans(const struct gf_settings *s, const struct gf_wish_device *device, char **operands,
                  int n);

#endif
