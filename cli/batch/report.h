/* Reports about finished files: --verbose on stderr, --json on stdout.
 *
 *     rc ? gf_report_lost(&task) : gf_report_done(&task);
 */
#ifndef GF_CLI_BATCH_REPORT_H
#define GF_CLI_BATCH_REPORT_H

#include "cli/batch/task.h"
#include "cli/report.h"

void gf_report_done(const struct gf_task *t);
/* A task that --resume skips, or that --dry-run looked at: what it would read and write, on stdout. */
void gf_report_not_run(const struct gf_task *t);
/* The JSON line of a task that failed; the message itself went to stderr. */
void gf_report_lost(const struct gf_task *t);
/* The same for a file without a task. */
void gf_report_failed(const struct gf_settings *s, const char *name);

/* How several devices shared a run, once it is over: shares and units with --verbose, and each device that
 * failed where the others did its work. */
void gf_deal_print(struct gf_deal *d);

#endif
