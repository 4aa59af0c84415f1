/* Transforms of whole lines, LANES at a time: stages, Rader and Bluestein. */
#ifndef GF_KERNELS_CPU_LINE_H
#define GF_KERNELS_CPU_LINE_H

/* One stage in place: radix R over the first `count` points of R blocks m apart, b[k + r m] times its
 * twiddle. And one leaf: R input points `stride` apart, no twiddles. */
#define STAGE(R)                                                                                   \
    static void stage_##R(cvec *b, long m, long count, const real *w) {                            \
        for (long k = 0; k < count; k++, w += 2 * (R - 1)) {                                       \
            cvec x[R];                                                                             \
            x[0] = b[k];                                                                           \
            _Pragma("GCC unroll 16") for (int r = 1; r < R; r++) x[r] =                            \
                cmul(b[k + r * m], w[2 * r - 2], w[2 * r - 1]);                                    \
            dft_##R(x);                                                                            \
            _Pragma("GCC unroll 16") for (int r = 0; r < R; r++) b[k + r * m] = x[r];              \
        }                                                                                          \
    }                                                                                              \
    static void leaf_##R(const cvec *a, long stride, cvec *b) {                                    \
        cvec x[R];                                                                                 \
        _Pragma("GCC unroll 16") for (int r = 0; r < R; r++) x[r] = a[r * stride];                 \
        dft_##R(x);                                                                                \
        _Pragma("GCC unroll 16") for (int r = 0; r < R; r++) b[r] = x[r];                          \
    }
STAGE(2)
STAGE(3)
STAGE(4)
STAGE(5)
STAGE(7)
STAGE(8)
STAGE(11)
STAGE(13)
STAGE(16)

/* A codelet by its radix; NULL where there is none. */
static const struct {
    void (*stage)(cvec *b, long m, long count, const real *twiddle);
    void (*leaf)(const cvec *a, long stride, cvec *b);
} codelets[GF_CPU_MAX_CODELET + 1] = {
    [2] = {stage_2, leaf_2},    [3] = {stage_3, leaf_3},    [4] = {stage_4, leaf_4},
    [5] = {stage_5, leaf_5},    [7] = {stage_7, leaf_7},    [8] = {stage_8, leaf_8},
    [11] = {stage_11, leaf_11}, [13] = {stage_13, leaf_13}, [16] = {stage_16, leaf_16},
};

/* Any odd radix p up to GF_CPU_MAX_RADIX by its definition, pairs j and p - j together.
 * roots: cos and -sin of 2 pi j / p. */
static void dft_by_definition(cvec *x, int p, const real *roots) {
    cvec sum[GF_CPU_MAX_RADIX / 2], dif[GF_CPU_MAX_RADIX / 2], y[GF_CPU_MAX_RADIX];
    int half = (p - 1) / 2;
    y[0] = x[0];
    for (int j = 1; j <= half; j++) {
        sum[j - 1] = cadd(x[j], x[p - j]);
        dif[j - 1] = csub(x[j], x[p - j]);
        y[0] = cadd(y[0], sum[j - 1]);
    }
    for (int k = 1; k <= half; k++) {
        cvec a = x[0], b = {{0}, {0}};
        for (int j = 1, at = k; j <= half; j++, at += k - (at + k >= p ? p : 0)) {
            real c = roots[2 * at], s = roots[2 * at + 1];
            a.re += sum[j - 1].re * c;
            a.im += sum[j - 1].im * c;
            b.re -= dif[j - 1].im * s;
            b.im += dif[j - 1].re * s;
        }
        y[k] = cadd(a, b);
        y[p - k] = csub(a, b);
    }
    memcpy(x, y, (size_t)p * sizeof *x);
}

static void stage_by_definition(cvec *b, long m, int p, const real *w, const real *roots) {
    cvec x[GF_CPU_MAX_RADIX];
    for (long k = 0; k < m; k++, w += 2 * (p - 1)) {
        x[0] = b[k];
        for (int r = 1; r < p; r++)
            x[r] = cmul(b[k + r * m], w[2 * r - 2], w[2 * r - 1]);
        dft_by_definition(x, p, roots);
        for (int r = 0; r < p; r++)
            b[k + r * m] = x[r];
    }
}

static cvec *line_run(const struct gf_cpu_line *line, cvec *a, cvec *b);

/* The innermost transform: reads `a` with a stride, writes b[0 .. radix). `spare` is scratch for a
 * leaf that is a transform of its own. */
