/* All operations, and what runs any of them alike: its name, its options as texts, its arrays.
 *
 *     struct gf_match_options options;
 *     struct gf_operation op = {.kind = gf_operation_find("match"), .crew = crew};
 *     int rc = gf_operation_set(op.kind, &options, NULL);                 its defaults
 *     if (!rc) rc = gf_operation_set(op.kind, &options, "peaks=3");
 *     if (!rc) rc = gf_operation_open(&op, &options, &letter, 1);
 *     gf_operation_begin(&op, &page);
 *     if (!rc) rc = gf_operation_apply(&op, &page, &map);
 *     if (!rc) op.kind->facts(&op, &facts);                               gf_facts_free() before
 *     gf_operation_drop(&op);
 *     gf_operation_close(&op);
 *
 * Arrays have their channels last. For the need of memory, gf_operation_expect() instead of
 * gf_operation_apply(). operations.c */
#ifndef GF_CORE_OP_OPERATIONS_H
#define GF_CORE_OP_OPERATIONS_H

#include "core/op/operation.h"

/* For tests: the i-th one; NULL after the last. */
const struct gf_operation_kind *gf_operation_at(int i);
/* NULL, with a message, if there is none of that name. */
const struct gf_operation_kind *gf_operation_find(const char *name);

/* Sets an option by "name=value", a flag by "name" or "no-name", which may
 * have to outlive the options; NULL: sets all to their defaults. GF_EUSAGE. */
int gf_operation_set(const struct gf_operation_kind *kind, void *options, const char *text);

/* Checks the options, and makes op->shared of them and of further arrays, as the kind's open().
 * gf_operation_close() frees it, after a failure too. */
int gf_operation_open(struct gf_operation *op, void *options, const struct gf_array *with, int n);
void gf_operation_close(struct gf_operation *op);

/* Gives an operation the job for all axes of an array, which needs no data,
 * with one output unless it measures. The caller may change it. */
void gf_operation_begin(struct gf_operation *op, const struct gf_array *in);

#endif
