/* Vectors of the build's precision and width, and the few operations beyond + - *. */
#ifndef GF_KERNELS_CPU_VEC_H
#define GF_KERNELS_CPU_VEC_H

#include <string.h>

#if defined __AVX512F__
#define VEC_BYTES 64
#elif defined __AVX__
#define VEC_BYTES 32
#else
#define VEC_BYTES 16
#endif

#if GF_REAL_BITS == 32
typedef float real;
typedef int32_t bits;
#else
typedef double real;
typedef int64_t bits;
#endif

#define N_LANES (VEC_BYTES * 8 / GF_REAL_BITS)
enum { LANES = N_LANES };

typedef real vec __attribute__((vector_size(VEC_BYTES)));
typedef real vec_loose __attribute__((vector_size(VEC_BYTES), aligned(sizeof(real)), may_alias));
typedef bits ivec __attribute__((vector_size(VEC_BYTES)));

/* LANES complex numbers, one per line. */
typedef struct {
    vec re, im;
} cvec;

#define INLINE static inline __attribute__((always_inline))

INLINE vec vec_loadu(const void *p) {
    return *(const vec_loose *)p;
}
INLINE void vec_storeu(void *p, vec v) {
    *(vec_loose *)p = v;
}
/* Writes past the caches to 64-byte aligned memory, so that old contents need not be fetched.
 * run_tile() ends with vec_stream_end(). */
INLINE void vec_stream(void *p, vec v) {
#if defined __clang__
    __builtin_nontemporal_store(v, (vec *)p);
#elif defined __AVX512F__ && GF_REAL_BITS == 32
    __builtin_ia32_movntps512(p, v);
#elif defined __AVX512F__
    __builtin_ia32_movntpd512(p, v);
#elif defined __AVX__ && GF_REAL_BITS == 32
    __builtin_ia32_movntps256(p, v);
#elif defined __AVX__
    __builtin_ia32_movntpd256(p, v);
#elif defined __SSE2__ && GF_REAL_BITS == 32
    __builtin_ia32_movntps(p, v);
#elif defined __SSE2__
    __builtin_ia32_movntpd(p, v);
#else
    *(vec *)p = v;
#endif
}
/* Streams to aligned memory, or stores anywhere. */
INLINE void vec_put(void *p, vec v, bool stream) {
    if (stream)
        vec_stream(p, v);
    else
        vec_storeu(p, v);
}
INLINE void vec_stream_end(void) {
#ifdef __SSE2__
    __builtin_ia32_sfence();
#endif
}
/* Prefetches memory about to be written: the hardware prefetcher does not cross pages, and a store
 * that misses delays those after it. */
INLINE void prefetch_for_writing(const char *p, int bytes) {
    for (int at = 0; at < bytes; at += 64)
        __builtin_prefetch(p + at, 1);
    __builtin_prefetch(p + bytes - 1, 1);
}
INLINE void prefetch_for_reading(const char *p, int bytes) {
    for (int at = 0; at < bytes; at += 64)
        __builtin_prefetch(p + at);
}
/* Prefetches into the second-level cache. */
INLINE void prefetch_far(const char *p, int bytes) {
    for (int at = 0; at < bytes; at += 64)
        __builtin_prefetch(p + at, 0, 2);
}

/* Keeps v in a register; otherwise the compiler loads it twice for two uses. */
INLINE vec vec_hold(vec v) {
#if defined __AVX512F__
    __asm__("" : "+v"(v));
#elif defined __SSE2__
    __asm__("" : "+x"(v));
#endif
    return v;
}
INLINE cvec cvec_hold(cvec x) {
    return (cvec){vec_hold(x.re), vec_hold(x.im)};
}

INLINE vec vec_splat(real x) {
    return x - (vec){0};
}

/* mask ? a : b, lane by lane; mask is all ones or all zeros. */
INLINE vec vec_select(ivec mask, vec a, vec b) {
    return (vec)(((ivec)a & mask) | ((ivec)b & ~mask));
}
INLINE vec vec_abs(vec a) {
    const bits sign = GF_REAL_BITS == 32 ? (bits)INT32_MIN : (bits)INT64_MIN;
    return (vec)((ivec)a & ~sign);
}
INLINE vec vec_max(vec a, vec b) {
    return vec_select(a > b, a, b);
}
INLINE vec vec_min(vec a, vec b) {
    return vec_select(a < b, a, b);
}

INLINE vec vec_sqrt(vec a) {
    for (int l = 0; l < LANES; l++)
#if GF_REAL_BITS == 32
        a[l] = __builtin_sqrtf(a[l]);
#else
        a[l] = __builtin_sqrt(a[l]);
#endif
    return a;
}

