/* Helpers of core/gpu/api/cuda/cuda.c and core/gpu/api/opencl/opencl.c: choosing a device, reading a compiler's log,
 * checking a copy.
 *
 *     int index, rc = gf_gpu_pick("h200", list, n, &index);
 */
#ifndef GF_CORE_GPU_COMMON_H
#define GF_CORE_GPU_COMMON_H

#include "core/gpu/gpu.h"

/* Which of `n` devices `wanted` is: a number, or a part of a name, case aside. A bare number is
 * never a name. NULL or "" is the first. GF_EABSENT with the list of names. */
int gf_gpu_pick(const char *wanted, const struct gf_gpu_props *props, int n, int *index);

/* The line of a compiler's log that names the error: the first with "error", else the first that is
 * not blank; "" for an empty log. Changes the log; the line points into it. */
const char *gf_gpu_complaint(char *log);

/* GF_EBACKEND unless `bytes` from `offset` on are within `room`: drivers do not check. */
int gf_gpu_check_range(int64_t offset, int64_t bytes, int64_t room);
/* The same for `count` rows of `bytes`, `pitch` bytes apart. */
int gf_gpu_check_rows(int64_t offset, int64_t bytes, int64_t pitch, int64_t count, int64_t room);
/* How far apart rows are in the device's memory. */
static inline int64_t gf_gpu_rows_pitch(const struct gf_gpu_rows *r) {
    return r->device_pitch ? r->device_pitch : r->bytes;
}

#endif
