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
 *     struct gf_range_energy e = {0};
 *     gf_range_energy_add(&job, &in, &e);
 *     struct gf_range_bins b = {&s, value, is_double, key, gf_range_rms(&job, &e)};
 *     …  value[((c * s.axis[0].count + z) * s.axis[1].count + y) * s.axis[2].count + x] = the bin
 *            s.axis[0].index[z], s.axis[1].index[y], s.axis[2].index[x] of channel
 *            s.axis[3].index[c], without the norm's factor
 *     gf_range_find(&job, 0, &b, range);
 *     gf_range_sample_free(&s);
 *
 * core/base/job/range.h does all of this for a spectrum in memory. */
#ifndef GF_CORE_BASE_RANGE_SAMPLE_H
#define GF_CORE_BASE_RANGE_SAMPLE_H

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

/* The caller frees. GF_ENOMEM. */
int gf_range_sample_make(const struct gf_job *job, struct gf_range_sample *s);
void gf_range_sample_free(struct gf_range_sample *s);

/* The energy of a few input samples, of planes or runs of which those of each are added up. */
struct gf_range_energy {
    double sum, n;
};
/* Adds that of the input, or of a plane of it, in ascending order; true if plane z has any. */
void gf_range_energy_add(const struct gf_job *job, const struct gf_array *in,
                         struct gf_range_energy *e);
bool gf_range_energy_wants(const struct gf_job *job, int64_t z);
/* The RMS magnitude of all bins, without the norm's factor (Parseval). */
double gf_range_rms(const struct gf_job *job, const struct gf_range_energy *e);

/* 1e-6, or 1e-14 in double precision, of the largest possible magnitude in a spectrum of that rms,
 * with all energy in one bin. */
double gf_range_rounding(const struct gf_job *job, double rms);

/* The sampled bins of a spectrum, and memory for their keys. */
struct gf_range_bins {
    const struct gf_range_sample *sample;
    void *value; /* complex numbers, [channel][z][y][x] */
    bool is_double;
    uint32_t *key;
    double rms;
};

/* Unpacks column 0, which holds column n / 2 as well, of half spectra that are packed. */
void gf_range_unpack(const struct gf_job *job, const struct gf_range_bins *b);
/* Output i's range, black to white, unscaled. Ignores zero frequencies and bins below 1e-6 (1e-14 in
 * double precision) of the largest other bin or of the rms. If most bins are below
 * gf_range_rounding(), as for a constant picture or a single wave, they are rounding errors, and
 * all bins below it are ignored. If no bin remains, white is the larger of zero frequency and rms.
 * If no bin remains or black equals white, black is that share of white, but at least the rounding errors
 * ignored. */
void gf_range_find(const struct gf_job *job, int i, const struct gf_range_bins *b, double range[2]);

#endif
