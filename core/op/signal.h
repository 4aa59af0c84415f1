/* Signals, arrays of real samples without a channel axis, and their transforms over all axes.
 *
 *     struct gf_spectrum spectrum = {0};
 *     rc = gf_signal_forward(&crew, &px, &spectrum);       px: f32 or f64, C-contiguous, 1 to 3 axes
 *     rc = gf_signal_inverse(&crew, &spectrum, &px);
 *     gf_array_free(&spectrum.px);
 *
 * An output without data is allocated, and the caller frees it; crew->held counts all arrays of both
 * calls. They return 0, GF_ENOMEM or the status of the backend. signal.c */
#ifndef GF_CORE_OP_SIGNAL_H
#define GF_CORE_OP_SIGNAL_H

#include "core/compare/match.h"
#include "core/op/operation.h"
#include "core/spectrum/spectrum.h"

/* Makes `out`, of its type, f32 or f64, of samples of any real type and strides, channels last: the only
 * channel, or Rec.709 luma of three if they are `rgb`. Allocates it unless it has data. GF_EINVAL for
 * others. */
int gf_signal_take(const struct gf_array *px, bool rgb, struct gf_array *out);

/* GF_EINVAL in one line unless both have the same axes and extents, or the same type. `what`: "the
 * reference". */
int gf_signal_same_shape(const struct gf_array *a, const struct gf_array *b, const char *what);
int gf_signal_same_type(const struct gf_array *a, const struct gf_array *b, const char *what);

/* Bytes of half a spectrum of a signal, whose data is not read, and of the workspace that its
 * transforms need at least; 0 if that is unknown before they are planned. */
int64_t gf_signal_spectrum_bytes(const struct gf_array *px);
int64_t gf_signal_workspace(const struct gf_crew *crew, const struct gf_array *px);

/* Transforms a signal to half a spectrum, or back, in the signal's precision. */
int gf_signal_forward(const struct gf_crew *crew, const struct gf_array *px,
                      struct gf_spectrum *out);
int gf_signal_inverse(const struct gf_crew *crew, const struct gf_spectrum *s,
                      struct gf_array *out);

/* The options of operations on signals begin with these. */
struct gf_signal_options {
    int precision; /* enum gf_precision; negative: by the samples' type */
    bool spends;   /* the further arrays, if they are signals, may change */
};
extern const struct gf_opt gf_signal_rows[];

/* op->shared of operations on signals, by open() and close(). */
struct gf_signals {
    const void *options;
    struct gf_array with[2]; /* signals of the further arrays; no data: not given */
    struct gf_match match;   /* of a template */
    bool changes;            /* with[0], from one input to the next */
};
int gf_signals_open(void *options, const struct gf_array *with, int n, void **shared);
void gf_signals_close(void *shared);
/* The operation's samples as a signal, without data. */
struct gf_array gf_signal_of(const struct gf_operation *op);
/* Copies a signal unless it owns its samples. */
int gf_signal_own(struct gf_array *px);
/* The crew that counts it, and those of the further arrays. */
struct gf_crew gf_signal_crew(const struct gf_operation *op);
/* Makes the signal of op->in, or a view of it if it is one. */
int gf_signal_begin(const struct gf_operation *op, struct gf_array *px);

#endif
