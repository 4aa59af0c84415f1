/* A part of a walk over a job in slabs (core/gpu/slab.h): which indices it has, how it is packed in host
 * memory, where its rows are there, and which commands take it through the device. Private to
 * core/gpu/slab_*.c. */
#ifndef GF_CORE_GPU_SLAB_PART_H
#define GF_CORE_GPU_SLAB_PART_H

#include "core/gpu/slab.h"
#include "core/gpu/slab_copy.h"
#include "core/slab/range.h"

/* Queues, and marks, each of these followed by those of the other parts in flight: this part is there,
 * transformed, back or sent; its pieces from another member are there, by member. */
enum { GF_GPU_UPLOADS, GF_GPU_PASSES, GF_GPU_DOWNLOADS };
enum {
    GF_GPU_UPLOADED = 4,
    GF_GPU_TRANSFORMED = GF_GPU_UPLOADED + GF_GPU_SLAB_DEPTH,
    GF_GPU_DOWNLOADED = GF_GPU_TRANSFORMED + GF_GPU_SLAB_DEPTH,
    GF_GPU_DELIVERED = GF_GPU_DOWNLOADED + GF_GPU_SLAB_DEPTH
};

/* An array, and what is known of its memory. */
struct gf_gpu_slab_end {
    struct gf_array a;
    bool locked, ours; /* page-locked; by this job */
};

struct gf_gpu_slab_ends {
    struct gf_gpu_slab_end in, out[GF_MAX_OUTPUTS], exchange;
};

/* Who walks: all devices of the job, each with its part of the plan. */
struct gf_gpu_walkers {
    const struct gf_gpu_member *member;
    int n;
    const unsigned *reaches; /* as gf_gpu_slabs_exec_all() */
    struct gf_slab_range
        *range; /* that finds what it needs in what several devices exchange; or NULL */
};

/* One walk under way on one device. */
struct gf_gpu_transit {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    struct gf_gpu_walk *w;
    const struct gf_gpu_walkers *all;
    struct gf_array from, to[GF_MAX_OUTPUTS];
    bool from_staged, to_staged[GF_MAX_OUTPUTS]; /* the others are copied by the device alone */
    struct gf_gpu_buffer *in[GF_GPU_SLAB_DEPTH], *out[GF_GPU_SLAB_DEPTH][GF_MAX_OUTPUTS];
    struct gf_gpu_buffer *report[GF_GPU_SLAB_DEPTH], *work[2];
    struct gf_gpu_buffer *table[GF_GPU_SLAB_DEPTH]; /* a filter's values, where they are a table */
    struct gf_report *found;
    double *high; /* of a walk for display ranges */
};

static inline struct gf_span gf_gpu_part_span(const struct gf_gpu_walk *w, int64_t part) {
    const int64_t at = part * w->each;
    return (struct gf_span){w->first + at, part + 1 < w->n ? w->each : w->extent - at};
}
/* The plan for it. */
struct gf_gpu_run *gf_gpu_part_run(struct gf_gpu_walk *w, int64_t part);

/* Whether the walk's parts come from the devices' memory, go there, and are looked at by the host on
 * their way there. */
bool gf_gpu_transit_holds(const struct gf_gpu_transit *t);
bool gf_gpu_transit_sends(const struct gf_gpu_transit *t);
bool gf_gpu_transit_shows(const struct gf_gpu_transit *t);
bool gf_gpu_transit_has_table(const struct gf_gpu_transit *t);

/* Which copies are staged. */
void gf_gpu_transit_choose(struct gf_gpu_transit *t, const struct gf_gpu_slab_ends *ends);
/* What the host's threads copy: packs part `next` (beyond the last: nothing), and unpacks part `back`
 * (below 0: nothing), whose report is read. */
int gf_gpu_part_pack(struct gf_gpu_transit *t, int64_t next, struct gf_gpu_slab_copy *copy, int *n);
int gf_gpu_part_unpack(struct gf_gpu_transit *t, int64_t back, struct gf_gpu_slab_copy *copy,
                       int *n);
/* Queues a part's passes: for when the part is there, and the results of the part before it in the same
 * buffers are back. */
int gf_gpu_part_transform(struct gf_gpu_transit *t, int64_t part);
/* Queues all of a part but its way to other devices. */
int gf_gpu_part_begin(struct gf_gpu_transit *t, int64_t part);

#endif
