/* Arrays to a device and back. A device takes page-locked memory at several times the speed of any
 * other, and locking what a caller has would cost more than that saves: so large arrays go piece by
 * piece through two buffers locked once, one being filled or emptied by several threads while the
 * other travels. What lies in memory with gaps is packed on that way. */
#ifndef GF_CORE_GPU_STAGE_H
#define GF_CORE_GPU_STAGE_H

#include "core/gpu/gpu.h"

struct gf_gpu_stage;

/* `plain`: the device is the processor, for which memory is memory. The buffers are taken with the
 * first array that needs them, and kept. Uses the device's marks 2 and 3. */
int gf_gpu_stage_open(const struct gf_gpu *api, void *gpu, bool plain, int threads,
                      struct gf_gpu_stage **stage);
/* Before the device itself is closed. NULL is fine. */
void gf_gpu_stage_close(struct gf_gpu_stage *s);

/* All of an array of any strides, packed; the array may be changed or freed afterwards. */
int gf_gpu_stage_upload(struct gf_gpu_stage *s, struct gf_gpu_buffer *to,
                        const struct gf_array *from);
/* Waits for the device, and says what went wrong there. */
int gf_gpu_stage_download(struct gf_gpu_stage *s, struct gf_array *to,
                          const struct gf_gpu_buffer *from);

#endif
