/* A part of a walk over a job in slabs (core/gpu/slab.h): which indices it has, how it is packed in host
 * memory, where its rows are there, and which commands take it through the device. Private to
 * core/gpu/slab_*.c. */
#ifndef GF_CORE_GPU_SLAB_PART_H
#define GF_CORE_GPU_SLAB_PART_H

#include "core/gpu/slab.h"
#include "core/gpu/slab_copy.h"
#include "core/slab/range.h"

/* Queues, and marks by slot: a part is uploaded; transformed; downloaded or sent, in place to a part of the other
 * device's second walk. By member and slot: pieces from that member are uploaded. */
enum { GF_GPU_UPLOADS, GF_GPU_PASSES, GF_GPU_DOWNLOADS };
enum {
    GF_GPU_UPLOADED = 4,
    GF_GPU_TRANSFORMED = GF_GPU_UPLOADED + GF_GPU_SLAB_DEPTH,
    GF_GPU_DOWNLOADED = GF_GPU_TRANSFORMED + GF_GPU_SLAB_SLOTS,
    GF_GPU_DELIVERED = GF_GPU_DOWNLOADED + GF_GPU_SLAB_SLOTS
};
_Static_assert(GF_GPU_DELIVERED + GF_GPU_MEMBERS * GF_GPU_SLAB_DEPTH <= GF_GPU_MARKS, "marks");

struct gf_gpu_slab_ends {
    struct gf_gpu_slab_end in, out[GF_MAX_OUTPUTS], exchange;
};

/* In place every part has a slot of its own. */
static inline int gf_gpu_part_slot(const struct gf_gpu_walk_state *t, int64_t part) {
    return (int)(part % (t->s->role.in_place ? GF_GPU_SLAB_SLOTS : GF_GPU_SLAB_DEPTH));
}
static inline struct gf_gpu_run *gf_gpu_part_run(struct gf_gpu_walk *w, int64_t part) {
    return &w->run[gf_gpu_part_index(w, part)];
}

/* Whether the walk's parts come from the devices' memory, go there, and are looked at by the host on
 * their way there; whether its filter is a table. */
bool gf_gpu_walk_has_inbox(const struct gf_gpu_walk_state *t);
bool gf_gpu_walk_sends(const struct gf_gpu_walk_state *t);
bool gf_gpu_walk_shows(const struct gf_gpu_walk_state *t);
bool gf_gpu_walk_has_table(const struct gf_gpu_walk_state *t);

/* Sets the walk's arrays, and which copies are staged. */
void gf_gpu_walk_choose(struct gf_gpu_walk_state *t, const struct gf_gpu_slab_ends *ends);
/* Adds the copies for the host's threads: packs part `next` (beyond the last: nothing), and unpacks part `back`
 * (below 0: nothing), whose report is read. */
int gf_gpu_part_pack(struct gf_gpu_walk_state *t, int64_t next, struct gf_gpu_slab_copy *copy,
                     int *n);
int gf_gpu_part_unpack(struct gf_gpu_walk_state *t, int64_t back, struct gf_gpu_slab_copy *copy,
                       int *n);
/* Queues a part, except what goes to other devices. */
int gf_gpu_part_begin(struct gf_gpu_walk_state *t, int64_t part);

#endif
