/* The device of `gpufft plan --assume`. */
#ifndef GF_CLI_COMMANDS_PLAN_ASSUME_H
#define GF_CLI_COMMANDS_PLAN_ASSUME_H

#include "cli/settings.h"
#include "core/session/assume.h"

/* The device that --assume names: a file with what `gpufft devices --json` printed, its entry of
 * --backend and --device; or else a built-in name. */
int gf_plan_assume(const struct gf_settings *s, struct gf_assumed_device *device);

#endif
