/* The spectrum that the samples have behind a Hann window, made from the spectrum without one; for
 * core/spectrum/ and its tests.
 *
 *     struct gf_windowed w = {0};
 *     rc = gf_windowed_power(&spectrum, &w);
 *     …
 *     gf_windowed_free(&w);
 *
 * A wave without a whole number of periods, and a jump from one edge of the picture to the opposite
 * one, are crosses of the spectrum; behind the window they are peaks three bins wide, and nothing.
 * The product with (1 - cos(2 pi (x + 1/2) / n)) / 2 is, but for a phase, the kernel (-1/4, 1/2,
 * -1/4) along the axis. */
#ifndef GF_CORE_SPECTRUM_WINDOWED_H
#define GF_CORE_SPECTRUM_WINDOWED_H

#include "core/spectrum/bins.h"

/* Shorter axes have no window: their bins are searched one by one. */
enum { GF_WINDOW_LEAST = 32 };

struct gf_windowed {
    struct gf_bins b;
    bool on[3];   /* the axes with a window */
    float *power; /* b.n[0] b.n[1] b.stored of them, times b.scale^2 b.unit */
    double total; /* of |F|^2 over the full spectrum but its zero frequency, in the same unit */
};

/* Computes the power of a half spectrum. If w->power is set, the power is added to it, in its unit.
 * GF_ENOMEM, or GF_EINVAL where the spectrum is not half of one. */
int gf_windowed_power(const struct gf_spectrum *s, struct gf_windowed *w);
void gf_windowed_free(struct gf_windowed *w);
/* An upper estimate of what it allocates. */
int64_t gf_windowed_bytes(const struct gf_spectrum *s);

#endif
