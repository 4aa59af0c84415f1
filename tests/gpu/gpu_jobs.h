/* Inputs of the GPU planner's tests: made-up devices, random jobs. */
#ifndef GF_TESTS_GPU_JOBS_H
#define GF_TESTS_GPU_JOBS_H

#include "core/gpu/plan/make.h"

enum { GPU_DEVICES = 6 };
extern struct gf_gpu_props gpu_devices[GPU_DEVICES]; /* empty before gpu_make_devices() */
void gpu_make_devices(void);

/* Up to three axes; of n axes, each of up to most[n] points, and now and then one beyond most[0].
 * Such a job need not be valid. */
struct gf_job gpu_random_job(uint64_t *seed, const int64_t *most);
struct gf_job gpu_random_wavelet(uint64_t *seed, const int64_t *most); /* always valid */

/* Some columns of a long line's matrix; false for i past the last one. */
bool gpu_line_job(int i, struct gf_job *job);

/* Makes a filter's job of a forward job with real samples, which gpu_drop_filter() frees; false for
 * other jobs. */
bool gpu_random_filter_job(uint64_t *seed, struct gf_job *job);
void gpu_drop_filter(struct gf_job *job);

#endif
