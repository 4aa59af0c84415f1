/* plan: what each of several devices has of a transform that they share. */
#ifndef GF_CLI_COMMANDS_PLAN_SHARES_H
#define GF_CLI_COMMANDS_PLAN_SHARES_H

#include <jansson.h>

#include "core/base/backend.h"

/* With the times of one device and of several, where these are expected. */
void gf_plan_shares_print(const struct gf_plan *plan);
json_t *gf_plan_shares_json(const struct gf_plan *plan);
json_t *gf_plan_times_json(const struct gf_plan_times *t);

#endif
