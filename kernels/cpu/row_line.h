/* One line that stays in the caches, transformed within vectors as in kernels/cpu/rows.h, in two halves
 * whose parts threads may share. The first stage reads the line, and the last one is done for as many
 * vectors as make squares, which are finished while the nearest cache holds them. */
#ifndef GF_KERNELS_CPU_ROW_LINE_H
#define GF_KERNELS_CPU_ROW_LINE_H

#include <limits.h>

typedef void row_leaf_function(const struct row_end *from, long first, long stride, cvec *b);

/* Stages s and inwards over a line's vectors `first`, first + stride, …, from memory to b. */
static void row_stages(const struct gf_cpu_line *line, int s, const struct row_end *from,
                       row_leaf_function *leaf, long first, long stride, cvec *b) {
    if (s == line->n_stages - 1) {
        leaf(from, first, stride, b);
        return;
    }
    const int radix = line->radix[s];
    const long m = line->n / stride / radix;
    for (int i = 0; i < radix; i++)
        row_stages(line, s + 1, from, leaf, first + i * stride, stride * radix, b + i * m);
    codelets[radix].stage(b, m, m, line->twiddle[s]);
}

/* Blocks `i` to end - 1 of stage 0. */
static void row_first(const struct gf_cpu_line *line, const struct row_end *from,
                      row_leaf_function *leaf, long i, long end, cvec *b) {
    const long radix = line->radix[0], m = line->n / radix;
    for (; i < end; i++)
        row_stages(line, 1, from, leaf, i, radix, b + i * (m + GF_CPU_SPLIT_APART));
}

/* Stage 0 and what follows it, for the points k to end - 1 of its blocks. */
INLINE void row_second(const struct gf_cpu_row *rows, cvec *b, long k, long end,
                       const struct row_end *from, const struct row_end *to, int block) {
    const struct gf_cpu_line *line = rows->line;
    const long radix = line->radix[0], m = line->n / radix;
    const real *w = line->twiddle[0];
    for (; k < end; k += block) {
        codelets[radix].stage(b + k, m + GF_CPU_SPLIT_APART, block, w + 2 * k * (radix - 1));
        for (long r = 0; r < radix; r++) {
            cvec *y = b + r * (m + GF_CPU_SPLIT_APART) + k;
            row_finish_vectors(rows, y, r * m + k, from, to, block);
        }
    }
}

#if VEC_BYTES * 8 / GF_REAL_BITS == 16
/* Frequency f of 16 is in this lane: first digit in four lanes, or in two and then in four. */
#define LANE_OF_4(f)     ((f) % 4 * 4 + (f) / 4)
#define LANE_OF_8(f)     ((f) / 2 % 4 * 4 + (f) % 2 + (f) / 8 * 2)
#define AT_FEW(of, i)    (of((i) / 2) + (i) % 2 * LANES)
#define AT_FEW_4(i)      LANE_OF_4(i)
#define AT_FEW_8(i)      LANE_OF_8(i)
#define AT_FEW_LOW_4(i)  AT_FEW(LANE_OF_4, i)
#define AT_FEW_HIGH_4(i) AT_FEW(LANE_OF_4, (i) + LANES)
#define AT_FEW_LOW_8(i)  AT_FEW(LANE_OF_8, i)
#define AT_FEW_HIGH_8(i) AT_FEW(LANE_OF_8, (i) + LANES)
#define ORDER(a, b, of)  __builtin_shufflevector(a, b, LIST(of))

/* Frequencies k to k + 15 of a line of 4 or 8 vectors, in the order of its digits. */
INLINE void row_write_few(const struct row_end *e, long k, int r, bool pairs, cvec x) {
    const vec re = x.re * e->re_factor, im = x.im * e->im_factor;
    if (!pairs) {
        vec_storeu(e->re[0] + k, r == 4 ? ORDER(re, re, AT_FEW_4) : ORDER(re, re, AT_FEW_8));
        vec_storeu(e->im[0] + k, r == 4 ? ORDER(im, im, AT_FEW_4) : ORDER(im, im, AT_FEW_8));
        return;
    }
    real *to = e->re[0] + 2 * k;
    vec_storeu(to, r == 4 ? ORDER(re, im, AT_FEW_LOW_4) : ORDER(re, im, AT_FEW_LOW_8));
    vec_storeu(to + LANES, r == 4 ? ORDER(re, im, AT_FEW_HIGH_4) : ORDER(re, im, AT_FEW_HIGH_8));
}

/* A line of r = 4 or 8 vectors in registers. Its points' lanes are i2 = p + 4 q, p and q below 4; k1 =
 * i + r / 4 c. Over the vectors to k1; quarters take turns with c, then over q to k2 mod 4; lanes take
 * turns with i and what is left of the vectors, then over p to k2 / 4. */
