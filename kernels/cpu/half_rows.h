/* Half spectra of adjacent real rows of 16 and 32 points, in registers from source to destination.
 * A group has half as many rows as lanes, half of them in the real parts, the others in the
 * imaginary parts, each row in four lanes of every vector (rows.h). A half spectrum is some vectors
 * and one number, a group whole vectors: they are shifted together in registers, so that no store
 * crosses a cache line. */
#ifndef GF_KERNELS_CPU_HALF_ROWS_H
#define GF_KERNELS_CPU_HALF_ROWS_H

#ifdef __AVX512F__ /* 32 registers hold a group's 16 vectors */

/* Rows per vector; rows per group. */
enum { SHARING = LANES / 4, GROUP_ROWS = LANES / 2 };

/* Transposes a square of SHARING vectors, in blocks of four lanes. */
INLINE void transpose_fours(vec *a) {
#if N_LANES == 16
    transpose_quarters(a);
#else
    vec_exchange_4(a, a + 1);
#endif
}

/* Reads n / 4 vectors; vector i has points 4 i to 4 i + 3 of each row. */
INLINE void half_read(const char *from, ptrdiff_t stride, int n, cvec *x) {
#pragma GCC unroll 4
    for (int v = 0; v < n / LANES; v++) {
        vec re[SHARING], im[SHARING];
#pragma GCC unroll 4
        for (int q = 0; q < SHARING; q++) {
            const char *at = from + q * stride + v * VEC_BYTES;
            re[q] = vec_loadu(at);
            im[q] = vec_loadu(at + SHARING * stride);
        }
        transpose_fours(re);
        transpose_fours(im);
#pragma GCC unroll 4
        for (int q = 0; q < SHARING; q++)
            x[v * SHARING + q] = (cvec){re[q], im[q]};
    }
}

/* Vector i of n / 4 after row_squares(): frequencies 4 i to 4 i + 3. */
INLINE cvec half_block(const cvec *x, int i, int n) {
    return x[4 * (i % (n / 16)) + i / (n / 16)];
}

/* In each four lanes, the first of `b`, followed by those of `a` from the last to the second. */
#define AT_MIRROR(i) ((i) % 4 ? (i) / 4 * 4 + 4 - (i) % 4 : LANES + (i))
INLINE vec mirror_fours(vec a, vec b) {
    return __builtin_shufflevector(a, b, LIST(AT_MIRROR));
}

/* In each four lanes, the first, followed by zeros. */
#define AT_FIRST_OF_FOUR(i) ((i) % 4 ? LANES + (i) : (i))
INLINE vec first_of_fours(vec a) {
    return __builtin_shufflevector(a, (vec){0}, LIST(AT_FIRST_OF_FOUR));
}

/* Like split_rows(), but interleaved: a row's numbers are in the same four lanes of all n / 4
 * vectors. */
INLINE void half_split(const cvec *x, int n, real factor, vec *a, vec *b) {
    const vec f = vec_splat(factor * (real)0.5);
#pragma GCC unroll 4
    for (int i = 0; i < n / 8; i++) {
        const cvec z = half_block(x, i, n), p = half_block(x, n / 4 - 1 - i, n),
                   q = half_block(x, i ? n / 4 - i : 0, n);
        const cvec y = {mirror_fours(p.re, q.re), mirror_fours(p.im, q.im)};
        const cvec u = {(z.re + y.re) * f, (z.im - y.im) * f};
        const cvec v = {(z.im + y.im) * f, (y.re - z.re) * f};
        a[2 * i] = __builtin_shufflevector(u.re, u.im, LIST(AT_UNPACK_LOW));
        a[2 * i + 1] = __builtin_shufflevector(u.re, u.im, LIST(AT_UNPACK_HIGH));
        b[2 * i] = __builtin_shufflevector(v.re, v.im, LIST(AT_UNPACK_LOW));
        b[2 * i + 1] = __builtin_shufflevector(v.re, v.im, LIST(AT_UNPACK_HIGH));
    }
}

/* All complex numbers of a except the first, and the first of four lanes of b. */
INLINE vec append_one(vec a, vec b, int four) {
#define AT_APPENDED(i) ((i) + 2 < LANES ? (i) + 2 : LANES + 4 * four + (i) % 2)
    return shift_numbers(a, b, (ivec){LIST(AT_APPENDED)});
}

