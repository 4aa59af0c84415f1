/* From a job and the memory there is to a plan in slabs. */
#ifndef GF_CORE_SLAB_MAKE_H
#define GF_CORE_SLAB_MAKE_H

#include "core/slab/plan.h"

/* NULL when a job can be run in slabs, or the reason why not. */
const char *gf_slab_refuses(const struct gf_job *job);
/* The backend of the parts: what it packs() of a volume or picture, and, unless NULL, the bytes of workspace that its
 * plan for a part takes, or -1 where it does not tell. All zero: one that is not known. */
struct gf_slab_worker {
    enum gf_packing packs;
    int64_t (*workspace)(void *user, const struct gf_job *part);
    void *user;
};

/* For a job that is not refused. GF_ENOMEM when
 * `memory` bytes hold no slab or no block, or no row of any cut of a line. members: that share the parts, 0 for
 * none; `memory` is each one's, and has its share of the exchange too. */
int gf_slab_plan_make(const struct gf_job *job, const struct gf_slab_worker *worker, int64_t memory,
                      int members, struct gf_slab_plan *p);
/* The job that a backend runs for the largest part of walk i, of a filter's blocks that of the transform; false where it
 * runs none. */
bool gf_slab_part_job(const struct gf_slab_plan *p, int i, struct gf_job *job);
/* Puts a walk before a filter's that reads so many bytes of the input, for what is made of all of it. */
void gf_slab_plan_look(struct gf_slab_plan *p, int64_t bytes);

#endif
