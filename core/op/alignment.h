/* Aligns a line, picture or volume with a reference, by what registration found of it.
 *
 *     rc = gf_alignment_run(&crew, &options, GF_SINGLE, &found.motion, &in, &out);
 *
 * `in` and `out` have one shape, channels last, and any real types and strides. GF_SHIFT moves by
 * the phases of a spectrum, between mirror images so that no edge rings; the others move a picture as
 * core/compare/motion.h does. alignment.c */
#ifndef GF_CORE_OP_ALIGNMENT_H
#define GF_CORE_OP_ALIGNMENT_H

#include "core/op/registration.h"

/* Bytes that a run takes beside both arrays, which need no data. */
int64_t gf_alignment_bytes(const struct gf_registration_options *o, enum gf_precision precision,
                           const struct gf_array *in, enum gf_dtype out);
/* Fills `out`, which crew->held counts as it does `in`. GF_ENOMEM or a backend's status. */
int gf_alignment_run(const struct gf_crew *crew, const struct gf_registration_options *o,
                     enum gf_precision precision, const struct gf_motion *motion,
                     const struct gf_array *in, struct gf_array *out);

/* The operation: it takes the reference, finds how the samples lie on it, and aligns them. */
extern const struct gf_operation_kind gf_operation_register;

#endif
