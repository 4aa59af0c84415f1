/* Runs of samples: to and from doubles, to one number of a kind, and rounded. */
#include "core/base/value/sample_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A reader and a writer per type. Views into a file's bytes need not be aligned. A constant step lets
 * loops be vectorised, which memcpy() with its checks would not. */
#define READ(type, parts, step) \
    for (int64_t i = 0; i < count; i++) { \
        const type *v = (const type *)(p + i * (step)); \
        re[i] = (double)v[0]; \
        if (parts == 2 && im) \
            im[i] = (double)v[parts - 1]; \
    }
#define WRITE(type, parts, step) \
    for (int64_t i = 0; i < count; i++) { \
        type *v = (type *)(p + i * (step)); \
        v[0] = (type)re[i]; \
        if (parts == 2) \
            v[parts - 1] = (type)im[i]; \
    }
#define SAMPLES(name, type, parts) \
    typedef type any_##name __attribute__((aligned(1), may_alias)); \
    static void read_##name(const char *p, int64_t stride, int64_t count, double *re, \
                            double *im) { \
        enum { DENSE = parts * sizeof(type) }; \
        if (stride == DENSE) { \
            _Pragma("omp simd") READ(any_##name, parts, DENSE) \
        } else { \
            READ(any_##name, parts, stride) \
        } \
        if (parts == 1 && im) \
            memset(im, 0, (size_t)count * sizeof *im); \
    } \
    static void write_##name(char *p, int64_t stride, int64_t count, const double *re, \
                             const double *im) { \
        enum { DENSE = parts * sizeof(type) }; \
        if (stride == DENSE) { \
            _Pragma("omp simd") WRITE(any_##name, parts, DENSE) \
        } else { \
            WRITE(any_##name, parts, stride) \
        } \
    }
SAMPLES(u8, uint8_t, 1)
SAMPLES(i8, int8_t, 1)
SAMPLES(u16, uint16_t, 1)
SAMPLES(i16, int16_t, 1)
SAMPLES(u32, uint32_t, 1)
SAMPLES(i32, int32_t, 1)
SAMPLES(f32, float, 1)
SAMPLES(f64, double, 1)
SAMPLES(c64, float, 2)
SAMPLES(c128, double, 2)

static const struct {
    void (*read)(const char *p, int64_t stride, int64_t count, double *re, double *im);
    void (*write)(char *p, int64_t stride, int64_t count, const double *re, const double *im);
} samples[GF_N_DTYPES] = {
    [GF_U8] = {read_u8, write_u8},    [GF_I8] = {read_i8, write_i8},
    [GF_U16] = {read_u16, write_u16}, [GF_I16] = {read_i16, write_i16},
    [GF_U32] = {read_u32, write_u32}, [GF_I32] = {read_i32, write_i32},
    [GF_F32] = {read_f32, write_f32}, [GF_F64] = {read_f64, write_f64},
    [GF_C64] = {read_c64, write_c64}, [GF_C128] = {read_c128, write_c128},
};

void gf_sample_run_read(const char *p, enum gf_dtype t, int64_t stride, int64_t count, double *re,
                        double *im) {
    samples[t].read(p, stride, count, re, im);
}

void gf_sample_run_write(char *p, enum gf_dtype t, int64_t stride, int64_t count, const double *re,
                         const double *im) {
    samples[t].write(p, stride, count, re, im);
}

/* re^2 + im^2 can overflow or underflow; hypot() does neither, but takes ten times as long. */
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