static void run_leaf(const struct gf_cpu_line *line, const cvec *a, long stride, cvec *b,
                     cvec *spare) {
    int s = line->n_stages - 1, radix = line->radix[s];
    if (line->leaf) {
        const struct gf_cpu_line *leaf = line->leaf;
        cvec *other = spare + leaf->scratch_points;
        for (long j = 0; j < leaf->n; j++)
            spare[j] = a[j * stride];
        memcpy(b, line_run(leaf, spare, other), (size_t)leaf->n * sizeof *b);
    } else if (line->roots[s]) {
        cvec x[GF_CPU_MAX_RADIX];
        for (int r = 0; r < radix; r++)
            x[r] = a[r * stride];
        dft_by_definition(x, radix, line->roots[s]);
        memcpy(b, x, (size_t)radix * sizeof *b);
    } else {
        codelets[radix].leaf(a, stride, b);
    }
}

/* Stages s and inwards, depth first, so that inner blocks are complete while they are in cache. */
static void run_stages(const struct gf_cpu_line *line, int s, long n, const cvec *a, long stride,
                       cvec *b, cvec *spare) {
    if (s == line->n_stages - 1) {
        run_leaf(line, a, stride, b, spare);
        return;
    }
    int radix = line->radix[s];
    long m = n / radix;
    for (int r = 0; r < radix; r++)
        run_stages(line, s + 1, m, a + r * stride, stride * radix, b + r * m, spare);
    if (line->roots[s])
        stage_by_definition(b, m, radix, line->twiddle[s], line->roots[s]);
    else
        codelets[radix].stage(b, m, m, line->twiddle[s]);
}

/* b[k] <- (b[k] * spectrum[k]) with re and im swapped: the product that an inverse starts from. */
static void convolve(cvec *b, const real *spectrum, long n) {
    for (long k = 0; k < n; k++) {
        cvec x = cmul(b[k], spectrum[2 * k], spectrum[2 * k + 1]);
        b[k] = (cvec){x.im, x.re};
    }
}

static cvec *run_rader(const struct gf_cpu_line *line, cvec *a, cvec *b) {
    long n = line->n, count = n - 1;
    const struct gf_cpu_line *conv = line->convolution;
    cvec first = a[0];
    for (long q = 0; q < count; q++)
        b[q] = a[line->gather[q]];
    cvec *f = line_run(conv, b, a);
    cvec *other = f == a ? b : a;
    cvec zero = cadd(first, f[0]); /* f[0] is the sum of all the others */
    convolve(f, line->spectrum, count);
    /* Adding `first` to the convolution's zero frequency adds it to every output. */
    f[0] = (cvec){f[0].re + first.im, f[0].im + first.re};
    cvec *y = line_run(conv, f, other);
    cvec *out = y == a ? b : a;
    out[0] = zero;
    for (long q = 0; q < count; q++)
        out[line->scatter[q]] = (cvec){y[q].im, y[q].re};
    return out;
}

static cvec *run_bluestein(const struct gf_cpu_line *line, cvec *a, cvec *b) {
    long n = line->n;
    const struct gf_cpu_line *conv = line->convolution;
    const real *chirp = line->chirp;
    for (long j = 0; j < n; j++)
        a[j] = cmul(a[j], chirp[2 * j], chirp[2 * j + 1]);
    memset(a + n, 0, (size_t)(conv->n - n) * sizeof *a);
    cvec *f = line_run(conv, a, b);
    convolve(f, line->spectrum, conv->n);
    cvec *y = line_run(conv, f, f == a ? b : a);
    for (long k = 0; k < n; k++)
        y[k] = cmul((cvec){y[k].im, y[k].re}, chirp[2 * k], chirp[2 * k + 1]);
    return y;
}

/* Transforms a[0 .. n); b is scratch. Both have scratch_points. Returns the one with the result. */
static cvec *line_run(const struct gf_cpu_line *line, cvec *a, cvec *b) {
    switch (line->algorithm) {
    case GF_CPU_RADER:
        return run_rader(line, a, b);
    case GF_CPU_BLUESTEIN:
        return run_bluestein(line, a, b);
    case GF_CPU_STAGES:
        break;
    }
    if (line->n == 1)
        return a;
    /* The scratch of a leaf follows the points of b. */
    run_stages(line, 0, line->n, a, 1, b, b + line->n);
    return b;
}

#endif
