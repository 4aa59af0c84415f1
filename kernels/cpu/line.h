/* Transforms of whole lines, LANES at a time: stages, Rader and Bluestein. */
#ifndef GF_KERNELS_CPU_LINE_H
#define GF_KERNELS_CPU_LINE_H

/* LANES complex numbers, with lanes in an order that put_block() undoes: shuffles within 16 bytes
 * are cheaper than across them. */
#define GROUP_OF(i)     ((i) / GROUP * GROUP)
#define AT_FIRSTS(i)    (GROUP_OF(i) + (i) % (GROUP / 2) * 2 + ((i) % GROUP < GROUP / 2 ? 0 : LANES))
#define AT_SECONDS(i)   (AT_FIRSTS(i) + 1)
#define AT_PAIR_LOW(i)  (GROUP_OF(i) + (i) % GROUP / 2 + (i) % 2 * LANES)
#define AT_PAIR_HIGH(i) (AT_PAIR_LOW(i) + GROUP / 2)
enum { GROUP = 16 / sizeof(real) };
INLINE cvec take_block(const char *row) {
    const vec a = vec_hold(vec_loadu(row)), b = vec_hold(vec_loadu(row + sizeof a));
    return (cvec){__builtin_shufflevector(a, b, LIST(AT_FIRSTS)),
                  __builtin_shufflevector(a, b, LIST(AT_SECONDS))};
}
INLINE void put_block(char *row, cvec x, bool stream) {
    const vec a = __builtin_shufflevector(x.re, x.im, LIST(AT_PAIR_LOW));
    const vec b = __builtin_shufflevector(x.re, x.im, LIST(AT_PAIR_HIGH));
    vec_put(row, a, stream);
    vec_put(row + sizeof a, b, stream);
}

/* The points of LANES lines in memory, at one end of a transform. */
struct points {
    char *at;
    ptrdiff_t step; /* bytes between points */
    enum {
        POINTS_CVECS, /* aligned */
        POINTS_PAIRS, /* complex numbers of LANES neighbours */
        POINTS_MIXED  /* likewise; lanes in the order of take_block(), at both ends */
    } kind;
    bool swapped;    /* re and im are swapped */
    bool stream;     /* past the caches; aligned */
    bool far;        /* prefetch into the second-level cache */
    ptrdiff_t ahead; /* distance of the prefetch in bytes; 0: none */
    real factor;     /* for pairs that are written */
};

/* Calls f(..., kind) with the end's kind as a constant. */
#define FOR_POINTS(p, f, ...) \
    do { \
        if ((p)->kind == POINTS_MIXED) \
            f(__VA_ARGS__, POINTS_MIXED); \
        else if ((p)->kind == POINTS_PAIRS) \
            f(__VA_ARGS__, POINTS_PAIRS); \
        else \
            f(__VA_ARGS__, POINTS_CVECS); \
    } while (0)

INLINE void prefetch_points(const char *at, ptrdiff_t step, int count, bool far) {
    for (; count--; at += step)
        if (far)
            prefetch_far(at, (int)sizeof(cvec));
        else
            prefetch_for_reading(at, (int)sizeof(cvec));
}

/* x[i] <- the points at `at`, at + step, … */
INLINE void take_points(const struct points *from, const char *at, ptrdiff_t step, int count,
                        cvec *x, int kind) {
    _Pragma("GCC unroll 16") for (int i = 0; i < count; i++, at += step) {
        if (kind == POINTS_MIXED) {
            x[i] = take_block(at);
            continue;
        }
        const vec low = vec_hold(vec_loadu(at)), high = vec_hold(vec_loadu(at + sizeof low));
        x[i] = kind == POINTS_CVECS ? (cvec){low, high}
                                    : (cvec){vec_even(low, high), vec_odd(low, high)};
    }
    if (from->swapped)
        _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) x[i] = (cvec){x[i].im, x[i].re};
}
static cvec take_one(const struct points *from, const char *at) {
    cvec x;
    FOR_POINTS(from, take_points, from, at, 0, 1, &x);
    return x;
}

INLINE void put_point(char *at, vec re, vec im, int kind, bool stream) {
    if (kind == POINTS_MIXED) {
        put_block(at, (cvec){re, im}, stream);
    } else if (kind == POINTS_PAIRS) {
        vec_put(at, vec_zip_low(re, im), stream);
        vec_put(at + sizeof(vec), vec_zip_high(re, im), stream);
    } else {
        vec_put(at, re, stream);
        vec_put(at + sizeof(vec), im, stream);
    }
}

/* Writes x[i] to the points k + i m; overwrites x. */
INLINE void put_points(const struct points *to, int64_t k, int64_t m, int count, cvec *x,
                       int kind) {
    const ptrdiff_t row = m * to->step;
    char *at = to->at + k * to->step;
#define PUT(first, second, stream) \
    _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) \
        put_point(at + i * row, x[i].first, x[i].second, kind, stream)
    if (to->ahead)
        prefetch_points(at + to->ahead, row, count, to->far);
    if (kind != POINTS_CVECS && to->factor != 1)
        _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) x[i] =
            (cvec){x[i].re * to->factor, x[i].im * to->factor};
    if (to->swapped && to->stream)
        PUT(im, re, true);
    else if (to->swapped)
        PUT(im, re, false);
    else if (to->stream)
        PUT(re, im, true);
    else
        PUT(re, im, false);
