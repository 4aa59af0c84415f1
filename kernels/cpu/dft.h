/* Straight-line transforms of 2 to 16 points in registers: x[k] <- sum_j x[j] exp(-2 pi i j k / n).
 * An inverse swaps re and im at both ends. */
#ifndef GF_KERNELS_CPU_DFT_H
#define GF_KERNELS_CPU_DFT_H

INLINE cvec cadd(cvec a, cvec b) {
    return (cvec){a.re + b.re, a.im + b.im};
}
INLINE cvec csub(cvec a, cvec b) {
    return (cvec){a.re - b.re, a.im - b.im};
}
/* a times (wr + i wi) */
INLINE cvec cmul(cvec a, real wr, real wi) {
    a = cvec_hold(a);
    return (cvec){a.re * wr - a.im * wi, a.im * wr + a.re * wi};
}
INLINE cvec cmul_minus_i(cvec a) {
    return (cvec){a.im, -a.re};
}

#define SQRT_HALF ((real)0.70710678118654752440L)
#define COS_PI_8  ((real)0.92387953251128675613L)
#define SIN_PI_8  ((real)0.38268343236508977173L)
#define TAN_PI_8  ((real)0.41421356237309504880L)

INLINE void dft_2(cvec *x) {
    cvec a = x[0];
    x[0] = cadd(a, x[1]);
    x[1] = csub(a, x[1]);
}

/* Four points at x[0], x[s], x[2 s], x[3 s]. */
INLINE void dft_4_strided(cvec *x, int s) {
    cvec a = cadd(x[0], x[2 * s]), b = csub(x[0], x[2 * s]);
    cvec c = cadd(x[s], x[3 * s]), d = cmul_minus_i(csub(x[s], x[3 * s]));
    x[0] = cadd(a, c);
    x[s] = cadd(b, d);
    x[2 * s] = csub(a, c);
    x[3 * s] = csub(b, d);
}
INLINE void dft_4(cvec *x) {
    dft_4_strided(x, 1);
}

/* a times exp(-2 pi i / 8), its cube, exp(-2 pi i / 16) or its cube, without the common factors
 * sqrt(1/2) and cos(pi/8). */
INLINE cvec cmul_w8(cvec a) {
    return (cvec){a.re + a.im, a.im - a.re};
}
INLINE cvec cmul_w8_3(cvec a) {
    return (cvec){a.im - a.re, -(a.re + a.im)};
}
INLINE cvec cmul_w16(cvec a) {
    return (cvec){a.re + a.im * TAN_PI_8, a.im - a.re * TAN_PI_8};
}
INLINE cvec cmul_w16_3(cvec a) {
    return (cvec){a.im + a.re * TAN_PI_8, a.im * TAN_PI_8 - a.re};
}

/* a + f b and a - f b: fused multiply-adds make the common factors free. */
INLINE void add_both(cvec a, cvec b, real f, cvec *sum, cvec *difference) {
    *sum = (cvec){a.re + b.re * f, a.im + b.im * f};
    *difference = (cvec){a.re - b.re * f, a.im - b.im * f};
}

/* Transforms four points times exp(-2 pi i j k / 16); k is a constant below 4. */
INLINE void dft_4_of_16(cvec *x, int k) {
    cvec a, b, p, q, c;
    if (k == 0) {
        dft_4(x);
        return;
    }
    const real f = k == 2 ? SQRT_HALF : COS_PI_8;
    p = k == 1 ? cmul_w16(x[1]) : k == 2 ? cmul_w8(x[1]) : cmul_w16_3(x[1]);
    q = k == 1 ? cmul_w8(x[2]) : k == 2 ? cmul_minus_i(x[2]) : cmul_w8_3(x[2]);
    c = k == 1 ? cmul_w16_3(x[3]) : k == 2 ? cmul_w8_3(x[3]) : cmul_w16(x[3]);
    add_both(x[0], q, k == 2 ? 1 : SQRT_HALF, &a, &b);
    const cvec sum = k == 3 ? csub(p, c) : cadd(p, c),
               difference = k == 3 ? cadd(p, c) : csub(p, c);
    add_both(a, sum, f, x, x + 2);
    add_both(b, cmul_minus_i(difference), f, x + 1, x + 3);
}

/* cos and sin of 2 pi j / p for j up to p / 2 */
static const real cos_3[] = {1, -0.5L}, sin_3[] = {0, 0.86602540378443864676L};
static const real cos_5[] = {1, 0.30901699437494742410L, -0.80901699437494742410L};
static const real sin_5[] = {0, 0.95105651629515357212L, 0.58778525229247312917L};
static const real cos_7[] = {1, 0.62348980185873353053L, -0.22252093395631440429L,
                             -0.90096886790241912624L};
static const real sin_7[] = {0, 0.78183148246802980871L, 0.97492791218182360702L,
                             0.43388373911755812048L};
