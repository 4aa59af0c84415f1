/* The spectrum of the samples behind a Hann window, computed from the unwindowed spectrum; for
 * core/spectrum/ and its tests.
 *
 *     struct gf_windowed w = {0};
 *     rc = gf_windowed_power(&spectrum, &w);
 *     …
 *     gf_windowed_free(&w);
 *
 * A wave without a whole number of periods, and a jump between opposite edges of the picture, are
 * crosses in the spectrum. Behind the window the wave is a peak three bins wide, and the jump
 * disappears. Multiplication by (1 - cos(2 pi (x + 1/2) / n)) / 2 is, up to a phase, convolution
 * with (-1/4, 1/2, -1/4) along the axis. */
#ifndef GF_CORE_SPECTRUM_WINDOWED_H
#define GF_CORE_SPECTRUM_WINDOWED_H

#include "core/spectrum/bins.h"

/* Shorter axes have no window; their bins are searched singly. */
enum { GF_WINDOW_LEAST = 32 };

struct gf_windowed {
    struct gf_bins b;
    bool whole;   /* set by the caller: no axis has a window */
    bool on[3];   /* the axes with a window */
    float *power; /* b.n[0] b.n[1] b.stored of them, times b.scale^2 b.unit */
    double total; /* |F|^2 over the full spectrum without its zero frequency, in that unit */
};

/* Computes the power of a half spectrum. If w->power is set, adds to it in its unit. GF_ENOMEM, or
 * GF_EINVAL for a full spectrum. */
int gf_windowed_power(const struct gf_spectrum *s, struct gf_windowed *w);
void gf_windowed_free(struct gf_windowed *w);
/* An upper estimate of what it allocates. */
int64_t gf_windowed_bytes(const struct gf_spectrum *s);

#endif
