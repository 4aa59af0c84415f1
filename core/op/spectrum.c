/* Makes pictures of spectra: their options, and the operation. */
#include "core/op/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how numbers become grey ---- */

static const char *const scales[] = {"log", "linear", "sqrt", NULL};

int gf_range_parse(const struct gf_opt *o, const char *value, bool percent,
                   struct gf_range_options *range) {
    char *end;
    range->given = true;
    if (!strcmp(value, "full") || (!percent && !strcmp(value, "auto"))) {
        range->which = *value == 'a' ? GF_RANGE_AUTO : GF_RANGE_FULL;
        return 0;
    }
    double low = strtod(value, &end);
    range->percent = percent && *end == '%';
    end += range->percent;
    bool ok = end != value && *end == ',';
    const char *second = end + 1;
    double high = ok ? strtod(second, &end) : 0;
    ok = ok && end != second && (*end == '%') == range->percent;
    if (!ok || end[range->percent] || !isfinite(low) || !isfinite(high))
        return gf_opt_refuse(
            o, value, percent ? "it is full, LOW,HIGH or P%,Q%" : "it is auto, full or LOW,HIGH");
    if (low >= high)
        return gf_fail(GF_EUSAGE, "--range=%.40s: LOW is not below HIGH", value);
    if (range->percent && (low < 0 || high > 100))
        return gf_fail(GF_EUSAGE, "--range=%.40s: per cent are from 0 to 100", value);
    range->which = GF_RANGE_GIVEN;
    range->low = low;
    range->high = high;
    return 0;
}

static int parse_range(const struct gf_opt *o, const char *value, void *field) {
    return gf_range_parse(o, value, false, field);
}

static bool print_range(const struct gf_opt *o, const void *field, int i,
                        char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_range_options *r = field;
    (void)o;
    if (r->which == GF_RANGE_GIVEN)
        snprintf(text, GF_OPT_TEXT_SIZE, "%.17g,%.17g", r->low, r->high);
    else
        snprintf(text, GF_OPT_TEXT_SIZE, "%s", r->which == GF_RANGE_FULL ? "full" : "auto");
    return !i && r->given;
}

const struct gf_display_options gf_display_defaults = {
    .shift = -1, .scale = -1, .range = {.which = GF_RANGE_AUTO}};

#define GF_AT(field) offsetof(struct gf_display_options, field)

const struct gf_opt gf_display_rows[] = {
    GF_CHOICE3("shift", shift,
               "put the zero frequency in the centre (default: yes, but in the corner of complex "
               "output)"),
    GF_CHOICE("scale", scale, "log|linear|sqrt", scales,
              "grey curve for magnitude and power (default: log)"),
    GF_PARSED("range", GF_AT(range), "RANGE", parse_range,
              "values drawn black and white: auto (default: 1% of the bins are black and 0.1% "
              "white), full (0 and the largest), or LOW,HIGH",
              .print = print_range),
    {0}};

void gf_display_describe(const struct gf_display_options *o, enum gf_kind kind,
                         struct gf_output *out) {
    out->kind = kind;
    out->map = gf_dtype_is_integer(out->dtype) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    out->shift = o->shift < 0 ? kind != GF_COMPLEX : o->shift;
    if (o->scale >= 0)
        out->scale = (enum gf_scale)o->scale;
    /* The range is for magnitudes and the like; a phase always spans the circle. */
    if (out->map == GF_MAP_DISPLAY && kind != GF_PHASE) {
        out->range = o->range.which;
        out->low = o->range.low;
        out->high = o->range.high;
    }
}

/* ---- the operation ---- */

static int check(void *options) {
    const struct gf_spectrum_options *o = options;
    return o->kind == GF_COMPLEX ? gf_fail(GF_EUSAGE, "kind=complex is no picture of a spectrum")
                                 : 0;
}

static bool is_windowed(const struct gf_operation *op) {
    return gf_window_is_asked(&((const struct gf_spectrum_options *)op->shared)->window);
}

/* The options begin with a window's, and its steps make the input. */
static int describe(struct gf_operation *op) {
    const struct gf_spectrum_options *o = op->shared;
    op->job.norm = (enum gf_norm)o->norm;
    op->job.luma = o->color < 0 ? op->of.rgb : o->color;
    gf_display_describe(&o->display, (enum gf_kind)o->kind, op->job.out);
    return is_windowed(op) ? gf_operation_window.describe(op) : 0;
}

static int take(struct gf_operation *op) {
    return is_windowed(op) ? gf_operation_window.take(op) : 0;
}

static void drop(struct gf_operation *op) {
    gf_operation_window.drop(op);
}

#undef GF_AT
#define GF_AT(field) offsetof(struct gf_spectrum_options, field)

static const char *const colors[] = {"channels", "luma", NULL};

static const struct gf_opt rows[] = {
    GF_CHOICE("kind", kind, "KIND", gf_kind_names, "magnitude (default), phase, power, real, imag"),
    GF_ROWS("shift scale range", display, gf_display_rows),
    GF_ROWS("window edges", window, gf_window_rows),
    GF_CHOICE("norm", norm, "NAME", gf_norm_names, "backward (default), ortho or forward"),
    GF_CHOICE("color", color, "channels|luma", colors,
              "each channel by itself, or one Rec.709 luma (default: luma of a colour picture)"),
    {0}};

static const struct gf_spectrum_options defaults = {
    .display = {.shift = -1, .scale = -1, .range = {.which = GF_RANGE_AUTO}}, .color = -1};

const struct gf_operation_kind gf_operation_spectrum = {
    .name = "spectrum",
    .options = {rows, sizeof(struct gf_spectrum_options), &defaults, check},
    .gives = GF_MAGNITUDE,
    .state = sizeof(struct gf_array),
    .describe = describe,
    .take = take,
    .drop = drop};
