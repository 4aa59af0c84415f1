/* Windows: weights along an axis that fade samples towards its ends, so that the jump from the last
 * to the first is no part of the spectrum (Harris 1978, On the use of windows for harmonic analysis
 * with the discrete Fourier transform, Proc. IEEE 66). With t = 2 pi i / n at sample i of n:
 *
 *     hann      0.5 - 0.5 cos t
 *     hamming   0.54 - 0.46 cos t
 *     blackman  0.42 - 0.5 cos t + 0.08 cos 2t
 *     tukey:A   1, but half a Hann window of A n samples at the two ends
 *     kaiser:B  I0(B sqrt(1 - (2 i / n - 1)^2)) / I0(B)
 *
 * These are the periodic forms, those of scipy.signal.get_window(): sample n would repeat sample 0.
 * An axis of one sample has the weight 1. Weights of several axes are multiplied. */
#ifndef GF_CORE_BASE_WINDOW_H
#define GF_CORE_BASE_WINDOW_H

#include "core/base/value/array.h"

struct gf_job;

enum gf_window_shape {
    GF_WINDOW_UNSET, /* weights 1, as `none` */
    GF_WINDOW_NONE,
    GF_WINDOW_HANN,
    GF_WINDOW_HAMMING,
    GF_WINDOW_BLACKMAN,
    GF_WINDOW_TUKEY,
    GF_WINDOW_KAISER,
};

struct gf_window {
    enum gf_window_shape shape;
    double parameter; /* tukey's A, 0 .. 1; kaiser's B, 0 .. 500 */
};

enum { GF_WINDOW_TEXT = 32 };

/* False if the text is no window. */
bool gf_window_parse(const char *text, struct gf_window *w);
/* Writes it as it is parsed; "none" for unset. Returns `text`. */
const char *gf_window_text(const struct gf_window *w, char text[GF_WINDOW_TEXT]);

static inline bool gf_window_is_flat(const struct gf_window *w) {
    return w->shape <= GF_WINDOW_NONE;
}

/* The mean of that power of the weights over the job's transformed axes. */
double gf_window_mean(const struct gf_window *w, const struct gf_job *job, int power);
/* Multiplies contiguous f32, f64, c64 or c128 samples, channels last, which are those of the job's
 * input from `first` on, in C order. GF_ENOMEM. */
int gf_window_apply(const struct gf_window *w, const struct gf_job *job, int64_t first, int threads,
                    struct gf_array *a);

#endif
