/* The automatic display range: black and white are the 1% and 99.9% quantiles of a spectrum without
 * its zero frequency, over a fixed sample of its bins.
 *
 * Which bins are sampled follows from the shape alone: a set of indices along every axis, denser at
 * low and at the highest frequencies, and all their combinations. An index has a weight: how many
 * it represents. Along rows the indices are blocks of GF_RANGE_BLOCK neighbours, as lines along the
 * other axes are transformed in such blocks; along the other axes each comes with its negative, as
 * the bins of real samples come in such pairs. So whichever axis a backend transforms last, the
 * sample is a few of its lines, and all backends find the same range.
 *
 *     struct gf_range_sample s;
 *     int rc = gf_range_sample_make(&job, &s);
 *     double rms = gf_range_rms(&job, &in), unit = gf_sample_run_unit(rms);
 *     …  keys[((c * s.axis[0].count + z) * s.axis[1].count + y) * s.axis[2].count + x] =
 *            gf_range_key(kind, unit * re, unit * im), of the bin s.axis[0].index[z],
 *            s.axis[1].index[y], s.axis[2].index[x] of channel s.axis[3].index[c], without the
 *            norm's factor
 *     gf_range_sample_find(&s, keys, &job, 0, rms, range);
 *     gf_range_sample_free(&s); */
#ifndef GF_CORE_BASE_RANGE_SAMPLE_H
#define GF_CORE_BASE_RANGE_SAMPLE_H

#include <string.h>

#include "core/base/job/job.h"

enum { GF_RANGE_BLOCK = 16 };

struct gf_range_axis {
    int count;
    int64_t *index, *weight; /* ascending except along rows; index 0 comes first */
};

/* The position of `index` in the axis; the last position if it is absent. */
static inline int gf_range_axis_find(const struct gf_range_axis *a, int64_t index) {
    int i = 0;
    while (i < a->count - 1 && a->index[i] != index)
        i++;
    return i;
}

struct gf_range_sample {
    struct gf_range_axis
        axis[4];   /* z, y, x of a work buffer (core/base/job/loadstore.h), channels */
    bool on[3];    /* transformed */
    int64_t count; /* of the bins */
    /* of each bin: product of the axes' weights, scaled so that the sum fits 32 bits; 0 for zero
     * frequencies */
    uint32_t *weight;
    int64_t *table;
};

/* True if output i takes its range from the sample. */
bool gf_output_samples(const struct gf_job *job, int i);
/* True if output i's range is from 0 to the largest value. */
bool gf_output_is_full(const struct gf_output *out);
/* The same for any output. */
bool gf_job_samples(const struct gf_job *job);
bool gf_job_is_full(const struct gf_job *job);

/* The caller frees. GF_ENOMEM. */
int gf_range_sample_make(const struct gf_job *job, struct gf_range_sample *s);
void gf_range_sample_free(struct gf_range_sample *s);

/* RMS magnitude of all bins, without the norm's factor, estimated from a few input samples
 * (Parseval); 0 if no output samples. */
double gf_range_rms(const struct gf_job *job, const struct gf_array *in);

/* The same for a volume whose planes come one by one in ascending order: true if plane z is
 * sampled; its contribution; the rms in the end. */
struct gf_range_energy {
    double sum, n;
};
bool gf_range_energy_wants(const struct gf_job *job, int64_t z);
void gf_range_energy_add(const struct gf_job *job, const struct gf_array *plane,
                         struct gf_range_energy *e);

/* The bits of positive numbers sort as the numbers do. A double's exponent and eleven bits of its
 * fraction are precise enough for a shade. */
enum { GF_RANGE_DIGIT = 11, GF_RANGE_KEY_SHIFT = 63 - 2 * GF_RANGE_DIGIT };

/* The key of a bin's size: of its square for magnitude and power. */
static inline uint32_t gf_range_key(enum gf_kind kind, double re, double im) {
    double v = kind == GF_REAL ? re : kind == GF_IMAG ? im : re * re + im * im;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint32_t)((bits & (UINT64_MAX >> 1)) >> GF_RANGE_KEY_SHIFT);
}

/* 1e-6, or 1e-14 in double precision, of the largest possible magnitude in a spectrum of that rms,
 * with all energy in one bin. */
double gf_range_rounding(const struct gf_job *job, double rms);

/* Output i's range, black to white, unscaled, from the keys of all bins. Ignores zero frequencies
 * and bins below 1e-6 (1e-14 in double precision) of the largest other bin or of the rms. If most bins are below
 * gf_range_rounding(), as for a constant picture or a single wave, they are rounding errors, and
 * all bins below it are ignored. If no bin remains, white is the larger of zero frequency and rms.
 * If no bin remains or black equals white, black is that share of white, but at least the rounding errors
 * ignored. */
void gf_range_sample_find(const struct gf_range_sample *s, const uint32_t *keys,
                          const struct gf_job *job, int i, double rms, double range[2]);

/* ---- volumes, plane by plane ---- */

/* The automatic range of a volume whose planes are transformed one by one and do not fit in memory
 * together. Its sample is on a few planes, whose spectra are computed first; then all planes can be
 * written.
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
 * The range equals, to the last bit, what openmp finds for `job` in one piece. */
struct gf_range_planes {
    struct gf_job job; /* the volume's: three axes, z not transformed */
    struct gf_range_sample sample;
    struct gf_range_energy energy;
    double *value; /* real and imaginary part of each sampled bin */
    uint32_t *key; /* of each sampled bin */
};

/* GF_ENOMEM. */
int gf_range_planes_make(const struct gf_job *job, struct gf_range_planes *r);
void gf_range_planes_free(struct gf_range_planes *r); /* takes an all-zero struct too */
/* The next sampled plane from z on, or -1; and the number of sampled planes. */
int64_t gf_range_planes_next(const struct gf_range_planes *r, int64_t z);
int64_t gf_range_planes_count(const struct gf_range_planes *r);
/* The job of one plane: its spectrum, or half of it if that suffices. */
struct gf_job gf_range_planes_job(const struct gf_job *job);
/* Adds plane z and its spectrum, in ascending order. */
void gf_range_planes_add(struct gf_range_planes *r, int64_t z, const struct gf_array *in,
                         const struct gf_array *spectrum);
/* The range of output i, as in gf_range_sample_find(). */
void gf_range_planes_find(struct gf_range_planes *r, int i, double range[2]);

#endif
