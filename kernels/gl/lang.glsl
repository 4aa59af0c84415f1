/* kernels/lang.h in GLSL, or in HLSL if that is defined, and the types of samples. Without pointers
 * or storage of 8 or 16 bits, buffers are named where they are used, and samples are unpacked from
 * words. Offsets have 32 bits, numbers are single.
 *
 * A loop's bound is a variable, never read from a buffer in the loop: Mesa 22.3's renderer on the
 * CPU would leave out the invocations that end first. */
#ifndef LANG_H
#define LANG_H

#ifdef HLSL
#include "hlsl.glsl"
#else
#include "glsl.glsl"
#endif

#define IS_GLSL 1
#define INLINE
#define VOID         void
#define wide         int
#define real         float
#define R(x)         float(x)
#define CPLX(re, im) cplx(re, im)
#define LARGEST_REAL R(8.50705917302346158658e37) /* whose reciprocal GPUs do not flush to 0 */
#define GROUPS       groups

/* Text from kernels/ finds its arguments, buffers and tile at file scope. A macro leaves them out
 * where a function takes or is passed them, and names the kernel main(). */
#define TILE_DECLARE(type)
#define TAKE_ARGS(type)
#define ARG(member)         args.member
#define STRUCT(name)        name
#define READ_SAMPLE(at)     sample_at(at)
#define WRITE_SAMPLE(at, v) write_sample(at, v)

#define fmin(a, b)     min(a, b)
#define fabs(x)        abs(x)
#define COARSE_LOG2(x) log2(x)
#define COARSE_SQRT(x) sqrt(x)
#define SATURATED(x)   saturated(x)
#define BITS_OF(x)     floatBitsToUint(x)
#define OF_BITS(b)     uintBitsToFloat(b)
#define round(x)       rounded(x)

/* Halves away from zero. */
real rounded(real x) {
    return x < 0.0 ? -floor(0.5 - x) : floor(x + 0.5);
}

real saturated(real x) {
    return x > 0.0 ? min(x, 1.0) : 0.0;
}

/* By its series, for a small x. */
real log1p(real x) {
    return x * (1.0 - x * (0.5 - x * (1.0 / 3.0 - x * 0.25)));
}

real hypot(real x, real y) {
    const real most = max(abs(x), abs(y)), least = min(abs(x), abs(y));
    const real ratio = most > 0.0 ? least / most : 0.0;
    return isinf(most) ? most : most * sqrt(1.0 + ratio * ratio);
}

/* GLSL allows atan() 4096 units in the last place, and Mesa's uses them. This takes the angle from
 * the larger part's axis, with pi/4 subtracted at most pi/8, by a minimax polynomial of relative
 * error 2e-8, then octants. */
real atan2(real y, real x) {
    const real pi = 3.14159265358979323846, ax = abs(x), ay = abs(y);
    const real most = ax > ay ? ax : ay, least = ax > ay ? ay : ax;
    const real ratio = most == least ? (most > 0.0 ? 1.0 : 0.0) : least / most;
    const bool steep = ratio > 0.41421356237309504880;
    const real t = steep ? (ratio - 1.0) / (ratio + 1.0) : ratio, z = t * t;
    real angle =
        t * (1.0 + z * (-0.33332799 + z * (0.1997447 + z * (-0.13852088 + z * 0.07986737))));
    angle = steep ? 0.25 * pi + angle : angle;
    angle = ay > ax ? 0.5 * pi - angle : angle;
    angle = x < 0.0 ? pi - angle : angle;
    return y < 0.0 ? -angle : angle;
}

/* Values of IN_T and OUT_T. */
#define TYPE_uchar  1
#define TYPE_ushort 2
#define TYPE_float  3
#define TYPE_schar  4
#define TYPE_short  5
#define BITS_OF_TYPE(t) \
    ((t) == TYPE_float ? 32 : (t) == TYPE_ushort || (t) == TYPE_short ? 16 : 8)
#if OUT_INTEGER
#define SAMPLE_OF(v) uint(int(v))
#else
#define SAMPLE_OF(v) floatBitsToUint(v)
#endif

#endif
