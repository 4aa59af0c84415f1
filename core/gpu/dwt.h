/* Wavelet transforms on a GPU that are not one job there: frame by frame, in chunks of arrays that do not fit
 * the device, and with a share of the CPU's. */
#ifndef GF_CORE_GPU_DWT_H
#define GF_CORE_GPU_DWT_H

#include "core/gpu/run.h"
#include "core/wavelet/stream.h"

/* Forward along z, of planes that come one after the other. Each level takes its planes in chunks; a
 * chunk is a job of one level on the device, of which the steps along z that have all their planes there
 * are used. The planes that the next chunk needs too stay on the device, and the approximations become
 * planes of the next level. While the device transforms a chunk, the next one is uploaded and the last
 * one downloaded. */
extern const struct gf_dwt_streamer gf_gpu_dwt_streamer;
/* open() with chunks of `part` bytes, or less where the device, or the host, has little memory. */
int gf_gpu_dwt_stream_open(const struct gf_gpu_context *c, const struct gf_job *job, int64_t part,
                           int64_t memory, const struct gf_dwt_taker *taker,
                           struct gf_dwt_stream **out);

/* Along the slowest axis among others, of arrays that do not fit the device: they pass through it in chunks of
 * planes, which are a picture's rows, all levels in one walk. Whether that, and not core/gpu/slab.h, is for
 * the job. */
static inline bool gf_gpu_dwt_slabs_serve(const struct gf_job *job) {
    return job->op == GF_DWT && job->axes & 1 && job->ndim > 1;
}
/* Makes the plan of plan->job: its operations, and its one pass. GF_EUNSUPP for a job that is not run so,
 * GF_ENOMEM where the device has no room for a chunk. */
int gf_gpu_dwt_slabs_plan(const struct gf_gpu_context *c, struct gf_plan *plan);

/* The CPU's share, for plans with `host_share`: what needs all coefficients at once. Thresholds by a
 * percentage, pictures of the pyramid, several outputs of a forward transform. As functions of gf_plan_ops:
 * an inverse's share is done before the upload, a forward transform's after the download. */
int gf_gpu_dwt_upload(struct gf_plan *plan, const struct gf_array *in);
int gf_gpu_dwt_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report);
/* Appends the share as a line of `gpufft plan`, and adds the memory it takes. */
void gf_gpu_dwt_list(const struct gf_gpu_run *m, const struct gf_job *job, struct gf_plan *plan);

#endif
