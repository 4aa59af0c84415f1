/* Numbers mapped for display. */
#include "core/base/job/display.h"

#include <float.h>
#include <math.h>

static double scaled(enum gf_scale scale, double v) {
    switch (scale) {
    case GF_SCALE_LOG:
        /* log() takes half the time of log1p(), and is as accurate if 1 + v keeps v's digits. */
        return v > 0.01 ? log(1 + v) : log1p(v);
    case GF_SCALE_SQRT:
        return sqrt(v);
    case GF_SCALE_LINEAR:
        break;
    }
    return v;
}

struct gf_display gf_display_make(const struct gf_output *out, double low, double high) {
    struct gf_display d = {.kind = out->kind, .scale = out->scale, .high = fmin(high, DBL_MAX)};
    double lowest;
    gf_dtype_range(out->dtype, &lowest, &d.white);
    if (out->kind == GF_MAGNITUDE || out->kind == GF_POWER) {
        d.low = scaled(d.scale, fmin(low, DBL_MAX));
        d.high = scaled(d.scale, d.high);
    }
    return d;
}

void gf_display_run(const struct gf_display *d, int64_t count, double *v) {
    static const double pi = 3.14159265358979323846;
    double offset, factor;
    switch (d->kind) {
    case GF_PHASE:
        offset = -pi;
        factor = 1 / (2 * pi);
        break;
    case GF_REAL:
    case GF_IMAG:
        offset = -d->high;
        factor = 1 / (2 * d->high);
        if (!(d->high > 0)) { /* all zeros: mid-grey */
            offset = -0.5;
            factor = 1;
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++)
            v[i] = scaled(d->scale, v[i]);
        offset = d->low;
        factor = d->high > d->low ? 1 / (d->high - d->low) : 0;
    }
    for (int64_t i = 0; i < count; i++) {
        double t = (v[i] - offset) * factor;
        t = t > 0 ? t : 0; /* NaN becomes black */
        v[i] = floor((t < 1 ? t : 1) * d->white + 0.5);
    }
}
