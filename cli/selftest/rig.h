/* The tools of `gpufft selftest`: small signals, transforms by one backend, and a slow but reliable
 * transform to compare with. Signals are complex, in double precision, of one channel. */
#ifndef GF_CLI_SELFTEST_RIG_H
#define GF_CLI_SELFTEST_RIG_H

#include <complex.h>

#include "cli/shapes.h"
#include "core/base/backend.h"

struct gf_rig {
    const struct gf_backend *backend;
    void *context;
    enum gf_precision precision;
    double deadline; /* gf_now_ms() after which no check begins; 0: none */
    bool once;       /* the first check runs even after that */
    int checks, failed;
    double worst;      /* largest relative error of the group */
    char problem[256]; /* the first failure, in words */
};

bool gf_rig_is_late(const struct gf_rig *rig);
int64_t gf_rig_points(const struct gf_extents *shape);
/* The relative error (L2) that a transform of `points` may have by the accuracy promise. */
double gf_rig_bound(enum gf_precision p, int64_t points);

/* A reproducible signal, uniform in [-0.5, 0.5). */
void gf_rig_random(double complex *x, int64_t n, unsigned seed, bool real);

/* out = the backend's transform of x in the rig's precision; a real one when `real`. 0 or a status.
 */
int gf_rig_transform(const struct gf_rig *rig, const struct gf_extents *shape,
                     enum gf_direction direction, bool real, const double complex *x,
                     double complex *out);
/* A picture of `dtype` and `channels` forward to a complex spectrum and back; true when every
 * sample comes back as it was. */
bool gf_rig_round_trip(struct gf_rig *rig, const struct gf_extents *shape, enum gf_dtype dtype,
                       int channels, bool half);

/* The definition, axis by axis, in long double. */
int gf_rig_reference(const struct gf_extents *shape, const double complex *x, double complex *out);

/* Counts a check. It fails, with `what` as the problem, if `got` differs from `want` by more than
 * the bound times the number of transforms that made them. */
void gf_rig_compare(struct gf_rig *rig, const char *what, const struct gf_extents *shape,
                    int transforms, const double complex *got, const double complex *want);
void gf_rig_check(struct gf_rig *rig, const char *what, const struct gf_extents *shape, bool ok);

#endif
