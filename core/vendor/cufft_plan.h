/* The parts of the cufft backend that do not call the library: its data's layout, and the plain
 * passes around it (kernels/plain.cl).
 *
 *     struct gf_cufft_layout l = gf_cufft_lay_out(&job, &in, &out);
 *     int rc = gf_cufft_add_plain_load(p, &in);
 */
#ifndef GF_CORE_VENDOR_CUFFT_PLAN_H
#define GF_CORE_VENDOR_CUFFT_PLAN_H

#include "core/gpu/plan/space.h"

/* A transform in cuFFT's terms. As a batch has a single distance, the plan runs `loops` times, each
 * time some elements further on. */
struct gf_cufft_layout {
    int rank; /* 0: nothing is transformed */
    long long n[3], in_embed[3], out_embed[3];
    long long in_stride, in_dist, out_stride, out_dist, batch;
    bool dense;
    int64_t loops, in_step, out_step; /* steps in elements */
};

/* The job's samples as dense planes of numbers in its precision, with half a spectrum along the
 * halved axis if `half`. */
struct gf_gpu_space gf_cufft_space(const struct gf_job *job, enum gf_gpu_buffer_id buffer_id,
                                   bool is_complex, bool half);
struct gf_cufft_layout gf_cufft_lay_out(const struct gf_job *job, const struct gf_gpu_space *in,
                                        const struct gf_gpu_space *out);

/* True if the job makes a picture of the magnitude or power of a picture of unsigned samples. */
bool gf_cufft_is_plain(const struct gf_job *job);
int gf_cufft_add_plain_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work);
int gf_cufft_add_plain_store(struct gf_gpu_plan *p, const struct gf_gpu_space *work);
/* Appends the multiplication of half spectra by a filter's table in GF_GPU_TABLES. */
int gf_cufft_add_times(struct gf_gpu_plan *p, const struct gf_gpu_space *work,
                       const struct gf_array *table);
/* Appends a pass that makes half a spectrum Hermitian: at some lengths cuFFT's inverses use the
 * imaginary parts of bins that mirror themselves. */
int gf_cufft_add_hermitian(struct gf_gpu_plan *p, const struct gf_gpu_space *work);
/* True if the one output is in the work buffer's order; and the pass that rounds reals to it. */
bool gf_cufft_rounds(const struct gf_job *job, const struct gf_gpu_space *work);
int gf_cufft_add_round(struct gf_gpu_plan *p, const struct gf_gpu_space *work);

#endif
