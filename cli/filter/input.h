/* The samples that a filter's job starts from: those of the picture, and beyond its edges. */
#ifndef GF_CLI_FILTER_INPUT_H
#define GF_CLI_FILTER_INPUT_H

#include "cli/batch/task.h"

/* Notes in t->prepare_bytes what the input and `bytes` beside it take while the filter is made; once
 * the samples are there it is held to the limit. */
int gf_filter_check_memory(struct gf_task *t, int64_t bytes);
/* t->in lengthened by --edges, into t->filtering->input. */
int gf_filter_lengthen(struct gf_task *t);
/* Bytes that takes, at most. */
int64_t gf_filter_lengthen_bytes(const struct gf_task *t);

/* The same unit by unit, for volumes and lines that are not in memory: read() and bytes() of struct
 * gf_task_input, and whether they look at the file before. */
int gf_filter_make_units(struct gf_task *t, const struct gf_unit_source *file, int64_t first,
                         struct gf_array *to);
int64_t gf_filter_make_units_bytes(const struct gf_task *t, int64_t limit);
bool gf_filter_looks(const struct gf_task *t);

/* ---- for both ---- */

/* An array for a job's input or output; bytes alone where `a` is NULL. */
int64_t gf_filter_job_array(const struct gf_job *job, bool output, int *rc, struct gf_array *a);
/* `in` becomes the job's output; a job that transforms nothing leaves it. */
int gf_filter_run_over(struct gf_runner *runner, const struct gf_job *job, struct gf_array *in);
/* The picture as its smooth part sees it. */
struct gf_job gf_filter_picture_job(const struct gf_task *t);
/* The picture's samples into `to`, converted to its type. */
void gf_filter_take_in(const struct gf_task *t, const struct gf_array *in, struct gf_array *to);

#endif
