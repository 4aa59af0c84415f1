/* Contiguous lines, transformed within vectors: a line's own neighbours fill the lanes, and only
 * squares of its points are transposed, in registers.
 *
 * A line of n = r b points is split in two (Bailey 1990): point b i1 + i2 is in vector i1, lane i2.
 * The vectors are transformed over i1 to k1; squares of b values k1 and b lanes i2 are transposed,
 * multiplied by exp(-2 pi i i2 k1 / n) and transformed over i2 to k2; frequency k1 + r k2 is then
 * in vector k2, lane k1 mod b, among b neighbours. If b is below LANES, LANES / b lines share
 * vectors. An inverse conjugates at both ends. */
#ifndef GF_KERNELS_CPU_ROWS_H
#define GF_KERNELS_CPU_ROWS_H

/* Finishes squares of vectors in memory, overwriting them. */
INLINE void row_finish_vectors(const struct gf_cpu_row *rows, cvec *y, int64_t k1,
                               const struct row_end *from, const struct row_end *to, int block) {
#if N_LANES == 16
    if (block == 16) {
        row_finish_digits(rows, y, 0, k1, 1, from, to);
        return;
    }
#endif
    cvec x[16];
#pragma GCC unroll 16
    for (int i = 0; i < block; i++)
        x[i] = y[i];
    row_finish(rows, x, k1, from, to, block);
}

/* Does `count` transforms of r of a line's vectors, `stride` apart, from memory to b. Their first
 * vectors are `step` apart, their results `apart`. */
typedef void row_leaves(const struct row_end *from, int64_t first, int64_t step, int64_t stride,
                        cvec *b, int64_t apart, int64_t count);
INLINE void row_leaves_of(int r, const struct row_end *from, int64_t first, int64_t step,
                          int64_t stride, cvec *b, int64_t apart, int64_t count, int block,
                          int kind) {
    const struct row_end e = *from; /* stores cannot alias it */
    for (; count > 0; count--, first += step, b += apart) {
#define TAKE_VECTORS(begin, step, count, x) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)(x)[i] = \
        row_read(&e, (first + ((begin) + (step)*i) * stride) * block, block, kind)
        DFT_THROUGH(r, TAKE_VECTORS, PUT_LEAF);
#undef TAKE_VECTORS
    }
}

#define LEAVES(block, r, name, kind) \
    static void row_leaves_##block##_##r##_##name(const struct row_end *from, int64_t first, \
                                                  int64_t step, int64_t stride, cvec *b, \
                                                  int64_t apart, int64_t count) { \
        row_leaves_of(r, from, first, step, stride, b, apart, count, block, kind); \
    }
#define LEAVES_OF_KIND(block, name, kind) \
    LEAVES(block, 4, name, kind) \
    LEAVES(block, 5, name, kind) \
    LEAVES(block, 8, name, kind) \
    LEAVES(block, 16, name, kind)
#define LEAVES_IN(block, name) \
    { \
        [4] = row_leaves_##block##_4_##name, [5] = row_leaves_##block##_5_##name, \
        [8] = row_leaves_##block##_8_##name, [16] = row_leaves_##block##_16_##name \
    }
#define LEAVES_OF(block) \
    LEAVES_OF_KIND(block, pairs, ROW_PAIRS) \
    LEAVES_OF_KIND(block, parts, ROW_PARTS) \
    LEAVES_OF_KIND(block, plain_pairs, ROW_PAIRS | ROW_PLAIN) \
    LEAVES_OF_KIND(block, plain_parts, ROW_PARTS | ROW_PLAIN) \
    static row_leaves *const row_leaves_in_##block[ROW_KINDS][GF_CPU_MAX_CODELET + 1] = { \
        [ROW_PAIRS] = LEAVES_IN(block, pairs), \
        [ROW_PARTS] = LEAVES_IN(block, parts), \
        [ROW_PAIRS | ROW_PLAIN] = LEAVES_IN(block, plain_pairs), \
        [ROW_PARTS | ROW_PLAIN] = LEAVES_IN(block, plain_parts), \
    };
