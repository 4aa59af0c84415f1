/* NaN and Inf as holes in real samples: found, filled from their surroundings, and put back.
 *
 *     unsigned char *hole = gf_alloc(gf_array_count(&px));
 *     rc = gf_holes_fill(&px, hole);
 *     …
 *     gf_holes_put_back(&out, hole, channels); */
#ifndef GF_CORE_BASE_HOLES_H
#define GF_CORE_BASE_HOLES_H

#include "core/base/value/array.h"

/* Fills holes of a contiguous array (…, y, x, channel) of f32 or f64, in each plane and channel by
 * itself, by normalised convolution over a pyramid (pull-push: Gortler et al., The Lumigraph,
 * SIGGRAPH 1996): a hole gets the mean of the nearest samples that are known, smoothly. A plane
 * without any becomes 0. Sets hole[i] of sample i, in C order, unless `hole` is NULL. GF_ENOMEM. */
int gf_holes_fill(struct gf_array *a, unsigned char *hole);
/* Makes samples of a real array (…, y, x, channel) NaN whose pixel has a hole: `hole` is that of
 * an array with the same pixels of `channels`, of which the same one counts, or all if their
 * numbers differ. */
void gf_holes_put_back(struct gf_array *out, const unsigned char *hole, int64_t channels);

#endif
