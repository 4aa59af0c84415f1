/* What a filter sees beyond the edges of a picture. A product of spectra is a circular convolution:
 * what leaves on one side enters on the other. The modes but periodic lengthen each transformed
 * axis, from n samples to P, and the result's first n samples are kept.
 *     mirror   P = 2n: the picture, then its mirror image u(2n - 1 - i)
 *     taper    P = n + w: the mirror image of the end fades into that of the beginning,
 *              u(n + j) = a u(n - 1 - j) + (1 - a) u(w - 1 - j), a = (1 + cos(pi (j + 1/2) / w)) /
 * 2; w is the least number from max(1, n / 8) on that makes P a product of 2, 3, 5 and 7 smooth   P
 * = 2n: u = p + s as Moisan 2011 (Periodic plus smooth image decomposition, J. Math. Imaging Vis.
 * 39) splits it. p, whose ends meet, goes on periodically, and s, which has the jump between them
 * and else no Laplacian, as its mirror image. Both pass the filter, so that what keeps everything
 * gives u. Axes of one sample keep it. Bin k of n samples is bin k P / n of P. */
#ifndef GF_CORE_FILTER_EDGES_H
#define GF_CORE_FILTER_EDGES_H

#include "core/base/job.h"

enum gf_edges { GF_EDGES_PERIODIC, GF_EDGES_MIRROR, GF_EDGES_TAPER, GF_EDGES_SMOOTH };

const char *gf_edges_name(enum gf_edges mode);

/* P of an axis of n samples. */
int64_t gf_edges_length(enum gf_edges mode, int64_t n);

/* `a` is C-contiguous, lengthened, (z,) (y,) x, channel, and holds a picture of `shape` (a->rank -
 * 1 extents) in its first samples along each axis; fills the others. Periodic goes round. Taper
 * takes f32 and f64, the others any type. */
void gf_edges_fill(enum gf_edges mode, const int64_t *shape, int threads, struct gf_array *a);

/* The smooth mode's s: with v the jump across the ends, on both sides of it,
 *     v(0) += u(n - 1) - u(0),  v(n - 1) += u(0) - u(n - 1) along each axis of `axes`,
 * its spectrum is V(k) / sum over the axes of (2 cos(2 pi k / n) - 2), and 0 at the zero frequency.
 * gf_edges_jumps() makes v of u; both f32 or both f64, of one shape. */
void gf_edges_jumps(const struct gf_array *u, unsigned axes, struct gf_array *v);
/* The filter of the GF_FILTER job that makes s of v; the caller frees. */
struct gf_filter;
int gf_edges_filter(const struct gf_job *job, int threads, struct gf_filter **out);
/* `a` holds u in its first samples: puts u - s there, continues it periodically, and adds s with
 * its mirror images. f32 or f64, both of one type and C-contiguous
 * along their last two axes. */
void gf_edges_fill_smooth(const struct gf_array *s, int threads, struct gf_array *a);

#endif
