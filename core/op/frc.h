/* Fourier ring (pictures) and shell (volumes) correlation of two signals (core/op/signal.h), or of halves of
 * one. core/compare/frc.h has the sources. frc.c */
#ifndef GF_CORE_OP_FRC_H
#define GF_CORE_OP_FRC_H

#include "core/compare/frc.h"
#include "core/op/filter/options.h"
#include "core/op/signal.h"

enum { GF_FRC_MOST = 6 };

struct gf_frc_options {
    struct gf_signal_options signal; /* double by default */
    const char *mask;           /* as given: soft, soft:R, or another picture's name; or NULL */
    bool soft;                  /* the mask is a disc or ball with a soft edge, */
    double radius;              /* of so many samples; 0: by the extents */
    struct gf_radius randomize; /* value 0: unset; GF_BINS: cycles a sample, as GF_CYCLES */
    const char *randomize_text;
    double
        random; /* the same in cycles a sample: phases beyond are made random, to correct the curve */
    double sample;    /* the distance of two, to whose unit the results' frequencies refer; 0: 1 */
    const char *unit; /* NULL: samples */
    int n_thresholds;
    struct gf_frc_threshold threshold[GF_FRC_MOST];
    char name[GF_FRC_MOST][12]; /* of the thresholds */
};
extern const struct gf_opt gf_frc_rows[];

enum {
    GF_FRC_FREQUENCY,
    GF_FRC_CORRELATION,
    GF_FRC_CORRECTED,  /* without random phases the same */
    GF_FRC_RANDOMIZED, /* 0 without */
    GF_FRC_AT_HALF_BIT,
    GF_FRC_AT_3_SIGMA,
    GF_FRC_THRESHOLDS,
    GF_FRC_CURVES = GF_FRC_THRESHOLDS + GF_FRC_MOST
};

/* op->state of the operation. */
struct gf_frc {
    struct gf_frc_options o; /* with what the samples' unit makes of them */
    int64_t n;               /* rings up to half a cycle a sample */
    double *curve[GF_FRC_CURVES];
    double crossing[GF_FRC_MOST]; /* by gf_frc_crossing(); NaN: none, as the curve stays */
    bool above[GF_FRC_MOST];      /* above it, or is never above it */
    double resolution[GF_FRC_MOST];
    char per[24];         /* of frequencies: "cycles/A" */
    struct gf_ring *ring; /* their frequencies are in cycles a sample */
};

/* The operation; it takes the other array, or one without data, and a mask's. All have one type and shape, or
 * the other is a stack of pages. Without the other it compares the samples on both diagonals of squares of
 * four. */
extern const struct gf_operation_kind gf_operation_frc;

#endif
