#include "core/base/sample_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* memcpy, since a view into a file's bytes need not be aligned; compilers make it one load. */
#define READ(type)                                                                                 \
    for (int64_t i = 0; i < count; i++, p += stride) {                                             \
        type v;                                                                                    \
        memcpy(&v, p, sizeof v);                                                                   \
        re[i] = (double)v;                                                                         \
    }                                                                                              \
    break
#define READ_COMPLEX(type)                                                                         \
    for (int64_t i = 0; i < count; i++, p += stride) {                                             \
        type v[2];                                                                                 \
        memcpy(v, p, sizeof v);                                                                    \
        re[i] = v[0];                                                                              \
        if (im)                                                                                    \
            im[i] = v[1];                                                                          \
    }                                                                                              \
    return

void gf_sample_run_read(const char *p, enum gf_dtype t, int64_t stride, int64_t count, double *re,
                        double *im) {
    switch (t) {
    case GF_U8:
        READ(uint8_t);
    case GF_I8:
        READ(int8_t);
    case GF_U16:
        READ(uint16_t);
    case GF_I16:
        READ(int16_t);
    case GF_U32:
        READ(uint32_t);
    case GF_I32:
        READ(int32_t);
    case GF_F32:
        READ(float);
    case GF_F64:
        READ(double);
    case GF_C64:
        READ_COMPLEX(float);
    case GF_C128:
        READ_COMPLEX(double);
    case GF_N_DTYPES:
        break;
    }
    if (im)
        memset(im, 0, (size_t)count * sizeof *im);
}

#define WRITE(type)                                                                                \
    for (int64_t i = 0; i < count; i++, p += stride) {                                             \
        type v = (type)re[i];                                                                      \
        memcpy(p, &v, sizeof v);                                                                   \
    }                                                                                              \
    break
#define WRITE_COMPLEX(type)                                                                        \
    for (int64_t i = 0; i < count; i++, p += stride) {                                             \
        type v[2] = {(type)re[i], (type)im[i]};                                                    \
        memcpy(p, v, sizeof v);                                                                    \
    }                                                                                              \
    break

void gf_sample_run_write(char *p, enum gf_dtype t, int64_t stride, int64_t count, const double *re,
                         const double *im) {
    switch (t) {
    case GF_U8:
        WRITE(uint8_t);
    case GF_I8:
        WRITE(int8_t);
    case GF_U16:
        WRITE(uint16_t);
    case GF_I16:
        WRITE(int16_t);
    case GF_U32:
        WRITE(uint32_t);
    case GF_I32:
        WRITE(int32_t);
    case GF_F32:
        WRITE(float);
    case GF_F64:
        WRITE(double);
    case GF_C64:
        WRITE_COMPLEX(float);
    case GF_C128:
        WRITE_COMPLEX(double);
    case GF_N_DTYPES:
        break;
    }
}

/* The square of a double may leave its range; hypot() never does, but takes ten times as long. */
static double magnitude(double re, double im) {
    double s = re * re + im * im;
    return s > 1e-280 && s < 1e300 ? sqrt(s) : hypot(re, im);
}

void gf_sample_run_kind(enum gf_kind kind, int64_t count, double *re, double *im) {
    switch (kind) {
    case GF_MAGNITUDE:
        for (int64_t i = 0; i < count; i++)
            re[i] = magnitude(re[i], im[i]);
        break;
    case GF_PHASE:
        for (int64_t i = 0; i < count; i++)
            re[i] = atan2(im[i] + 0.0, re[i] + 0.0);
        break;
    case GF_POWER:
        for (int64_t i = 0; i < count; i++)
            re[i] = re[i] * re[i] + im[i] * im[i];
        break;
    case GF_IMAG:
        memcpy(re, im, (size_t)count * sizeof *re);
        break;
    case GF_REAL:
    case GF_COMPLEX:
    case GF_N_KINDS:
        break;
    }
}

double gf_sample_run_unit(double largest) {
    if (!(largest > 0 && isfinite(largest)) || (largest > 1e-100 && largest < 1e100))
        return 1;
    int up = -ilogb(largest);
    return ldexp(1, up < 1000 ? up : 1000);
}

int64_t gf_sample_run_round(enum gf_dtype t, int64_t count, double *v) {
    double low, high;
    int64_t clipped = 0;
    gf_dtype_range(t, &low, &high);
    for (int64_t i = 0; i < count; i++) {
        v[i] = round(v[i]);
        if (!(v[i] >= low)) {
            v[i] = low;
            clipped++;
        } else if (v[i] > high) {
            v[i] = high;
            clipped++;
        }
    }
    return clipped;
}

static double scaled(enum gf_scale scale, double v) {
    switch (scale) {
    case GF_SCALE_LOG:
        /* log() takes half of log1p()'s time, and is as good where 1 + v keeps v's digits. */
        return v > 0.01 ? log(1 + v) : log1p(v);
    case GF_SCALE_SQRT:
        return sqrt(v);
    case GF_SCALE_LINEAR:
        break;
    }
    return v;
}

struct gf_display gf_display_make(const struct gf_output *out, double high) {
    struct gf_display d = {.kind = out->kind, .scale = out->scale, .high = fmin(high, DBL_MAX)};
    double lowest;
    gf_dtype_range(out->dtype, &lowest, &d.white);
    if (out->kind == GF_MAGNITUDE || out->kind == GF_POWER) {
        d.low = scaled(d.scale, out->has_range ? out->low : 0);
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
        if (!(d->high > 0)) { /* nothing but zeros, and zero is mid-grey */
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
        t = t > 0 ? t : 0; /* also takes NaN to black */
        v[i] = floor((t < 1 ? t : 1) * d->white + 0.5);
    }
}