/* Index lists for the shuffles; LANES is 2, 4, 8 or 16. */
#define LIST_2(f)  f(0), f(1)
#define LIST_4(f)  LIST_2(f), f(2), f(3)
#define LIST_8(f)  LIST_4(f), f(4), f(5), f(6), f(7)
#define LIST_16(f) LIST_8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#if N_LANES == 16
#define LIST LIST_16
#elif N_LANES == 8
#define LIST LIST_8
#elif N_LANES == 4
#define LIST LIST_4
#else
#define LIST LIST_2
#endif
#define AT_REVERSED(i) (LANES - 1 - (i))
#define AT_EVEN(i)     (2 * (i))
#define AT_ODD(i)      (2 * (i) + 1)
#define AT_ZIP_LOW(i)  ((i) / 2 + (i) % 2 * LANES)
#define AT_ZIP_HIGH(i) ((i) / 2 + (i) % 2 * LANES + LANES / 2)

INLINE vec vec_reverse(vec a) {
    return __builtin_shufflevector(a, a, LIST(AT_REVERSED));
}
/* Every other number of the 2 LANES numbers a, b; and the inverse. */
INLINE vec vec_even(vec a, vec b) {
    return __builtin_shufflevector(a, b, LIST(AT_EVEN));
}
INLINE vec vec_odd(vec a, vec b) {
    return __builtin_shufflevector(a, b, LIST(AT_ODD));
}
INLINE vec vec_zip_low(vec a, vec b) {
    return __builtin_shufflevector(a, b, LIST(AT_ZIP_LOW));
}
INLINE vec vec_zip_high(vec a, vec b) {
    return __builtin_shufflevector(a, b, LIST(AT_ZIP_HIGH));
}

/* For blocks of s lanes: *a gets the first of each pair from both vectors, *b the second. */
#define AT_FIRST(s, i)  (((i) & (s)) ? LANES + (i) - (s) : (i))
#define AT_SECOND(s, i) (((i) & (s)) ? LANES + (i) : (i) + (s))
#define EXCHANGE(s) \
    INLINE void vec_exchange_##s(vec *a, vec *b) { \
        vec first = __builtin_shufflevector(*a, *b, LIST(AT_FIRST_##s)); \
        *b = __builtin_shufflevector(*a, *b, LIST(AT_SECOND_##s)); \
        *a = first; \
    }
#define AT_FIRST_1(i)  AT_FIRST(1, i)
#define AT_SECOND_1(i) AT_SECOND(1, i)
#define AT_FIRST_2(i)  AT_FIRST(2, i)
#define AT_SECOND_2(i) AT_SECOND(2, i)
#define AT_FIRST_4(i)  AT_FIRST(4, i)
#define AT_SECOND_4(i) AT_SECOND(4, i)
#define AT_FIRST_8(i)  AT_FIRST(8, i)
#define AT_SECOND_8(i) AT_SECOND(8, i)
#if N_LANES >= 16
EXCHANGE(8)
#endif
#if N_LANES >= 8
EXCHANGE(4)
#endif
#if N_LANES >= 4
EXCHANGE(2)
#endif
#if GF_REAL_BITS == 64
EXCHANGE(1)
#endif

/* The lower or upper halves of each four lanes, alternating: one instruction for floats on x86-64,
 * where exchanging single lanes takes two. */
#define AT_UNPACK_LOW(i)  ((i) / 4 * 4 + (i) % 4 / 2 + (i) % 2 * LANES)
#define AT_UNPACK_HIGH(i) (AT_UNPACK_LOW(i) + 2)

/* Transposes the squares a[row][lane] of `block` rows and lanes in place, by exchanging ever larger
 * blocks (Eklundh 1972). `block`: a constant power of two up to LANES. */
#define EXCHANGE_ALL(s) \
    _Pragma("GCC unroll 16") for (int i = 0; i + (s) < block; i += 2 * (s)) \
        _Pragma("GCC unroll 16") for (int j = i; j < i + (s); j++) \
            vec_exchange_##s(a + j, a + j + (s))
INLINE void vec_transpose_blocks(vec *a, int block) {
#if GF_REAL_BITS == 32
    /* Exchanges of one lane and of two. */
#pragma GCC unroll 4
    for (int i = 0; i + 3 < block; i += 4) {
        vec p = __builtin_shufflevector(a[i], a[i + 1], LIST(AT_UNPACK_LOW));
        vec q = __builtin_shufflevector(a[i], a[i + 1], LIST(AT_UNPACK_HIGH));
        vec r = __builtin_shufflevector(a[i + 2], a[i + 3], LIST(AT_UNPACK_LOW));
        vec t = __builtin_shufflevector(a[i + 2], a[i + 3], LIST(AT_UNPACK_HIGH));
        vec_exchange_2(&p, &r);
        vec_exchange_2(&q, &t);
        a[i] = p;
        a[i + 1] = r;
        a[i + 2] = q;
        a[i + 3] = t;
    }
#else
    EXCHANGE_ALL(1);
#if N_LANES >= 4
    EXCHANGE_ALL(2);
#endif
#endif
#if N_LANES >= 8
    EXCHANGE_ALL(4);
#endif
#if N_LANES >= 16
    EXCHANGE_ALL(8);
#endif
}

INLINE void vec_transpose(vec a[LANES]) {
    vec_transpose_blocks(a, LANES);
}

#endif
