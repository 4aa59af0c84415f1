/* The continuation of a picture beyond its edges, for filters. A product of spectra is a circular
 * convolution: what leaves on one side enters on the other. All modes but periodic lengthen each
 * transformed axis from n samples to P, and keep the result's first n samples.
 *
 *     mode    P        samples n .. P - 1
 *     mirror  2n       the mirror image, u(2n - 1 - i)
 *     taper   n + w    the mirror image of the end fades into that of the beginning:
 *                      u(n + j) = a u(n - 1 - j) + (1 - a) u(w - 1 - j), j < w,
 *                      a = (1 + cos(pi (j + 1/2) / w)) / 2
 *     smooth  2n       u = p + s: p continued periodically plus the mirror image of s
 *     screen  n + w    copies displaced by whole periods of a printed screen, half of them at each
 *                      end (gf_edges_continue())
 *
 * Taper's w is the least number from max(1, n / 8) on for which P is a product of 2, 3, 5 and 7;
 * screen's starts at n, and at most at GF_EDGES_SCREEN_MOST.
 * Smooth splits u as Moisan 2011 (Periodic plus smooth image decomposition, J. Math. Imaging Vis.
 * 39) does: the ends of p meet; s has the jump between the ends of u, and no Laplacian elsewhere.
 * Both are filtered, so a filter that keeps everything gives u. An axis of one sample keeps it. Bin
 * k of n samples is bin k P / n of P.
 *
 *     shape[i] = gf_edges_length(GF_EDGES_MIRROR, n[i]);    the picture is in a's first samples
 *     gf_edges_fill(GF_EDGES_MIRROR, n, threads, &a); */
#ifndef GF_CORE_FILTER_EDGES_H
#define GF_CORE_FILTER_EDGES_H

#include "core/base/job/job.h"

enum gf_edges {
    GF_EDGES_PERIODIC,
    GF_EDGES_MIRROR,
    GF_EDGES_TAPER,
    GF_EDGES_SMOOTH,
    GF_EDGES_SCREEN
};
enum { GF_EDGES_SCREEN_MOST = 128, GF_EDGES_MOST_WAVES = 8 };

const char *gf_edges_name(enum gf_edges mode);

/* P of an axis of n samples. */
int64_t gf_edges_length(enum gf_edges mode, int64_t n);

/* `a` is C-contiguous, lengthened, (z,) (y,) x, channel, and holds a picture of `shape` (a->rank -
 * 1 extents) in its first samples along each axis. Fills the rest. Taper needs f32 or f64, other
 * modes take any type. */
void gf_edges_fill(enum gf_edges mode, const int64_t *shape, int threads, struct gf_array *a);

/* Fills the rest of a picture (two axes) so that its screens continue in phase, the strongest in each
 * channel above all. `wave` holds their n <= GF_EDGES_MOST_WAVES basis vectors (y, x) in cycles a
 * sample. GF_ENOMEM. */
int gf_edges_continue(const double (*wave)[2], int n, const int64_t *shape, struct gf_array *a);

/* Taper's index n + j along the slowest axis: `end`, u(n - 1 - j), fades into `start`, u(w - 1 -
 * j). All have one shape, C-contiguous, f32 or f64. */
void gf_edges_fade(int64_t j, int64_t w, const struct gf_array *end, const struct gf_array *start,
                   struct gf_array *to);

/* The smooth mode's s has the spectrum V(k) / sum over the axes of (2 cos(2 pi k / n) - 2), and 0
 * at the zero frequency, where v is the jump between the ends along each transformed axis:
 *     v(0) += u(n - 1) - u(0),  v(n - 1) += u(0) - u(n - 1)
 * core/filter/smooth.h makes s, and fills what is beyond the edges. */

#endif
