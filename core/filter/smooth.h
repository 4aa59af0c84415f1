/* The smooth part s of a picture u, for the smooth mode of core/filter/edges.h. Its spectrum is a
 * sum over the axes, one term for the jump r = u(n - 1) - u(0) along each; back along that axis
 * alone it has a closed form. With R(k) the spectrum of r over the other axes, of extents N, and y
 * the index along the axis,
 *
 *     S(y, k) = R(k) sinh(a (y + 1/2 - n/2)) / (2 cosh(a/2) sinh(a n/2)),
 *     sinh(a/2)^2 = sum over the other axes of sin(pi k / N)^2,
 *     S(y, k) = R(k) (y + 1/2 - n/2) / n if a = 0,
 *
 * which solves S(y + 1) - 2 cosh(a) S(y) + S(y - 1) = R at y = 0, -R at y = n - 1, 0 between. It is
 * odd about the middle of the axis, so half of it is computed. For each axis of more than one
 * sample:
 *
 *     struct gf_smooth x;
 *     gf_smooth_init(&x, &job, axis);
 *     gf_smooth_jump(&x, &u, &jump);            shape of x.forward's input
 *     run x.forward from jump to spectrum       unless x.forward.axes is 0: spectrum is jump
 *     gf_smooth_extend(&x, threads, &spectrum, &half);    shape of x.inverse's input
 *     run x.inverse from half to x.part         unless x.inverse.axes is 0: x.part is half
 *
 * and gf_smooth_fill() with all of them. */
#ifndef GF_CORE_FILTER_SMOOTH_H
#define GF_CORE_FILTER_SMOOTH_H

#include "core/base/job/job.h"

struct gf_smooth {
    int axis;
    int64_t n;
    struct gf_job forward, inverse; /* over the other axes: of the jump; of half the axis */
    struct gf_array part;           /* the caller's: the first n / 2 of this axis's share of s */
};

/* Uses the job's shape, channels, axes, precision and in_dtype, f32 or f64. False for an axis
 * without jumps. */
bool gf_smooth_init(struct gf_smooth *x, const struct gf_job *job, int axis);

/* All arrays but `u` are C-contiguous. */
void gf_smooth_jump(const struct gf_smooth *x, const struct gf_array *u, struct gf_array *jump);
/* GF_ENOMEM. */
int gf_smooth_extend(const struct gf_smooth *x, int threads, const struct gf_array *spectrum,
                     struct gf_array *half);
/* `a`, C-contiguous, is lengthened to 2 n along each of the `count` axes of x and holds u, of
 * `shape`, in its first samples. The rest becomes u - s, continued periodically, plus the mirror
 * images of s. GF_ENOMEM. */
int gf_smooth_fill(const struct gf_smooth *x, int count, int threads, const int64_t *shape,
                   struct gf_array *a);
/* u - s in place of u, the samples of `a`: Moisan's periodic component. GF_ENOMEM. */
int gf_smooth_subtract(const struct gf_smooth *x, int count, int threads, struct gf_array *a);
/* gf_smooth_fill() for one page {1, rows, columns, channels} of a volume, C-contiguous, which holds page z
 * mod n of u, shape[0] rows by shape[1] columns. s[0] is that page of s, s[1] that of its mirror
 * image; they are the same for z < n, `inside`. */
void gf_smooth_fill_page(const int64_t *shape, int threads, const struct gf_array s[2], bool inside,
                         struct gf_array *page);

#endif
