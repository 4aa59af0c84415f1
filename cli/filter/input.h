/* The samples that a filter's job starts from: those of the picture, and beyond its edges. */
#ifndef GF_CLI_FILTER_INPUT_H
#define GF_CLI_FILTER_INPUT_H

#include "cli/batch/task.h"

/* t->in lengthened by --edges, into t->filtering->input. */
int gf_filter_lengthen(struct gf_task *t);
/* Bytes that takes, at most. */
int64_t gf_filter_lengthen_bytes(const struct gf_task *t);

#endif
