/* A transform of two devices that keep it in their memory, where each has room for the whole exchange:
 * all pages of all bins. A device transforms its pages into their place there, and sends the other device's
 * bins of them to the same place of that one's memory; then it transforms its own bins of all pages where they
 * are, which is its share of the output. So nothing is copied within a device. The last pages are sent by
 * the parts of the bins, and the transform of a part's bins begins as soon as these are there.
 *
 * Inverse the bins come first, as the forward transform leaves them, and the pages then, into memory of their
 * own.
 *
 * In natural order, which begins with the pages both ways, each device ends with its pages of all bins: the other one's pages of a part's bins are
 * sent back, to the same place again, as soon as they are transformed. Nothing waits there: the other one had
 * sent its own numbers of that place before the part could be transformed. It writes there next in the next
 * run, before which both devices are idle.
 *
 *     struct gf_gpu_in_place *p = NULL;
 *     int rc = gf_gpu_in_place_upload(&p, member, &in);
 *     if (!rc) rc = gf_gpu_in_place_run(p, 1, &seconds);
 *     if (!rc) rc = gf_gpu_in_place_download(p, &out);
 *     gf_gpu_in_place_drop(p);
 */
#ifndef GF_CORE_GPU_SLAB_IN_PLACE_H
#define GF_CORE_GPU_SLAB_IN_PLACE_H

#include "core/gpu/slab.h"

struct gf_gpu_in_place;

/* The functions of core/gpu/slab_resident.h, for the plans of two devices that reach each other. */
int gf_gpu_in_place_upload(struct gf_gpu_in_place **p, const struct gf_gpu_member *member,
                           const struct gf_array *in);
int gf_gpu_in_place_run(struct gf_gpu_in_place *p, int times, double *seconds);
int gf_gpu_in_place_download(struct gf_gpu_in_place *p, struct gf_array *out);
void gf_gpu_in_place_drop(struct gf_gpu_in_place *p); /* takes NULL */

#endif
