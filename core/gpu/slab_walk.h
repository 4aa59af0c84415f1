/* Parts of walks over a job in slabs: their sizes, their commands, and how they reach the devices
 * that need them next. Private to core/gpu/slab_*.c and dwt_*.c. */
#ifndef GF_CORE_GPU_SLAB_WALK_H
#define GF_CORE_GPU_SLAB_WALK_H

#include "core/gpu/slab.h"

/* ---- jobs and sizes ---- */

static inline bool gf_gpu_slabs_are_line(const struct gf_gpu_slabs *s) {
    return s->asked.ndim == 1;
}

/* True if a walk transforms blocks, multiplies by the filter, and transforms back; if its slabs are
 * columns of a line's matrix. */
static inline bool gf_gpu_walk_filters(const struct gf_gpu_walk *w) {
    return w->s->filter && gf_gpu_blocks(w);
}
static inline bool gf_gpu_walk_columns(const struct gf_gpu_walk *w) {
    return gf_gpu_slabs_are_line(w->s) && !gf_gpu_blocks(w);
}
/* True if a line's automatic range is found in its bins; if a walk makes them for that. */
static inline bool gf_gpu_slabs_sample_line(const struct gf_gpu_slabs *s) {
    return gf_gpu_slabs_are_line(s) && gf_job_samples(&s->plan.job);
}
static inline bool gf_gpu_walk_samples(const struct gf_gpu_walk *w) {
    return gf_gpu_scans(w) && gf_gpu_slabs_sample_line(w->s);
}

/* Views begin at multiples of so many bins of at least 8 bytes. */
enum { GF_GPU_VIEW_BINS = GF_GPU_VIEW_ALIGNED / 8 };
/* Sizes the parts of all walks and makes their plans. GF_ENOMEM. */
int gf_gpu_slabs_fit(struct gf_gpu_slabs *s);
void gf_gpu_slabs_drop_runs(struct gf_gpu_walk *w);
/* Plans a job whose arrays are on the device as a whole; free_run() drops it and takes NULL. */
int gf_gpu_slabs_make_run(const struct gf_gpu_context *c, const struct gf_job *job,
                          struct gf_gpu_run **m);
void gf_gpu_slabs_free_run(const struct gf_gpu_context *c, struct gf_gpu_run *m);

/* ---- one part ---- */

/* Queues, and marks by slot: a part is uploaded; transformed; downloaded or sent (in place: to a
 * part of the other device's second walk). DELIVERED, by member and slot: pieces from that member
 * are uploaded. */
enum { GF_GPU_UPLOADS, GF_GPU_PASSES, GF_GPU_DOWNLOADS };
enum {
    GF_GPU_UPLOADED = 4,
    GF_GPU_TRANSFORMED = GF_GPU_UPLOADED + GF_GPU_SLAB_DEPTH,
    GF_GPU_DOWNLOADED = GF_GPU_TRANSFORMED + GF_GPU_SLAB_SLOTS,
    GF_GPU_DELIVERED = GF_GPU_DOWNLOADED + GF_GPU_SLAB_SLOTS
};
_Static_assert(GF_GPU_DELIVERED + GF_GPU_MEMBERS * GF_GPU_SLAB_DEPTH <= GF_GPU_MARKS, "marks");

/* Selects a queue, whose next commands wait for a mark. */
static inline int gf_gpu_queue_after(const struct gf_gpu_context *c, int queue, int which) {
    int rc = c->api->use(c->gpu, queue);
    return rc ? rc : c->api->follow(c->gpu, which);
}

struct gf_gpu_slab_ends {
    struct gf_gpu_slab_end in, out[GF_MAX_OUTPUTS], exchange;
};

/* In place each part has its own slot. */
static inline int gf_gpu_part_slot(struct gf_gpu_walk *w, int64_t part) {
    return (int)(part % (w->s->role.in_place ? GF_GPU_SLAB_SLOTS : GF_GPU_SLAB_DEPTH));
}

/* Sets the walk's arrays and which of them are staged. */
void gf_gpu_walk_choose(struct gf_gpu_walk *w, const struct gf_gpu_slab_ends *ends);

/* ---- the exchange of several devices ---- */

