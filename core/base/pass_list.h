/* The passes of a job that runs as a load step, one axis after the other, and a store step, as
 * `gpufft plan` prints them. Each call appends to the plan, whose job is set.
 *
 *     gf_pass_list_load(plan, before);
 *     gf_pass_list_axes(plan, "fftw (estimate)", true, false, before, after);
 *     gf_pass_list_store(plan, after);
 *
 * Sizes are those of the work buffers before and after the transform, in bytes. */
#ifndef GF_CORE_BASE_PASS_LIST_H
#define GF_CORE_BASE_PASS_LIST_H

#include "core/base/backend.h"

void gf_pass_list_load(struct gf_plan *plan, int64_t before);
/* The halved axis comes first in a transform of reals to half spectra (r2c), last in one back (c2r). */
void gf_pass_list_axes(struct gf_plan *plan, const char *who, bool r2c, bool c2r, int64_t before,
                       int64_t after);
/* All outputs, and the searches for their display ranges. */
void gf_pass_list_store(struct gf_plan *plan, int64_t after);

#endif
