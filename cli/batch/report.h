/* What is said about a finished file: --verbose on stderr, --json on stdout. */
#ifndef GF_CLI_BATCH_REPORT_H
#define GF_CLI_BATCH_REPORT_H

#include <jansson.h>

#include "cli/batch/task.h"

void gf_report_done(const struct gf_task *t);
void gf_report_skipped(const struct gf_task *t);
/* The JSON line of a task that failed; the message itself went to stderr. */
void gf_report_lost(const struct gf_task *t);
/* The same of a file that no task was made of. */
void gf_report_failed(const struct gf_settings *s, const char *name);

/* JSON text of any bytes: what is no UTF-8 becomes U+FFFD. */
json_t *gf_json_text(const char *text);
json_t *gf_json_shape(const int64_t *shape, int n);
/* Prints `object`, with the version of these lines, as one line on stdout and lets go of it. */
void gf_json_print(json_t *object);

#endif
