/* --auto-notch and --descreen: periodic noise in a picture's own spectrum. */
#ifndef GF_CLI_FILTER_NOTCH_H
#define GF_CLI_FILTER_NOTCH_H

#include <jansson.h>

#include "cli/batch/task.h"

/* One of the two was given. */
bool gf_filter_searches(const struct gf_settings *s);
/* Before the samples are there: as many notches as there may be, for what their plan takes, and the
 * memory of the search. GF_EINVAL where the job's axes do not allow it. */
int gf_filter_expect_notches(struct gf_task *t);
/* The waves and screens of t->in's own spectrum into t->filtering->peaks. */
int gf_filter_find_notches(struct gf_task *t);
/* Bytes of the screens' mask while the job runs; its table too where that is not there yet. */
int64_t gf_filter_notch_bytes(const struct gf_task *t);
/* One line on what was removed. */
void gf_filter_tell_notches(const struct gf_task *t);
/* The JSON line's "notches" and "screens". */
void gf_filter_describe_notches(const struct gf_task *t, json_t *o);

#endif
