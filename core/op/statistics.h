/* Statistics of samples and of their spectrum: mean and energy, the radial spectrum or its density, the
 * strongest peaks, the energy by direction.
 *
 * Magnitudes of complex samples. core/spectrum has the definitions. Densities are averaged over tiles (Welch 1967, The use of fast Fourier transform for the
 * estimation of power spectra). statistics.c */
#ifndef GF_CORE_OP_STATISTICS_H
#define GF_CORE_OP_STATISTICS_H

#include "core/op/filter/window.h"
#include "core/spectrum/density.h"
#include "core/spectrum/sample_stats.h"

struct gf_statistics_options {
    int peaks;      /* the most that are listed */
    bool psd;       /* densities, with a slope, of samples without their mean */
    bool angular;   /* of a picture: the energy by direction */
    int64_t tile;   /* samples of a tile along each axis; 0: one tile, all samples */
    double overlap; /* of tiles, a part of one */
    double band[2]; /* of the slope and the angles, cycles a sample; 0, 0: by the extents */
    bool luma;      /* of red, green and blue, instead of each channel by itself */
    enum gf_precision precision;
    double sample;               /* the distance of two, to whose unit densities refer; 0: 1 */
    double spacing[GF_MAX_DIMS]; /* the same along each axis, for peaks; all 0: unknown */
    struct gf_window_options window;
};
extern const struct gf_statistics_options gf_statistics_defaults;
extern const struct gf_opt gf_statistics_rows[];

/* The luma, or one channel. */
struct gf_signal_statistics {
    struct gf_sample_stats samples;
    struct gf_energy energy;
    struct gf_ring *ring;
    struct gf_peak *peak; /* of one tile */
    struct gf_wave *wave; /* of each peak */
    int n_peaks;
    struct gf_slope slope;   /* of a density */
    double angle[GF_ANGLES]; /* shares of the energy in the band, if `angular` */
};

/* op->state of the operation. */
struct gf_statistics {
    struct gf_statistics_options o; /* with what is known of the samples */
    int ndim;                       /* axes without the channels */
    int64_t n_signals, n_rings, n_tiles;
    double band[2];
    bool changed; /* the samples, by the window or for a density */
    struct gf_signal_statistics *signal;
};

/* The operation; luma of red, green and blue. */
extern const struct gf_operation_kind gf_operation_stats;

/* Fills in a signal's peaks, at most so many, and their waves, whose amplitudes it divides by `weight`.
 * `spacing`: the distances of samples, as in the options. The caller frees them, also after a failure.
 * GF_ENOMEM. */
int gf_statistics_find_peaks(const struct gf_spectrum *s, int most, double weight,
                             const double *spacing, struct gf_signal_statistics *signal);
/* "peaks" of a spectrum of so many axes. `known`: the distances of samples are. */
void gf_statistics_peak_facts(const struct gf_signal_statistics *of, int ndim, bool known,
                              struct gf_facts *to);

#endif
