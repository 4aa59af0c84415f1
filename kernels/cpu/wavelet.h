/* Wavelets' taps across rows and along them: struct gf_cpu_wavelet. */
#ifndef GF_KERNELS_CPU_WAVELET_H
#define GF_KERNELS_CPU_WAVELET_H

#include "kernels/wavelets.h"

#define ROOM(NAME, taps, name, also, alias, what, h) char NAME[taps];
enum { MOST_TAPS = sizeof(union {WAVELETS(ROOM)}) };

/* A row of kernels/wavelets.h; functions that take one are inlined for each wavelet. */
struct wavelet_taps {
    int n;
    real h[MOST_TAPS];
};

/* The weight of input i. Forward: adjacent samples for a[k], or d[k] if `high`; inverse: a[k],
 * d[k], a[k + 1], d[k + 1], … for the first of two samples, or the second. The matrix is
 * orthogonal, so its inverse has the same columns in another order. */
INLINE real tap(const struct wavelet_taps *w, bool inverse, bool high, int i) {
    const int at = inverse ? w->n - 2 + high - i / 2 * 2 : i;
    if (inverse ? i % 2 : high)
        return at % 2 ? -w->h[w->n - 1 - at] : w->h[w->n - 1 - at];
    return w->h[at];
}

#define COMBINE(type) \
    INLINE void combine_##type(const struct wavelet_taps *w, bool inverse, bool high, \
                               const type *x, type *out) { \
        type sum = tap(w, inverse, high, 0) * x[0]; \
        _Pragma("GCC unroll 16") for (int i = 1; i < w->n; i++) sum += \
            tap(w, inverse, high, i) * x[i]; \
        *out = sum; \
    }
COMBINE(real)
COMBINE(vec)

static bool is_aligned(const void *p) {
    return (uintptr_t)p % 64 == 0;
}

INLINE void pair_of(const struct wavelet_taps *w, bool inverse, const void *const *row,
                    enum gf_cpu_sample type, int64_t n, real *low, real *high) {
    const char *p[MOST_TAPS];
    const int size = sample_size[type];
    int64_t i = 0;
    for (int j = 0; j < w->n; j++)
        p[j] = row[j];
    for (; i + LANES <= n; i += LANES) {
        vec x[MOST_TAPS], a, d;
#pragma GCC unroll 16
        for (int j = 0; j < w->n; j++)
            x[j] = read_reals(type, p[j] + i * size);
        combine_vec(w, inverse, false, x, &a);
        combine_vec(w, inverse, true, x, &d);
        vec_storeu(low + i, a);
        vec_storeu(high + i, d);
    }
    for (; i < n; i++) {
        real x[MOST_TAPS];
#pragma GCC unroll 16
        for (int j = 0; j < w->n; j++)
            x[j] = read_real(type, p[j] + i * size);
        combine_real(w, inverse, false, x, &low[i]);
        combine_real(w, inverse, true, x, &high[i]);
    }
}

