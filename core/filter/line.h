/* A filter's values along a single line, a few at a time: at every step-th frequency, which are a part of
 * the line's job (struct gf_job, `whole`). */
#ifndef GF_CORE_FILTER_LINE_H
#define GF_CORE_FILTER_LINE_H

#include "core/filter/filter.h"

/* The values at indices first .. first + count - 1 of the part, re and im: of all factors and of
 * filter->table, which is the part's. GF_ENOMEM. */
int gf_filter_line_values(const struct gf_job *part, int64_t first, int64_t count, double *value);

#endif
