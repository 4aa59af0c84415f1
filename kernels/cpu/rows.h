/* Lines that are contiguous in memory, transformed within vectors: a line's own neighbours fill the
 * lanes, and only squares of its points are transposed, in registers.
 *
 * A line of n = r b points is cut in two (Bailey 1990): point b i1 + i2 is in vector i1, lane i2.
 * The vectors are transformed over i1 to k1; squares of b values k1 and b lanes i2 are transposed,
 * multiplied by exp(-2 pi i i2 k1 / n) and transformed over i2 to k2; frequency k1 + r k2 is then in
 * vector k2, lane k1 mod b, where b neighbours are. With b below LANES, LANES / b lines share the
 * vectors. An inverse conjugates at both ends. */
#ifndef GF_KERNELS_CPU_ROWS_H
#define GF_KERNELS_CPU_ROWS_H

/* The least block: 4, or what fits the lanes. */
enum { LEAST_BLOCK = LANES < 4 ? LANES : 4, MOST_LINES = LANES / LEAST_BLOCK };

/* Lines that share vectors, at one of the two ends. */
struct row_end {
    enum { ROW_PAIRS, ROW_PAIRS_STREAMED, ROW_PARTS, ROW_PARTS_STREAMED } kind;
    real *re[MOST_LINES], *im[MOST_LINES]; /* ROW_PAIRS: interleaved, at re */
    ptrdiff_t step; /* ROW_PARTS: reals from LANES real parts to the next LANES */
    ptrdiff_t next; /* reals from the lines that share vectors to the next ones that do */
    /* Memory that later lines are in, prefetched while these are transformed, from end to end and as
     * many bytes as these take; NULL: none. Rows that take turns within a page are streams that the
     * hardware prefetcher does not find (half the speed of a copy). */
    const char *ahead;
    struct row_writer *writer; /* works as the transforms do; NULL: none */
    real re_factor, im_factor;
};

/* Vectors whose parts are of several places: halves and quarters. */
#if VEC_BYTES * 8 / GF_REAL_BITS >= 8
typedef real half_loose
    __attribute__((vector_size(VEC_BYTES / 2), aligned(sizeof(real)), may_alias));
#define AT_SAME(i)  (i)
#define AT_UPPER(i) ((i) + LANES / 2)
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
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
    return __builtin_shufflevector(a, a, LIST_OF_HALF(AT_UPPER));
}
#endif
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
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