#undef PUT
}
static void put_one(const struct points *to, int64_t k, cvec x) {
    FOR_POINTS(to, put_points, to, k, 0, 1, &x);
}

/* A stage of radix R, in place: the first `count` points of R blocks m apart, b[k + r m] times its
 * twiddle. last_ writes from b to memory, rows together. leaf_ reads R points a stride apart,
 * without twiddles, from cvecs in order; first_ reads any points. */
#define TAKE_TWIDDLED(first, step, count, x) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++) { \
        const int r = (first) + (step)*i; \
        (x)[i] = r ? cmul(b[k + r * m], w[2 * r - 2], w[2 * r - 1]) : cvec_hold(b[k]); \
    }
#define PUT_BLOCKS(first, step, count, x) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++) b[k + ((first) + (step)*i) * m] = \
        (x)[i]
#define TAKE_POINTS(first, step, count, x) \
    take_points(&e, at + (first)*stride, (step)*stride, count, x, kind)
#define PUT_LEAF(first, step, count, x) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++) b[(first) + (step)*i] = (x)[i]
#define STAGE(R) \
    static void stage_##R(cvec *b, int64_t m, int64_t count, const real *w) { \
        for (int64_t k = 0; k < count; k++, w += 2 * (R - 1)) \
            DFT_THROUGH(R, TAKE_TWIDDLED, PUT_BLOCKS); \
    } \
    INLINE void last_##R##_to(const cvec *b, int64_t m, const real *w, const struct points *to, \
                              int kind) { \
        const struct points e = *to; /* stores cannot alias it */ \
        for (int64_t k = 0; k < m; k++, w += 2 * (R - 1)) { \
            cvec y[R]; \
            DFT_THROUGH(R, TAKE_TWIDDLED, KEEP); \
            put_points(&e, k, m, R, y, kind); \
        } \
    } \
    static void last_##R(const cvec *b, int64_t m, const real *w, const struct points *to) { \
        FOR_POINTS(to, last_##R##_to, b, m, w, to); \
    } \
    INLINE void first_##R##_of(const struct points *from, const char *at, ptrdiff_t step, \
                               ptrdiff_t stride, cvec *b, int64_t apart, int64_t count, \
                               int kind) { \
        const struct points e = *from; \
        for (; count > 0; count--, at += step, b += apart) { \
            if (e.ahead) \
                prefetch_points(at + e.ahead, stride, R, e.far); \
            DFT_THROUGH(R, TAKE_POINTS, PUT_LEAF); \
        } \
    } \
    static void first_##R(const struct points *from, const char *at, ptrdiff_t step, \
                          ptrdiff_t stride, cvec *b, int64_t apart, int64_t count) { \
        FOR_POINTS(from, first_##R##_of, from, at, step, stride, b, apart, count); \
    }
#define CODELETS(DO) \
    DO(2) \
    DO(3) \
    DO(4) \
    DO(5) \
    DO(7) \
    DO(8) \
    DO(11) \
    DO(13) \
    DO(16)
CODELETS(STAGE)

/* By radix; NULL: no codelet. */
static const struct {
    void (*stage)(cvec *b, int64_t m, int64_t count, const real *twiddle);
    void (*last)(const cvec *b, int64_t m, const real *twiddle, const struct points *to);
    void (*first)(const struct points *from, const char *at, ptrdiff_t step, ptrdiff_t stride,
                  cvec *b, int64_t apart, int64_t count);
} codelets[GF_CPU_MAX_CODELET + 1] = {
#define CODELET(R) [R] = {stage_##R, last_##R, first_##R},
    CODELETS(CODELET)};

/* Any odd radix p by definition, pairs j and p - j together. roots: cos and -sin of 2 pi j / p. */
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

/* In place, or to `to`. */
static void stage_by_definition(cvec *b, int64_t m, int p, const real *w, const real *roots,
                                const struct points *to) {
    cvec x[GF_CPU_MAX_RADIX];
    for (int64_t k = 0; k < m; k++, w += 2 * (p - 1)) {
        x[0] = b[k];
        for (int r = 1; r < p; r++)
            x[r] = cmul(b[k + r * m], w[2 * r - 2], w[2 * r - 1]);
        dft_by_definition(x, p, roots);
        for (int r = 0; r < p; r++)
            if (to)
                put_one(to, k + r * m, x[r]);
            else
                b[k + r * m] = x[r];
    }
}

static cvec *line_run(const struct gf_cpu_line *line, cvec *a, cvec *b);

/* A transform's input, and scratch for a leaf that is itself a transform. */
struct input {
    const struct gf_cpu_line *line;
    const struct points *from;
    cvec *spare;
};

/* An innermost transform without a codelet. */
static void run_leaf(const struct input *in, const char *at, ptrdiff_t stride, cvec *b) {
    const struct gf_cpu_line *line = in->line, *leaf = line->leaf;
    const int s = line->n_stages - 1, radix = line->radix[s];
    if (in->from->ahead)
        prefetch_points(at + in->from->ahead, stride, radix, in->from->far);
    cvec *x = leaf ? in->spare : b;
    for (int64_t j = 0; j < radix; j++)
        x[j] = take_one(in->from, at + j * stride);
    if (leaf)
        memcpy(b, line_run(leaf, x, x + leaf->scratch_points), (size_t)radix * sizeof *b);
    else
        dft_by_definition(b, radix, line->roots[s]);
}

/* `count` innermost transforms, from points `stride` bytes apart to b[0 .. radix). Their first points
 * are `step` bytes apart, their results `apart` points. */
static void run_leaves(const struct input *in, const char *at, ptrdiff_t step, ptrdiff_t stride,
                       cvec *b, int64_t apart, int64_t count) {
    const struct gf_cpu_line *line = in->line;
    const int s = line->n_stages - 1;
    if (!line->leaf && !line->roots[s]) {
        codelets[line->radix[s]].first(in->from, at, step, stride, b, apart, count);
        return;
    }
    for (; count > 0; count--, at += step, b += apart)
        run_leaf(in, at, stride, b);
}

/* Runs stages s and inwards, depth first, so that inner blocks complete in cache. Stage 0, which
 * runs last, writes to `to` unless NULL. */
static void run_stages(const struct input *in, int s, int64_t n, const char *at, ptrdiff_t stride,
                       cvec *b, const struct points *to) {
    const struct gf_cpu_line *line = in->line;
    if (s == line->n_stages - 1) {
        run_leaves(in, at, 0, stride, b, 0, 1);
        for (int64_t k = 0; to && k < n; k++)
            put_one(to, k, b[k]);
        return;
    }
    int radix = line->radix[s];
    int64_t m = n / radix;
    if (s == line->n_stages - 2)
        run_leaves(in, at, stride, stride * radix, b, m, radix);
    for (int r = 0; r < radix && s < line->n_stages - 2; r++)
        run_stages(in, s + 1, m, at + r * stride, stride * radix, b + r * m, NULL);
    if (line->roots[s])
        stage_by_definition(b, m, radix, line->twiddle[s], line->roots[s], to);
    else if (to)
        codelets[radix].last(b, m, line->twiddle[s], to);
    else
        codelets[radix].stage(b, m, m, line->twiddle[s]);
}

/* Transforms from memory to b, and to `to` unless NULL, for lines of stages. A leaf's scratch
 * follows the points of b. */
static void line_between(const struct gf_cpu_line *line, const struct points *from, cvec *b,
                         const struct points *to) {
    const struct input in = {line, from, b + line->n};
    run_stages(&in, 0, line->n, from->at, from->step, b, to);
}

/* b[k] <- b[k] * spectrum[k] with re and im swapped for the inverse. */
static void convolve(cvec *b, const real *spectrum, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        cvec x = cmul(b[k], spectrum[2 * k], spectrum[2 * k + 1]);
        b[k] = (cvec){x.im, x.re};
    }
}

