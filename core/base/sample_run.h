/* Runs of samples of any type and stride, to and from doubles; and what turns a value into a
 * sample: its kind, rounding, the display mapping. A double holds every type exactly.
 *
 *     double v[256];
 *     gf_sample_run_read(row, GF_U16, 2, 256, v, NULL);
 *     clipped += gf_sample_run_round(GF_U8, 256, v);
 *     gf_sample_run_write(to, GF_U8, 1, 256, v, NULL);
 *
 * The caller owns all buffers; nothing can fail. */
#ifndef GF_CORE_BASE_SAMPLE_RUN_H
#define GF_CORE_BASE_SAMPLE_RUN_H

#include "core/base/job.h"

/* `count` samples `stride` bytes apart (any alignment, any sign). `im` may be NULL, and is zero for
 * real types. */
void gf_sample_run_read(const char *p, enum gf_dtype t, int64_t stride, int64_t count, double *re,
                        double *im);
/* The inverse. Values for an integer type must be whole and in its range; `im` is read for complex
 * types only. */
void gf_sample_run_write(char *p, enum gf_dtype t, int64_t stride, int64_t count, const double *re,
                         const double *im);

/* Replaces re[] by the number of `kind` of each complex value; GF_COMPLEX changes nothing. The sign
 * of zero is dropped before the phase is taken, so that the phase of 0 is 0 and that of a negative
 * real is +pi whatever the sign of its imaginary part. */
void gf_sample_run_kind(enum gf_kind kind, int64_t count, double *re, double *im);

/* The power of two that brings numbers up to `largest` where their squares neither overflow nor
 * vanish; 1 where they do not anyway. */
double gf_sample_run_unit(double largest);

/* Rounds half away from zero and saturates; returns how many samples did not fit (NaN is one). */
int64_t gf_sample_run_round(enum gf_dtype t, int64_t count, double *v);

/* Maps values to 0..largest of an integer type, see struct gf_output. Where the range is empty (a
 * picture of zeros) magnitude and power are black, real and imaginary parts mid-grey. */
struct gf_display {
    enum gf_kind kind;
    enum gf_scale scale;
    double low, high; /* magnitude and power: scaled; real and imaginary: the number */
    double white;
};
struct gf_display gf_display_make(const struct gf_output *out, double low, double high);
void gf_display_run(const struct gf_display *d, int64_t count, double *v);

#endif
