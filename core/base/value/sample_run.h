/* Runs of samples of any type and stride, to and from doubles; and the steps from a value to a
 * sample: kind and rounding. A double holds every type exactly.
 *
 *     double v[256];
 *     gf_sample_run_read(row, GF_U16, 2, 256, v, NULL);
 *     clipped += gf_sample_run_round(GF_U8, 256, v);
 *     gf_sample_run_write(to, GF_U8, 1, 256, v, NULL);
 *
 * The caller owns all buffers; no function fails. */
#ifndef GF_CORE_BASE_SAMPLE_RUN_H
#define GF_CORE_BASE_SAMPLE_RUN_H

#include "core/base/value/array.h"
#include "core/base/value/kinds.h"

/* Reads `count` samples, `stride` bytes apart, at any alignment. `im` may be NULL, and becomes zero
 * for real types. */
void gf_sample_run_read(const char *p, enum gf_dtype t, int64_t stride, int64_t count, double *re,
                        double *im);
/* The inverse. Values for integer types must be whole and in range; `im` is only read for complex
 * types. */
void gf_sample_run_write(char *p, enum gf_dtype t, int64_t stride, int64_t count, const double *re,
                         const double *im);

/* Replaces re[] by the number of `kind`; GF_COMPLEX changes nothing. Phases ignore the sign of
 * zero: the phase of 0 is 0, that of a negative real is +pi. */
void gf_sample_run_kind(enum gf_kind kind, int64_t count, double *re, double *im);

/* The power of two that scales numbers up to `largest` so that their squares neither overflow nor
 * vanish; 1 if they do not anyway. */
double gf_sample_run_unit(double largest);

/* Rounds half away from zero and saturates. Returns the number of samples that did not fit, NaNs
 * included. */
int64_t gf_sample_run_round(enum gf_dtype t, int64_t count, double *v);

#endif
