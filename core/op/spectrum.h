/* Pictures of spectra: how numbers become grey, and the operation that makes one of samples.
 *
 *     struct gf_display_options display = gf_display_defaults;
 *     struct gf_output *out = &job.out[0];                         all zero but its type
 *     gf_display_describe(&display, GF_MAGNITUDE, out);
 *
 * spectrum.c */
#ifndef GF_CORE_OP_SPECTRUM_H
#define GF_CORE_OP_SPECTRUM_H

#include "core/op/filter/window.h"

struct gf_display_options {
    int shift, scale; /* 0 or 1, enum gf_scale; -1: unset */
    struct gf_range_options {
        enum gf_range which;
        double low, high; /* GF_RANGE_GIVEN; with `percent` quantiles in per cent */
        bool given, percent;
    } range;
};
extern const struct gf_display_options gf_display_defaults;
extern const struct gf_opt gf_display_rows[];

/* Parses auto, full or LOW,HIGH; with `percent` full, LOW,HIGH or P%,Q%. */
int gf_range_parse(const struct gf_opt *o, const char *value, bool percent,
                   struct gf_range_options *range);
/* Sets an output's kind and how it is shown: integers are grey, others the numbers. */
void gf_display_describe(const struct gf_display_options *o, enum gf_kind kind,
                         struct gf_output *out);

struct gf_spectrum_options {
    struct gf_window_options window;
    struct gf_display_options display;
    int kind, norm; /* enum gf_kind but complex, enum gf_norm */
    int color;      /* 0: channels, 1: luma, -1: luma of red, green and blue */
};
/* The operation. Its output has 8 bits, unless the caller asks for more or for numbers. */
extern const struct gf_operation_kind gf_operation_spectrum;

#endif
