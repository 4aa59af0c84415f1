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

/* open() with chunks of `part` bytes, or less where the device has little memory. */
int gf_gpu_dwt_stream_open(const struct gf_gpu_context *c, const struct gf_job *job, int64_t part,
                           const struct gf_dwt_taker *taker, struct gf_dwt_stream **out);

#endif
