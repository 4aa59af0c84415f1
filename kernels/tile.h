/* A line's FFT in registers and tile: Stockham's autosort of POINTS points with radices RADIX0,
 * RADIX1, …. Work items hold their butterflies' operands in registers; the tile (local memory)
 * carries results from a stage's owners to the next one's. */
#ifndef TILE_H
#define TILE_H

#include "args.h"
#include "radix.h"
#include "share.h"

#if WHOLE
typedef cplx word;
#define PARTS 1 /* exchanges of a complex number */
#else
typedef real word;
#define PARTS 2
#endif

/* Lines that a work item takes through the same butterflies, and where the second's tile begins. */
#ifndef SIDES
#define SIDES       1
#define SIDE_STRIDE 0
#endif

/* Interleaved transforms of POINTS / MEMBERS points; several: members.h. */
#ifndef MEMBERS
#define MEMBERS 1
#endif
#define EACH(n) ((n) == POINTS ? MEMBERS : 1)

#define PER_LINE (THREADS / LINES) /* work items of a line */
#define HOLD(n, r) \
    (((n) / (r) + PER_LINE - 1) / PER_LINE) /* a work item's butterflies of n points */
#define WITHIN(p, n, r) \
    ((n) / (r) % PER_LINE == 0 || (p) < (uint)((n) / (r))) /* there is a butterfly p */
#if MEMBERS > 1
#define FIRST_POINTS LENGTH
#define FIRST        MEMBER0
#else
#define FIRST_POINTS POINTS
#define FIRST        RADIX0
#endif
#define HOLDS(r)     HOLD(POINTS, r)
#define INSIDE(p, r) WITHIN(p, POINTS, r)
/* The tile's slot of point i of line l, signed: compilers fold constants into addresses only if
 * nothing wraps. And the distance of points `step` apart, if it is the same everywhere, so that one
 * address serves all of an item's. */
#define SLOT(i, l)    ((int)(((i) + (i) / PAD_EVERY) * IDX_STRIDE + (l)*LINE_STRIDE))
#define APART(step)   ((int)(((step) + (step) / PAD_EVERY) * IDX_STRIDE))
#define DIVIDES(a, b) ((b) % (a) == 0 || (a) % (b) == 0)
#define UNPADDED      (PAD_EVERY > POINTS)
#define EVEN_PUTS(r, done) \
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

/* A stage's table entries for a butterfly: w^1 to w^(r-1) after few points; after many w^1, w^2,
 * w^3 and w^4, w^8, w^12, whose products are the others, so that tables stay in the first-level
 * cache. */
#define BASE(r, done)  ((r) > 5 && (done) > MOST_DIRECT ? 4 : (r))
#define ROOTS(r, done) (BASE(r, done) < (r) ? 3 + ((r)-1) / 4 : (r)-1)

/* Neighbouring work items own neighbouring butterflies of a line (rows 1), or neighbouring lines.
 * Macros, which NVRTC compiles better than functions. */
#ifndef ITEM
#define ITEM ((uint)LOCAL_ID)
#endif
#define OWN_BUTTERFLY(rows) ((rows) ? ITEM % PER_LINE : ITEM / LINES)
#define OWN_LINE(rows)      ((rows) ? ITEM / PER_LINE : ITEM % LINES)
#define OWN_SHARE(rows)     SHARE_OF(rows, (uint)GROUP_ID)
#define SHARE_OF(rows, tile) \
    { OWN_BUTTERFLY(rows), OWN_LINE(rows), tile SHARE_ORDER }

INLINE void turn_sides(cplx *x, cplx w, const int dir) {
    UNROLL for (int s = 0; s < SIDES; s++) x[s * HELD] = turn(x[s * HELD], w, dir);
}

/* A stage of radix r over n points, `done` of them combined before: twiddles, then butterflies. */
INLINE void butterflies(cplx *x, GLOBAL const cplx *table, uint first, const int n, const int r,
                        const int done, const int dir) {
    UNROLL for (int b = 0; b < HOLD(n, r); b++) {
        const uint p = first + b * PER_LINE;
        if (WITHIN(p, n, r)) {
            if (done > 1) {
                const uint m = p % (done * EACH(n)) / EACH(n);
                cplx low[31];
                UNROLL for (int q = 1; q < BASE(r, done); q++) {
                    low[q] = table[(q - 1) * done + m];
                    turn_sides(x + b * r + q, low[q], dir);
                }
                UNROLL for (int a = 1; a * BASE(r, done) < r; a++) {
                    const cplx high = table[(BASE(r, done) - 2 + a) * done + m];
                    const int q = a * BASE(r, done);
                    turn_sides(x + b * r + q, high, dir);
                    UNROLL for (int c = 1; c < BASE(r, done); c++) {
                        if (q + c < r)
                            turn_sides(x + b * r + q + c, mul(high, low[c]), dir);
                    }
                }
            }
            UNROLL for (int s = 0; s < SIDES; s++) dft(x + s * HELD + b * r, r, dir);
        }
    }
}

