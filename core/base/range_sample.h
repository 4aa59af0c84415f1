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
 *     …  s.key[((c * s.axis[0].count + z) * s.axis[1].count + y) * s.axis[2].count + x] =
 *            gf_range_key(kind, unit * re, unit * im), of the bin s.axis[0].index[z],
 *            s.axis[1].index[y], s.axis[2].index[x] of channel s.axis[3].index[c], without the
 *            norm's factor
 *     gf_range_sample_find(&s, &job, 0, rms, range);
 *     gf_range_sample_free(&s); */
#ifndef GF_CORE_BASE_RANGE_SAMPLE_H
#define GF_CORE_BASE_RANGE_SAMPLE_H

#include <string.h>

#include "core/base/job.h"

enum { GF_RANGE_BLOCK = 16 };

struct gf_range_axis {
    int count;
    int64_t *index, *weight; /* ascending along all axes but rows; index 0 comes first */
};

/* Which of the axis' indices it is; the last one where it is none. */
static inline int gf_range_axis_find(const struct gf_range_axis *a, int64_t index) {
    int i = 0;
    while (i < a->count - 1 && a->index[i] != index)
        i++;
    return i;
}

/* Owns its tables. */
struct gf_range_sample {
    struct gf_range_axis axis[4]; /* z, y, x of a work buffer (core/base/loadstore.h), channels */
    bool on[3];                   /* transformed */
    int64_t count;                /* of the bins */
    uint32_t *weight; /* of every bin: the product of the four, scaled so that the sum fits 32 bits;
                       * 0 for zero frequencies */
    uint32_t *key;    /* of every bin */
    int64_t *table;
};

/* True when output i finds its range in the sample. */
bool gf_output_samples(const struct gf_job *job, int i);
/* True when it spans from 0 to the largest value. */
bool gf_output_is_full(const struct gf_output *out);
/* True when some output does find its range in the sample. */
bool gf_job_samples(const struct gf_job *job);

/* GF_ENOMEM. */
int gf_range_sample_make(const struct gf_job *job, struct gf_range_sample *s);
void gf_range_sample_free(struct gf_range_sample *s);

/* The root of the mean square of all bins' magnitudes, without the norm's factor, estimated from a
 * few samples of the input (Parseval); 0 where no output samples. */
double gf_range_rms(const struct gf_job *job, const struct gf_array *in);

/* The same of a volume whose planes come one by one, in ascending order: whether plane z is looked
 * at, what it adds, and the rms in the end. */
struct gf_range_energy {
    double sum, n;
};
bool gf_range_energy_wants(const struct gf_job *job, int64_t z);
void gf_range_energy_add(const struct gf_job *job, const struct gf_array *plane,
                         struct gf_range_energy *e);
double gf_range_energy_rms(const struct gf_job *job, const struct gf_range_energy *e);

/* The bits of a positive number sort as the number does; of a double the exponent and eleven bits
 * of the fraction are enough for a shade. */
enum { GF_RANGE_DIGIT = 11, GF_RANGE_KEY_SHIFT = 63 - 2 * GF_RANGE_DIGIT };

/* The key of the size of a bin's kind: for magnitude and power that of the square. */
static inline uint32_t gf_range_key(enum gf_kind kind, double re, double im) {
    double v = kind == GF_REAL ? re : kind == GF_IMAG ? im : re * re + im * im;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint32_t)((bits & (UINT64_MAX >> 1)) >> GF_RANGE_KEY_SHIFT);
}

/* 1e-6 of the largest magnitude that a spectrum of that rms can have: all of it in one bin. */
double gf_range_rounding(const struct gf_job *job, double rms);

/* The range of output i, from black to white in unscaled units, given the keys of all bins. Zero
 * frequencies are left out, and bins below 1e-6 of the largest other one, or of the rms. If most
 * bins are below gf_range_rounding(), as those of a constant picture or a single wave are, these
 * are rounding errors, and all below it are left out. If nothing is left, white is the zero
 * frequency or the rms, whichever is larger. If nothing is left, or black and white are the same,
 * black is 1e-6 of white, but at least what was left out as rounding errors. */
void gf_range_sample_find(const struct gf_range_sample *s, const struct gf_job *job, int i,
                          double rms, double range[2]);

/* ---- volumes, plane by plane ---- */

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
