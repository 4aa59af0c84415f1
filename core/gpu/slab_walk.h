/* The parts of walks over a job in slabs (core/gpu/slab.h): how large they are, which commands take them through the
 * device, and how they get to the devices that go on with them. Private to core/gpu/slab_*.c. */
#ifndef GF_CORE_GPU_SLAB_WALK_H
#define GF_CORE_GPU_SLAB_WALK_H

#include "core/gpu/slab.h"
#include "core/slab/range.h"

/* ---- jobs and sizes ---- */

static inline bool gf_gpu_job_walks_twice(const struct gf_job *job) {
    return job->axes & 1 && job->axes != 1;
}
static inline bool gf_gpu_slabs_are_line(const struct gf_gpu_slabs *s) {
    return s->asked.ndim == 1;
}

/* Every so many bins, of at least 8 bytes, a view can begin. */
enum { GF_GPU_VIEW_BINS = GF_GPU_VIEW_ALIGNED / 8 };
/* Sizes the parts of all walks and makes their plans; GF_ENOMEM where they do not fit. */
int gf_gpu_slabs_fit(struct gf_gpu_slabs *s);
void gf_gpu_slabs_drop_runs(struct gf_gpu_walk *w);

/* ---- one part ---- */

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

/* Commands go to a queue from here on, after the device has passed the last mark `which`. */
static inline int gf_gpu_queue_after(const struct gf_gpu_context *c, int queue, int which) {
    int rc = c->api->use(c->gpu, queue);
    return rc ? rc : c->api->follow(c->gpu, which);
}

struct gf_gpu_slab_ends {
    struct gf_gpu_slab_end in, out[GF_MAX_OUTPUTS], exchange;
};

/* In place every part has a slot of its own. */
static inline int gf_gpu_part_slot(struct gf_gpu_walk *w, int64_t part) {
    return (int)(part % (w->s->role.in_place ? GF_GPU_SLAB_SLOTS : GF_GPU_SLAB_DEPTH));
}

/* Sets the walk's arrays, and which copies are staged. */
void gf_gpu_walk_choose(struct gf_gpu_walk *w, const struct gf_gpu_slab_ends *ends);

/* ---- the exchange of several devices ---- */

/* Each device has a share of the pages, and another one of a page's bins. A walk over slabs takes the
 * device's own pages through all axes but the slowest, a walk over blocks its own bins through that one.
 * In between each part of a slab is cut at the bounds of the blocks' parts, and the pieces go to the
 * devices whose blocks they belong to; after a filter's blocks they go the other way. A slab's part is
 * [page][bin of all], a block's part [page of all][bin], both packed; in place both are in the whole exchange.
 *
 *     struct gf_span pages = gf_slab_share(512, 3, device), bins = gf_slab_share(4096, 3, other);
 *     struct gf_gpu_region slab = {pages.first, 0, 4096}, block = {0, bins.first, bins.count};
 *     struct gf_gpu_move piece = gf_gpu_piece(unit, pages, bins, slab, block);     `unit` bytes a bin, all channels
 */

/* The page and the bin that memory begins with, and bins from page to page. */
struct gf_gpu_region {
    int64_t page, bin, pitch;
};

static inline int64_t gf_gpu_region_at(struct gf_gpu_region p, int64_t page, int64_t bin) {
    return (page - p.page) * p.pitch + bin - p.bin;
}

/* Some bins of some pages from one place to another; the memory is the caller's to set. */
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

/* Devices that do not reach each other's memory hand parts over in page-locked host memory, which the receiver uploads
 * from. */

/* Takes the part of the exchange that a walk reads, if devices hold it; gives it back. */
int gf_gpu_slab_hold(struct gf_gpu_walk *w);
void gf_gpu_slab_let_go(struct gf_gpu_walk *w);
/* In place: a view of what a walk's part has of a device's exchange, for `c`. */
int gf_gpu_slab_view(const struct gf_gpu_context *c, const struct gf_gpu_slabs *owner,
                     const struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer **view);
/* In place: the indices of the device's first walk whose parts are sent late, or read. */
struct gf_span gf_gpu_slab_late(const struct gf_gpu_slabs *s);

/* Whether some other device's memory is out of reach. */
bool gf_gpu_slab_stages(struct gf_gpu_walk *w);
/* Queues a part that has been transformed, once that is so: to those in reach, and into host memory for
 * the others, whom deliver() has upload it. */
int gf_gpu_slab_send(struct gf_gpu_walk *w, int64_t part);
int gf_gpu_slab_deliver(struct gf_gpu_walk *w, int64_t part);
/* In place: sends what a part of the other device's next walk still lacks. */
int gf_gpu_slab_send_late(struct gf_gpu_walk *w, int64_t part);
/* In a resident plan: lets a part's passes wait for all that other devices send to it. */
int gf_gpu_slab_await(struct gf_gpu_walk *w, int64_t part);
/* In place: packs what a part of this walk has of the exchange, on the device. */
int gf_gpu_slab_pack(struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer *packed);

/* ---- all parts ---- */

/* The memory of walks [first, end) on all devices, and of what the next walk reads of the exchange; then these
 * walks, until all devices are idle. give_back() also after a failure; twice does no harm. */
int gf_gpu_slab_take(struct gf_gpu_shared *p, int first, int end);
int gf_gpu_slab_walk(struct gf_gpu_shared *p, int first, int end);
void gf_gpu_slab_give_back(struct gf_gpu_shared *p, int first, int end);
/* Waits until all devices are idle, for queued commands may use the memory of another one. Returns the failure `rc` with
 * its message, or else the devices' own. */
int gf_gpu_slab_settle(const struct gf_gpu_shared *p, int rc);
/* Names the device in the message of a failure, where there are several; returns `rc`. */
int gf_gpu_member_name(const struct gf_gpu_member *m, int rc);
/* Bins that mirror themselves, of spectra of real samples, become those of real numbers: the last transform
 * is one of complex numbers, and rounds them. */
void gf_gpu_slabs_make_real(const struct gf_gpu_slabs *s, const struct gf_array *out);
/* CPU threads for copies; a device that is the CPU has its own threads there. */
int gf_gpu_slab_threads(const struct gf_gpu_context *c);

#endif