BLOCKS(LEAVES_OF)

/* The function for a line's innermost stage. */
INLINE row_leaves *row_leaves_for(const struct gf_cpu_line *line, const struct row_end *from,
                                  int block) {
    const int r = line->radix[line->n_stages - 1], kind = row_kind(from);
    row_leaves *leaves = NULL;
#define LEAVES_IF(size) \
    if (block == size) \
        leaves = row_leaves_in_##size[kind][r];
    BLOCKS(LEAVES_IF)
    return leaves;
}

/* Runs stages s and inwards over a line's vectors `first`, first + stride, …, from memory to b. */
static void row_stages(const struct gf_cpu_line *line, int s, const struct row_end *from,
                       row_leaves *leaves, int64_t first, int64_t stride, cvec *b) {
    if (s == line->n_stages - 1) {
        leaves(from, first, 0, stride, b, 0, 1);
        return;
    }
    const int radix = line->radix[s];
    const int64_t m = line->n / stride / radix;
    if (s == line->n_stages - 2)
        leaves(from, first, stride, stride * radix, b, m, radix);
    for (int i = 0; i < radix && s < line->n_stages - 2; i++)
        row_stages(line, s + 1, from, leaves, first + i * stride, stride * radix, b + i * m);
    codelets[radix].stage(b, m, m, line->twiddle[s]);
}

/* Runs blocks `i` to end - 1 of stage 0. */
static void row_first(const struct gf_cpu_line *line, const struct row_end *from,
                      row_leaves *leaves, int64_t i, int64_t end, cvec *b) {
    const int64_t radix = line->radix[0], apart = line->n / radix + GF_CPU_SPLIT_APART;
    if (line->n_stages == 2)
        leaves(from, i, 1, radix, b + i * apart, apart, end - i);
    for (; i < end && line->n_stages > 2; i++)
        row_stages(line, 1, from, leaves, i, radix, b + i * apart);
}

/* Runs stage 0 and the rest for points k to end - 1 of its blocks. They are fused if the line stays
 * in a near cache; otherwise the stage reads sequentially for the hardware prefetcher. Measured: a
 * fifth of 2^20 points. */
INLINE void row_second(const struct gf_cpu_row *rows, cvec *b, int64_t k, int64_t end,
                       const struct row_end *from, const struct row_end *to, int block) {
    const struct gf_cpu_line *line = rows->line;
    const int64_t radix = line->radix[0], m = line->n / radix;
    const real *w = line->twiddle[0];
#if N_LANES == 16
    enum { NEAR_VECTORS = 256 };
#endif
    for (; k < end; k += block) {
#if N_LANES == 16
        if (block == 16 && radix == 4 && line->n <= NEAR_VECTORS) {
            row_finish_digits(rows, b + k, m + GF_CPU_SPLIT_APART, k, 4, from, to);
            continue;
        }
#endif
        codelets[radix].stage(b + k, m + GF_CPU_SPLIT_APART, block, w + 2 * k * (radix - 1));
        for (int64_t r = 0; r < radix; r++) {
            cvec *y = b + r * (m + GF_CPU_SPLIT_APART) + k;
            row_finish_vectors(rows, y, r * m + k, from, to, block);
        }
    }
}

/* Transforms over a line's vectors, unless joined with the second half; returns a or b. */
INLINE cvec *rows_vectors(const struct gf_cpu_row *rows, const struct row_end *from, cvec *a,
                          cvec *b, int block) {
    if (rows->reads) {
        row_stages(rows->line, 0, from, row_leaves_for(rows->line, from, block), 0, 1, b);
        return b;
    }
    for (int64_t i = 0; i < rows->line->n; i++)
        a[i] = row_read(from, i * block, block, from->kind);
    return line_run(rows->line, a, b);
}