INLINE void row_run_few(const struct gf_cpu_row *rows, const struct row_end *from,
                        const struct row_end *to, int r, bool from_pairs, bool to_pairs) {
    const cvec *w = rows->twiddle;
    const int groups = r / 4;
    cvec x[8], z[8];
#pragma GCC unroll 8
    for (int i = 0; i < r; i++)
        x[i] = row_read(from, i * LANES, LANES, from_pairs);
    dft_of_block(r, x);
#pragma GCC unroll 2
    for (int i = 0; i < groups; i++) {
        cvec y[4];
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++)
            y[c] = i + c ? cmul_lanes(x[i + groups * c], w[i + groups * c]) : x[0];
        transpose_four(y, true);
        dft_4(y);
        z[i] = y[0];
#pragma GCC unroll 4
        for (int u = 1; u < 4; u++)
            z[i + groups * u] = cmul_lanes(y[u], digit_roots[u - 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < groups; i++) {
        transpose_four(z + 4 * i, false);
        dft_4(z + 4 * i);
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++)
            row_write_few(to, 16 * i + 4L * r * v, r, to_pairs, z[4 * i + v]);
    }
}

/* Complex numbers with their real parts in the lower half of a vector and the imaginary ones in the upper
 * half. */
#define AT_OTHER_HALF(i) (((i) + LANES / 2) % LANES)
INLINE vec mixed_times_i(vec x) {
    const vec sign = {-1, -1, -1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1};
    return __builtin_shufflevector(x, x, LIST(AT_OTHER_HALF)) * sign;
}
INLINE void mixed_dft_4(vec *x) {
    const vec a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = mixed_times_i(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b - d;
    x[2] = a - c;
    x[3] = b + d;
}

/* A line of two vectors. Quarters of both and both parts take turns with q; a vector then has eight
 * neighbours in the end: frequency f of them in this lane. */
#define LANE_OF_2(f)      ((f) % 2 * 4 + (f) / 2)
#define AT_MIXED_PAIRS(i) (LANE_OF_2((i) / 2) + (i) % 2 * LANES / 2)
#define AT_MIXED_RE(i)    (LANE_OF_2((i) % 8) + (i) / 8 * LANES)
#define AT_MIXED_IM(i)    (AT_MIXED_RE(i) + LANES / 2)
INLINE void row_run_two(const struct gf_cpu_row *rows, const struct row_end *from,
                        const struct row_end *to, bool from_pairs, bool to_pairs) {
    const vec factor =
        join_halves(low_half(vec_splat(to->re_factor)), low_half(vec_splat(to->im_factor)));
    cvec x[2];
    x[0] = row_read(from, 0, LANES, from_pairs);
    x[1] = row_read(from, LANES, LANES, from_pairs);
    dft_2(x);
    x[1] = cmul_lanes(x[1], ((const cvec *)rows->twiddle)[1]);
    vec y[4] = {x[0].re, x[1].re, x[0].im, x[1].im};
    transpose_quarters(y);
    mixed_dft_4(y);
#pragma GCC unroll 4
    for (int u = 1; u < 4; u++)
        y[u] = y[u] * digit_roots[u - 1].re + mixed_times_i(y[u]) * digit_roots[u - 1].im;
    vec_transpose_blocks(y, 4);
    mixed_dft_4(y);
#pragma GCC unroll 4
    for (int v = 0; v < 4; v++) {
        y[v] *= factor;
        if (to_pairs)
            vec_storeu(to->re[0] + LANES * v, ORDER(y[v], y[v], AT_MIXED_PAIRS));
        else if (v % 2) {
            vec_storeu(to->re[0] + LANES / 2 * (v - 1), ORDER(y[v - 1], y[v], AT_MIXED_RE));
            vec_storeu(to->im[0] + LANES / 2 * (v - 1), ORDER(y[v - 1], y[v], AT_MIXED_IM));
        }
    }
}

INLINE void row_few_between(const struct gf_cpu_row *rows, const struct row_end *from,
                            const struct row_end *to, bool from_pairs, bool to_pairs) {
    if (rows->line->n == 2)
        row_run_two(rows, from, to, from_pairs, to_pairs);
    else if (rows->line->n == 4)
        row_run_few(rows, from, to, 4, from_pairs, to_pairs);
    else
        row_run_few(rows, from, to, 8, from_pairs, to_pairs);
}

static void row_few(const struct gf_cpu_row *rows, const struct row_end *from,
                    const struct row_end *to) {
    if (from->kind != ROW_PAIRS)
        row_few_between(rows, from, to, false, true);
    else if (to->kind != ROW_PAIRS)
        row_few_between(rows, from, to, true, false);
    else
        row_few_between(rows, from, to, true, true);
}
#else
static void row_few(const struct gf_cpu_row *rows, const struct row_end *from,
                    const struct row_end *to) {
    (void)rows;
    (void)from;
    (void)to;
}
#endif

#define ROW_LEAF(r, name, pairs)                                                                   \
    static void row_leaf_##r##_##name(const struct row_end *from, long first, long stride,         \
                                      cvec *b) {                                                   \
        row_leaf(r, from, first, stride, b, LANES, pairs);                                         \
    }
