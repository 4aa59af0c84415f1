/* Removes stripes that run along the rows or the columns of a picture: a detector's offsets, a
 * scanner's streaks, alternate rows.
 *
 * The steps from line to line (core/restore/banding.h) add up to the profile of the lines, which is
 * transformed by the wavelet D4. Each level of details is damped by the share of its power that is
 * not stripes, as in the frequency 0 along the stripes of Munch, Trtik, Marone, Stampanoni 2009,
 * Stripe and ring artifact removal with combined wavelet-Fourier filtering; here the details are
 * those of the steps, in which objects and clipped samples do not count. Bands of light, waves
 * across the lines, are fitted to the samples (core/restore/banding.h). */
#ifndef GF_CORE_RESTORE_DESTRIPE_H
#define GF_CORE_RESTORE_DESTRIPE_H

#include "core/filter/table.h"

struct gf_destripe {
    int axis;         /* across the stripes: 0 removes rows, 1 columns; -1: whichever are there */
    double low, high; /* samples at these are clipped; equal: none are */
    double least;     /* the deviation of stripes that are looked for with axis -1 */
    int threads;
    struct gf_filter_transform transform; /* GF_DWT forward and inverse, of f32 */
};

struct gf_stripes {
    int axis;         /* across the stripes that were removed; -1: none */
    double deviation; /* of what was removed, in sample units */
    double coherence; /* the share of the finest details, or bands, that all segments share */
    double period;    /* of bands of light, in lines; 0: other stripes */
    int levels;       /* of the wavelet transform that were damped */
};

/* Copies `in` (y, x, channel; any real type) to `out` (f32 or f64, same shape, allocated), without
 * its stripes; equal to `in` if there are none. With axis -1 these must be coherent from end to
 * end, be in most of the lines, change from line to line or be a wave, and be fainter than the picture. Channels
 * are decided together, but each has its own stripes. GF_ENOMEM, or the transform's status. */
int gf_destripe(const struct gf_destripe *want, const struct gf_array *in, struct gf_array *out,
                struct gf_stripes *found);
/* Bytes that it allocates for a picture of h x w, besides those of a job's plan. */
int64_t gf_destripe_bytes(int64_t h, int64_t w, int64_t channels);

#endif
