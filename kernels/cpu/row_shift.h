/* Writes half spectra of pairs of adjacent rows past the caches. Each is some vectors and one
 * number: rows are shifted together in registers to whole, aligned vectors, without row_writer.h's
 * buffer. */
#ifndef GF_KERNELS_CPU_ROW_SHIFT_H
#define GF_KERNELS_CPU_ROW_SHIFT_H

struct row_shift {
    vec rest; /* ends with `count` complex numbers, less than a vector, bound for `to` */
    char *to; /* aligned */
    int count;
};

#ifdef __AVX512F__ /* permutes two vectors by indices in one instruction */
#include <immintrin.h>

static bool row_shift_begin(struct row_shift *s, char *to) {
    *s = (struct row_shift){.to = to};
    return (uintptr_t)to % VEC_BYTES == 0;
}

static void row_shift_end(struct row_shift *s) {
    const size_t bytes = (size_t)s->count * 2 * sizeof(real);
    memcpy(s->to, (const char *)&s->rest + VEC_BYTES - bytes, bytes);
    s->count = 0;
}

/* Indices for shift_numbers(). */
#define AT_LANE(i) (i)
INLINE ivec shift_indices(int count) {
    const ivec lane = {LIST(AT_LANE)};
    return lane + (bits)(LANES - 2 * count);
}

/* The last `count` complex numbers of a, then the first ones of b. */
INLINE vec shift_numbers(vec a, vec b, ivec indices) {
#if GF_REAL_BITS == 32
    return (vec)_mm512_permutex2var_ps((__m512)a, (__m512i)indices, (__m512)b);
#else
    return (vec)_mm512_permutex2var_pd((__m512d)a, (__m512i)indices, (__m512d)b);
#endif
}

/* All complex numbers of a except the first, then x. */
#define AT_NEXT(i) ((i) + 2)
INLINE vec shift_in(vec a, real x) {
    return __builtin_shufflevector(a, (vec){x}, LIST(AT_NEXT));
}

/* Like split_rows(), for LANES / 2 points starting at k: two interleaved vectors each. */
INLINE void shift_split(const real *re, const real *im, int64_t n, vec f, int64_t k, vec a[2],
                        vec b[2]) {
    vec xr = vec_loadu(re + k), yr = vec_reverse(vec_loadu(re + n - k - LANES + 1));
    vec xi = vec_loadu(im + k), yi = vec_reverse(vec_loadu(im + n - k - LANES + 1));
    cvec u = {(xr + yr) * f, (xi - yi) * f}, v = {(xi + yi) * f, (yr - xr) * f};
    a[0] = vec_zip_low(u.re, u.im);
    a[1] = vec_zip_high(u.re, u.im);
    b[0] = vec_zip_low(v.re, v.im);
    b[1] = vec_zip_high(v.re, v.im);
}

/* B's first vector waits for the end of A. */
static void shift_pair(const real *re, const real *im, int64_t n, real factor,
                       struct row_shift *s) {
    enum { NUMBERS = LANES / 2 };
    const int64_t half = n / 2;
    const int next = (s->count + 1) % NUMBERS;
    const ivec at_a = shift_indices(s->count), at_b = shift_indices(next);
    const vec f = vec_splat(factor * (real)0.5);
    char *to = s->to, *const first = to + half / NUMBERS * VEC_BYTES + (next ? 0 : VEC_BYTES),
         *to_b = first;
    vec rest_a = s->rest, a[2], b[2], first_b = {0}, rest_b = {0};
    for (int64_t k = 0; k < half; k += LANES) {
        shift_split(re, im, n, f, k, a, b);
        vec_stream(to, shift_numbers(rest_a, a[0], at_a));
        if (k)
            vec_stream(to_b, shift_numbers(rest_b, b[0], at_b));
        else
            first_b = b[0];
        to += VEC_BYTES;
        to_b += VEC_BYTES;
        rest_a = a[0];
        rest_b = b[0];
        if (k + LANES > half)
            break;
        vec_stream(to, shift_numbers(a[0], a[1], at_a));
        vec_stream(to_b, shift_numbers(b[0], b[1], at_b));
        to += VEC_BYTES;
        to_b += VEC_BYTES;
        rest_a = a[1];
        rest_b = b[1];
    }
    rest_a = shift_in(rest_a, re[half] * factor);
    if (!next)
        vec_stream(to, rest_a);
    vec_stream(first, shift_numbers(rest_a, first_b, at_b));
    *s = (struct row_shift){shift_in(rest_b, im[half] * factor), to_b, next + 1};
    if (s->count == NUMBERS) {
        vec_stream(s->to, s->rest);
        s->to += VEC_BYTES;
        s->count = 0;
    }
}
#else
static bool row_shift_begin(struct row_shift *s, char *to) {
    (void)s;
    (void)to;
    return false;
}
static void row_shift_end(struct row_shift *s) {
    (void)s;
}
static void shift_pair(const real *re, const real *im, int64_t n, real factor,
                       struct row_shift *s) {
    (void)re, (void)im, (void)n, (void)factor, (void)s;
}
#endif

#endif