ROW_LEAF(8, pairs, true)
ROW_LEAF(8, parts, false)
ROW_LEAF(16, pairs, true)
ROW_LEAF(16, parts, false)

static row_leaf_function *leaf_of(const struct gf_cpu_line *line, const struct row_end *from) {
    const bool eight = line->radix[line->n_stages - 1] == 8;
    if (from->kind == ROW_PAIRS)
        return eight ? row_leaf_8_pairs : row_leaf_16_pairs;
    return eight ? row_leaf_8_parts : row_leaf_16_parts;
}

/* All stages of the vectors, to the second half of the workspace. */
static void split_vectors(const struct gf_cpu_split *s, const struct row_end *from) {
    const struct gf_cpu_line *line = s->rows->line;
    cvec *a = s->work;
    if (gf_cpu_split_reads(s->rows)) {
        row_stages(line, 0, from, leaf_of(line, from), 0, 1, a + line->n);
        return;
    }
    for (long i = 0; i < line->n; i++)
        a[i] = row_read(from, i * LANES, LANES, from->kind == ROW_PAIRS);
    line_run(line, a, a + line->n);
}

/* The line's two ends: those of the transform's points in every line that shares vectors. */
INLINE void split_ends(const struct gf_cpu_split *s, struct row_end *from, struct row_end *to) {
    const struct gf_cpu_halves *h = s->halves;
    const real sign = s->inverse ? -1 : 1, factor = (real)s->factor;
    real *in = h && s->inverse ? h->z : (real *)s->in, *out = h && !s->inverse ? h->z : s->out;
    *from = (struct row_end){.step = LANES, .im_factor = sign};
    *to = (struct row_end){.step = LANES, .re_factor = factor, .im_factor = factor * sign};
    from->kind = h && s->inverse ? ROW_PARTS : ROW_PAIRS;
    to->kind = h && !s->inverse ? ROW_PARTS : ROW_PAIRS;
    for (int l = 0; l < LANES / s->rows->block; l++) {
        from->re[l] = in;
        from->im[l] = in + (h ? h->apart : 0);
        to->re[l] = out;
        to->im[l] = out + (h ? h->apart : 0);
    }
}

static void split_part(const struct gf_cpu_split *s, const struct row_end *from,
                       const struct row_end *to, bool second, long first, long last) {
    const struct gf_cpu_line *line = s->rows->line;
    const bool joins = gf_cpu_split_joins(s->rows);
    cvec *vectors = (cvec *)s->work + line->n;
    if (!second && joins)
        row_first(line, from, leaf_of(line, from), first, last, s->work);
    else if (!second)
        split_vectors(s, from);
    else if (joins)
        row_second(s->rows, s->work, first * LANES, last * LANES, from, to, LANES);
    else
        for (long k = first * LANES; k < last * LANES; k += LANES)
            row_finish_vectors(s->rows, vectors + k, k, from, to, LANES);
}

static void split(const struct gf_cpu_split *s, bool second, long first, long last) {
    struct row_end from, to;
    split_ends(s, &from, &to);
    split_part(s, &from, &to, second, first, last);
}

static void line(const struct gf_cpu_split *s) {
    const struct gf_cpu_row *rows = s->rows;
    struct row_end from, to;
    split_ends(s, &from, &to);
    if (s->halves && s->inverse)
        pack(s->halves, 0, LONG_MAX);
    if (gf_cpu_row_is_few(rows->n, rows->block, LANES)) {
        row_few(rows, &from, &to);
    } else if (rows->block < LANES || rows->line->n == LANES) {
        rows_run(rows, &from, &to, 1, s->work, (cvec *)s->work + rows->line->scratch_points);
    } else {
        split_part(s, &from, &to, false, 0, gf_cpu_split_parts(rows, false));
        split_part(s, &from, &to, true, 0, gf_cpu_split_parts(rows, true));
    }
    if (s->halves && !s->inverse)
        unpack(s->halves, 0, LONG_MAX);
}

#endif
