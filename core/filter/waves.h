/* Subtracts waves from samples. In the spectrum, a wave without a whole number of periods is a
 * cross that no notch covers; in the samples it is two numbers, the factors of its cosine and sine.
 *
 *     struct gf_sinusoid wave[] = {{.frequency = {0.0586, 0.2031}}};       y, x; cycles a sample
 *     rc = gf_waves_subtract(&samples, 2, threads, wave, 1); */
#ifndef GF_CORE_FILTER_WAVES_H
#define GF_CORE_FILTER_WAVES_H

#include "core/base/job/job.h"

struct gf_sinusoid {
    double frequency[GF_MAX_DIMS]; /* cycles a sample, by axis */
    double amplitude;              /* out: the maximum over channels */
    /* factors of cosine and sine for each channel, instead of a fit; or NULL */
    const double *known;
};

enum { GF_MAX_SINUSOIDS = 64 };

/* Fits all waves and a constant to each channel by least squares behind a Hann window (on axes of
 * 32 samples or more), which excludes aperiodic content. Then subtracts the waves without their
 * mean, which preserves the mean of the samples. Samples are f32 or f64, of rank ndim + 1, channels
 * last. Results do not depend on the number of threads. GF_ENOMEM. */
int gf_waves_subtract(struct gf_array *samples, int ndim, int threads, struct gf_sinusoid *wave,
                      int n);
int64_t gf_waves_bytes(const int64_t *shape, int ndim, int n, int threads);

/* Sets x, on entry the right side, to the solution of a positive semidefinite matrix of n x n, by
 * Cholesky's method, which overwrites m; unknowns without a pivot become 0. */
void gf_solve(double *m, double *x, int n);

#endif
