/* Which pages of an exchange in place are not sent, but read by the other device's kernels.
 *
 *     const bool few = gf_gpu_slabs_may_read(c, s); // parts of the second walk
 *     // ... plans of all walks are made ...
 *     gf_gpu_slabs_read(c, s);
 *     // ... their kernels are built ...
 */
#ifndef GF_CORE_GPU_SLAB_READ_H
#define GF_CORE_GPU_SLAB_READ_H

#include "core/gpu/slab.h"

bool gf_gpu_slabs_may_read(const struct gf_gpu_context *c, const struct gf_gpu_slabs *s);
/* Sets s->late, and the second walk's reads_other, where its plans allow it. */
void gf_gpu_slabs_read(const struct gf_gpu_context *c, struct gf_gpu_slabs *s);

#endif
