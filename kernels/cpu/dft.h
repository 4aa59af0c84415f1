/* Straight-line transforms of 2 to 16 points, on registers: x[k] <- sum_j x[j] exp(-2 pi i j k /
 * n). An inverse swaps re and im at both ends, so only the forward direction exists here. */
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
    return (cvec){a.re * wr - a.im * wi, a.im * wr + a.re * wi};
}
INLINE cvec cmul_minus_i(cvec a) {
    return (cvec){a.im, -a.re};
}

#define SQRT_HALF ((real)0.70710678118654752440L)
#define COS_PI_8  ((real)0.92387953251128675613L)
#define SIN_PI_8  ((real)0.38268343236508977173L)

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

/* exp(-2 pi i / 8) and its cube cost two additions and two multiplications each. */
INLINE cvec cmul_w8(cvec a) {
    return (cvec){(a.re + a.im) * SQRT_HALF, (a.im - a.re) * SQRT_HALF};
}
INLINE cvec cmul_w8_3(cvec a) {
    return (cvec){(a.im - a.re) * SQRT_HALF, -(a.re + a.im) * SQRT_HALF};
}

/* 2 x 4: four butterflies, twiddles, two transforms of four. */
INLINE void dft_8(cvec *x) {
    cvec e[4], o[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        e[j] = cadd(x[j], x[j + 4]);
        o[j] = csub(x[j], x[j + 4]);
    }
    o[1] = cmul_w8(o[1]);
    o[2] = cmul_minus_i(o[2]);
    o[3] = cmul_w8_3(o[3]);
    dft_4(e);
    dft_4(o);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        x[2 * k] = e[k];
        x[2 * k + 1] = o[k];
    }
}

/* 4 x 4 */
INLINE void dft_16(cvec *x) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++)
        dft_4_strided(x + j, 4);
    /* x[4 k1 + j] times exp(-2 pi i j k1 / 16) */
    x[5] = cmul(x[5], COS_PI_8, -SIN_PI_8);
    x[6] = cmul_w8(x[6]);
    x[7] = cmul(x[7], SIN_PI_8, -COS_PI_8);
    x[9] = cmul_w8(x[9]);
    x[10] = cmul_minus_i(x[10]);
    x[11] = cmul_w8_3(x[11]);
    x[13] = cmul(x[13], SIN_PI_8, -COS_PI_8);
    x[14] = cmul_w8_3(x[14]);
    x[15] = cmul(x[15], -COS_PI_8, SIN_PI_8);
    cvec y[16];
#pragma GCC unroll 4
    for (int k1 = 0; k1 < 4; k1++) {
        dft_4(x + 4 * k1);
#pragma GCC unroll 4
        for (int k2 = 0; k2 < 4; k2++)
            y[k1 + 4 * k2] = x[4 * k1 + k2];
    }
#pragma GCC unroll 16
    for (int k = 0; k < 16; k++)
        x[k] = y[k];
}

/* cos and sin of 2 pi j / p */
static const real cos_3[] = {1, -0.5L, -0.5L},
                  sin_3[] = {0, 0.86602540378443864676L, -0.86602540378443864676L};
static const real cos_5[] = {1.00000000000000000000L, 0.30901699437494742410L,
                             -0.80901699437494742410L, -0.80901699437494742410L,
                             0.30901699437494742410L};
static const real sin_5[] = {0.00000000000000000000L, 0.95105651629515357212L,
                             0.58778525229247312917L, -0.58778525229247312917L,
                             -0.95105651629515357212L};
static const real cos_7[] = {1.00000000000000000000L,  0.62348980185873353053L,
                             -0.22252093395631440429L, -0.90096886790241912624L,
                             -0.90096886790241912624L, -0.22252093395631440429L,
                             0.62348980185873353053L};
static const real sin_7[] = {0.00000000000000000000L,  0.78183148246802980871L,
                             0.97492791218182360702L,  0.43388373911755812048L,
                             -0.43388373911755812048L, -0.97492791218182360702L,
                             -0.78183148246802980871L};
static const real cos_11[] = {
    1.00000000000000000000L,  0.84125353283118116886L,  0.41541501300188642553L,
    -0.14231483827328514044L, -0.65486073394528506406L, -0.95949297361449738989L,
    -0.95949297361449738989L, -0.65486073394528506406L, -0.14231483827328514044L,
    0.41541501300188642553L,  0.84125353283118116886L};
static const real sin_11[] = {
    0.00000000000000000000L,  0.54064081745559758211L,  0.90963199535451837141L,
    0.98982144188093273238L,  0.75574957435425828377L,  0.28173255684142969771L,
    -0.28173255684142969771L, -0.75574957435425828377L, -0.98982144188093273238L,
    -0.90963199535451837141L, -0.54064081745559758211L};
static const real cos_13[] = {
    1.00000000000000000000L,  0.88545602565320989590L,  0.56806474673115580251L,
    0.12053668025532305335L,  -0.35460488704253562597L, -0.74851074817110109863L,
    -0.97094181742605202716L, -0.97094181742605202716L, -0.74851074817110109863L,
    -0.35460488704253562597L, 0.12053668025532305335L,  0.56806474673115580251L,
    0.88545602565320989590L};
static const real sin_13[] = {
    0.00000000000000000000L,  0.46472317204376854566L,  0.82298386589365639458L,
    0.99270887409805399280L,  0.93501624268541482344L,  0.66312265824079520238L,
    0.23931566428755776715L,  -0.23931566428755776715L, -0.66312265824079520238L,
    -0.93501624268541482344L, -0.99270887409805399280L, -0.82298386589365639458L,
    -0.46472317204376854566L};

/* Odd p: the pairs j and p - j share their cosines and have opposite sines. c and s hold cos and
 * sin of 2 pi j / p; with p constant and the loops unrolled they become immediate operands. */
#define DFT_ODD(p)                                                                                 \
    INLINE void dft_##p(cvec *x) {                                                                 \
        enum { H = (p - 1) / 2 };                                                                  \
        cvec sum[H], dif[H], first = x[0];                                                         \
        _Pragma("GCC unroll 8") for (int j = 1; j <= H; j++) {                                     \
            sum[j - 1] = cadd(x[j], x[p - j]);                                                     \
            dif[j - 1] = csub(x[j], x[p - j]);                                                     \
            x[0] = cadd(x[0], sum[j - 1]);                                                         \
        }                                                                                          \
        _Pragma("GCC unroll 8") for (int k = 1; k <= H; k++) {                                     \
            cvec a = first, b = {{0}, {0}};                                                        \
            _Pragma("GCC unroll 8") for (int j = 1; j <= H; j++) {                                 \
                a.re += sum[j - 1].re * cos_##p[j * k % p];                                        \
                a.im += sum[j - 1].im * cos_##p[j * k % p];                                        \
                b.re += dif[j - 1].im * sin_##p[j * k % p];                                        \
                b.im -= dif[j - 1].re * sin_##p[j * k % p];                                        \
            }                                                                                      \
            x[k] = cadd(a, b);                                                                     \
            x[p - k] = csub(a, b);                                                                 \
        }                                                                                          \
    }
DFT_ODD(3)
DFT_ODD(5)
DFT_ODD(7)
DFT_ODD(11)
DFT_ODD(13)

#endif
