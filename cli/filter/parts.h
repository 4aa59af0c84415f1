/* Tables of masks and kernels for a part of a spectrum that does not fit memory. */
#ifndef GF_CLI_FILTER_PARTS_H
#define GF_CLI_FILTER_PARTS_H

#include "cli/batch/task.h"

/* The make_part() of filters with masks and kernels: of a part that transforms the slowest axis, of a volume
 * or of a picture taken as one (core/slab/plan.h), the product of them all. */
int gf_filter_make_table(const void *settings, const struct gf_job *part, struct gf_filter *filter);

/* Bytes of the masks and kernels that are in memory meanwhile, and of a kernel's plane. */
int64_t gf_filter_parts_bytes(const struct gf_task *t);

/* Runs one job on the CPU, which every machine has and which has double precision; `settings` is a
 * struct gf_settings. */
int gf_filter_transform_once(void *settings, const struct gf_job *job, const struct gf_array *in,
                             struct gf_array *out);

#endif
