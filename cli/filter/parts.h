/* Tables of masks and kernels for a part of a spectrum that does not fit memory. */
#ifndef GF_CLI_FILTER_PARTS_H
#define GF_CLI_FILTER_PARTS_H

#include "cli/batch/task.h"

/* filter->table of a part that transforms the slowest axis, of a volume or of a picture taken as one
 * (core/slab/plan.h): the product of all masks and kernels. */
int gf_filter_make_table(struct gf_task *t, const struct gf_job *part, struct gf_filter *filter);

/* Bytes of the masks and kernels that are in memory meanwhile, and of a kernel's plane. */
int64_t gf_filter_parts_bytes(const struct gf_task *t);

#endif
