/* A line's FFT in registers and tile: a Stockham autosort transform of POINTS points, see fft.cl
 * for what is given by -D. */
#ifndef TILE_H
#define TILE_H

#include "radix.h"

#if WHOLE
typedef cplx word;
#else
typedef real word;
#endif

/* Lines that a work item transforms side by side, with the same butterflies; where the second one's
 * part of the tile begins. */
#ifndef SIDES
#define SIDES       1
#define SIDE_STRIDE 0
#endif

#define PER_LINE     (THREADS / LINES)                          /* work items that share a line */
#define HOLDS(r)     ((POINTS / (r) + PER_LINE - 1) / PER_LINE) /* butterflies of a work item */
#define EVEN(r)      (POINTS / (r) % PER_LINE == 0)
#define INSIDE(p, r) (EVEN(r) || (p) < (uint)(POINTS / (r))) /* is there a butterfly p? */
/* Where point i of line l stands in the tile; and the distance of two points that are `step` apart,
 * for steps where that is the same everywhere, so that one address serves all of an item's. */
#define SLOT(i, l)    (((i) + (i) / PAD_EVERY) * IDX_STRIDE + (l)*LINE_STRIDE)
#define APART(step)   (((step) + (step) / PAD_EVERY) * IDX_STRIDE)
#define DIVIDES(a, b) ((b) % (a) == 0 || (a) % (b) == 0)
#define UNPADDED      (PAD_EVERY > POINTS)
#define EVEN_PUTS(r, done)                                                                         \
    (UNPADDED || (DIVIDES(done, PAD_EVERY) && DIVIDES((done) * (r), PAD_EVERY)))
#define EVEN_GETS(step) (UNPADDED || (step) % PAD_EVERY == 0)

#if STAGES == 1
#define LAST RADIX0
#elif STAGES == 2
#define LAST RADIX1
#elif STAGES == 3
#define LAST RADIX2
#elif STAGES == 4
#define LAST RADIX3
#elif STAGES == 5
#define LAST RADIX4
#else
#define LAST RADIX5
#endif

/* Entries of a stage's twiddle table a butterfly: w^1 to w^(r-1) are made of w^1, w^2, w^3 and
 * w^4, w^8, w^12, each rounded once, so that the tables stay in the first-level cache. */
#define BASE(r)  ((r) > 5 ? 4 : (r))
#define ROOTS(r) ((r) > 5 ? 3 + ((r)-1) / 4 : (r)-1)

INLINE void turn_sides(cplx *x, cplx w, const int dir) {
    UNROLL for (int s = 0; s < SIDES; s++) x[s * HELD] = turn(x[s * HELD], w, dir);
}

/* The stage of radix r after stages whose radices multiply to `done`: twiddles, then butterflies.
 */
INLINE void butterflies(cplx *x, GLOBAL const cplx *table, uint p0, const int r, const int done,
                        const int dir) {
    UNROLL for (int b = 0; b < HOLDS(r); b++) {
        const uint p = p0 + b * PER_LINE;
        if (INSIDE(p, r)) {
            if (done > 1) {
                const uint m = p % done;
                cplx low[5];
                UNROLL for (int q = 1; q < BASE(r); q++) {
                    low[q] = table[(q - 1) * done + m];
                    turn_sides(x + b * r + q, low[q], dir);
                }
                UNROLL for (int a = 1; a * BASE(r) < r; a++) {
                    const cplx high = table[(BASE(r) - 2 + a) * done + m];
                    const int q = a * BASE(r);
                    turn_sides(x + b * r + q, high, dir);
                    UNROLL for (int c = 1; c < BASE(r); c++) {
                        if (q + c < r)
                            turn_sides(x + b * r + q + c, mul(high, low[c]), dir);
                    }
                }
            }
            UNROLL for (int s = 0; s < SIDES; s++) dft(x + s * HELD + b * r, r, dir);
        }
    }
}

INLINE void put(LOCAL word *tile, uint slot, cplx v, const int part) {
#if WHOLE
    (void)part;
    tile[slot] = v;
#else
    tile[slot] = part ? v.y : v.x;
#endif
}
INLINE cplx got(LOCAL const word *tile, uint slot, cplx v, const int part) {
#if WHOLE
    (void)part;
    (void)v;
    return tile[slot];
#else
    return part ? CPLX(v.x, tile[slot]) : CPLX(tile[slot], v.y);
#endif
}

/* Results of the stage of radix r to the tile, operands of the stage of radix `next` from it. */
INLINE void exchange(cplx *x, LOCAL word *tile, uint p0, uint l0, uint p1, uint l1, const int r,
                     const int done, const int next) {
    const int step = POINTS / next;
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(r); b++) {
            const uint p = p0 + b * PER_LINE;
            if (INSIDE(p, r)) {
                const uint to = p / done * (done * r) + p % done, slot = SLOT(to, l0);
                UNROLL for (int i = 0; i < SIDES * r; i++) {
                    const int s = i / r, q = i % r;
                    put(tile + s * SIDE_STRIDE,
                        EVEN_PUTS(r, done) ? slot + APART(q * done) : SLOT(to + q * done, l0),
                        x[s * HELD + b * r + q], part);
                }
            }
        }
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(next); b++) {
            const uint p = p1 + b * PER_LINE, slot = SLOT(p, l1);
            if (INSIDE(p, next)) {
                UNROLL for (int i = 0; i < SIDES * next; i++) {
                    const int s = i / next, q = i % next, to = s * HELD + b * next + q;
                    x[to] = got(tile + s * SIDE_STRIDE,
                                EVEN_GETS(step) ? slot + APART(q * step) : SLOT(p + q * step, l1),
                                x[to], part);
                }
            }
        }
    }
}

/* All stages. Work item (p0, l0) has the first one's operands, (p1, l1) the later ones'. */
INLINE void transform(cplx *x, LOCAL word *tile, GLOBAL const cplx *table, uint p0, uint l0,
                      uint p1, uint l1, const int dir) {
    butterflies(x, table, p0, RADIX0, 1, dir);
#if STAGES > 1
#define DONE1 RADIX0
    exchange(x, tile, p0, l0, p1, l1, RADIX0, 1, RADIX1);
    butterflies(x, table, p1, RADIX1, DONE1, dir);
#endif
#if STAGES > 2
#define DONE2 (DONE1 * RADIX1)
    table += ROOTS(RADIX1) * DONE1;
    exchange(x, tile, p1, l1, p1, l1, RADIX1, DONE1, RADIX2);
    butterflies(x, table, p1, RADIX2, DONE2, dir);
#endif
#if STAGES > 3
#define DONE3 (DONE2 * RADIX2)
    table += ROOTS(RADIX2) * DONE2;
    exchange(x, tile, p1, l1, p1, l1, RADIX2, DONE2, RADIX3);
    butterflies(x, table, p1, RADIX3, DONE3, dir);
#endif
#if STAGES > 4
#define DONE4 (DONE3 * RADIX3)
    table += ROOTS(RADIX3) * DONE3;
    exchange(x, tile, p1, l1, p1, l1, RADIX3, DONE3, RADIX4);
    butterflies(x, table, p1, RADIX4, DONE4, dir);
#endif
#if STAGES > 5
#define DONE5 (DONE4 * RADIX4)
    table += ROOTS(RADIX4) * DONE4;
    exchange(x, tile, p1, l1, p1, l1, RADIX4, DONE4, RADIX5);
    butterflies(x, table, p1, RADIX5, DONE5, dir);
#endif
    (void)tile; /* of a single stage */
    (void)l0;
    (void)p1;
    (void)l1;
}

#endif
