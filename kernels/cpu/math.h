/* Vectorised logarithm and angle for the store step, and a type wide enough for squares. */
#ifndef GF_KERNELS_CPU_MATH_H
#define GF_KERNELS_CPU_MATH_H

#include <float.h>
#include <math.h>

#if GF_REAL_BITS == 32

typedef double wide;
INLINE wide wide_hypot(wide x, wide y) {
    return sqrt(x * x + y * y);
}

/* log(1 + x) for x >= 0, with relative error 2e-7. For a mantissa m in [sqrt(1/2), sqrt(2)), log(m)
 * = 2 atanh((m - 1) / (m + 1)) as a series. */
INLINE vec vec_log1p(vec x) {
    vec y = x + (real)1;
    ivec b = (ivec)y - 0x3f3504f3; /* sqrt(1/2) */
    ivec exponent = b >> 23;
    vec m = (vec)((b & 0x007fffff) + 0x3f3504f3);
    vec s = (m - (real)1) / (m + (real)1), z = s * s;
    vec p = z * (real)(2.0L / 9) + (real)(2.0L / 7);
    p = p * z + (real)(2.0L / 5);
    p = p * z + (real)(2.0L / 3);
    p = p * z + (real)2;
    vec log = p * s + __builtin_convertvector(exponent, vec) * (real)0.69314718055994530942L;
    return log + (x - (y - (real)1)) / y; /* rounding error of 1 + x for small x */
}

/* atan2(y, x) in radians, to 1e-7; 0 at the origin, and a zero y counts as positive. A minimax
 * polynomial in the square of the smaller over the larger, which is in [0, 1]. */
INLINE vec vec_atan2(vec y, vec x) {
    vec ax = vec_abs(x), ay = vec_abs(y), zero = {0};
    vec large = vec_max(ax, ay), small = vec_min(ax, ay);
    vec q = vec_select(large > zero, small / large, zero), z = q * q;
    vec p = z * 0.0028340643f - 0.0160050305f;
    p = p * z + 0.0425876074f;
    p = p * z - 0.0749544544f;
    p = p * z + 0.1063675410f;
    p = p * z - 0.1420257051f;
    p = p * z + 0.1999248358f;
    p = p * z - 0.3333306678f;
    p = p * z + 1.0f;
    vec angle = p * q;
    angle = vec_select(ay > ax, 1.57079632679489661923f - angle, angle);
    angle = vec_select(x < zero, 3.14159265358979323846f - angle, angle);
    return vec_select(y < zero, -angle, angle);
}

#else

/* hypotl() works even if a long double is no wider than a double. */
typedef long double wide;
INLINE wide wide_hypot(wide x, wide y) {
    return hypotl(x, y);
}

/* The library's functions, lane by lane, for full precision. */
INLINE vec vec_log1p(vec x) {
    for (int l = 0; l < LANES; l++)
        x[l] = log1p(x[l]);
    return x;
}
INLINE vec vec_atan2(vec y, vec x) {
    for (int l = 0; l < LANES; l++)
        y[l] = x[l] == 0 && y[l] == 0 ? 0 : atan2(y[l] == 0 ? 0 : y[l], x[l]);
    return y;
}

#endif

#endif