static const real cos_11[] = {1,
                              0.84125353283118116886L,
                              0.41541501300188642553L,
                              -0.14231483827328514044L,
                              -0.65486073394528506406L,
                              -0.95949297361449738989L};
static const real sin_11[] = {0,
                              0.54064081745559758211L,
                              0.90963199535451837141L,
                              0.98982144188093273238L,
                              0.75574957435425828377L,
                              0.28173255684142969771L};
static const real cos_13[] = {1,
                              0.88545602565320989590L,
                              0.56806474673115580251L,
                              0.12053668025532305335L,
                              -0.35460488704253562597L,
                              -0.74851074817110109863L,
                              -0.97094181742605202716L};
static const real sin_13[] = {0,
                              0.46472317204376854566L,
                              0.82298386589365639458L,
                              0.99270887409805399280L,
                              0.93501624268541482344L,
                              0.66312265824079520238L,
                              0.23931566428755776715L};

/* Odd p: j and p - j have equal cosines and opposite sines. With constant p and unrolled loops, c
 * and s become immediate operands. */
#define DFT_ODD(p) \
    INLINE void dft_##p(cvec *x) { \
        enum { H = (p - 1) / 2 }; \
        cvec sum[H], dif[H], first = x[0]; \
        _Pragma("GCC unroll 8") for (int j = 1; j <= H; j++) { \
            sum[j - 1] = cadd(x[j], x[p - j]); \
            dif[j - 1] = csub(x[j], x[p - j]); \
            x[0] = cadd(x[0], sum[j - 1]); \
        } \
        _Pragma("GCC unroll 8") for (int k = 1; k <= H; k++) { \
            cvec a = first, b = {{0}, {0}}; \
            _Pragma("GCC unroll 8") for (int j = 1; j <= H; j++) { \
                const int m = j * k % p; \
                const real c = cos_##p[m > H ? p - m : m]; \
                const real s = m > H ? -sin_##p[p - m] : sin_##p[m]; \
                a.re += sum[j - 1].re * c; \
                a.im += sum[j - 1].im * c; \
                b.re += dif[j - 1].im * s; \
                b.im -= dif[j - 1].re * s; \
            } \
            x[k] = cadd(a, b); \
            x[p - k] = csub(a, b); \
        } \
    }
DFT_ODD(3)
DFT_ODD(5)
DFT_ODD(7)
DFT_ODD(11)
DFT_ODD(13)

/* n is a constant. */
INLINE void dft_few(int n, cvec *x) {
#define DFT_IF(p) \
    if (n == p) \
        dft_##p(x);
    DFT_IF(2)
    DFT_IF(3)
    DFT_IF(4)
    DFT_IF(5)
    DFT_IF(7)
    DFT_IF(11)
    DFT_IF(13)
}

/* A transform of n points, n a constant, between memory and registers: TAKE(first, step, count, x)
 * reads points first, first + step, … to x, and PUT() writes them. Sixteen points fill the
 * registers, so each result is written as soon as it is complete. */
#define DFT_THROUGH(n, TAKE, PUT) \
    do { \
        cvec at_[4][4], of_[16]; \
        if ((n) == 16) { \
            _Pragma("GCC unroll 4") for (int j_ = 0; j_ < 4; j_++) { \
                TAKE(j_, 4, 4, at_[j_]); \
                dft_4(at_[j_]); \
            } \
            _Pragma("GCC unroll 4") for (int k_ = 0; k_ < 4; k_++) { \
                _Pragma("GCC unroll 4") for (int j_ = 0; j_ < 4; j_++) of_[j_] = at_[j_][k_]; \
                dft_4_of_16(of_, k_); \
                PUT(k_, 4, 4, of_); \
            } \
        } else if ((n) == 8) { \
            _Pragma("GCC unroll 4") for (int j_ = 0; j_ < 4; j_++) { \
                TAKE(j_, 4, 2, of_); \
                at_[0][j_] = cadd(of_[0], of_[1]); \
                at_[1][j_] = csub(of_[0], of_[1]); \
            } \
            dft_4(at_[0]); \
            PUT(0, 2, 4, at_[0]); \
            dft_4_of_16(at_[1], 2); \
            PUT(1, 2, 4, at_[1]); \
        } else { \
            TAKE(0, 1, n, of_); \
            dft_few(n, of_); \
            PUT(0, 1, n, of_); \
        } \
    } while (0)

#define TAKE_REGISTERS(first, step, count, to) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)(to)[i] = x[(first) + (step)*i]
#define KEEP(first, step, count, from) \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++) y[(first) + (step)*i] = (from)[i]
INLINE void dft_of(int n, cvec *x) {
    cvec y[16];
    DFT_THROUGH(n, TAKE_REGISTERS, KEEP);
#pragma GCC unroll 16
    for (int i = 0; i < n; i++)
        x[i] = y[i];
}

#endif
