/* Daubechies' four taps across rows and along them: struct gf_cpu_wavelet. */
#ifndef GF_KERNELS_CPU_WAVELET_H
#define GF_KERNELS_CPU_WAVELET_H

/* (1 + r, 3 + r, 3 - r, 1 - r) / (4 sqrt 2), r = sqrt 3: Daubechies 1988, table 1, N = 2. */
#define TAP0 ((real)0.48296291314453414337487159986444L)
#define TAP1 ((real)0.83651630373780790557529378091689L)
#define TAP2 ((real)0.22414386804201338102597276224042L)
#define TAP3 ((real)-0.12940952255126038117444941881202L)

/* The two outputs of four inputs: forward adjacent samples of a line, backward a[k], d[k], a[k +
 * 1], d[k + 1]. The matrix is orthogonal, so backward it has the same columns in another order. */
#define LOW(inverse, a, b, c, d)                                                                   \
    ((inverse) ? TAP2 * (a) + TAP1 * (b) + TAP0 * (c) + TAP3 * (d)                                 \
               : TAP0 * (a) + TAP1 * (b) + TAP2 * (c) + TAP3 * (d))
#define HIGH(inverse, a, b, c, d)                                                                  \
    ((inverse) ? TAP3 * (a)-TAP0 * (b) + TAP1 * (c)-TAP2 * (d)                                     \
               : TAP3 * (a)-TAP2 * (b) + TAP1 * (c)-TAP0 * (d))

static bool is_aligned(const void *p) {
    return (uintptr_t)p % 64 == 0;
}

INLINE void put(void *p, vec v, bool stream) {
    if (stream)
        vec_stream(p, v);
    else
        vec_storeu(p, v);
}

INLINE void pair_of(bool inverse, const void *const row[4], enum gf_cpu_sample type, long n,
                    real *low, real *high, bool stream) {
    const char *p0 = row[0], *p1 = row[1], *p2 = row[2], *p3 = row[3];
    const int size = sample_size[type];
    long i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec a = read_reals(type, p0 + i * size), b = read_reals(type, p1 + i * size);
        vec c = read_reals(type, p2 + i * size), d = read_reals(type, p3 + i * size);
        put(low + i, LOW(inverse, a, b, c, d), stream);
        put(high + i, HIGH(inverse, a, b, c, d), stream);
    }
    for (; i < n; i++) {
        real a = read_real(type, p0 + i * size), b = read_real(type, p1 + i * size);
        real c = read_real(type, p2 + i * size), d = read_real(type, p3 + i * size);
        low[i] = LOW(inverse, a, b, c, d);
        high[i] = HIGH(inverse, a, b, c, d);
    }
}

/* Each type has a loop of its own; only rows of the build's precision are written past the
 * caches. */
