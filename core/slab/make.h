/* From a job and the memory there is to a plan in slabs. */
#ifndef GF_CORE_SLAB_MAKE_H
#define GF_CORE_SLAB_MAKE_H

#include "core/slab/plan.h"

/* NULL when a job can be run in slabs, or the reason why not. */
const char *gf_slab_refuses(const struct gf_job *job);
/* For a job that is not refused. packed: its backend packs() such jobs. GF_ENOMEM when `memory` bytes
 * hold no slab or no block. */
int gf_slab_plan_make(const struct gf_job *job, bool packed, int64_t memory,
                      struct gf_slab_plan *p);

#endif
