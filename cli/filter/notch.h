/* --auto-notch: periodic noise in a picture's own spectrum. */
#ifndef GF_CLI_FILTER_NOTCH_H
#define GF_CLI_FILTER_NOTCH_H

#include "cli/batch/task.h"

/* Before the samples are there: as many notches as there may be, for what their plan takes, and the
 * memory of the search. GF_EINVAL where the job's axes do not allow it. */
int gf_filter_expect_notches(struct gf_task *t);
/* The peaks of t->in's own spectrum into t->filtering->peaks. */
int gf_filter_find_notches(struct gf_task *t);

#endif
