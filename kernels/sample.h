/* From a complex value to a sample: kind and display mapping, by codes of enum gf_kind and gf_scale
 * (core/base/job/job.h). */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "codes.h"
#include "complex.h"

/* COARSE: results become at most 65536 shades, for which a root's last digits do not matter, nor a
 * small v's in log(1 + v). */
#ifndef COARSE
#define COARSE 0
#endif
/* A float's square may overflow although the magnitude does not, except in a BOUNDED spectrum, of
 * 8- or 16-bit samples. */
#ifndef BOUNDED
#define BOUNDED 0
#endif
INLINE real magnitude(cplx v) {
    real s = v.x * v.x + v.y * v.y;
    if (BOUNDED != 0)
        return COARSE != 0 ? COARSE_SQRT(s) : sqrt(s);
    return s > R(1e-30) && s < R(1e37) ? sqrt(s) : hypot(v.x, v.y);
}

/* Adding 0 drops a zero's sign: the phase of 0 is 0, of a negative real pi. */
INLINE real value_of(cplx v, const int kind) {
    if (kind == KIND_MAGNITUDE)
        return magnitude(v);
    if (kind == KIND_PHASE)
        return atan2(v.y + R(0), v.x + R(0));
    if (kind == KIND_POWER)
        return v.x * v.x + v.y * v.y;
    return kind == KIND_IMAG ? v.y : v.x;
}

INLINE real stretched(real v, const int scale) {
    if (scale == SCALE_LOG) /* COARSE: of any base, as both ends of a display are */
        return COARSE != 0 ? COARSE_LOG2(R(1) + v) : v > R(0.01) ? log(R(1) + v) : log1p(v);
    return scale == SCALE_SQRT ? sqrt(v) : v;
}

/* Shades are (stretched value - black) * factor. Magnitude and power go from low to high, phase
 * from -pi to pi, real and imaginary parts symmetrically about mid-grey. An empty range is black,
 * or mid-grey. */
struct shade {
    real black, factor;
};

INLINE STRUCT(shade) shade_of(const int kind, const int scale, real low, real high) {
    STRUCT(shade) s;
    high = fmin(high, LARGEST_REAL); /* Inf clips */
    if (kind == KIND_PHASE) {
        s.black = R(-3.14159265358979323846);
        s.factor = R(0.15915494309189533577);
    } else if (kind == KIND_REAL || kind == KIND_IMAG) {
        s.black = high > R(0) ? -high : R(-0.5);
        s.factor = high > R(0) ? R(0.5) / high : R(1);
    } else {
        s.black = stretched(low, scale);
        real white = stretched(high, scale);
        s.factor = white > s.black ? R(1) / (white - s.black) : R(0);
    }
    return s;
}

/* Maps black..white to 0..1. */
INLINE real displayed(real v, const int kind, const int scale, const STRUCT(shade) s) {
    if (kind == KIND_MAGNITUDE || kind == KIND_POWER)
        v = stretched(v, scale);
    return SATURATED((v - s.black) * s.factor); /* NaN is black */
}

#endif
