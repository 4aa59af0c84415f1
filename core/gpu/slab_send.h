/* The exchange of several devices (core/gpu/slab.h): its memory, and parts on their way to the devices that go on
 * with them. Devices that do not reach each other's memory hand them over in page-locked host memory, which the
 * receiver uploads from. */
#ifndef GF_CORE_GPU_SLAB_SEND_H
#define GF_CORE_GPU_SLAB_SEND_H

#include "core/gpu/slab_part.h"

/* Takes the part of the exchange that walk `index` of a device reads, if devices hold it; gives it back. */
int gf_gpu_slab_hold(const struct gf_gpu_member *m, int index);
void gf_gpu_slab_let_go(const struct gf_gpu_member *m, int index);
/* In place: a view of what a walk's part has of a device's exchange, for `c`. */
int gf_gpu_slab_view(const struct gf_gpu_context *c, const struct gf_gpu_slabs *owner,
                     const struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer **view);
/* In place: the indices of the device's first walk whose parts are sent late, or read. */
struct gf_span gf_gpu_slab_late(const struct gf_gpu_slabs *s);

/* Whether some other device's memory is out of reach. */
bool gf_gpu_slab_stages(const struct gf_gpu_walk_state *t);
/* Queues a part that has been transformed, once that is so: to those in reach, and into host memory for
 * the others, whom deliver() has upload it. */
int gf_gpu_slab_send(struct gf_gpu_walk_state *t, int64_t part);
int gf_gpu_slab_deliver(const struct gf_gpu_walk_state *t, int64_t part);
/* In place: sends what a part of the other device's next walk still lacks. */
int gf_gpu_slab_send_late(struct gf_gpu_walk_state *t, int64_t part);
/* In a resident plan: lets a part's passes wait for all that other devices send to it. */
int gf_gpu_slab_await(const struct gf_gpu_walk_state *t, int64_t part);
/* In place: packs what a part of this walk has of the exchange, on the device. */
int gf_gpu_slab_pack(const struct gf_gpu_walk_state *t, int64_t part, struct gf_gpu_buffer *packed);

#endif
