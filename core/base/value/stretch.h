/* Real numbers as integers for the eye: a range of values becomes black to white. */
#ifndef GF_CORE_BASE_STRETCH_H
#define GF_CORE_BASE_STRETCH_H

#include "core/base/value/array.h"

/* Sets range[i] to the value below which that fraction, 0 to 1, of the finite samples of a real
 * array lies, to the precision of f32; 0 without finite samples. GF_ENOMEM. */
int gf_samples_quantiles(const struct gf_array *a, const double fraction[2], double range[2]);
/* Maps range[0] to 0 and range[1] to the largest number of dst's unsigned type, linearly, rounded
 * and saturated; NaN becomes 0. The arrays have one shape. */
void gf_samples_stretch(struct gf_array *dst, const struct gf_array *src, const double range[2]);

#endif
