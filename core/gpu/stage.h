/* Copies arrays to a device and back. A device accesses page-locked memory several times as fast as
 * pageable memory, but locking the caller's would cost more than it saves. So large arrays pass
 * piece by piece through two buffers that are locked once: threads fill or empty one while the
 * device copies the other. Arrays with gaps between their elements are packed there.
 *
 *     struct gf_gpu_stage *s;
 *     int rc = gf_gpu_stage_open(api, gpu, props.is_cpu, 4, &s);
 *     if (!rc) rc = gf_gpu_stage_upload(s, buffer, &array);
 *     gf_gpu_stage_close(s); */
#ifndef GF_CORE_GPU_STAGE_H
#define GF_CORE_GPU_STAGE_H

#include "core/gpu/gpu.h"

struct gf_gpu_stage;

/* `plain`: the device is the CPU, which gains nothing from page-locked memory. The first array that
 * needs the buffers allocates them. Uses the device's marks 2 and 3. */
int gf_gpu_stage_open(const struct gf_gpu *api, void *gpu, bool plain, int threads,
                      struct gf_gpu_stage **stage);
/* Call before closing the device. Takes NULL. */
void gf_gpu_stage_close(struct gf_gpu_stage *s);

/* Uploads an array of any strides, packed. The caller may change or free it afterwards. */
int gf_gpu_stage_upload(struct gf_gpu_stage *s, struct gf_gpu_buffer *to,
                        const struct gf_array *from);
/* Waits for the device, and returns its errors. */
int gf_gpu_stage_download(struct gf_gpu_stage *s, struct gf_array *to,
                          const struct gf_gpu_buffer *from);

#endif