/* LANES reals, an equal share from `at` of each of `lines` addresses. */
INLINE vec read_parts(real *const *p, ptrdiff_t at, int lines) {
#if VEC_BYTES * 8 / GF_REAL_BITS >= 8
    if (lines == 2)
        return join_halves(*(const half_loose *)(p[0] + at), *(const half_loose *)(p[1] + at));
#endif
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
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
#if VEC_BYTES * 8 / GF_REAL_BITS >= 8
    if (lines == 2) {
        *(half_loose *)(p[0] + at) = low_half(v);
        *(half_loose *)(p[1] + at) = high_half(v);
        return;
    }
#endif
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
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

/* Where point i of a line is, in parts of LANES reals `step` apart. */
INLINE ptrdiff_t part_at(unsigned long i, ptrdiff_t step) {
    return (ptrdiff_t)(i / LANES) * step + (ptrdiff_t)(i % LANES);
}

/* `block` points from i of each line. */
INLINE cvec row_read(const struct row_end *e, long i, int block, bool pairs) {
    const int lines = LANES / block;
    cvec x;
    if (!pairs) {
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
        x = (cvec){vec_even(low, high), vec_odd(low, high)};
    }
    x.im *= vec_splat(e->im_factor);
    return x;
}

INLINE void row_write(const struct row_end *e, long i, int block, int kind, cvec x) {
    const int lines = LANES / block;
    const vec re = x.re * e->re_factor, im = x.im * e->im_factor;
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
    if (lines == 1 && kind == ROW_PAIRS_STREAMED) {
        vec_stream(e->re[0] + 2 * i, low);
        vec_stream(e->re[0] + 2 * i + LANES, high);
    } else if (lines == 1) {
        vec_storeu(e->re[0] + 2 * i, low);
        vec_storeu(e->re[0] + 2 * i + LANES, high);
    } else if (lines == 2 && kind == ROW_PAIRS_STREAMED) {
        vec_stream(e->re[0] + 2 * i, low);
        vec_stream(e->re[1] + 2 * i, high);
    } else {
        write_parts(e->re, 2 * i, lines / 2, low);
        write_parts(e->re + lines / 2, 2 * i, lines / 2, high);
    }
}

INLINE void dft_of_block(int block, cvec *x) {
    if (block == 16)
        dft_16(x);
    else if (block == 8)
        dft_8(x);
    else if (block == 4)
        dft_4(x);
    else
        dft_2(x);
}

INLINE bool has_aside(const struct row_end *from, const struct row_end *to) {
    return from->ahead || to->ahead || to->writer;
}

/* What is done beside the arithmetic of vector i. */
INLINE void row_aside(const struct row_end *from, const struct row_end *to, long i) {
    if (to->writer)
        writer_step(to->writer);
    for (int at = 0; at < (int)sizeof(cvec); at += 64) {
        if (from->ahead)
            __builtin_prefetch(from->ahead + i * (int)sizeof(cvec) + at);
        if (to->ahead)
            __builtin_prefetch(to->ahead + i * (int)sizeof(cvec) + at, 1);
    }
}

/* Squares of `block` vectors from k1 on to frequencies k1 + r k2. w: factors, of all i2 but 0. */
INLINE void row_squares(const struct gf_cpu_row *rows, cvec *x, long k1, const struct row_end *from,
                        const struct row_end *to, int block) {
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
    dft_of_block(block, x);
}

/* row_squares(), written. */
INLINE void row_finish(const struct gf_cpu_row *rows, cvec *x, long k1, const struct row_end *from,
                       const struct row_end *to, int block) {
    const long r = rows->line->n;
    row_squares(rows, x, k1, from, to, block);
#define WRITE_ALL(kind)                                                                            \
    _Pragma("GCC unroll 16") for (int i = 0; i < block; i++)                                       \
        row_write(to, k1 + r * i, block, kind, x[i])
    switch (to->kind) {
    case ROW_PAIRS:
        WRITE_ALL(ROW_PAIRS);
        break;
    case ROW_PAIRS_STREAMED:
        WRITE_ALL(ROW_PAIRS_STREAMED);
        break;
    case ROW_PARTS:
        WRITE_ALL(ROW_PARTS);
        break;
    case ROW_PARTS_STREAMED:
        WRITE_ALL(ROW_PARTS_STREAMED);
    }
#undef WRITE_ALL
}

#if VEC_BYTES * 8 / GF_REAL_BITS == 16
#define QUARTER(q)           4 * (q), 4 * (q) + 1, 4 * (q) + 2, 4 * (q) + 3
#define QUARTERS(a, b, c, d) QUARTER(a), QUARTER(b), QUARTER(c), QUARTER(d)

/* Transposes the square of four vectors' quarters. */
INLINE void transpose_quarters(vec *a) {
    vec p = __builtin_shufflevector(a[0], a[1], QUARTERS(0, 1, 4, 5));
    vec q = __builtin_shufflevector(a[0], a[1], QUARTERS(2, 3, 6, 7));
    vec r = __builtin_shufflevector(a[2], a[3], QUARTERS(0, 1, 4, 5));
    vec t = __builtin_shufflevector(a[2], a[3], QUARTERS(2, 3, 6, 7));
    a[0] = __builtin_shufflevector(p, r, QUARTERS(0, 2, 4, 6));
    a[1] = __builtin_shufflevector(p, r, QUARTERS(1, 3, 5, 7));
    a[2] = __builtin_shufflevector(q, t, QUARTERS(0, 2, 4, 6));
    a[3] = __builtin_shufflevector(q, t, QUARTERS(1, 3, 5, 7));
}

/* The vectors' quarters, or the squares of four points in each quarter. */
INLINE void transpose_four(cvec *x, bool quarters) {
    vec re[4], im[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        re[i] = x[i].re;
        im[i] = x[i].im;
    }
    if (quarters) {
        transpose_quarters(re);
        transpose_quarters(im);
    } else {
        vec_transpose_blocks(re, 4);
        vec_transpose_blocks(im, 4);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        x[i] = (cvec){re[i], im[i]};
}

/* exp(-2 pi i p u / 16) in the lanes p mod 4, for u = 1, 2, 3. */
#define IN_QUARTERS(a, b, c, d)                                                                    \
    { a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d }
static const cvec digit_roots[3] = {
    {IN_QUARTERS(1, COS_PI_8, SQRT_HALF, SIN_PI_8),
     IN_QUARTERS(0, -SIN_PI_8, -SQRT_HALF, -COS_PI_8)},
    {IN_QUARTERS(1, SQRT_HALF, 0, -SQRT_HALF), IN_QUARTERS(0, -SQRT_HALF, -1, -SQRT_HALF)},
    {IN_QUARTERS(1, SIN_PI_8, -SQRT_HALF, -COS_PI_8),
     IN_QUARTERS(0, -COS_PI_8, -SQRT_HALF, SIN_PI_8)},
};

/* Of a square of 16: i2 = p + 4 q, over q to k2 mod 4, in the place of x. w: factors of all i2 in the
 * lanes, for each k1. */
INLINE void row_first_digit(const cvec *w, cvec *x, long k1, const struct row_end *from,
                            const struct row_end *to) {
    const bool aside = has_aside(from, to);
    for (int i = 0; i < 4; i++) {
        cvec y[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            y[j] = cmul_lanes(x[i + 4 * j], w[i + 4 * j]);
        for (int j = 0; j < 4 && aside; j++)
            row_aside(from, to, k1 + 4 * i + j);
        transpose_four(y, true);
        dft_4(y);
        x[i] = y[0];
#pragma GCC unroll 4
        for (int j = 1; j < 4; j++)
            x[i + 4 * j] = cmul_lanes(y[j], digit_roots[j - 1]);
    }
}

/* Over p to k2 / 4, and to memory. */
INLINE void row_second_digit(const cvec *x, long k1, long r, const struct row_end *to, int kind) {
    for (int i = 0; i < 4; i++) {
        cvec y[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            y[j] = x[4 * i + j];
        transpose_four(y, false);
        dft_4(y);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            row_write(to, k1 + r * (i + 4 * j), 16, kind, y[j]);
    }
}

/* Squares of 16, four vectors at a time: registers do not hold a whole one. */
INLINE void row_finish_digits(const struct gf_cpu_row *rows, cvec *x, long k1,
                              const struct row_end *from, const struct row_end *to) {
    const long r = rows->line->n;
    row_first_digit((const cvec *)rows->twiddle + k1, x, k1, from, to);
    switch (to->kind) {
    case ROW_PAIRS:
        row_second_digit(x, k1, r, to, ROW_PAIRS);
        break;
    case ROW_PAIRS_STREAMED:
        row_second_digit(x, k1, r, to, ROW_PAIRS_STREAMED);
        break;
    case ROW_PARTS:
        row_second_digit(x, k1, r, to, ROW_PARTS);
        break;
    case ROW_PARTS_STREAMED:
        row_second_digit(x, k1, r, to, ROW_PARTS_STREAMED);
    }
}
#endif

/* Squares that are not the whole line, of vectors in memory; those are overwritten. */
INLINE void row_finish_vectors(const struct gf_cpu_row *rows, cvec *y, long k1,
                               const struct row_end *from, const struct row_end *to, int block) {
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
    if (block == 16) {
        row_finish_digits(rows, y, k1, from, to);
        return;
    }
#endif
    cvec x[16];
#pragma GCC unroll 16
    for (int i = 0; i < block; i++)
        x[i] = y[i];
    row_finish(rows, x, k1, from, to, block);
}

/* A transform of r of a line's vectors, `stride` apart, from memory to b. */
INLINE void row_leaf(int r, const struct row_end *from, long first, long stride, cvec *b, int block,
                     bool pairs) {
    cvec x[16];
#pragma GCC unroll 16
    for (int i = 0; i < r; i++)
        x[i] = row_read(from, (first + i * stride) * block, block, pairs);
    dft_of_block(r, x);
#pragma GCC unroll 16
    for (int i = 0; i < r; i++)
        b[i] = x[i];
}

/* The transform over the vectors of a line; returns a or b. */
INLINE cvec *rows_vectors(const struct gf_cpu_row *rows, const struct row_end *from, cvec *a,
                          cvec *b, int block, bool pairs) {
    const long r = rows->line->n;
    if (r == 2 * block && r == 8) {
        row_leaf(8, from, 0, 1, b, block, pairs);
    } else if (r == 2 * block && r == 16) {
        row_leaf(16, from, 0, 1, b, block, pairs);
    } else {
        for (long i = 0; i < r; i++)
            a[i] = row_read(from, i * block, block, pairs);
        return line_run(rows->line, a, b);
    }
    return b;
}

#if VEC_BYTES * 8 / GF_REAL_BITS == 16
/* Four lines of 16 or 32 points that share vectors in blocks of four: two blocks of a line fill a
 * vector in memory, where both are read and written at once. Parts of vectors would pass through a
 * buffer on their way past the caches, and its loads wait for all earlier stores. */
INLINE bool rows_pair_blocks(const struct gf_cpu_row *rows, int block) {
    return block == 4 && (rows->line->n == 4 || rows->line->n == 8);
}

/* Points i to i + 7 of each line: four to x, four to y. */
INLINE void row_read_two(const struct row_end *e, long i, cvec *x, cvec *y) {
    vec a = vec_loadu(e->re[0] + 2 * i), b = vec_loadu(e->re[1] + 2 * i);
    vec c = vec_loadu(e->re[2] + 2 * i), d = vec_loadu(e->re[3] + 2 * i);
    const vec sign = vec_splat(e->im_factor);
    vec_exchange_8(&a, &b);
    vec_exchange_8(&c, &d);
    *x = (cvec){vec_even(a, c), vec_odd(a, c) * sign};
    *y = (cvec){vec_even(b, d), vec_odd(b, d) * sign};
}

INLINE void row_write_two(const struct row_end *e, long i, bool stream, cvec x, cvec y) {
    const vec xr = x.re * e->re_factor, xi = x.im * e->im_factor;
    const vec yr = y.re * e->re_factor, yi = y.im * e->im_factor;
    vec v[4] = {vec_zip_low(xr, xi), vec_zip_low(yr, yi), vec_zip_high(xr, xi),
                vec_zip_high(yr, yi)};
    vec_exchange_8(v, v + 1);
    vec_exchange_8(v + 2, v + 3);
#pragma GCC unroll 4
    for (int l = 0; l < 4; l++)
        if (stream)
            vec_stream(e->re[l] + 2 * i, v[l]);
        else
            vec_storeu(e->re[l] + 2 * i, v[l]);
}

INLINE void rows_run_paired(const struct gf_cpu_row *rows, const struct row_end *from,
                            const struct row_end *to, int r, bool stream) {
    cvec x[8];
#pragma GCC unroll 4
    for (int i = 0; i < r; i += 2)
        row_read_two(from, 4 * i, x + i, x + i + 1);
    dft_of_block(r, x);
#pragma GCC unroll 2
    for (int k1 = 0; k1 < r; k1 += 4)
        row_squares(rows, x + k1, k1, from, to, 4);
    if (r == 4) {
        row_write_two(to, 0, stream, x[0], x[1]);
        row_write_two(to, 8, stream, x[2], x[3]);
        return;
    }
#pragma GCC unroll 4
    for (int k2 = 0; k2 < 4; k2++)
        row_write_two(to, 8 * k2, stream, x[k2], x[4 + k2]);
}

INLINE void rows_run_pairs_of_blocks(const struct gf_cpu_row *rows, const struct row_end *from,
                                     const struct row_end *to) {
    const bool stream = to->kind == ROW_PAIRS_STREAMED;
    if (rows->line->n == 4 && stream)
        rows_run_paired(rows, from, to, 4, true);
    else if (rows->line->n == 4)
        rows_run_paired(rows, from, to, 4, false);
    else if (stream)
        rows_run_paired(rows, from, to, 8, true);
    else
        rows_run_paired(rows, from, to, 8, false);
}
#endif

/* LANES / block lines; a and b: room for the line of vectors. */
INLINE void rows_run_vectors(const struct gf_cpu_row *rows, const struct row_end *from,
                             const struct row_end *to, cvec *a, cvec *b, int block) {
    const long r = rows->line->n;
    cvec x[16];
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
    if (rows_pair_blocks(rows, block) && from->kind == ROW_PAIRS &&
        to->kind <= ROW_PAIRS_STREAMED) {
        rows_run_pairs_of_blocks(rows, from, to);
        return;
    }
#endif
    if (r == block) {
        /* Everything in registers, as far as they suffice. */
        if (from->kind == ROW_PAIRS) {
#pragma GCC unroll 16
            for (int i = 0; i < block; i++)
                x[i] = row_read(from, i * block, block, true);
        } else {
#pragma GCC unroll 16
            for (int i = 0; i < block; i++)
                x[i] = row_read(from, i * block, block, false);
        }
        dft_of_block(block, x);
        row_finish(rows, x, 0, from, to, block);
        return;
    }
    cvec *y = from->kind == ROW_PAIRS ? rows_vectors(rows, from, a, b, block, true)
                                      : rows_vectors(rows, from, a, b, block, false);
    for (long k1 = 0; k1 < r; k1 += block)
        row_finish_vectors(rows, y + k1, k1, from, to, block);
}

INLINE void row_end_advance(struct row_end *e, int lines) {
    for (int l = 0; l < lines; l++) {
        e->re[l] += e->next;
        e->im[l] += e->next;
    }
    if (e->ahead)
        e->ahead += e->next * (ptrdiff_t)sizeof(real);
}

INLINE void rows_run_block(const struct gf_cpu_row *rows, const struct row_end *from,
                           const struct row_end *to, long count, cvec *a, cvec *b, int block) {
    struct row_end source, destination; /* of the second lines on */
    for (long i = 0; i < count; i++) {
        if (i == 1) {
            source = *from;
            destination = *to;
            from = &source;
            to = &destination;
        }
        if (i > 0) {
            row_end_advance(&source, LANES / block);
            row_end_advance(&destination, LANES / block);
        }
        rows_run_vectors(rows, from, to, a, b, block);
    }
}

#if VEC_BYTES * 8 / GF_REAL_BITS == 2
static void rows_run_2(const struct gf_cpu_row *rows, const struct row_end *from,
                       const struct row_end *to, long count, cvec *a, cvec *b) {
    rows_run_block(rows, from, to, count, a, b, 2);
}
#else
static void rows_run_4(const struct gf_cpu_row *rows, const struct row_end *from,
                       const struct row_end *to, long count, cvec *a, cvec *b) {
    rows_run_block(rows, from, to, count, a, b, 4);
}
#endif
#if VEC_BYTES * 8 / GF_REAL_BITS >= 8
static void rows_run_8(const struct gf_cpu_row *rows, const struct row_end *from,
                       const struct row_end *to, long count, cvec *a, cvec *b) {
    rows_run_block(rows, from, to, count, a, b, 8);
}
#endif
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
static void rows_run_16(const struct gf_cpu_row *rows, const struct row_end *from,
                        const struct row_end *to, long count, cvec *a, cvec *b) {
    rows_run_block(rows, from, to, count, a, b, 16);
}
#endif

/* `count` times LANES / block lines. */
static void rows_run(const struct gf_cpu_row *rows, const struct row_end *from,
                     const struct row_end *to, long count, cvec *a, cvec *b) {
    switch (rows->block) {
#if VEC_BYTES * 8 / GF_REAL_BITS == 16
    case 16:
        rows_run_16(rows, from, to, count, a, b);
        break;
#endif
#if VEC_BYTES * 8 / GF_REAL_BITS >= 8
    case 8:
        rows_run_8(rows, from, to, count, a, b);
        break;
#endif
#if VEC_BYTES * 8 / GF_REAL_BITS == 2
    default:
        rows_run_2(rows, from, to, count, a, b);
#else
    default:
        rows_run_4(rows, from, to, count, a, b);
#endif
    }
}

#endif
