/* Callers' arrays, and a transform of any rank and strides as a job of at most three axes and
 * channels, which is repeated over the axes that the job does not take. layout.c
 *
 *     rc = gf_layout_make(&transform, &layout);
 *     for (int64_t i = 0; i < layout.calls; i++) {
 *         struct gf_array in, out;
 *         gf_layout_views(&layout, samples, spectrum, i, &in, &out);
 *         rc = gf_plan_exec(plan, &in, &out, NULL);                    a plan of layout.job
 *     } */
#ifndef GF_CORE_API_LAYOUT_H
#define GF_CORE_API_LAYOUT_H

#include "core/api/gpufft.h"
#include "core/base/job/job.h"

/* The bytes [low, high) around element (0, …, 0), and those of a real number, whose multiples are all
 * addresses. */
struct gf_bounds {
    int64_t low, high;
    int unit;
};

/* Makes a view of a caller's array of one to three axes, channels last, and its bounds; without data
 * unless `data`. GF_EUSAGE, GF_EINVAL or GF_ENOMEM for what is no array, or none that can be `written`. */
int gf_array_take(const struct gpufft_array *from, bool data, bool written, struct gf_array *to,
                  struct gf_bounds *bounds);
bool gf_bounds_meet(const struct gf_bounds *a, const void *x, const struct gf_bounds *b,
                    const void *y);

struct gf_layout_axis {
    int number;         /* the caller's */
    int64_t n, in, out; /* samples, strides in bytes */
};

struct gf_layout {
    struct gf_job job;
    struct gf_array in, out; /* of a call, without data */
    int n_loops;
    struct gf_layout_axis loop[GPUFFT_MAX_RANK];
    int64_t calls;                          /* product of the loops' extents */
    struct gf_bounds in_bounds, out_bounds; /* of all calls */
    bool in_place, copies;                  /* a run reads a copy of the input */
    unsigned axes;                          /* bits: which of the caller's are transformed */
    int halved;                             /* which of them; -1: none */
};

/* GF_EUSAGE, GF_EINVAL or GF_ENOMEM with the reason for a transform that is not one. */
int gf_layout_make(const struct gpufft_transform *t, struct gf_layout *l);
/* GF_EINVAL if the arrays overlap, or are not aligned to their numbers. */
int gf_layout_check(const struct gf_layout *l, const void *in, const void *out);
/* Sets the views for call i. */
void gf_layout_views(const struct gf_layout *l, const void *in, void *out, int64_t i,
                     struct gf_array *a, struct gf_array *b);

#endif
