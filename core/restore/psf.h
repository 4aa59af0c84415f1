/* Point-spread functions of lenses and of motion, as pictures whose sum is 1. Each pixel holds the
 * function's integral over its square, so that radii below a pixel and between pixels are right.
 *
 *     struct gf_psf disk = {.shape = GF_PSF_DISK, .size = 4};
 *     int64_t extent[2];
 *     double *value;
 *     rc = gf_psf_allocate(&disk, extent, &value);    extent[0] x extent[1]: y, x
 *     gf_psf_sample(&disk, extent, value);
 *     free(value);
 *
 * The centre is at index floor(extent / 2); both extents are odd. */
#ifndef GF_CORE_RESTORE_PSF_H
#define GF_CORE_RESTORE_PSF_H

#include <stdint.h>

enum gf_psf_shape {
    GF_PSF_GAUSSIAN, /* of standard deviation `size`: a low pass of struct gf_filter, not sampled */
    GF_PSF_DISK,     /* constant within the radius `size`: a lens out of focus */
    GF_PSF_MOTION,   /* a line of length `size`: a steady movement */
    /* (2 J1(v) / v)^2, v = 3.8317 r / size: the diffraction of a round aperture (Airy 1835); `size`
     * is the radius of the first dark ring. Ends at 8 `size`, within which are 98% of the light. */
    GF_PSF_AIRY,
    /* (1 + (r / size)^2)^-power: a star seen through air (Moffat 1969). Ends where 0.3% of the light is
     * left, or at 8 GF_PSF_MOST. */
    GF_PSF_MOFFAT,
};

struct gf_psf {
    enum gf_psf_shape shape;
    double size;  /* pixels, above 0, up to GF_PSF_MOST */
    double angle; /* motion: degrees from the x axis, counterclockwise as seen (y is down) */
    double power; /* Moffat: above 1 */
};

enum { GF_PSF_MOST = 200 };

/* Allocates zeros, which the caller frees with free(). GF_ENOMEM. */
int gf_psf_allocate(const struct gf_psf *p, int64_t extent[2], double **value);
/* Replaces the zeros; the centre's sample is above 0 afterwards. */
void gf_psf_sample(const struct gf_psf *p, const int64_t extent[2], double *v);

#endif
