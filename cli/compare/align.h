/* Aligned pictures, volumes and lines. */
#ifndef GF_CLI_COMPARE_ALIGN_H
#define GF_CLI_COMPARE_ALIGN_H

#include "core/compare/motion.h"
#include "core/session/runner.h"

struct gf_aligning {
    struct gf_runner *runner; /* keeps its plan for pictures of one shape */
    const struct gf_motion *motion;
    enum gf_precision precision;
    int threads;
    bool edge;    /* what IN does not show is the sample of its edge; else 0 */
    int64_t held; /* bytes of the caller's arrays, which count towards the memory limit */
};

/* Bytes that aligning `in`, with the channels last, takes beside it and the result. */
int64_t gf_align_bytes(bool shifts, enum gf_precision precision, const struct gf_array *in,
                       enum gf_dtype out);
/* Makes `out` of `in`, both with the channels last: IN(p - shift). GF_ENOMEM. */
int gf_align_shift(const struct gf_aligning *a, const struct gf_array *in, struct gf_array *out);
/* Rotates, scales and shifts a picture. */
int gf_align_move(const struct gf_aligning *a, const struct gf_array *in, struct gf_array *out);

#endif
