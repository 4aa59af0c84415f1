/* Parts on their way to the devices that go on with them (core/gpu/slab.h). Devices that do not reach
 * each other's memory hand them over in page-locked host memory, which the receiver uploads from. */
#ifndef GF_CORE_GPU_SLAB_SEND_H
#define GF_CORE_GPU_SLAB_SEND_H

#include "core/gpu/slab_part.h"

/* Around walk `index`: memory for what the next one reads, on all devices; and what was read is given
 * back, unless it is read once more. let_go(): all of it. */
int gf_gpu_slab_hold(const struct gf_gpu_walkers *all, int index);
void gf_gpu_slab_pass_on(const struct gf_gpu_walkers *all, int index);
void gf_gpu_slab_let_go(const struct gf_gpu_walkers *all);

/* Whether some other device's memory is out of reach. */
bool gf_gpu_slab_stages(const struct gf_gpu_transit *t);
/* Queues a part that has been transformed, once that is so: to those in reach, and into host memory for
 * the others, whom deliver() has upload it. */
int gf_gpu_slab_send(struct gf_gpu_transit *t, int64_t part);
int gf_gpu_slab_deliver(const struct gf_gpu_transit *t, int64_t part);

#endif
