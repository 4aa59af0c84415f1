/* Complex arithmetic. `dir`, always constant, is 1 forward, exp(-i…), and -1 inverse. */
#ifndef COMPLEX_H
#define COMPLEX_H

#include "lang.h"

INLINE cplx add(cplx a, cplx b) {
    return CPLX(a.x + b.x, a.y + b.y);
}
INLINE cplx sub(cplx a, cplx b) {
    return CPLX(a.x - b.x, a.y - b.y);
}
INLINE cplx conj_of(cplx a) {
    return CPLX(a.x, -a.y);
}
INLINE cplx scaled_by(cplx a, real s) {
    return CPLX(a.x * s, a.y * s);
}
INLINE cplx mul(cplx a, cplx b) {
    return CPLX(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/* a * w forward, a * conj(w) inverse. */
INLINE cplx turn(cplx a, cplx w, const int dir) {
    return dir > 0 ? mul(a, w) : CPLX(a.x * w.x + a.y * w.y, a.y * w.x - a.x * w.y);
}
/* a * -i forward, a * i inverse. */
INLINE cplx quarter(cplx a, const int dir) {
    return dir > 0 ? CPLX(a.y, -a.x) : CPLX(-a.y, a.x);
}

#endif
