/* The parts of `gpufft plan`. Each level of a plan is a report, which the caller frees; a level that the
 * task does not have is NULL. */
#ifndef GF_CLI_COMMANDS_PLAN_H
#define GF_CLI_COMMANDS_PLAN_H

#include "cli/batch/task.h"
#include "cli/report.h"
#include "core/schedule/plan.h"

/* Wavelets dealt to several devices (cli/commands/planes.h): the parts and each device's memory. Opens the
 * devices. GF_ENOMEM and the like if one of them cannot run a part. */
int gf_plan_dealt(const struct gf_task *t, json_t **level);
/* Predicts the run of a planned task by the processes of --ranks and --link: `moved` bytes that one
 * process reads and writes. *slabs is what they share, without walks if that is pages or planes. Measures
 * memory bandwidth for about a second. GF_EUNSUPP if processes cannot share the job, GF_ENOMEM. */
int gf_plan_ranks(const struct gf_task *t, int64_t moved, struct gf_slab_plan *slabs,
                  json_t **level);

/* Prints the levels of a planned task as text or JSON. Its runner then has another plan. */
int gf_plan_print(const char *name, struct gf_task *t);

#endif