#if N_LANES == 16
/* Four lines of 16 or 32 points that share vectors in blocks of four: two blocks of a line fill a
 * vector in memory, where both are accessed at once. Writing parts of vectors past the caches would
 * need a buffer, whose loads wait for all earlier stores. */
INLINE bool rows_pair_blocks(const struct gf_cpu_row *rows, int block) {
    return block == 4 && (rows->line->n == 4 || rows->line->n == 8);
}

/* Reads points i to i + 7 of each line: four to x, four to y. */
INLINE void row_read_two(const struct row_end *e, int64_t i, cvec *x, cvec *y) {
    vec a = vec_loadu(e->re[0] + 2 * i), b = vec_loadu(e->re[1] + 2 * i);
    vec c = vec_loadu(e->re[2] + 2 * i), d = vec_loadu(e->re[3] + 2 * i);
    const vec sign = vec_splat(e->im_factor);
    vec_exchange_8(&a, &b);
    vec_exchange_8(&c, &d);
    *x = (cvec){vec_even(a, c), vec_odd(a, c) * sign};
    *y = (cvec){vec_even(b, d), vec_odd(b, d) * sign};
}

INLINE void row_write_two(const struct row_end *e, int64_t i, bool stream, cvec x, cvec y) {
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
    dft_of(r, x);
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

/* Runs LANES / block lines; a and b have room for the line of vectors. */
INLINE void rows_run_vectors(const struct gf_cpu_row *rows, const struct row_end *from,
                             const struct row_end *to, cvec *a, cvec *b, int block) {
    const int64_t r = rows->line->n;
    cvec x[16];
#if N_LANES == 16
    if (rows_pair_blocks(rows, block) && from->kind == ROW_PAIRS &&
        to->kind <= ROW_PAIRS_STREAMED) {
        rows_run_pairs_of_blocks(rows, from, to);
        return;
    }
    if (block == LANES && r <= LANES) {
        if (r < LANES)
            row_few(rows, from, to);
        else
            row_square(rows, from, to, a);
        return;
    }
#endif
    if (r == block) {
        /* in registers, as far as these suffice */
#define READ_ALL(kind) \
    _Pragma("GCC unroll 16") for (int i = 0; i < block; i++) x[i] = \
        row_read(from, i * block, block, kind)
        if (row_kind(from) == (ROW_PAIRS | ROW_PLAIN))
            READ_ALL(ROW_PAIRS | ROW_PLAIN);
        else if (from->kind == ROW_PAIRS)
            READ_ALL(ROW_PAIRS);
        else
            READ_ALL(ROW_PARTS);
#undef READ_ALL
        dft_of(block, x);
        row_finish(rows, x, 0, from, to, block);
        return;
    }
    if (rows->joins) {
        row_first(rows->line, from, row_leaves_for(rows->line, from, block), 0,
                  rows->line->radix[0], a);
        row_second(rows, a, 0, r / rows->line->radix[0], from, to, block);
        return;
    }
    cvec *y = rows_vectors(rows, from, a, b, block);
    for (int64_t k1 = 0; k1 < r; k1 += block)
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
                           const struct row_end *to, int64_t count, cvec *a, cvec *b, int block) {
    struct row_end source, destination; /* for the second and later lines */
    for (int64_t i = 0; i < count; i++) {
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

#define RUN_BLOCK(size) \
    static void rows_run_##size(const struct gf_cpu_row *rows, const struct row_end *from, \
                                const struct row_end *to, int64_t count, cvec *a, cvec *b) { \
        rows_run_block(rows, from, to, count, a, b, size); \
    }
BLOCKS(RUN_BLOCK)

/* Runs `count` times LANES / block lines. */
static void rows_run(const struct gf_cpu_row *rows, const struct row_end *from,
                     const struct row_end *to, int64_t count, cvec *a, cvec *b) {
#define RUN_IF(size) \
    if (rows->block == size) \
        rows_run_##size(rows, from, to, count, a, b);
    BLOCKS(RUN_IF)
}

#endif
