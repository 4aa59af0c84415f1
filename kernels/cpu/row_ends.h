/* The ends of lines transformed within vectors (rows.h), and the squares between them. */
#ifndef GF_KERNELS_CPU_ROW_ENDS_H
#define GF_KERNELS_CPU_ROW_ENDS_H

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* 4, or as many as fit the lanes */
enum { LEAST_BLOCK = LANES < 4 ? LANES : 4, MOST_LINES = LANES / LEAST_BLOCK };

#if N_LANES == 2
#define BLOCKS(DO) DO(2)
#elif N_LANES == 4
#define BLOCKS(DO) DO(4)
#elif N_LANES == 8
#define BLOCKS(DO) DO(4) DO(8)
#else
#define BLOCKS(DO) DO(4) DO(8) DO(16)
#endif

/* One end of the lines that share vectors. */
struct row_end {
    enum { ROW_PAIRS, ROW_PAIRS_STREAMED, ROW_PARTS, ROW_PARTS_STREAMED } kind;
    real *re[MOST_LINES], *im[MOST_LINES]; /* ROW_PAIRS: interleaved, at re */
    ptrdiff_t step; /* ROW_PARTS: stride in reals between groups of LANES real parts */
    ptrdiff_t next; /* stride in reals to the next lines that share vectors */
    /* Later lines, prefetched while these are transformed, in as many bytes as these occupy; NULL:
     * none. The hardware prefetcher misses streams of alternating rows within a page (half the
     * speed of a copy). */
    const char *ahead;
    struct row_writer *writer; /* advanced by the transforms; NULL: none */
    real re_factor, im_factor;
};

/* Vectors from several places: halves and quarters. */
#if N_LANES >= 8
typedef real half_loose
    __attribute__((vector_size(VEC_BYTES / 2), aligned(sizeof(real)), may_alias));
#define AT_SAME(i)  (i)
#define AT_UPPER(i) ((i) + LANES / 2)
#if N_LANES == 16
#define LIST_OF_HALF LIST_8
#else
#define LIST_OF_HALF LIST_4
#endif
INLINE vec join_halves(half_loose a, half_loose b) {
    return __builtin_shufflevector(a, b, LIST(AT_SAME));
}
INLINE half_loose low_half(vec a) {
    return __builtin_shufflevector(a, a, LIST_OF_HALF(AT_SAME));
}
INLINE half_loose high_half(vec a) {
#if defined __AVX512F__ /* which stores without a shuffle */
    return (half_loose)_mm512_extractf64x4_pd((__m512d)a, 1);
#else
    return __builtin_shufflevector(a, a, LIST_OF_HALF(AT_UPPER));
#endif
}
#endif
#if N_LANES == 16
typedef real quarter_loose
    __attribute__((vector_size(VEC_BYTES / 4), aligned(sizeof(real)), may_alias));
#define AT_THIRD(i) ((i) + LANES / 4)
INLINE half_loose join_quarters(quarter_loose a, quarter_loose b) {
    return __builtin_shufflevector(a, b, LIST_8(AT_SAME));
}
INLINE quarter_loose low_quarter(half_loose a) {
    return __builtin_shufflevector(a, a, LIST_4(AT_SAME));
}
INLINE quarter_loose high_quarter(half_loose a) {
    return __builtin_shufflevector(a, a, LIST_4(AT_THIRD));
}
#endif

/* Reads LANES reals, equal shares from offset `at` of each of `lines` addresses. */
INLINE vec read_parts(real *const *p, ptrdiff_t at, int lines) {
#if N_LANES >= 8
    if (lines == 2)
        return join_halves(*(const half_loose *)(p[0] + at), *(const half_loose *)(p[1] + at));
#endif
#if N_LANES == 16
    if (lines == 4) {
        const quarter_loose *a = (const quarter_loose *)(p[0] + at);
        const quarter_loose *b = (const quarter_loose *)(p[1] + at);
        const quarter_loose *c = (const quarter_loose *)(p[2] + at);
        const quarter_loose *d = (const quarter_loose *)(p[3] + at);
        return join_halves(join_quarters(*a, *b), join_quarters(*c, *d));
    }
#endif
    (void)lines;
    return vec_loadu(p[0] + at);
}

INLINE void write_parts(real *const *p, ptrdiff_t at, int lines, vec v) {
#if N_LANES >= 8
    if (lines == 2) {
        *(half_loose *)(p[0] + at) = low_half(v);
        *(half_loose *)(p[1] + at) = high_half(v);
        return;
    }
#endif
#if N_LANES == 16
    if (lines == 4) {
        half_loose a = low_half(v), b = high_half(v);
        *(quarter_loose *)(p[0] + at) = low_quarter(a);
        *(quarter_loose *)(p[1] + at) = high_quarter(a);
        *(quarter_loose *)(p[2] + at) = low_quarter(b);
        *(quarter_loose *)(p[3] + at) = high_quarter(b);
        return;
    }
#endif
    (void)lines;
    vec_storeu(p[0] + at, v);
}

/* The offset of point i in parts of LANES reals `step` apart. */
INLINE ptrdiff_t part_at(uint64_t i, ptrdiff_t step) {
    return (ptrdiff_t)(i / LANES) * step + (ptrdiff_t)(i % LANES);
}

/* The kind, plus ROW_PLAIN if numbers are unchanged. */
enum { ROW_PLAIN = 4, ROW_KINDS = 8 };
INLINE int row_kind(const struct row_end *e) {
    return (int)e->kind | (e->re_factor == 1 && e->im_factor == 1 ? ROW_PLAIN : 0);
}

