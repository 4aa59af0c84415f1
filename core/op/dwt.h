/* Wavelet transforms: their options, and the job that they make; a transform is that job alone.
 *
 *     struct gf_dwt_options options = gf_dwt_defaults;
 *     struct gf_job job = …                              shape, axes, channels, types
 *     rc = gf_dwt_describe(&options, false, &job);
 *
 * dwt.c */
#ifndef GF_CORE_OP_DWT_H
#define GF_CORE_OP_DWT_H

#include "core/op/operation.h"

enum { GF_MOST_LEVELS = -1 };

struct gf_dwt_options {
    int name;      /* enum wavelet */
    int levels;    /* 0: unset; GF_MOST_LEVELS: all that the size allows */
    int boundary;  /* enum gf_boundary; negative: the default, periodic */
    int threshold; /* enum gf_threshold */
    bool percent;
    double amount;
    const char *axes; /* of the operations: "0,2"; NULL: all of more than one sample */
};
extern const struct gf_dwt_options gf_dwt_defaults;
extern const struct gf_opt gf_dwt_rows[];

/* Sets op, axes and wavelet of a job with a shape and axes: by default three levels, or as many as the
 * size allows. Axes of one sample are left out; `chosen`: the user named the axes. GF_EINVAL for more
 * levels than that, or if nothing is left to split. */
int gf_dwt_describe(const struct gf_dwt_options *o, bool chosen, struct gf_job *job);
void gf_dwt_take_threshold(const struct gf_dwt_options *o, struct gf_wavelet *w);

/* The inverse takes packed coefficients, and makes the larger of the two pictures, a sample apart along
 * an axis, that have as many. */
extern const struct gf_operation_kind gf_operation_dwt, gf_operation_idwt;

#endif
