/* Reports about finished files: --verbose on stderr, --json on stdout.
 *
 *     rc ? gf_report_lost(&task) : gf_report_done(&task);
 */
#ifndef GF_CLI_BATCH_REPORT_H
#define GF_CLI_BATCH_REPORT_H

#include <jansson.h>

#include "cli/batch/task.h"

void gf_report_done(const struct gf_task *t);
/* A task that --resume skips, or that --dry-run looked at: what it would read and write, on stdout. */
void gf_report_not_run(const struct gf_task *t);
/* The JSON line of a task that failed; the message itself went to stderr. */
void gf_report_lost(const struct gf_task *t);
/* The same for a file without a task. */
void gf_report_failed(const struct gf_settings *s, const char *name);

/* JSON text of any bytes: those that are not UTF-8 become U+FFFD. */
json_t *gf_json_text(const char *text);
json_t *gf_json_shape(const int64_t *shape, int n);
/* Prints `object`, with the version of these lines, as one line on stdout and frees it. */
void gf_json_print(json_t *object);

#endif
