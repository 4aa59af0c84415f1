/* What `gpufft plan` shows of a job that does not fit in memory: its walks over a disk, or over its planes. */
#ifndef GF_CLI_COMMANDS_PLAN_SLABS_H
#define GF_CLI_COMMANDS_PLAN_SLABS_H

#include <jansson.h>

#include "cli/batch/task.h"
#include "core/slab/plan.h"

void gf_plan_slabs_print(const struct gf_task *t, const struct gf_slab_plan *p);
json_t *gf_plan_slabs_json(const struct gf_task *t,
                           const struct gf_slab_plan *p); /* the caller's */

#endif
