/* Shared by the APIs in core/gpu/api: choosing a device, reading a compiler's log, buffers,
 * copies. */
#ifndef GF_CORE_GPU_COMMON_H
#define GF_CORE_GPU_COMMON_H

#include "core/gpu/gpu.h"

/* Finds one of `n` devices by number or part of its name, ignoring case. A bare number is never
 * part of a name. NULL or "" is the first. GF_EABSENT with the list of names. */
int gf_gpu_pick(const char *wanted, const struct gf_gpu_props *props, int n, int *index);

/* Returns the log's first line with "error", else its first that is not blank; "" if it is empty.
 * Changes the log; the line points into it. */
const char *gf_gpu_complaint(char *log);

/* As in struct gf_gpu, for all APIs, whose devices begin with a struct gf_gpu_device. */
int gf_gpu_alloc(void *gpu, int64_t bytes, struct gf_gpu_buffer **buffer);
void gf_gpu_free(void *gpu, struct gf_gpu_buffer *buffer);
int gf_gpu_view(void *gpu, struct gf_gpu_buffer *of, int64_t offset, int64_t bytes,
                struct gf_gpu_buffer **view);
int gf_gpu_upload(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                  int64_t bytes);
int gf_gpu_download(void *gpu, void *host, const struct gf_gpu_buffer *from, int64_t offset,
                    int64_t bytes);
int gf_gpu_rows(void *gpu, void *other, const struct gf_gpu_move *rows);
int gf_gpu_copy(void *gpu, struct gf_gpu_buffer *to, int64_t to_offset,
                const struct gf_gpu_buffer *from, int64_t from_offset, int64_t bytes);
int gf_gpu_clear(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes);
/* pin() and unpin() of APIs that cannot lock memory: they copy from and to any. */
int gf_gpu_pin_none(void *gpu, int64_t bytes, void **host);
void gf_gpu_unpin_none(void *gpu, void *host);
/* Fails `what` with the driver's word for it: GF_ENOMEM if memory is full, else GF_EBACKEND. */
int gf_gpu_failure(const struct gf_gpu_device *head, bool full, const char *what,
                   const char *error);
/* GF_ENOMEM: "'NVIDIA H200' has no room for a buffer of 3 GiB". */
int gf_gpu_no_room(void *gpu, int64_t bytes);

bool gf_gpu_lost(void *gpu);

/* Adds a device to n listed ones and returns how many there are then: GPUs in their order, as far as there is
 * room for a CPU behind them, and the last CPU. */
int gf_gpu_add_device(struct gf_gpu_props *props, int n, const struct gf_gpu_props *device);

/* Initialisers of struct gf_gpu that all APIs share; `own` begins the names of an API's
 * functions. */
#define GF_GPU_COMMON(own) \
    .take = own##_take, .give = own##_give, .move = own##_move, .zero = own##_zero, \
    .alloc = gf_gpu_alloc, .free = gf_gpu_free, .free_bytes = own##_free_bytes, \
    .upload = gf_gpu_upload, .download = gf_gpu_download, .rows = gf_gpu_rows, \
    .copy = gf_gpu_copy, .clear = gf_gpu_clear, .lost = gf_gpu_lost

#endif
