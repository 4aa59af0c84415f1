/* How several devices shared a run, as text and as JSON. */
#ifndef GF_CLI_BATCH_DEAL_REPORT_H
#define GF_CLI_BATCH_DEAL_REPORT_H

#include <jansson.h>

#include "cli/batch/task.h"

/* Of a task that has run: the rule, and its devices with their shares and units. */
json_t *gf_deal_json(const struct gf_task *t);
/* At the end of a run: shares and units with --verbose, and each device that failed. */
void gf_deal_print(struct gf_deal *d);

#endif
