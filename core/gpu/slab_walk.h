/* Runs the walks of a job in slabs (core/gpu/slab.h): their memory, and the loop over their parts on all devices. */
#ifndef GF_CORE_GPU_SLAB_WALK_H
#define GF_CORE_GPU_SLAB_WALK_H

#include "core/gpu/slab_part.h"

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
