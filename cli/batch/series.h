/* Outputs that hold all volumes of a file's series (times or channels), each of which is a task.
 * They are written one after the other into one file, complete or absent. */
#ifndef GF_CLI_BATCH_SERIES_H
#define GF_CLI_BATCH_SERIES_H

#include "cli/batch/task.h"

struct gf_series;

/* True if output i is one file for all volumes. */
bool gf_series_joins(const struct gf_task *t, int i);
/* NULL, or why it cannot be. */
const char *gf_series_refuses(const struct gf_task *t, int i);
/* Writes the task's volume into output i: opens the file for the first one, commits it after the
 * last. t->series owns the file in between. */
int gf_series_write(struct gf_task *t, int i);
/* Aborts what is not committed; takes NULL. */
void gf_series_free(struct gf_series *s);

#endif
