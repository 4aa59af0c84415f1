/* Tools of `gpufft selftest`: small signals, transforms by a backend, and a slow reference
 * transform. Signals are complex, double precision, one channel. */
#ifndef GF_CLI_SELFTEST_RIG_H
#define GF_CLI_SELFTEST_RIG_H

#include <complex.h>

#include "cli/shapes.h"
#include "core/base/job/backend.h"

struct gf_rig {
    const struct gf_backend *backend;
    void *context;
    enum gf_precision precision;
    double deadline; /* no check begins after this gf_now_ms(); 0: no limit */
    bool once;       /* the first check runs even later */
    int checks, failed;
    double worst;      /* largest relative error of the group */
    char problem[256]; /* the first failure, in words */
};

bool gf_rig_is_late(const struct gf_rig *rig);
int64_t gf_rig_points(const struct gf_extents *shape);
/* Returns the promised relative error (L2) of a transform of `points`. */
double gf_rig_bound(enum gf_precision p, int64_t points);

/* Fills x with a reproducible signal, uniform in [-0.5, 0.5). */
void gf_rig_random(double complex *x, int64_t n, unsigned seed, bool real);

/* out = the backend's transform of x in the rig's precision; a real one when `real`. 0 or a status.
 */
int gf_rig_transform(const struct gf_rig *rig, const struct gf_extents *shape,
                     enum gf_direction direction, bool real, const double complex *x,
                     double complex *out);
/* Transforms a picture forward and back; true if every sample is restored. */
bool gf_rig_round_trip(struct gf_rig *rig, const struct gf_extents *shape, enum gf_dtype dtype,
                       int channels, bool half);

/* Computes the transform by definition, axis by axis, in long double. */
int gf_rig_reference(const struct gf_extents *shape, const double complex *x, double complex *out);

/* Counts a check, which fails with the text `what` if `got` differs from `want` by more than the
 * bound times the number of transforms. */
void gf_rig_compare(struct gf_rig *rig, const char *what, const struct gf_extents *shape,
                    int transforms, const double complex *got, const double complex *want);
void gf_rig_check(struct gf_rig *rig, const char *what, const struct gf_extents *shape, bool ok);

#endif
