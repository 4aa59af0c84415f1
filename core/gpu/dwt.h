/* Wavelet transforms on a GPU that are more than one job: frame by frame, in chunks of large
 * arrays. */
#ifndef GF_CORE_GPU_DWT_H
#define GF_CORE_GPU_DWT_H

#include "core/gpu/run.h"
#include "core/wavelet/stream.h"

/* Forward along z, of planes in ascending order. Each level transforms its planes in chunks, a job
 * on the device each, and uses the steps along z whose planes the chunk has. Planes that the next
 * chunk needs stay on the device; approximations become the next level's planes. While a chunk is
 * transformed, the next is uploaded and the last downloaded. */
extern const struct gf_dwt_streamer gf_gpu_dwt_streamer;
/* As open(), with chunks of at most `part` bytes, less if the device or host has little memory. */
int gf_gpu_dwt_stream_open(const struct gf_gpu_context *c, const struct gf_job *job, int64_t part,
                           int64_t memory, const struct gf_dwt_taker *taker,
                           struct gf_dwt_stream **out);

/* The host's share of jobs that need all coefficients at once (gf_gpu_dwt_take_share()). begin()
 * allocates the coefficients, which the caller frees; of an inverse they are `in` with its threshold.
 * end() applies a forward job's threshold, fills the outputs, and notes what they show. GF_ENOMEM. */
int gf_gpu_dwt_begin(const struct gf_gpu_context *c, const struct gf_job *job,
                     const struct gf_array *in, struct gf_array *coefficients);
int gf_gpu_dwt_end(const struct gf_gpu_context *c, const struct gf_job *job,
                   struct gf_array *coefficients, struct gf_array *out, struct gf_report *report);
/* Appends it to the passes of `gpufft plan`, with its memory. */
void gf_gpu_dwt_list_share(struct gf_plan *plan);

/* For arrays that do not fit the device: chunks of planes (a picture's rows) pass through it, all
 * levels in one walk. True if the job takes this path, not that of core/gpu/slab.h. */
static inline bool gf_gpu_dwt_slabs_serve(const struct gf_job *job) {
    return job->op == GF_DWT && job->axes & 1 && job->ndim > 1;
}
/* Plans plan->job: operations and its one pass. GF_EUNSUPP if the job cannot run this way,
 * GF_ENOMEM if no chunk fits the device. */
int gf_gpu_dwt_slabs_plan(const struct gf_gpu_context *c, struct gf_plan *plan);

#endif
