/* A forward wavelet transform along z of planes that come one after the other, on a GPU
 * (core/wavelet/stream.h). Each level takes its planes in chunks; a chunk is a job of one level on the
 * device, of which the steps along z that have all their planes there are used. The planes that the
 * next chunk needs too stay on the device, and the approximations become planes of the next level.
 * While the device transforms a chunk, the next one is uploaded and the last one downloaded. */
#ifndef GF_CORE_GPU_DWT_STREAM_H
#define GF_CORE_GPU_DWT_STREAM_H

#include "core/gpu/run.h"
#include "core/wavelet/stream.h"

extern const struct gf_dwt_streamer gf_gpu_dwt_streamer;

/* What a stream takes and moves, for a plan. GF_ENOMEM where the device has no room. */
struct gf_gpu_dwt_stream_info {
    int64_t device_bytes, host_bytes;
    int64_t bytes_up, bytes_down; /* of all levels */
    int64_t chunks, planes;       /* of the first level; planes of a chunk */
    int built;
    double build_seconds;
};
void gf_gpu_dwt_stream_info(const struct gf_dwt_stream *s, struct gf_gpu_dwt_stream_info *info);

#endif
