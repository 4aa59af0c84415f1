/* The parts of the cufft backend that are no calls of the library: where its data stand, and the
 * passes that anybody would write around it (kernels/plain.cl). */
#ifndef GF_CORE_VENDOR_CUFFT_PLAN_H
#define GF_CORE_VENDOR_CUFFT_PLAN_H

#include "core/gpu/plan/space.h"

/* The whole transform as cuFFT is told of it, and how often its plan runs, so many bytes further on
 * each time: its batches have one distance only. */
struct gf_cufft_layout {
    int rank; /* 0: nothing is transformed */
    long long n[3], in_embed[3], out_embed[3];
    long long in_stride, in_dist, out_stride, out_dist, batch;
    bool dense;
    int64_t loops, in_step, out_step; /* steps in elements */
};

struct gf_cufft_layout gf_cufft_lay_out(const struct gf_job *job, const struct gf_gpu_space *in,
                                        const struct gf_gpu_space *out);

/* A picture of samples that are never negative, to a picture of its magnitude. */
bool gf_cufft_is_plain(const struct gf_job *job);
int gf_cufft_add_plain_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work);
int gf_cufft_add_plain_store(struct gf_gpu_plan *p, const struct gf_gpu_space *work);
/* Half spectra times a filter's table, which goes to GF_GPU_TABLES. */
int gf_cufft_add_times(struct gf_gpu_plan *p, const struct gf_gpu_space *work,
                       const struct gf_array *table);
/* One plain output whose elements stand as the work buffer's do: reals, rounded. */
bool gf_cufft_rounds(const struct gf_job *job, const struct gf_gpu_space *work);
int gf_cufft_add_round(struct gf_gpu_plan *p, const struct gf_gpu_space *work);

#endif
