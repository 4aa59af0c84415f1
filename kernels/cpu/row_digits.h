/* Squares of 16 points in two digits of four, for sixteen lanes: within lines that go through
 * memory, and in lines of two, four or eight vectors, which stay in registers (rows.h). */
#ifndef GF_KERNELS_CPU_ROW_DIGITS_H
#define GF_KERNELS_CPU_ROW_DIGITS_H

#if N_LANES == 16
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

/* Transposes the vectors' quarters, or the squares of four points within each quarter. */
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
#define IN_QUARTERS(a, b, c, d) \
    { a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d }
static const cvec digit_roots[3] = {
    {IN_QUARTERS(1, COS_PI_8, SQRT_HALF, SIN_PI_8),
     IN_QUARTERS(0, -SIN_PI_8, -SQRT_HALF, -COS_PI_8)},
    {IN_QUARTERS(1, SQRT_HALF, 0, -SQRT_HALF), IN_QUARTERS(0, -SQRT_HALF, -1, -SQRT_HALF)},
    {IN_QUARTERS(1, SIN_PI_8, -SQRT_HALF, -COS_PI_8),
     IN_QUARTERS(0, -COS_PI_8, -SQRT_HALF, SIN_PI_8)},
};

/* A square's first digit: i2 = p + 4 q, over q to k2 mod 4, for the vectors k1 = i + 4 j in x. w
 * and b: twiddles and destination, starting at i. */
INLINE void row_first_digit(cvec *x, const cvec *w, cvec *b) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++)
        x[j] = cmul_lanes(x[j], w[4 * j]);
    transpose_four(x, true);
    dft_4(x);
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++)
        b[4 * j] = x[j];
}

/* The outermost stage of radix R = 4 (1: none) on vectors k to k + 15 of its blocks, which are
 * `apart` vectors apart, and the first digit; in place. */
INLINE void row_first_digits(const struct gf_cpu_row *rows, cvec *b, int64_t apart, int64_t k,
                             int R, const struct row_end *from, const struct row_end *to) {
    const bool aside = has_aside(from, to);
    const int64_t m = rows->line->n / R;
    const real *twiddle = (const real *)rows->line->twiddle[0] + 2 * (R - 1) * k;
    const cvec *w = (const cvec *)rows->twiddle + k;
    for (int i = 0; i < 4; i++, b++, w++, twiddle += 2 * (R - 1)) {
        cvec y[4][4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            const real *t = twiddle + 8 * j * (R - 1);
            cvec x[4];
            x[0] = b[4 * j];
#pragma GCC unroll 4
            for (int r = 1; r < R; r++)
                x[r] = cmul(b[4 * j + r * apart], t[2 * r - 2], t[2 * r - 1]);
            if (R > 1)
                dft_of(R, x);
#pragma GCC unroll 4
            for (int r = 0; r < R; r++)
                y[r][j] = x[r];
        }
        for (int j = 0; j < 4 * R && aside; j++)
            row_aside(from, to, k + 4 * i + j % 4 + j / 4 * m);
#pragma GCC unroll 4
        for (int r = 0; r < R; r++)
            row_first_digit(y[r], w + r * m, b + r * apart);
    }
}

/* The second digit: over p to k2 / 4, and to memory. */
INLINE void row_second_digit(const cvec *b, int64_t k1, int64_t r, const struct row_end *to,
                             int kind) {
    const struct row_end e = *to; /* stores cannot alias it */
#pragma GCC unroll 4
    for (int u = 0; u < 4; u++) {
        cvec y[4];
#pragma GCC unroll 4
        for (int p = 0; p < 4; p++)
            y[p] = cvec_hold(b[4 * u + p]);
        transpose_four(y, false);
        dft_4_of_16(y, u);
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++)
            row_write(&e, k1 + r * (u + 4 * v), 16, kind, y[v]);
    }
}

/* The second digits of a square in each of R blocks, for a line of n vectors. */
INLINE void row_second_digits(int64_t n, const cvec *b, int64_t apart, int64_t k, int R,
                              const struct row_end *to) {
#define SECOND_DIGITS(constant) \
    for (int64_t r = 0; r < R; r++) \
    row_second_digit(b + r * apart, k + n / R * r, n, to, constant)
    const int kind = row_kind(to);
    FOR_ROW_KIND(kind, SECOND_DIGITS)
#undef SECOND_DIGITS
}

/* The transform from the outermost stage on, for a square of each of its blocks. */
INLINE void row_finish_digits(const struct gf_cpu_row *rows, cvec *b, int64_t apart, int64_t k,
                              int R, const struct row_end *from, const struct row_end *to) {
    row_first_digits(rows, b, apart, k, R, from, to);
    row_second_digits(rows->line->n, b, apart, k, R, to);
}

