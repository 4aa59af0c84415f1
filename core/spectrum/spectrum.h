/* Looking into a spectrum: energy, the mean over rings, peaks. Pure functions.
 *
 *     struct gf_spectrum s = gf_spectrum_of(&job, &out, channel, threads);
 *     rc = gf_spectrum_peaks(&s, 0, peaks, 8, &n);
 *
 * Frequencies are in cycles a sample, whatever the extents: bin k of an axis of n samples is k/n,
 * and the distance from the zero frequency is that of (k_z/n_z, k_y/n_y, k_x/n_x). A ring gathers
 * the bins whose distance, in steps of 1/(longest extent), rounds to its number (halves up); ring 0
 * is the zero frequency alone. Bins of a half spectrum that represent two count twice. */
#ifndef GF_CORE_SPECTRUM_SPECTRUM_H
#define GF_CORE_SPECTRUM_SPECTRUM_H

#include "core/base/job.h"

/* One channel of a forward job's complex output over all axes: the zero frequency in the corner,
 * norm backward. */
struct gf_spectrum {
    int ndim;
    int64_t shape[GF_MAX_DIMS]; /* of the picture, slowest first */
    bool half;                  /* the last axis of px is n/2 + 1 long; the samples were real */
    struct gf_array px;         /* c64 or c128, rank ndim, any strides */
    int threads; /* that share the work, 0 counts as 1; results do not depend on it */
};

/* `out` is the job's output 0. The view lives as long as that array. */
struct gf_spectrum gf_spectrum_of(const struct gf_job *job, const struct gf_array *out,
                                  int64_t channel, int threads);

enum { GF_N_BANDS = 3 };

struct gf_energy {
    double total;             /* sum |F|^2 / N, by Parseval sum |x|^2 */
    double zero;              /* |F(0)|^2 / N */
    double below[GF_N_BANDS]; /* the same over 0 < |f| < 1/16, 1/8, 1/4: parts of Nyquist */
};

struct gf_ring {
    double frequency; /* cycles a sample */
    int64_t bins;     /* of the full spectrum; 0 in the rare ring without any */
    double mean;      /* |F|^2 */
};

/* Rings from the zero frequency to the farthest corner. */
int64_t gf_spectrum_ring_count(const struct gf_spectrum *s);
/* Fills ring[0 .. gf_spectrum_ring_count()) and `energy`. Allocates less than gf_spectrum_peaks().
 * GF_ENOMEM. */
int gf_spectrum_rings(const struct gf_spectrum *s, struct gf_ring *ring, struct gf_energy *energy);

/* A prominent wave: a local maximum, at least `least` times as strong as the median of its ring and
 * much stronger than the bins a few steps around it (which neither the slope of a photograph's
 * spectrum nor the cross that its edges make is), of more than two periods along some axis. Where
 * no axis has 7 samples there are none. */
struct gf_peak {
    /* From the centre of the shifted spectrum, slowest axis first: -n/2 .. (n-1)/2. Of the two bins
     * of a real wave it is the one on the side of positive x; on the line x = 0 or -n/2 that of
     * positive y, then z, where that differs. */
    int64_t at[GF_MAX_DIMS];
    double magnitude; /* |F| */
    /* |F| over the median |F| of its ring, to which the neighbouring rings belong too as long as
     * that has fewer than 24 waves. Where the median is 0, a tenth of a rounding error stands for
     * it. */
    double strength;
    double radius; /* bins farther away than this, in steps, are background again; 1/2 and up */
    bool twin;     /* a second bin, at -at, belongs to it */
};

/* Finds the `max` strongest peaks, the strongest first. With `least` 0 the limit is one that noise
 * alone stays below. Allocates a float for each stored bin. GF_ENOMEM, or GF_EINVAL for an array
 * whose type or shape is not the spectrum's. */
int gf_spectrum_peaks(const struct gf_spectrum *s, double least, struct gf_peak *peak, int max,
                      int *n);

/* An upper estimate of the bytes that gf_spectrum_peaks() allocates. */
int64_t gf_spectrum_peaks_bytes(const struct gf_spectrum *s);

/* The wave of a peak. */
struct gf_wave {
    double frequency; /* cycles a sample */
    double period;    /* samples from crest to crest, across them */
    /* The direction in which it runs, at right angles to its crests, in the plane of the picture:
     * degrees from the x axis, counterclockwise as the picture is seen (y is down), in (-90, 90].
     * 0: vertical stripes; 90: horizontal ones. */
    double angle;
    double tilt;      /* volumes: degrees out of that plane, towards larger z; -90..90 */
    double amplitude; /* in sample units: half of the way from trough to crest */
};

/* Without an amplitude: of the place `at`, in bins from the centre, between bins too. */
struct gf_wave gf_wave_at(int ndim, const int64_t *shape, const double *at);
struct gf_wave gf_peak_wave(const struct gf_spectrum *s, const struct gf_peak *p);

/* The k-th smallest of n numbers; reorders v. */
float gf_select_float(float *v, int64_t n, int64_t k);

#endif