/* Each device has a share of the pages and a share of a page's bins: slabs are its pages, blocks
 * its bins. Between the walks a slab's part is cut at the bounds of the blocks' parts, and the
 * pieces go to the devices that own those blocks; after a filter's blocks they go back. A slab's
 * part is [page][bin of all], a block's part [page of all][bin], both packed; in place both are
 * parts of the whole exchange.
 *
 *     struct gf_span pages = gf_span_share(512, 3, device), bins = gf_span_share(4096, 3, other);
 *     struct gf_gpu_region slab = {pages.first, 0, 4096}, block = {0, bins.first, bins.count};
 *     struct gf_gpu_move piece = gf_gpu_piece(unit, pages, bins, slab, block);     unit: bytes a bin
 */

/* The first page and bin of a memory region, and the bins between its pages. */
struct gf_gpu_region {
    int64_t page, bin, pitch;
};

static inline int64_t gf_gpu_region_at(struct gf_gpu_region p, int64_t page, int64_t bin) {
    return (page - p.page) * p.pitch + bin - p.bin;
}

/* Moves some bins of some pages; the caller sets the buffers. */
static inline struct gf_gpu_move gf_gpu_piece(int64_t unit, struct gf_span pages,
                                              struct gf_span bins, struct gf_gpu_region from,
                                              struct gf_gpu_region to) {
    return (struct gf_gpu_move){
        .from = {.offset = gf_gpu_region_at(from, pages.first, bins.first) * unit,
                 .pitch = from.pitch * unit},
        .to = {.offset = gf_gpu_region_at(to, pages.first, bins.first) * unit,
               .pitch = to.pitch * unit},
        .bytes = bins.count * unit,
        .count = pages.count};
}

/* A device out of reach uploads its pieces from the sender's page-locked host memory. */

/* Allocates the exchange's part that a walk reads, if devices hold it; frees it. */
int gf_gpu_slab_hold(struct gf_gpu_walk *w);
void gf_gpu_slab_let_go(struct gf_gpu_walk *w);
/* In place: a view, for `c`, of a part's place in a device's exchange. */
int gf_gpu_slab_view(const struct gf_gpu_context *c, const struct gf_gpu_slabs *owner,
                     const struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer **view);
/* In place: indices of the first walk that are sent late, or read. */
struct gf_span gf_gpu_slab_late(const struct gf_gpu_slabs *s);

/* True if some other device's memory is out of reach. */
bool gf_gpu_slab_stages(struct gf_gpu_walk *w);
/* Queues the sending of a transformed part: directly to devices in reach, else into host memory,
 * from which receive() has a device upload that part of all others. */
int gf_gpu_slab_send(struct gf_gpu_walk *w, int64_t part);
int gf_gpu_slab_receive(struct gf_gpu_walk *w, int64_t part);
/* In place: sends what the other device's part still lacks. */
int gf_gpu_slab_send_late(struct gf_gpu_walk *w, int64_t part);
/* Resident: makes a part's passes wait for all data sent to it. */
int gf_gpu_slab_await(struct gf_gpu_walk *w, int64_t part);
/* In place: packs a part from the exchange, on the device. */
int gf_gpu_slab_pack(struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer *packed);

/* ---- all parts ---- */

/* take() allocates the memory of walks [first, end) on all devices, and what the next walk reads;
 * walk() runs them until all devices are idle; give_back() frees, also after failures and
 * repeatedly. */
int gf_gpu_slab_take(struct gf_gpu_shared *p, int first, int end);
int gf_gpu_slab_walk(struct gf_gpu_shared *p, int first, int end);
void gf_gpu_slab_give_back(struct gf_gpu_shared *p, int first, int end);
/* Waits until all devices are idle, as queued commands may use another's memory. Returns `rc`, or
 * the devices' failure. */
int gf_gpu_slab_settle(const struct gf_gpu_shared *p, int rc);
/* Adds the device's name to a failure's message if there are several; returns `rc`. */
int gf_gpu_member_name(const struct gf_gpu_member *m, int rc);
/* Makes bins that are their own mirror image real: the last transform, of complex numbers, leaves
 * rounding errors. */
void gf_gpu_slabs_make_real(const struct gf_gpu_slabs *s, const struct gf_array *out);
/* CPU threads for copies; one if the device is the CPU. */
int gf_gpu_slab_threads(const struct gf_gpu_context *c);

#endif
