/* The automatic display range of a volume whose planes are transformed one by one and are not in
 * memory together. Its sample is on few planes: their spectra are made first, then the range is
 * known, and with it all planes can be written.
 *
 *     struct gf_range_planes r;
 *     struct gf_job one = gf_range_planes_job(&job);
 *     int rc = gf_range_planes_make(&job, &r);
 *     for (int64_t z = 0; !rc && (z = gf_range_planes_next(&r, z)) >= 0; z++) {
 *         …  read plane z into `in`, run `one` on it into `spectrum`
 *         gf_range_planes_add(&r, z, &in, &spectrum);
 *     }
 *     gf_range_planes_find(&r, 0, range);
 *     gf_range_planes_free(&r);
 *
 * The range is the one that openmp finds for `job` in one piece, to the last bit. */
#ifndef GF_CORE_BASE_RANGE_PLANES_H
#define GF_CORE_BASE_RANGE_PLANES_H

#include "core/base/range_sample.h"

struct gf_range_planes {
    struct gf_job job; /* of the volume: three axes, of which z is not transformed */
    struct gf_range_sample sample;
    struct gf_range_energy energy;
    double *value; /* real and imaginary part of every bin in the sample */
};

/* GF_ENOMEM. */
int gf_range_planes_make(const struct gf_job *job, struct gf_range_planes *r);
void gf_range_planes_free(struct gf_range_planes *r); /* takes an all-zero struct too */
/* The next plane from z on that is looked at, -1 where there is none; how many there are. */
int64_t gf_range_planes_next(const struct gf_range_planes *r, int64_t z);
int64_t gf_range_planes_count(const struct gf_range_planes *r);
/* The job of one plane: its spectrum, half of it where that is enough. */
struct gf_job gf_range_planes_job(const struct gf_job *job);
/* Plane z and its spectrum, both of one plane; planes in ascending order. */
void gf_range_planes_add(struct gf_range_planes *r, int64_t z, const struct gf_array *in,
                         const struct gf_array *spectrum);
/* The range of output i, see gf_range_sample_find(). */
void gf_range_planes_find(const struct gf_range_planes *r, int i, double range[2]);

#endif