static cvec *run_rader(const struct gf_cpu_line *line, cvec *a, cvec *b) {
    int64_t n = line->n, count = n - 1;
    const struct gf_cpu_line *conv = line->convolution;
    cvec first = a[0];
    for (int64_t q = 0; q < count; q++)
        b[q] = a[line->gather[q]];
    cvec *f = line_run(conv, b, a);
    cvec *other = f == a ? b : a;
    cvec zero = cadd(first, f[0]); /* f[0] is the sum of the others */
    convolve(f, line->spectrum, count);
    /* Adding `first` to the convolution's zero frequency adds it to every output. */
    f[0] = (cvec){f[0].re + first.im, f[0].im + first.re};
    cvec *y = line_run(conv, f, other);
    cvec *out = y == a ? b : a;
    out[0] = zero;
    for (int64_t q = 0; q < count; q++)
        out[line->scatter[q]] = (cvec){y[q].im, y[q].re};
    return out;
}

static cvec *run_bluestein(const struct gf_cpu_line *line, cvec *a, cvec *b) {
    int64_t n = line->n;
    const struct gf_cpu_line *conv = line->convolution;
    const real *chirp = line->chirp;
    for (int64_t j = 0; j < n; j++)
        a[j] = cmul(a[j], chirp[2 * j], chirp[2 * j + 1]);
    memset(a + n, 0, (size_t)(conv->n - n) * sizeof *a);
    cvec *f = line_run(conv, a, b);
    convolve(f, line->spectrum, conv->n);
    cvec *y = line_run(conv, f, f == a ? b : a);
    for (int64_t k = 0; k < n; k++)
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
    const struct points from = {.at = (char *)a, .step = sizeof *a};
    line_between(line, &from, b, NULL);
    return b;
}

#endif
