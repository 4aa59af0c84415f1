/* Two lines, or halves of one, in a work item's butterflies: SIDES is 2 (filter_pass.cl). */
#ifndef SIDES_H
#define SIDES_H

#include "sink.h"
#include "source.h"
#include "tile.h"

#if LOAD == LOAD_COMPLEX
/* Elements at and at + 1, in one access if `at` is always even. */
INLINE void get_two(GLOBAL const cplx *src, place at, cplx *z, cplx *y) {
#if NEAR_IN
    const float4 two = ((GLOBAL const float4 *)src)[at >> 1];
    *z = CPLX(two.x, two.y);
    *y = CPLX(two.z, two.w);
#else
    *z = src[at];
    *y = src[at + 1];
#endif
}
INLINE void put_two(GLOBAL cplx *dst, place at, cplx z, cplx y) {
#if NEAR_OUT
    float4 two;
    two.x = z.x;
    two.y = z.y;
    two.z = y.x;
    two.w = y.y;
    ((GLOBAL float4 *)dst)[at >> 1] = two;
#else
    dst[at] = z;
    dst[at + 1] = y;
#endif
}
#endif

/* Combines E and O of half the points to frequencies (`dir` 1), or reverses this (-1). */
INLINE void mix_sides(cplx *x, GLOBAL const cplx *roots, const struct share share, const int dir) {
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = share.first + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const cplx w = roots[p + q * (POINTS / LAST)];
                cplx *v = x + b * LAST + q;
                const cplx e = v[0], o = dir > 0 ? turn(v[HELD], w, 1) : v[HELD];
                v[0] = add(e, o);
                v[HELD] = dir > 0 ? sub(e, o) : turn(sub(e, o), w, -1);
            }
        }
    }
}

/* Loads points of the line and its mirror image, or a line's even and odd points, which are
 * neighbours. */
INLINE void load_sides(const struct source *s, GLOBAL const cplx *src, cplx *x) {
    const struct line *l = &s->line;
    UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
        const uint p = s->share.first + b * PER_LINE;
        if (INSIDE(p, RADIX0)) {
            UNROLL for (int q = 0; q < RADIX0; q++) {
                const uint j = p + q * (POINTS / RADIX0);
                cplx z = CPLX(R(0), R(0)), y = z;
                cplx *v = x + b * RADIX0 + q;
#if LOAD == LOAD_PACKED
                z = src[l->in + POINT_IN(s, j)];
                y = src[l->in_mirror + POINT_IN(s, j)];
                v[0] = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
                v[HELD] = CPLX(R(0.5) * (z.y + y.y), R(0.5) * (y.x - z.x));
#else
                get_two(src, l->in + 2 * j, &z, &y);
                v[0] = z;
                v[HELD] = y;
#endif
            }
        }
    }
}

INLINE void store_sides(const struct sink *s, GLOBAL cplx *dst, const cplx *x) {
    const struct line *l = &s->line;
    if (!l->there)
        return;
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = s->share.first + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const uint j = p + q * (POINTS / LAST);
                const cplx e = x[b * LAST + q], o = x[HELD + b * LAST + q];
#if STORE == STORE_PACKED
                dst[l->out + POINT_OUT(s, j)] = CPLX(e.x - o.y, e.y + o.x);
                if (!l->own)
                    dst[l->out_mirror + POINT_OUT(s, j)] = CPLX(e.x + o.y, o.x - e.y);
#else
                put_two(dst, l->out + 2 * j, e, o);
#endif
            }
        }
    }
}

#endif
