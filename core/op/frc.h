/* Fourier ring (pictures) and shell (volumes) correlation of two signals, or of halves of one.
 *
 *     struct gf_frc_options o = {.n_thresholds = 1, .threshold[0] = {GF_FRC_CONSTANT, 0.143}};
 *     struct gf_frc f = {0};
 *     rc = gf_frc_run(&crew, &o, &first, &second, NULL, &f);
 *     f.crossing[0], f.curve[GF_FRC_CORRELATION][0 .. f.n)
 *     gf_frc_free(&f);
 *
 * Signals (core/op/signal.h) of one type and shape. core/compare/frc.h has the sources. frc.c */
#ifndef GF_CORE_OP_FRC_H
#define GF_CORE_OP_FRC_H

#include "core/compare/frc.h"
#include "core/op/filter/options.h"
#include "core/op/operation.h"

enum { GF_FRC_MOST = 6 };

struct gf_frc_options {
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
/* check() of the operation: takes a soft mask, and the default thresholds unless there are some. */
int gf_frc_check(void *options);
/* Sets o->random by o->randomize, for samples that are so far apart, in metres, degrees or seconds by
 * `kind`; 0: unknown. GF_EINVAL if it is not within half a cycle a sample. */
int gf_frc_randomize(struct gf_frc_options *o, double spacing, char kind);

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

struct gf_frc {
    int64_t n; /* rings up to half a cycle a sample */
    double *curve[GF_FRC_CURVES];
    double crossing[GF_FRC_MOST]; /* by gf_frc_crossing(); NaN: none, as the curve stays */
    bool above[GF_FRC_MOST];      /* above it, or is never above it */
    double resolution[GF_FRC_MOST];
    char per[24];         /* of frequencies: "cycles/A" */
    struct gf_ring *ring; /* their frequencies are in cycles a sample */
};

/* Bytes that a run takes beside crew->held, the workspace included; px needs no data. */
int64_t gf_frc_bytes(const struct gf_crew *crew, const struct gf_frc_options *o,
                     const struct gf_array *px, bool halves);
/* Fills *f, which the caller frees after a failure too. Without `other`, NULL, compares the samples on
 * both diagonals of squares of four. `mask`: weights, or NULL. GF_EINVAL for different shapes, an axis
 * without halves or a mask of zeros; GF_ENOMEM or a backend's status. */
int gf_frc_run(const struct gf_crew *crew, const struct gf_frc_options *o,
               const struct gf_array *px, const struct gf_array *other, const struct gf_array *mask,
               struct gf_frc *f);
void gf_frc_free(struct gf_frc *f);
/* "crossings" and "rings", of a run. */
void gf_frc_facts(const struct gf_frc_options *o, const struct gf_frc *f, struct gf_facts *to);

/* The operation; it takes the other array, or one without data, and a mask's. */
extern const struct gf_operation_kind gf_operation_frc;

#endif
