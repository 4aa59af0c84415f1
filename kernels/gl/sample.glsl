/* kernels/sample.h in GLSL. */

#ifndef COARSE
#define COARSE 0
#endif

const real largest_real = 3.40282346638528859812e38;

/* A float's square may leave its range where the magnitude does not. */
real magnitude(cplx v) {
    const real s = v.x * v.x + v.y * v.y, most = max(abs(v.x), abs(v.y));
    if (s > 1e-30 && s < 1e37)
        return sqrt(s);
    const real ratio = most > 0.0 ? min(abs(v.x), abs(v.y)) / most : 0.0;
    return isinf(most) ? most : most * sqrt(1.0 + ratio * ratio);
}

/* GLSL allows atan() 4096 units in the last place, and Mesa's uses them. This takes the angle from
 * the larger part's axis, with pi/4 subtracted at most pi/8, by a minimax polynomial of relative
 * error 2e-8, then octants. */
real phase(cplx v) {
    const real pi = 3.14159265358979323846, ax = abs(v.x), ay = abs(v.y);
    const real most = ax > ay ? ax : ay, least = ax > ay ? ay : ax;
    const real ratio = most == least ? (most > 0.0 ? 1.0 : 0.0) : least / most;
    const bool steep = ratio > 0.41421356237309504880;
    const real t = steep ? (ratio - 1.0) / (ratio + 1.0) : ratio, z = t * t;
    real angle =
        t * (1.0 + z * (-0.33332799 + z * (0.1997447 + z * (-0.13852088 + z * 0.07986737))));
    angle = steep ? 0.25 * pi + angle : angle;
    angle = ay > ax ? 0.5 * pi - angle : angle;
    angle = v.x < 0.0 ? pi - angle : angle;
    return v.y < 0.0 ? -angle : angle;
}

real value_of(cplx v, const int kind) {
    return kind == KIND_MAGNITUDE ? magnitude(v)
           : kind == KIND_PHASE   ? phase(v)
           : kind == KIND_POWER   ? v.x * v.x + v.y * v.y
           : kind == KIND_IMAG    ? v.y
                                  : v.x;
}

real stretched(real v, const int scale) {
    if (scale == SCALE_LOG && COARSE != 0)
        return log2(1.0 + v); /* of any base, as both ends of a display are */
    if (scale == SCALE_LOG) /* a small v's series: GLSL has no log1p() */
        return v > 0.01 ? log(1.0 + v) : v * (1.0 - v * (0.5 - v * (1.0 / 3.0 - v * 0.25)));
    return scale == SCALE_SQRT ? sqrt(v) : v;
}

/* Shades are (stretched value - black) * factor: kernels/sample.h. */
struct shade {
    real black, factor;
};

shade shade_of(const int kind, const int scale, real low, real high) {
    const real most = min(high, largest_real);
    if (kind == KIND_PHASE)
        return shade(-3.14159265358979323846, 0.15915494309189533577);
    if (kind == KIND_REAL || kind == KIND_IMAG)
        return most > 0.0 ? shade(-most, 0.5 / most) : shade(-0.5, 1.0);
    const real black = stretched(low, scale), white = stretched(most, scale);
    return shade(black, white > black ? 1.0 / (white - black) : 0.0);
}

/* The value on black..white, 0..1; NaN is black. */
real displayed(real v, const int kind, const int scale, const shade s) {
    const bool is_size = kind == KIND_MAGNITUDE || kind == KIND_POWER;
    const real on = ((is_size ? stretched(v, scale) : v) - s.black) * s.factor;
    return on > 0.0 ? min(on, 1.0) : 0.0;
}
