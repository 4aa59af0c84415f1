/* The wavelet transform by its definition, in plain loops: the yardstick of test_dwt. */
#ifndef GF_TESTS_DWT_DEFINITION_H
#define GF_TESTS_DWT_DEFINITION_H

#include "core/base/job/job.h"

/* All levels, level by level and axis by axis, into boxes of a block with the packed extents; the
 * approximation so far is in the corner.
 * `picture` and `out` are C-contiguous, in the shapes of the job's input and output. */
void dwt_define(const struct gf_job *job, const double *picture, double *out);

#endif
