/* The yardstick: transforms in long double and what a job must write, in plain loops after
 * numpy.fft's definitions. Shares no code with core/. */
#ifndef GF_TESTS_REFERENCE_H
#define GF_TESTS_REFERENCE_H

#include "core/base/job/job.h"

struct cld {
    long double re, im;
};

/* out[k] = sum over j of in[j] exp(sign 2 pi i j k / n), by the definition, O(n^2). */
void reference_naive(int64_t n, const struct cld *in, struct cld *out, int sign);

/* Transforms the chosen axes (bit a: axis a of three) of a contiguous block in place, unscaled.
 * Mixed radix; Bluestein for a large prime factor. Returns false when memory is short. */
bool reference_transform(struct cld *v, const int64_t n[3], unsigned axes, int sign);

/* The exact result of a job: complex, full, unshifted, normalised; [channel][z][y][x]. */
struct reference {
    int64_t n[3], channels;
    bool on[3];
    int half;           /* of the three axes */
    bool real_spectrum; /* forward of real samples: bins that mirror themselves are real */
    struct cld *v;
    double imag_ratio;
    double rms, most; /* of |v|, for the allowance; of a filter's input too */
    double gain;      /* a filter's largest value */
    double shortest;  /* extent above 1 of a step */
};
/* All but v. */
void reference_shape(const struct gf_job *job, struct reference *r);
bool reference_run(const struct gf_job *job, const struct gf_array *in, struct reference *r);
void reference_free(struct reference *r);

/* Multiplies the full spectrum by the job's filter; its value at index k of the three axes. */
struct gf_lowpass;
void reference_filter(const struct gf_job *job, struct reference *r);
struct cld reference_filter_value(const struct gf_job *job, const struct reference *r,
                                  const int64_t k[3]);
long double reference_lowpass(const struct gf_job *job, const struct gf_lowpass *l,
                              const int64_t k[3]);
/* True when a frequency is so near an ideal filter's edge that rounding decides. r: n, on. */
bool reference_filter_doubtful(const struct gf_job *job, const struct reference *r);

/* The relative L2 error that is allowed for this job: C sqrt(log2 N), where C makes it 3e-7 for
 * N = 2^24 in single precision and 6e-16 in double; twice that with a prime factor above 13. */
double reference_bound(const struct gf_job *job);

/* Relative L2 error of output i, which must be of kind complex or real and of a float type. */
double reference_error(const struct gf_job *job, int i, const struct reference *r,
                       const struct gf_array *out);

/* Compares output i sample by sample; every exact value may be off by an error that the bound
 * allows. Returns the number of wrong samples, and describes the first in `text`. */
int64_t reference_check(const struct gf_job *job, int i, const struct reference *r,
                        const struct gf_array *out, const struct gf_report *report, char *text,
                        size_t size);

#endif
