/* Finds how a signal (core/op/signal.h) lies on a reference, its shift and, of pictures, its rotation and scale,
 * and aligns the samples. core/compare/correlate.h and motion.h have the sources. registration.c */
#ifndef GF_CORE_OP_REGISTRATION_H
#define GF_CORE_OP_REGISTRATION_H

#include "core/compare/motion.h"
#include "core/op/signal.h"

enum gf_estimate { GF_SHIFT, GF_RIGID, GF_SIMILARITY };
enum gf_fill { GF_FILL_ZERO, GF_FILL_EDGE };

struct gf_registration_options {
    struct gf_signal_options signal; /* by the samples' type by default */
    int estimate;                    /* enum gf_estimate */
    int fill; /* enum gf_fill: what aligned pictures have where the signal shows nothing */
};
extern const struct gf_opt gf_registration_rows[];

struct gf_found {
    struct gf_motion motion;    /* moves the signal onto the reference */
    double height, coefficient; /* the correlation's peak over its deviation, and its value there */
    bool inverted;              /* the signal is like a negative */
    bool aligned;               /* false: not found */
    const char *backend;
    int64_t together; /* devices that shared a transform; 0: none */
};

/* The operation; it takes the reference, whose spectra it keeps. Its state begins with a struct gf_found, by which
 * it makes the output of op->in, of any channels and strides: it shifts by the phases of a spectrum, between mirror
 * images so that no edge rings, or moves a picture as core/compare/motion.h does. take() may be called for one input
 * after another, and get the signal alone. */
extern const struct gf_operation_kind gf_operation_register;

#endif