/* A line of one square: its only stage and first digit, in registers, to b. */
INLINE void row_begin_square(const struct gf_cpu_row *rows, const struct row_end *from, cvec *b,
                             int kind) {
    const cvec *w = rows->twiddle;
#define TAKE_VECTORS(first, step, count, x) \
    _Pragma("GCC unroll 4") for (int i = 0; i < (count); i++)(x)[i] = \
        row_read(from, ((first) + (step)*i) * 16, 16, kind)
#define PUT_DIGIT(first, step, count, x) row_first_digit(x, w + (first), b + (first))
    DFT_THROUGH(16, TAKE_VECTORS, PUT_DIGIT);
#undef TAKE_VECTORS
#undef PUT_DIGIT
}

static void row_square(const struct gf_cpu_row *rows, const struct row_end *from,
                       const struct row_end *to, cvec *b) {
    const int kind = row_kind(from);
    if (kind == (ROW_PAIRS | ROW_PLAIN))
        row_begin_square(rows, from, b, ROW_PAIRS | ROW_PLAIN);
    else if (kind == (ROW_PARTS | ROW_PLAIN))
        row_begin_square(rows, from, b, ROW_PARTS | ROW_PLAIN);
    else if (kind == ROW_PAIRS)
        row_begin_square(rows, from, b, ROW_PAIRS);
    else
        row_begin_square(rows, from, b, ROW_PARTS);
    for (int i = 0; has_aside(from, to) && i < 16; i++)
        row_aside(from, to, i);
    row_second_digits(16, b, 0, 0, 1, to);
}

/* The lane of frequency f of 16, with its first digit in four lanes, or in two and then four; and
 * the frequency of a lane. */
#define LANE_OF_4(f)  ((f) % 4 * 4 + (f) / 4)
#define LANE_OF_8(f)  ((f) / 2 % 4 * 4 + (f) % 2 + (f) / 8 * 2)
#define IN_LANE_4(i)  LANE_OF_4(i)
#define IN_LANE_8(i)  ((i) % 4 / 2 * 8 + (i) / 4 * 2 + (i) % 2)
#define AT_FEW_4(i)   LANE_OF_4(i)
#define AT_FEW_8(i)   LANE_OF_8(i)
#define AT_DIGIT_4(i) IN_LANE_4(i)
#define AT_DIGIT_8(i) IN_LANE_8(i)
/* As pairs, in order and reversed. */
#define AT_FEW(of, i)          (of((i) / 2) + (i) % 2 * LANES)
#define AT_LAST(of, i)         (of(15 - (i) / 2) + (i) % 2 * LANES)
#define AT_FEW_LOW_4(i)        AT_FEW(LANE_OF_4, i)
#define AT_FEW_HIGH_4(i)       AT_FEW(LANE_OF_4, (i) + LANES)
#define AT_FEW_LOW_8(i)        AT_FEW(LANE_OF_8, i)
#define AT_FEW_HIGH_8(i)       AT_FEW(LANE_OF_8, (i) + LANES)
#define AT_LAST_LOW_4(i)       AT_LAST(LANE_OF_4, i)
#define AT_LAST_HIGH_4(i)      AT_LAST(LANE_OF_4, (i) + LANES)
#define AT_LAST_LOW_8(i)       AT_LAST(LANE_OF_8, i)
#define AT_LAST_HIGH_8(i)      AT_LAST(LANE_OF_8, (i) + LANES)
#define AT_PARTNER(of, in, i)  (in(i) ? of((16 - in(i)) % 16) : LANES)
#define AT_PARTNER_4(i)        AT_PARTNER(LANE_OF_4, IN_LANE_4, i)
#define AT_PARTNER_8(i)        AT_PARTNER(LANE_OF_8, IN_LANE_8, i)
#define ORDER(a, b, of)        __builtin_shufflevector(a, b, LIST(of))
#define ORDER_FEW(r, a, b, of) ((r) == 4 ? ORDER(a, b, of##_4) : ORDER(a, b, of##_8))

/* Writes frequencies k to k + 15 of a line of 4 or 8 vectors in digit order. */
INLINE void row_write_few(const struct row_end *e, int64_t k, int r, bool pairs, cvec x) {
    if (e->re_factor != 1 || e->im_factor != 1)
        x = (cvec){x.re * e->re_factor, x.im * e->im_factor};
    real *a = e->re[0] + 2 * k, *b = a + LANES;
    vec first, second;
    if (pairs) {
        first = ORDER_FEW(r, x.re, x.im, AT_FEW_LOW);
        second = ORDER_FEW(r, x.re, x.im, AT_FEW_HIGH);
    } else {
        a = e->re[0] + part_at((uint64_t)k, e->step);
        b = e->im[0] + part_at((uint64_t)k, e->step);
        first = ORDER_FEW(r, x.re, x.re, AT_FEW);
        second = ORDER_FEW(r, x.im, x.im, AT_FEW);
    }
    const bool stream = e->kind == ROW_PAIRS_STREAMED || e->kind == ROW_PARTS_STREAMED;
    vec_put(a, first, stream);
    vec_put(b, second, stream);
}

/* Block b of such a line's frequencies. */
INLINE cvec few_block(const cvec *z, int b, int r) {
    return z[4 * (b % (r / 4)) + b / (r / 4)];
}

