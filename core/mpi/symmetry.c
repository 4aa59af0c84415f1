/* Symmetry of spectra, number by number, with the arithmetic and in the order of the CPU's kernels. */
#include "core/mpi/symmetry.h"

#include <string.h>

#define NUMBERS(real, suffix)                                                                        \
    static void unpack_##suffix(real *x, real *y, real *p, real *q) {                                \
        const real half = (real)0.5, zr = x[0], zi = x[1], yr = y[0], yi = y[1];                     \
        const real ar = (zr + yr) * half, ai = (zi - yi) * half;                                     \
        const real br = (zi + yi) * half, bi = (yr - zr) * half;                                     \
        y[0] = ar;                                                                                   \
        y[1] = -ai;                                                                                  \
        x[0] = ar;                                                                                   \
        x[1] = ai;                                                                                   \
        q[0] = br;                                                                                   \
        q[1] = -bi;                                                                                  \
        p[0] = br;                                                                                   \
        p[1] = bi;                                                                                   \
    }                                                                                                \
    /* (F(k) + conj F(-k)) / 2, as kernels/cpu/load.h makes it. By Parseval the energy of the      \
     * rest is that of the result's imaginary part. */ \
    static void join_##suffix(const real *a, const real *b, real *to, double weight,                 \
                              struct gf_energies *e) {                                               \
        const real half = (real)0.5, re = (a[0] + b[0]) * half, im = (a[1] - b[1]) * half;           \
        const double p = (double)((a[0] - b[0]) * half), q = (double)((a[1] + b[1]) * half);         \
        to[0] = re;                                                                                  \
        to[1] = im;                                                                                  \
        e->kept += weight * ((double)re * (double)re + (double)im * (double)im);                     \
        e->lost += weight * (p * p + q * q);                                                         \
    }
NUMBERS(float, f32)
NUMBERS(double, f64)

static int64_t size_of(const struct gf_slabs *v) {
    return v->point / v->channels;
}

void gf_unpack_pair(const struct gf_slabs *v, char *x, char *y, char *p, char *q) {
    for (int64_t at = 0; at < v->point; at += size_of(v)) {
        if (v->type == GF_C128)
            unpack_f64((double *)(x + at), (double *)(y + at), (double *)(p + at),
                       (double *)(q + at));
        else
            unpack_f32((float *)(x + at), (float *)(y + at), (float *)(p + at), (float *)(q + at));
    }
}

void gf_drop_imaginary(const struct gf_slabs *v, char *value) {
    for (int64_t at = 0; at < v->point; at += size_of(v)) {
        if (v->type == GF_C128)
            ((double *)(value + at))[1] = 0;
        else
            ((float *)(value + at))[1] = 0;
    }
}

void gf_conjugate(const struct gf_slabs *v, const char *from, char *value) {
    memcpy(value, from, (size_t)v->point);
    for (int64_t c = 0; c < v->channels; c++) {
        if (v->type == GF_C128)
            ((double *)value)[2 * c + 1] = -((double *)value)[2 * c + 1];
        else
            ((float *)value)[2 * c + 1] = -((float *)value)[2 * c + 1];
    }
}

void gf_join_pair(const struct gf_slabs *v, const char *a, const char *b, char *to, double weight,
                  struct gf_energies *e) {
    for (int64_t at = 0; at < v->point; at += size_of(v)) {
        if (v->type == GF_C128)
            join_f64((const double *)(a + at), (const double *)(b + at), (double *)(to + at),
                     weight, e);
        else
            join_f32((const float *)(a + at), (const float *)(b + at), (float *)(to + at), weight,
                     e);
    }
}

void gf_join_pairs(const struct gf_slabs *v, char *a, char *b, struct gf_energies *e) {
    struct gf_slabs one = *v;
    char before[2 * sizeof(double)];
    one.point = size_of(v);
    one.channels = 1;
    for (int64_t at = 0; at < v->point; at += one.point) {
        memcpy(before, a + at, (size_t)one.point);
        gf_join_pair(&one, before, b + at, a + at, 1, e);
        gf_join_pair(&one, b + at, before, b + at, 1, e);
    }
}
