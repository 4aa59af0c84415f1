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

#include "core/base/job/job.h"

/* One channel of a forward job's complex output over all axes: the zero frequency in the corner,
 * norm backward. */
struct gf_spectrum {
    int ndim;
    int64_t shape[GF_MAX_DIMS]; /* of the picture, slowest first */
    bool half;                  /* px's last axis has n/2 + 1; the samples were real */
    struct gf_array px;         /* c64 or c128, rank ndim, any strides */
    int threads;                /* 0 counts as 1; results do not depend on it */
};

/* The view of the job's output 0, valid as long as that array. */
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
    /* If there are two spectra: the means of Re F conj(G) and of |G|^2. */
    double cross, other;
};

/* The number of rings, up to the farthest corner. */
int64_t gf_spectrum_ring_count(const struct gf_spectrum *s);
/* Fills ring[0 .. gf_spectrum_ring_count()) and `energy`. Allocates less than gf_spectrum_peaks().
 * GF_ENOMEM. */
int gf_spectrum_rings(const struct gf_spectrum *s, struct gf_ring *ring, struct gf_energy *energy);
/* The same of two spectra F and G, of one shape and kind. */
int gf_spectrum_cross_rings(const struct gf_spectrum *f, const struct gf_spectrum *g,
                            struct gf_ring *ring);

/* A prominent wave: a local maximum, at least `least` times its ring's median and much stronger
 * than the bins a few steps away (unlike the slope of a photograph's spectrum and the cross made by
 * its edges), of more than two periods along some axis. Pictures without an axis of 7 samples have
 * none. */
struct gf_peak {
    /* From the centre of the shifted spectrum, slowest axis first: -n/2 .. (n-1)/2. Of a real
     * wave's two bins the one at positive x; on the lines x = 0 and -n/2 the one at positive y,
     * then z, if they differ. */
    int64_t at[GF_MAX_DIMS];
    double magnitude; /* |F| */
    /* |F| over the median |F| of its ring, widened by neighbouring rings to at least 24 waves. If
     * the median is 0, a tenth of a rounding error replaces it. */
    double strength;
    double radius; /* in steps, from 1/2 on; bins farther away are background */
    bool twin;     /* a second bin, at -at, belongs to it */
};

/* Finds the `max` strongest peaks, strongest first. `least` 0 is a limit that noise alone does not
 * reach. Allocates a float per stored bin. GF_ENOMEM, or GF_EINVAL if the array's type or shape is
 * not the spectrum's. */
int gf_spectrum_peaks(const struct gf_spectrum *s, double least, struct gf_peak *peak, int max,
                      int *n);

/* An upper estimate of gf_spectrum_peaks()'s memory in bytes. */
int64_t gf_spectrum_peaks_bytes(const struct gf_spectrum *s);

/* The wave of a peak. */
struct gf_wave {
    double frequency; /* cycles a sample */
    double period;    /* samples from crest to crest, across them */
    /* Direction of propagation, at right angles to the crests, in the picture's plane: degrees from
     * the x axis, counterclockwise as seen (y is down), in (-90, 90]. 0: vertical stripes; 90:
     * horizontal ones. */
    double angle;
    double tilt;      /* volumes: degrees out of that plane, towards larger z; -90..90 */
    double amplitude; /* in sample units: half the difference between crest and trough */
    /* By the distances of samples: cycles a unit, 0 if these are unknown, and the period in it. */
    double per_unit, length;
};

/* The wave at the place `at`, in bins from the centre, also between bins; without an amplitude. */
struct gf_wave gf_wave_at(int ndim, const int64_t *shape, const double *at);
struct gf_wave gf_peak_wave(const struct gf_spectrum *s, const struct gf_peak *p);

/* The k-th smallest of n numbers; reorders v. */
float gf_select_float(float *v, int64_t n, int64_t k);

#endif
