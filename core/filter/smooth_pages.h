/* The smooth part s (core/filter/smooth.h) of a volume that is not in memory, a few pages at a
 * time, from the jumps between its edges alone. Over all axes but the slowest s has the spectrum
 * S(z, k), which solves
 *
 *     S(z + 1) - 2 cosh(a) S(z) + S(z - 1) = W(z),    sinh(a/2)^2 = sum of sin(pi k / N)^2
 *
 * around the ends of that axis, W being the spectrum of the jumps along all axes. Its Green's
 * function is -exp(-a |z|) / (2 sinh a), so S is a sum of two geometric ones, each a recursion:
 *
 *     F(z) = W(z) + e F(z - 1),  B(z) = W(z) + e B(z + 1),  e = exp(-a),
 *     S(z) = -(F(z) + e B(z + 1)) / (2 sinh a)
 *
 * They begin where what is farther away has decayed. At a = 0 only the jump r along the slowest
 * axis counts: S(z) = r (z + 1/2 - n/2) / n.
 *
 *     gf_smooth_pages_init(&s, &job);
 *     rc = gf_smooth_pages_take(&s);
 *     for all pages: gf_smooth_pages_look(&s, first, &pages);
 *     run s.face[i].job on s.face[i].of, which becomes its output       where .jumps and .job.axes
 *     gf_smooth_pages_spectrum(&s, threads, first, &spectrum);          any pages, in any order
 *     run gf_smooth_pages_job(&s, count) on the spectrum: pages of s
 *     gf_smooth_pages_free(&s); */
#ifndef GF_CORE_FILTER_SMOOTH_PAGES_H
#define GF_CORE_FILTER_SMOOTH_PAGES_H

#include "core/base/job/job.h"

struct gf_smooth_face {
    bool jumps;         /* there may be a jump along this axis */
    struct gf_job job;  /* over the other axes except the slowest */
    struct gf_array of; /* the jump, extent 1 along the axis; later its spectrum; owned */
};

struct gf_smooth_pages {
    int64_t shape[GF_MAX_DIMS], channels;
    unsigned axes;
    struct gf_smooth_face face[GF_MAX_DIMS];
    struct gf_job inverse; /* of one page */
};

/* `job` transforms the slowest and the last of 3 axes, and perhaps the other; in_dtype is f32 or
 * f64. */
void gf_smooth_pages_init(struct gf_smooth_pages *s, const struct gf_job *job);
/* Allocates the jumps. GF_ENOMEM. */
int gf_smooth_pages_take(struct gf_smooth_pages *s);
/* Bytes of the faces while they are transformed. */
int64_t gf_smooth_pages_bytes(const struct gf_smooth_pages *s);
/* Takes the volume's pages from `first` on, in ascending order. */
void gf_smooth_pages_look(struct gf_smooth_pages *s, int64_t first, const struct gf_array *pages);
/* As many pages of S, from `first` on, as `spectrum` has, which has the job's input shape.
 * GF_ENOMEM. */
int gf_smooth_pages_spectrum(const struct gf_smooth_pages *s, int threads, int64_t first,
                             struct gf_array *spectrum);
/* The inverse transform of `count` pages. */
struct gf_job gf_smooth_pages_job(const struct gf_smooth_pages *s, int64_t count);
void gf_smooth_pages_free(struct gf_smooth_pages *s);

#endif
