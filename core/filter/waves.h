/* Waves taken out of the samples. In the spectrum a wave without a whole number of periods is a
 * cross that no notch covers; in the samples it is two numbers, the factors of its cosine and its
 * sine.
 *
 *     struct gf_sinusoid wave[] = {{.frequency = {0.0586, 0.2031}}};       y, x; cycles a sample
 *     rc = gf_waves_subtract(&samples, 2, threads, wave, 1); */
#ifndef GF_CORE_FILTER_WAVES_H
#define GF_CORE_FILTER_WAVES_H

#include "core/base/job.h"

struct gf_sinusoid {
    double frequency[GF_MAX_DIMS]; /* cycles a sample, by the picture's axes */
    double amplitude;              /* out: the largest of all channels */
    const double *known; /* for each channel cosine's and sine's factors, not fitted; or NULL */
};

enum { GF_MAX_SINUSOIDS = 64 };

/* Fits all waves and a constant together to each channel, by least squares behind a Hann window
 * (axes of 32 samples and more), which keeps what is not periodic out of the fit; then subtracts
 * the waves without their mean, which leaves the mean of the samples as it is. Samples are f32 or
 * f64, of rank ndim + 1, channels last. The result does not depend on the number of threads.
 * GF_ENOMEM. */
int gf_waves_subtract(struct gf_array *samples, int ndim, int threads, struct gf_sinusoid *wave,
                      int n);
int64_t gf_waves_bytes(const int64_t *shape, int ndim, int n, int threads);

#endif
