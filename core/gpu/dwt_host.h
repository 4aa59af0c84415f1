/* The CPU's share of wavelet jobs on a GPU, for plans with `host_share`: what needs all
 * coefficients at once. Thresholds by a percentage, pictures of the pyramid, several outputs of
 * a forward transform. `job` is the whole job as it was asked for. */
#ifndef GF_CORE_GPU_DWT_HOST_H
#define GF_CORE_GPU_DWT_HOST_H

#include "core/gpu/run.h"

/* Instead of gf_gpu_run_upload(): an inverse's share is done before the upload. */
int gf_gpu_dwt_upload(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                      const struct gf_job *job, const struct gf_array *in);
/* Instead of gf_gpu_run_download(): a forward transform's share is done after the download. */
int gf_gpu_dwt_download(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                        const struct gf_job *job, struct gf_array *out, struct gf_report *report);
/* Appends the share as a line of `gpufft plan`, and adds the memory it takes. */
void gf_gpu_dwt_list(const struct gf_gpu_run *m, const struct gf_job *job, struct gf_plan *plan);

#endif