INLINE void put(LOCAL word *tile, int slot, cplx v, const int part) {
#if WHOLE
    (void)part;
    tile[slot] = v;
#else
    tile[slot] = part ? v.y : v.x;
#endif
}
INLINE cplx got(LOCAL const word *tile, int slot, cplx v, const int part) {
#if WHOLE
    (void)part;
    (void)v;
    return tile[slot];
#else
    return part ? CPLX(v.x, tile[slot]) : CPLX(tile[slot], v.y);
#endif
}

/* Puts results of a stage of radix r over n points, `before` combined before it, into the tile. */
INLINE void put_results(const cplx *x, LOCAL word *tile, const struct share from, const int n,
                        const int r, const int before, const int part) {
    const int done = before * EACH(n);
    UNROLL for (int b = 0; b < HOLD(n, r); b++) {
        const uint p = from.first + b * PER_LINE;
        if (WITHIN(p, n, r)) {
            const uint to = p / done * (done * r) + p % done;
            const int slot = SLOT(to, from.line);
            UNROLL for (int i = 0; i < SIDES * r; i++) {
                const int s = i / r, q = i % r;
                put(tile + s * SIDE_STRIDE,
                    EVEN_PUTS(r, done) ? slot + APART(q * done) : SLOT(to + q * done, from.line),
                    x[s * HELD + b * r + q], part);
            }
        }
    }
}

/* Gets operands of a stage of radix r over n points from the tile. */
INLINE void get_operands(cplx *x, LOCAL const word *tile, const struct share to, const int n,
                         const int r, const int part) {
    const int step = n / r;
    UNROLL for (int b = 0; b < HOLD(n, r); b++) {
        const uint p = to.first + b * PER_LINE;
        const int slot = SLOT(p, to.line);
        if (WITHIN(p, n, r)) {
            UNROLL for (int i = 0; i < SIDES * r; i++) {
                const int s = i / r, q = i % r, at = s * HELD + b * r + q;
                x[at] = got(tile + s * SIDE_STRIDE,
                            EVEN_GETS(step) ? slot + APART(q * step) : SLOT(p + q * step, to.line),
                            x[at], part);
            }
        }
    }
}

/* Moves a stage's results to the next stage's owners of operands. */
INLINE void exchange(cplx *x, LOCAL word *tile, const struct share from, const struct share to,
                     const int r, const int done, const int next) {
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        put_results(x, tile, from, POINTS, r, done, part);
        BARRIER();
        get_operands(x, tile, to, POINTS, next, part);
    }
}

/* Runs all stages: the work item owns `from` in the first, `to` in later ones. */
INLINE void transform(cplx *x, LOCAL word *tile, GLOBAL const cplx *table, const struct share from,
                      const struct share to, const int dir) {
    butterflies(x, table, from.first, POINTS, RADIX0, 1, dir);
#if STAGES > 1
#define DONE1 RADIX0
    exchange(x, tile, from, to, RADIX0, 1, RADIX1);
    butterflies(x, table, to.first, POINTS, RADIX1, DONE1, dir);
#endif
#if STAGES > 2
#define DONE2 (DONE1 * RADIX1)
    table += ROOTS(RADIX1, DONE1) * DONE1;
    exchange(x, tile, to, to, RADIX1, DONE1, RADIX2);
    butterflies(x, table, to.first, POINTS, RADIX2, DONE2, dir);
#endif
#if STAGES > 3
#define DONE3 (DONE2 * RADIX2)
    table += ROOTS(RADIX2, DONE2) * DONE2;
    exchange(x, tile, to, to, RADIX2, DONE2, RADIX3);
    butterflies(x, table, to.first, POINTS, RADIX3, DONE3, dir);
#endif
#if STAGES > 4
#define DONE4 (DONE3 * RADIX3)
    table += ROOTS(RADIX3, DONE3) * DONE3;
    exchange(x, tile, to, to, RADIX3, DONE3, RADIX4);
    butterflies(x, table, to.first, POINTS, RADIX4, DONE4, dir);
#endif
#if STAGES > 5
#define DONE5 (DONE4 * RADIX4)
    table += ROOTS(RADIX4, DONE4) * DONE4;
    exchange(x, tile, to, to, RADIX4, DONE4, RADIX5);
    butterflies(x, table, to.first, POINTS, RADIX5, DONE5, dir);
#endif
    (void)tile; /* unused by a single stage */
    (void)to;
}

/* Transforms back: the last stage's results are the first one's operands. */
INLINE void transform_back(cplx *x, LOCAL word *tile, GLOBAL const cplx *table,
                           const struct share share) {
#if RADIX0 != LAST
    exchange(x, tile, share, share, LAST, POINTS / MEMBERS / LAST, RADIX0);
#endif
    transform(x, tile, table, share, share, -1);
}

#endif