/* Reads `block` points of each line, starting at i. */
INLINE cvec row_read(const struct row_end *e, int64_t i, int block, int kind) {
    const int lines = LANES / block;
    cvec x;
    if ((kind & ~ROW_PLAIN) != ROW_PAIRS) {
        ptrdiff_t at = part_at(i, e->step);
        x = (cvec){read_parts(e->re, at, lines), read_parts(e->im, at, lines)};
    } else {
        vec low, high;
        if (lines == 1) {
            low = vec_loadu(e->re[0] + 2 * i);
            high = vec_loadu(e->re[0] + 2 * i + LANES);
        } else {
            low = read_parts(e->re, 2 * i, lines / 2);
            high = read_parts(e->re + lines / 2, 2 * i, lines / 2);
        }
        low = vec_hold(low);
        high = vec_hold(high);
        x = (cvec){vec_even(low, high), vec_odd(low, high)};
    }
    if (!(kind & ROW_PLAIN))
        x.im *= vec_splat(e->im_factor);
    return x;
}

/* Calls CALL() with the kind of a written end as a constant. */
#define FOR_ROW_KIND(kind, CALL) \
    if ((kind) == ROW_PAIRS) { \
        CALL(ROW_PAIRS); \
    } else if ((kind) == (ROW_PAIRS | ROW_PLAIN)) { \
        CALL(ROW_PAIRS | ROW_PLAIN); \
    } else if ((kind) == ROW_PARTS) { \
        CALL(ROW_PARTS); \
    } else if ((kind) == (ROW_PARTS | ROW_PLAIN)) { \
        CALL(ROW_PARTS | ROW_PLAIN); \
    } else if (((kind) & ~ROW_PLAIN) == ROW_PAIRS_STREAMED) { \
        CALL(ROW_PAIRS_STREAMED); \
    } else { \
        CALL(ROW_PARTS_STREAMED); \
    }

INLINE void row_write(const struct row_end *e, int64_t i, int block, int kind, cvec x) {
    const int lines = LANES / block;
    const vec re = kind & ROW_PLAIN ? x.re : x.re * e->re_factor;
    const vec im = kind & ROW_PLAIN ? x.im : x.im * e->im_factor;
    kind &= ~ROW_PLAIN;
    if (kind == ROW_PARTS || kind == ROW_PARTS_STREAMED) {
        ptrdiff_t at = part_at(i, e->step);
        if (kind == ROW_PARTS_STREAMED && lines == 1) {
            vec_stream(e->re[0] + at, re);
            vec_stream(e->im[0] + at, im);
        } else {
            write_parts(e->re, at, lines, re);
            write_parts(e->im, at, lines, im);
        }
        return;
    }
    vec low = vec_zip_low(re, im), high = vec_zip_high(re, im);
    if (lines == 1) {
        vec_put(e->re[0] + 2 * i, low, kind == ROW_PAIRS_STREAMED);
        vec_put(e->re[0] + 2 * i + LANES, high, kind == ROW_PAIRS_STREAMED);
    } else if (lines == 2 && kind == ROW_PAIRS_STREAMED) {
        vec_stream(e->re[0] + 2 * i, low);
        vec_stream(e->re[1] + 2 * i, high);
    } else {
        write_parts(e->re, 2 * i, lines / 2, low);
        write_parts(e->re + lines / 2, 2 * i, lines / 2, high);
    }
}

INLINE bool has_aside(const struct row_end *from, const struct row_end *to) {
    return from->ahead || to->ahead || to->writer;
}

/* Prefetches and writes that accompany the arithmetic of vector i. */
INLINE void row_aside(const struct row_end *from, const struct row_end *to, int64_t i) {
    if (to->writer)
        writer_step(to->writer);
    for (int at = 0; at < (int)sizeof(cvec); at += 64) {
        if (from->ahead)
            __builtin_prefetch(from->ahead + i * (int)sizeof(cvec) + at);
        if (to->ahead)
            __builtin_prefetch(to->ahead + i * (int)sizeof(cvec) + at, 1);
    }
}

/* Transforms squares of `block` vectors starting at k1 to frequencies k1 + r k2. w: twiddles for i2
 * > 0. */
INLINE void row_squares(const struct gf_cpu_row *rows, cvec *x, int64_t k1,
                        const struct row_end *from, const struct row_end *to, int block) {
    const cvec *w = (const cvec *)rows->twiddle + k1 / block * (block - 1);
    vec re[16], im[16];
#pragma GCC unroll 16
    for (int i = 0; i < block; i++) {
        re[i] = x[i].re;
        im[i] = x[i].im;
    }
    vec_transpose_blocks(re, block);
    vec_transpose_blocks(im, block);
    x[0] = (cvec){re[0], im[0]};
    if (has_aside(from, to)) {
        row_aside(from, to, k1);
#pragma GCC unroll 16
        for (int i = 1; i < block; i++) {
            x[i] = cmul_lanes((cvec){re[i], im[i]}, w[i - 1]);
            row_aside(from, to, k1 + i);
        }
    } else {
#pragma GCC unroll 16
        for (int i = 1; i < block; i++)
            x[i] = cmul_lanes((cvec){re[i], im[i]}, w[i - 1]);
    }
    dft_of(block, x);
}

/* row_squares(), then writes. */
INLINE void row_finish(const struct gf_cpu_row *rows, cvec *x, int64_t k1,
                       const struct row_end *from, const struct row_end *to, int block) {
    const int64_t r = rows->line->n;
    const struct row_end e = *to; /* stores cannot alias it */
    row_squares(rows, x, k1, from, to, block);
#define WRITE_ALL(constant) \
    _Pragma("GCC unroll 16") for (int i = 0; i < block; i++) \
        row_write(&e, k1 + r * i, block, constant, x[i])
    const int kind = row_kind(to);
    FOR_ROW_KIND(kind, WRITE_ALL)
#undef WRITE_ALL
}

#endif
