/* From a job and the memory there is to a plan in slabs. */
#ifndef GF_CORE_SLAB_MAKE_H
#define GF_CORE_SLAB_MAKE_H

#include "core/slab/plan.h"

/* NULL when a job can be run in slabs, or the reason why not. */
const char *gf_slab_refuses(const struct gf_job *job);
/* For a job that is not refused. packing: what its backend packs(), which for lines says nothing. GF_ENOMEM when
 * `memory` bytes hold no slab or no block, or no row of any cut of a line. members: that share the parts, 0 for
 * none; `memory` is each one's, and has its share of the exchange too. */
int gf_slab_plan_make(const struct gf_job *job, enum gf_packing packing, int64_t memory,
                      int members, struct gf_slab_plan *p);
/* Puts a walk before a filter's that reads so many bytes of the input, for what is made of all of it. */
void gf_slab_plan_look(struct gf_slab_plan *p, int64_t bytes);

#endif
