/* Reports about finished files: --verbose on stderr, --json on stdout.
 *
 *     rc ? gf_report_lost(&task) : gf_report_done(&task);
 */
#ifndef GF_CLI_BATCH_REPORT_H
#define GF_CLI_BATCH_REPORT_H

#include "cli/batch/task.h"
#include "cli/report.h"

void gf_report_done(const struct gf_task *t);
/* For a task that --resume skips or that --dry-run examined: prints what it would read and write to stdout. */
void gf_report_not_run(const struct gf_task *t);
/* Prints the JSON line of a task that failed; its message has gone to stderr. */
void gf_report_lost(const struct gf_task *t);
/* The same for a file without a task. */
void gf_report_failed(const struct gf_settings *s, const char *name);

/* After a run that several devices shared, prints their shares and units (--verbose), and each device that
 * failed if the others did its work. */
void gf_deal_print(struct gf_deal *d);

#endif