static void wavelet_pair(bool inverse, const void *const row[4], enum gf_cpu_sample type, long n,
                         void *low, void *high, bool stream) {
    const enum gf_cpu_sample own = GF_REAL_BITS == 32 ? GF_CPU_F32 : GF_CPU_F64;
    if (type == own) {
        stream = stream && is_aligned(low) && is_aligned(high);
        if (inverse)
            pair_of(true, row, own, n, low, high, false);
        else if (stream)
            pair_of(false, row, own, n, low, high, true);
        else
            pair_of(false, row, own, n, low, high, false);
        return;
    }
#define PAIR(NAME, name, c_type)                                                                   \
    if (type == GF_CPU_##NAME)                                                                     \
        pair_of(false, row, GF_CPU_##NAME, n, low, high, false);
    REAL_TYPES(PAIR)
}

INLINE void split_of(const real *x, long n, real *a, real *d, bool stream_a, bool stream_d) {
    long k = 0;
    for (; k + LANES <= n; k += LANES) {
        const real *p = x + 2 * k;
        vec u = vec_loadu(p), v = vec_loadu(p + LANES);
        vec w = vec_loadu(p + 2), z = vec_loadu(p + 2 + LANES);
        vec x0 = vec_even(u, v), x1 = vec_odd(u, v), x2 = vec_even(w, z), x3 = vec_odd(w, z);
        put(a + k, LOW(false, x0, x1, x2, x3), stream_a);
        put(d + k, HIGH(false, x0, x1, x2, x3), stream_d);
    }
    for (; k < n; k++) {
        const real *p = x + 2 * k;
        a[k] = LOW(false, p[0], p[1], p[2], p[3]);
        d[k] = HIGH(false, p[0], p[1], p[2], p[3]);
    }
}

static void wavelet_split(const void *px, long n, long channels, void *pa, void *pd, bool stream_a,
                          bool stream_d) {
    const real *x = px;
    real *a = pa, *d = pd;
    if (channels == 1) {
        stream_a = stream_a && is_aligned(a);
        stream_d = stream_d && is_aligned(d);
        if (stream_a && stream_d)
            split_of(x, n, a, d, true, true);
        else if (stream_d)
            split_of(x, n, a, d, false, true);
        else
            split_of(x, n, a, d, false, false);
        return;
    }
    for (long k = 0; k < n; k++) {
        const real *p = x + 2 * k * channels;
        for (long c = 0; c < channels; c++, p++) {
            real x0 = p[0], x1 = p[channels], x2 = p[2 * channels], x3 = p[3 * channels];
            *a++ = LOW(false, x0, x1, x2, x3);
            *d++ = HIGH(false, x0, x1, x2, x3);
        }
    }
}

static void wavelet_merge(const void *pa, const void *pd, long n, long channels, void *px) {
    const real *a = pa, *d = pd;
    real *x = px;
    long k = 0;
    for (; channels == 1 && k + LANES <= n; k += LANES) {
        vec a0 = vec_loadu(a + k), a1 = vec_loadu(a + k + 1);
        vec d0 = vec_loadu(d + k), d1 = vec_loadu(d + k + 1);
        vec even = LOW(true, a0, d0, a1, d1), odd = HIGH(true, a0, d0, a1, d1);
        vec_storeu(x + 2 * k, vec_zip_low(even, odd));
        vec_storeu(x + 2 * k + LANES, vec_zip_high(even, odd));
    }
    for (; k < n; k++)
        for (long c = 0; c < channels; c++) {
            long i = k * channels + c;
            real a0 = a[i], a1 = a[i + channels], d0 = d[i], d1 = d[i + channels];
            x[2 * k * channels + c] = LOW(true, a0, d0, a1, d1);
            x[(2 * k + 1) * channels + c] = HIGH(true, a0, d0, a1, d1);
        }
}

INLINE void load_row(const char *row, enum gf_cpu_sample type, long n, real *x) {
    const int size = sample_size[type];
    long i = 0;
    for (; i + LANES <= n; i += LANES)
        vec_storeu(x + i, read_reals(type, row + i * size));
    for (; i < n; i++)
        x[i] = read_real(type, row + i * size);
}

static void wavelet_load(const void *row, enum gf_cpu_sample type, long n, void *x) {
#define LOAD(NAME, name, c_type)                                                                   \
    if (type == GF_CPU_##NAME)                                                                     \
        load_row(row, GF_CPU_##NAME, n, x);
    REAL_TYPES(LOAD)
}

/* Clamps to the type's range; counts values outside it by more than rounding. */
INLINE long store_row(const real *x, long n, enum gf_cpu_sample type, char *row, real floor,
                      real ceiling) {
    const int size = sample_size[type];
    const vec low = vec_splat(floor), high = vec_splat(ceiling), half = vec_splat((real)0.5);
    long i = 0;
    ivec outside = {0};
    for (; i + LANES <= n; i += LANES) {
        vec v = vec_loadu(x + i);
        outside -= (v <= low - half) | (v >= high + half);
        write_reals(type, row + i * size, vec_max(vec_min(v, high), low));
    }
    long clipped = 0;
    for (int l = 0; l < LANES; l++)
        clipped += (long)outside[l];
    for (; i < n; i++) {
        real v = x[i];
        clipped += v <= floor - (real)0.5 || v >= ceiling + (real)0.5;
        write_real(type, row + i * size, v > ceiling ? ceiling : v < floor ? floor : v);
    }
    return clipped;
}

static long wavelet_store(const void *px, long n, enum gf_cpu_sample type, void *row, bool stream) {
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
    long i = 0;
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

static const struct gf_cpu_wavelet wavelet = {.pair = wavelet_pair,
                                              .split = wavelet_split,
                                              .merge = wavelet_merge,
                                              .load = wavelet_load,
                                              .store = wavelet_store,
                                              .fence = wavelet_fence};

#endif
