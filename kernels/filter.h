/* A filter's factors (core/filter/filter.h). Given by -D: FILTER: FILTER_FACTORS, FILTER_REALS or
 * FILTER_COMPLEX; PROFILE of all low passes, or PROFILE_MIXED; BANDS if a factor has a second low
 * pass. */
#ifndef FILTER_H
#define FILTER_H

#include "args.h"
#include "complex.h"
#include "profiles.h"

#if FILTER == FILTER_COMPLEX
typedef cplx factor;
#define TIMES(v, m)   mul(v, m)
#define MIRRORED_M(m) conj_of(m)
#else
typedef real factor;
#define TIMES(v, m)   scaled_by(v, m)
#define MIRRORED_M(m) (m)
#endif

#if FILTER == FILTER_FACTORS
/* A low pass on a line: the other axes' joined values, and the line's own. */
struct lowpass {
    int profile, order;
    real limit, inverse;
    real rest, mirrored; /* for the line; for its mirror image */
    GLOBAL const real *along;
};

INLINE real joined(real a, real b, int profile) {
    return PROFILE_IS_PRODUCT(profile) ? a * b : a + b;
}

INLINE real up_to(real a, real b) {
    return a <= b ? R(1) : R(0);
}
INLINE real power(real x, int order) {
    real v = R(1);
    for (; order; order >>= 1) {
        if (order & 1)
            v *= x;
        x *= x;
    }
    return v;
}

/* Evaluates a low pass at joined value v. */
INLINE real lowpass_value(const struct lowpass *l, real v) {
    const real one = R(1), limit = l->limit, ratio = v * l->inverse;
    const int order = l->order;
#define VALUE(NAME, text, JOINED, axis, value) l->profile == PROFILE_##NAME ? (value):
    return PROFILES(VALUE) one;
#undef VALUE
}

/* Reads the low pass at `from`, not yet placed on a line. */
INLINE struct lowpass lowpass_at(GLOBAL const real *from, wide along) {
    struct lowpass l;
    l.profile = PROFILE == PROFILE_MIXED ? (int)from[FILTER_PROFILE] : PROFILE;
    l.order = (int)from[FILTER_ORDER];
    l.limit = from[FILTER_LIMIT];
    l.inverse = from[FILTER_INVERSE];
    l.rest = l.mirrored = PROFILE_IS_PRODUCT(l.profile) ? R(1) : R(0);
    l.along = from + along;
    return l;
}

/* A line's factor: c0 + ca a + cab a b. */
struct filter_factor {
    real c0, ca, cab;
    struct lowpass a, b;
};

INLINE struct filter_factor factor_at(GLOBAL const real *from, wide each, wide along) {
    struct filter_factor f;
    f.c0 = from[FILTER_C0];
    f.ca = from[FILTER_CA];
    f.cab = from[FILTER_CAB];
    f.a = lowpass_at(from, along);
#if BANDS
    f.b = lowpass_at(from + each, along);
#else
    f.b = f.a;
    (void)each;
#endif
    return f;
}

/* Evaluates a line's factor at index k of the line, or of its mirror image. */
INLINE real factor_value(const struct filter_factor *f, wide k, int mirrored) {
    real v = joined(mirrored ? f->a.mirrored : f->a.rest, f->a.along[k], f->a.profile);
    const real a = lowpass_value(&f->a, v);
#if BANDS
    v = joined(mirrored ? f->b.mirrored : f->b.rest, f->b.along[k], f->b.profile);
    return f->c0 + a * (f->ca + f->cab * lowpass_value(&f->b, v));
#else
    return f->c0 + f->ca * a;
#endif
}
#endif

#endif
