/* What `gpufft plan` tells about arrays that pass through a device in parts. */
#ifndef GF_CLI_COMMANDS_PLAN_BUS_H
#define GF_CLI_COMMANDS_PLAN_BUS_H

#include <jansson.h>

#include "core/session/runner.h"

/* Both need a runner that has planned, in slabs: the bytes copied each way, and the least time of
 * these copies where the speed of the bus is known. The JSON object is the caller's. */
void gf_plan_bus_print(struct gf_runner *r);
json_t *gf_plan_bus_json(struct gf_runner *r);

#endif
