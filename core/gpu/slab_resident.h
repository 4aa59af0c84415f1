/* A transform that several devices share with its arrays in their memory, as `gpufft bench` times it: each
 * device keeps its share of the input and of the output, and all buffers stay between runs. A run is the
 * first walk, whose parts are sent to the devices as they are ready, and the second walk. The output stays
 * as the exchange leaves it: forward each device has its bins of all pages. Of plans whose seat is resident.
 *
 *     struct gf_gpu_resident *r = NULL;
 *     int rc = gf_gpu_resident_upload(&r, member, 2, reaches, &in);
 *     if (!rc) rc = gf_gpu_resident_run(r, 10, &seconds);
 *     if (!rc) rc = gf_gpu_resident_download(r, &out);
 *     gf_gpu_resident_drop(r);
 */
#ifndef GF_CORE_GPU_SLAB_RESIDENT_H
#define GF_CORE_GPU_SLAB_RESIDENT_H

#include "core/gpu/slab.h"

struct gf_gpu_resident;

/* Takes the memory at its first call, when *resident is NULL; dropped also after a failure. The members and
 * `reaches`, as gf_gpu_slabs_exec_all() has them, outlive it. */
int gf_gpu_resident_upload(struct gf_gpu_resident **resident, const struct gf_gpu_member *member,
                           int n, const unsigned *reaches, const struct gf_array *in);
/* `times` runs, one after the other; their time by the host's clock, as no device's clock measures all. */
int gf_gpu_resident_run(struct gf_gpu_resident *r, int times, double *seconds);
int gf_gpu_resident_download(struct gf_gpu_resident *r, struct gf_array *out);
void gf_gpu_resident_drop(struct gf_gpu_resident *r); /* takes NULL */

/* What a part of a walk has of the input or the output, which lies together. */
struct gf_array gf_gpu_resident_part(const struct gf_gpu_walk *w, const struct gf_array *array,
                                     int64_t part);
/* Calls copy() with the array, or, where that has gaps, with a packed one. */
int gf_gpu_resident_copy(struct gf_array *array, bool up,
                         int (*copy)(void *user, struct gf_array *array), void *user);
/* Until all devices are idle: queued commands may still use the memory of another one. The message of a
 * failure stays. */
void gf_gpu_resident_wait(const struct gf_gpu_member *member, int n);

#endif