INLINE char *half_put(char *to, vec x, bool stream) {
    vec_put(to, x, stream);
    return to + VEC_BYTES;
}

/* Writes the half spectra of SHARING rows: n / 4 vectors, and `last` with number n / 2 first in
 * four lanes. `row` rows of the group come before; `rest` ends with their numbers that fill no
 * vector. */
INLINE char *half_write(char *to, int row, vec *x, vec last, int n, bool stream, vec *rest) {
    const int vectors = n / LANES;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        transpose_fours(x + v * SHARING);
#pragma GCC unroll 4
    for (int q = 0; q < SHARING; q++) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            const vec next = x[v * SHARING + q];
            to = half_put(to, shift_numbers(*rest, next, shift_indices(row + q)), stream);
            *rest = next;
        }
        *rest = append_one(*rest, last, q);
    }
    return to;
}

INLINE char *half_group(const struct gf_cpu_row *rows, const char *from, ptrdiff_t stride, int n,
                        real factor, char *to, bool stream) {
    const struct row_end none = {.ahead = NULL};
    cvec x[8];
    vec a[8], b[8], rest = {0};
    half_read(from, stride, n, x);
    dft_of(n / 4, x);
#pragma GCC unroll 2
    for (int k1 = 0; k1 < n / 4; k1 += 4)
        row_squares(rows, x + k1, k1, &none, &none, 4);
    half_split(x, n, factor, a, b);
    const cvec middle = half_block(x, n / 8, n);
    to = half_write(to, 0, a, first_of_fours(middle.re) * factor, n, stream, &rest);
    to = half_write(to, SHARING, b, first_of_fours(middle.im) * factor, n, stream, &rest);
    return half_put(to, rest, stream);
}

/* Processes an incomplete group through one in memory, with the same arithmetic for all rows. */
INLINE void half_rest(const struct row_work *w, int first, int count, int n) {
    enum { MOST = GROUP_ROWS * (GF_CPU_SHORT_ROW + 2) };
    vec in[MOST / LANES], out[MOST / LANES];
    const size_t row = (size_t)n * sizeof(real);
    for (int i = 0; i < GROUP_ROWS; i++)
        memcpy((char *)in + i * row, row_place(&w->from, first + (i < count ? i : count - 1)).at,
               row);
    half_group(w->t->pass->rows, (const char *)in, (ptrdiff_t)row, n, (real)w->to.end->factor,
               (char *)out, false);
    memcpy(row_place(&w->to, first).at, out, (size_t)(count * w->to.end->lane.stride));
}

INLINE void half_groups(const struct row_work *w, int count, int n, bool stream) {
    const ptrdiff_t stride = w->from.end->lane.stride;
    const char *from = (const char *)row_place(&w->from, 0).at;
    char *to = (char *)row_place(&w->to, 0).at;
    int i = 0;
    for (; i + GROUP_ROWS <= count; i += GROUP_ROWS)
        to = half_group(w->t->pass->rows, from + i * stride, stride, n, (real)w->to.end->factor, to,
                        stream);
    if (i < count)
        half_rest(w, i, count - i, n);
}

/* False if these loops do not support the tile's ends. */
static bool half_rows(const struct row_work *w, int count) {
    const struct gf_cpu_end *d = w->to.end;
    const int n = (int)w->t->pass->n;
    const enum gf_cpu_sample own = sizeof(real) == 4 ? GF_CPU_F32 : GF_CPU_F64;
    const bool stream = d->stream && (uintptr_t)row_place(&w->to, 0).at % VEC_BYTES == 0;
    if (w->from.end->type != own || d->lane.stride != (n + 2) * (ptrdiff_t)sizeof(real))
        return false;
    if (n == 16 && stream)
        half_groups(w, count, 16, true);
    else if (n == 16)
        half_groups(w, count, 16, false);
    else if (n == 32 && stream)
        half_groups(w, count, 32, true);
    else if (n == 32)
        half_groups(w, count, 32, false);
    else
        return false;
    return true;
}

#else
static bool half_rows(const struct row_work *w, int count) {
    (void)w;
    (void)count;
    return false;
}
#endif

#endif