/* unpack() in registers, from the spectrum z of a line of r = 4 or 8 vectors. */
INLINE void row_unpack_few(const struct gf_cpu_halves *h, const cvec *z, int r, real factor) {
    const vec f = vec_splat(factor);
    real *const x = h->x, middle = (real)2 * factor;
#pragma GCC unroll 4
    for (int b = 0; b < r / 2; b++) {
        const cvec a = few_block(z, b, r), p = few_block(z, r - 1 - b, r),
                   q = few_block(z, b ? r - b : 0, r), root = ((const cvec *)h->roots)[b];
        const cvec y = {ORDER_FEW(r, p.re, q.re, AT_PARTNER), ORDER_FEW(r, p.im, q.im, AT_PARTNER)};
        const cvec w = {ORDER_FEW(r, root.re, root.re, AT_DIGIT) * f,
                        ORDER_FEW(r, root.im, root.im, AT_DIGIT) * f};
        const cvec even = {a.re + y.re, a.im - y.im};
        const cvec t = cmul_lanes((cvec){a.im + y.im, y.re - a.re}, w);
        const cvec u = {even.re * f + t.re, even.im * f + t.im};
        const cvec v = {even.re * f - t.re, t.im - even.im * f};
        real *const to = x + 32 * b, *const back = x + 32 * (r - b) - 30;
        vec_storeu(to, ORDER_FEW(r, u.re, u.im, AT_FEW_LOW));
        vec_storeu(to + LANES, ORDER_FEW(r, u.re, u.im, AT_FEW_HIGH));
        vec_storeu(back, ORDER_FEW(r, v.re, v.im, AT_LAST_LOW));
        vec_storeu(back + LANES, ORDER_FEW(r, v.re, v.im, AT_LAST_HIGH));
    }
    x[16 * r] = few_block(z, r / 2, r).re[0] * middle;
    x[16 * r + 1] = few_block(z, r / 2, r).im[0] * -middle;
}

/* A line of r = 4 or 8 vectors in registers: i2 = p + 4 q in the lanes, k1 = i + r / 4 c.
 * Transforms over the vectors to k1; exchanges quarters with c, then transforms over q to k2 mod 4;
 * exchanges lanes with i and the remaining vectors, then transforms over p to k2 / 4. With halves,
 * a real line is unpacked to them. */
INLINE void row_run_few(const struct gf_cpu_row *rows, const struct row_end *from,
                        const struct row_end *to, int r, int from_kind, bool to_pairs,
                        const struct gf_cpu_halves *halves) {
    const struct row_end e = *to; /* stores cannot alias it */
    const cvec *w = rows->twiddle;
    const int groups = r / 4;
    cvec x[8], z[8];
#pragma GCC unroll 8
    for (int i = 0; i < r; i++)
        x[i] = row_read(from, i * LANES, LANES, from_kind);
    for (int i = 0; has_aside(from, to) && i < r; i++)
        row_aside(from, to, i);
    dft_of(r, x);
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
        for (int v = 0; v < 4 && !halves; v++)
            row_write_few(&e, 16 * i + 4L * r * v, r, to_pairs, z[4 * i + v]);
    }
    if (halves)
        row_unpack_few(halves, z, r, e.re_factor);
}

static void row_few_halves(const struct gf_cpu_row *rows, const struct row_end *from,
                           const struct row_end *to, const struct gf_cpu_halves *halves) {
    if (rows->line->n == 4)
        row_run_few(rows, from, to, 4, ROW_PAIRS, true, halves);
    else
        row_run_few(rows, from, to, 8, ROW_PAIRS, true, halves);
}

/* Complex numbers with real parts in a vector's lower half, imaginary parts in the upper half. */
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

/* A line of two vectors, interleaved. Exchanges quarters of both parts with q; a vector ends with
 * eight neighbours, the f-th frequency in this lane. */
#define LANE_OF_2(f)      ((f) % 2 * 4 + (f) / 2)
#define AT_MIXED_PAIRS(i) (LANE_OF_2((i) / 2) + (i) % 2 * LANES / 2)
INLINE void row_run_two(const struct gf_cpu_row *rows, const struct row_end *from,
                        const struct row_end *to) {
    const vec factor =
        join_halves(low_half(vec_splat(to->re_factor)), low_half(vec_splat(to->im_factor)));
    cvec x[2];
    x[0] = row_read(from, 0, LANES, ROW_PAIRS);
    x[1] = row_read(from, LANES, LANES, ROW_PAIRS);
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
    for (int v = 0; v < 4; v++)
        vec_storeu(to->re[0] + LANES * v, ORDER(y[v] * factor, y[v], AT_MIXED_PAIRS));
}

static void row_few(const struct gf_cpu_row *rows, const struct row_end *from,
                    const struct row_end *to) {
    const bool out = to->kind <= ROW_PAIRS_STREAMED;
    if (rows->line->n == 2)
        row_run_two(rows, from, to);
    else if (rows->line->n == 4)
        row_run_few(rows, from, to, 4, ROW_PAIRS, true, NULL);
    else if (from->kind == ROW_PAIRS)
        row_run_few(rows, from, to, 8, ROW_PAIRS, out, NULL);
    else
        row_run_few(rows, from, to, 8, ROW_PARTS, out, NULL);
}
#endif

#endif