/* One loop per type; bands have the build's precision. */
INLINE void wavelet_pair(const struct wavelet_taps *w, bool inverse, const void *const *row,
                         enum gf_cpu_sample type, int64_t n, void *low, void *high) {
    if (inverse) {
        pair_of(w, true, row, GF_REAL_BITS == 32 ? GF_CPU_F32 : GF_CPU_F64, n, low, high);
        return;
    }
#define PAIR(NAME, name, c_type) \
    if (type == GF_CPU_##NAME) \
        pair_of(w, false, row, GF_CPU_##NAME, n, low, high);
    REAL_TYPES(PAIR)
}

INLINE void split_of(const struct wavelet_taps *w, const real *x, int64_t n, real *a, real *d,
                     bool stream_a, bool stream_d) {
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        vec v[MOST_TAPS], low, high;
#pragma GCC unroll 16
        for (int j = 0; j < w->n; j += 2) {
            const real *p = x + 2 * k + j;
            const vec first = vec_loadu(p), second = vec_loadu(p + LANES);
            v[j] = vec_even(first, second);
            v[j + 1] = vec_odd(first, second);
        }
        combine_vec(w, false, false, v, &low);
        combine_vec(w, false, true, v, &high);
        vec_put(a + k, low, stream_a);
        vec_put(d + k, high, stream_d);
    }
    for (; k < n; k++) {
        combine_real(w, false, false, x + 2 * k, &a[k]);
        combine_real(w, false, true, x + 2 * k, &d[k]);
    }
}

INLINE void wavelet_split(const struct wavelet_taps *w, const void *px, int64_t n, int64_t channels,
                          void *pa, void *pd, bool stream_a, bool stream_d) {
    const real *x = px;
    real *a = pa, *d = pd;
    if (channels == 1) {
        stream_a = stream_a && is_aligned(a);
        stream_d = stream_d && is_aligned(d);
        if (stream_a && stream_d)
            split_of(w, x, n, a, d, true, true);
        else if (stream_d)
            split_of(w, x, n, a, d, false, true);
        else
            split_of(w, x, n, a, d, false, false);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        const real *p = x + 2 * k * channels;
        for (int64_t c = 0; c < channels; c++, p++) {
            real v[MOST_TAPS];
#pragma GCC unroll 16
            for (int j = 0; j < w->n; j++)
                v[j] = p[j * channels];
            combine_real(w, false, false, v, a++);
            combine_real(w, false, true, v, d++);
        }
    }
}

INLINE void wavelet_merge(const struct wavelet_taps *w, const void *pa, const void *pd, int64_t n,
                          int64_t channels, void *px) {
    const real *a = pa, *d = pd;
    real *x = px;
    int64_t k = 0;
    for (; channels == 1 && k + LANES <= n; k += LANES) {
        vec v[MOST_TAPS], even, odd;
#pragma GCC unroll 16
        for (int j = 0; j < w->n; j += 2) {
            v[j] = vec_loadu(a + k + j / 2);
            v[j + 1] = vec_loadu(d + k + j / 2);
        }
        combine_vec(w, true, false, v, &even);
        combine_vec(w, true, true, v, &odd);
        vec_storeu(x + 2 * k, vec_zip_low(even, odd));
        vec_storeu(x + 2 * k + LANES, vec_zip_high(even, odd));
    }
    for (; k < n; k++)
        for (int64_t c = 0; c < channels; c++) {
            const int64_t i = k * channels + c;
            real v[MOST_TAPS];
#pragma GCC unroll 16
            for (int j = 0; j < w->n; j += 2) {
                v[j] = a[i + j / 2 * channels];
                v[j + 1] = d[i + j / 2 * channels];
            }
            combine_real(w, true, false, v, &x[2 * k * channels + c]);
            combine_real(w, true, true, v, &x[(2 * k + 1) * channels + c]);
        }
}

INLINE void load_row(const char *row, enum gf_cpu_sample type, int64_t n, real *x) {
    const int size = sample_size[type];
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        vec_storeu(x + i, read_reals(type, row + i * size));
    for (; i < n; i++)
        x[i] = read_real(type, row + i * size);
}

static void wavelet_load(const void *row, enum gf_cpu_sample type, int64_t n, void *x) {
#define LOAD(NAME, name, c_type) \
    if (type == GF_CPU_##NAME) \
        load_row(row, GF_CPU_##NAME, n, x);
    REAL_TYPES(LOAD)
}

/* Counts values outside the type by more than rounding. */
INLINE int64_t store_row(const real *x, int64_t n, enum gf_cpu_sample type, char *row, real floor,
                         real ceiling) {
    const int size = sample_size[type];
    const vec low = vec_splat(floor), high = vec_splat(ceiling), half = vec_splat((real)0.5);
    int64_t i = 0;
    ivec outside = {0};
    for (; i + LANES <= n; i += LANES) {
        vec v = vec_loadu(x + i);
        outside -= (v <= low - half) | (v >= high + half);
        write_reals(type, row + i * size, vec_max(vec_min(v, high), low));
    }
    int64_t clipped = 0;
    for (int l = 0; l < LANES; l++)
        clipped += (int64_t)outside[l];
    for (; i < n; i++) {
        real v = x[i];
        clipped += v <= floor - (real)0.5 || v >= ceiling + (real)0.5;
        write_real(type, row + i * size, v > ceiling ? ceiling : v < floor ? floor : v);
    }
    return clipped;
}

static int64_t wavelet_store(const void *px, int64_t n, enum gf_cpu_sample type, void *row,
                             bool stream) {
    const enum gf_cpu_sample own = GF_REAL_BITS == 32 ? GF_CPU_F32 : GF_CPU_F64;
    const real *x = px;
    real *out = row;
    switch (type) {
    case GF_CPU_U8:
        return store_row(x, n, GF_CPU_U8, row, 0, 255);
    case GF_CPU_I8:
        return store_row(x, n, GF_CPU_I8, row, -128, 127);
    case GF_CPU_U16:
        return store_row(x, n, GF_CPU_U16, row, 0, 65535);
    case GF_CPU_I16:
        return store_row(x, n, GF_CPU_I16, row, -32768, 32767);
    case GF_CPU_U32:
        return store_row(x, n, GF_CPU_U32, row, 0, (real)4294967295.0);
    case GF_CPU_I32:
        return store_row(x, n, GF_CPU_I32, row, (real)-2147483648.0, (real)2147483647.0);
    default:
        break;
    }
    int64_t i = 0;
    if (type == own) {
        for (; i < n && stream && !is_aligned(out + i); i++)
            out[i] = x[i];
        for (; i + LANES <= n && stream; i += LANES)
            vec_stream(out + i, vec_loadu(x + i));
        memcpy(out + i, x + i, (size_t)(n - i) * sizeof *x);
    } else {
        const int size = sample_size[type];
        for (; i < n; i++)
            write_real(type == GF_CPU_F64 ? GF_CPU_F64 : GF_CPU_F32, (char *)row + i * size, x[i]);
    }
    return 0;
}

static void wavelet_fence(void) {
    vec_stream_end();
}

#define TAP(x) (real) x##L,
#define FUNCTIONS(NAME, taps, name, also, alias, what, h) \
    static const struct wavelet_taps taps_##NAME = {taps, {h}}; \
    static void pair_##NAME(bool inverse, const void *const *row, enum gf_cpu_sample type, \
                            int64_t n, void *low, void *high) { \
        wavelet_pair(&taps_##NAME, inverse, row, type, n, low, high); \
    } \
    static void split_##NAME(const void *x, int64_t n, int64_t channels, void *a, void *d, \
                             bool stream_a, bool stream_d) { \
        wavelet_split(&taps_##NAME, x, n, channels, a, d, stream_a, stream_d); \
    } \
    static void merge_##NAME(const void *a, const void *d, int64_t n, int64_t channels, void *x) { \
        wavelet_merge(&taps_##NAME, a, d, n, channels, x); \
    }
WAVELETS(FUNCTIONS)

#define ROW_OF(NAME, taps, name, also, alias, what, h) \
    {pair_##NAME, split_##NAME, merge_##NAME, wavelet_load, wavelet_store, wavelet_fence},
static const struct gf_cpu_wavelet wavelets[] = {WAVELETS(ROW_OF)};

#endif
