/* A line's FFT in registers and shared memory, as in kernels/tile.h, with the options of
 * kernels/pass.h: Stockham's autosort; operands are in registers, and the tile carries results from
 * a stage's owners to the next one's. */

#if WHOLE
#define PARTS 1
#else
#define PARTS 2
#endif

#define PER_LINE     (THREADS / LINES)
#define HOLDS(r)     ((POINTS / (r) + PER_LINE - 1) / PER_LINE)
#define INSIDE(p, r) (POINTS / (r) % PER_LINE == 0 || (p) < uint(POINTS / (r)))
/* The tile's slot of point i of line l; and the distance of points `step` apart if it is the same
 * everywhere, so that one address serves all of an invocation's. */
#define SLOT(i, l) \
    int(((i) + (i) / uint(PAD_EVERY)) * uint(IDX_STRIDE) + (l)*uint(LINE_STRIDE))
#define APART(step)   (((step) + (step) / PAD_EVERY) * IDX_STRIDE)
#define DIVIDES(a, b) ((b) % (a) == 0 || (a) % (b) == 0)
#define UNPADDED      (PAD_EVERY > POINTS)
#define EVEN_PUTS(r, done) \
    (UNPADDED || (DIVIDES(done, PAD_EVERY) && DIVIDES((done) * (r), PAD_EVERY)))
#define EVEN_GETS(step) (UNPADDED || (step) % PAD_EVERY == 0)
#define ROOTS(r, done) ((r) > 5 && (done) > MOST_DIRECT ? 3 + ((r)-1) / 4 : (r)-1)

#ifndef ROW_ACCESS
#define ROW_ACCESS 0
#endif

/* Words of the tile: up to its last point's slot, and room for whole rows of samples if they are
 * assembled there. */
#define POINT_WORDS ((SLOT(uint(POINTS - 1), uint(LINES - 1)) + 1) * (3 - PARTS))
#if ROW_ACCESS
#define ROW_WORDS  (LENGTH * BITS_OF_TYPE(OUT_T) / 32) /* of a line, or of its mirror image */
#define ROWS_WORDS (LINES * (MIRROR + 1) * ROW_WORDS)
#else
#define ROWS_WORDS 1
#endif
shared uint tile[POINT_WORDS > ROWS_WORDS ? POINT_WORDS : ROWS_WORDS];

PRIVATE cplx x[HELD]; /* points that the invocation holds */

/* Butterflies first, first + PER_LINE, … of one of the tile's lines. */
struct share {
    uint first, line;
};
share own_share(const int rows) {
    const uint own = uint(LOCAL_ID);
    share s;
    s.first = rows != 0 ? own % uint(PER_LINE) : own / uint(LINES);
    s.line = rows != 0 ? own / uint(PER_LINE) : own % uint(LINES);
    return s;
}

void put(int slot, cplx v, const int part) {
#if WHOLE
    tile[2 * slot] = floatBitsToUint(v.x);
    tile[2 * slot + 1] = floatBitsToUint(v.y);
#else
    tile[slot] = floatBitsToUint(part != 0 ? v.y : v.x);
#endif
}
cplx got(int slot, cplx v, const int part) {
#if WHOLE
    return cplx(uintBitsToFloat(tile[2 * slot]), uintBitsToFloat(tile[2 * slot + 1]));
#else
    const real number = uintBitsToFloat(tile[slot]);
    return part != 0 ? cplx(v.x, number) : cplx(number, v.y);
#endif
}

/* From the owners of points, by PUTS, to those that TAKES names. */
#if WHOLE
#define EXCHANGE(PUTS, owner, TAKES, taker) \
    BARRIER(); \
    PUTS(owner, 0); \
    BARRIER(); \
    TAKES(taker, 0);
#else
#define EXCHANGE(PUTS, owner, TAKES, taker) \
    BARRIER(); \
    PUTS(owner, 0); \
    BARRIER(); \
    TAKES(taker, 0); \
    BARRIER(); \
    PUTS(owner, 1); \
    BARRIER(); \
    TAKES(taker, 1);
#endif

/* stage.glsl makes its functions of these macros. A stage has a root for each point but the first;
 * or, if they are many, operand q = 4 a + c is turned by the product of roots a and c. */
#define TURN(b, q) \
    if (q > 0) \
        x[b * RADIX + q] = turn(x[b * RADIX + q], GET(table, m + (q - 1) * DONE), DIR);
#define LOW(c) ((c) == 1 ? low1 : (c) == 2 ? low2 : low3)
#define TURN_BY_TWO(b, q) \
    if (q > 3 && q % 4 == 0) \
        high = GET(table, m + (2 + q / 4) * DONE); \
    if (q > 0) \
        x[b * RADIX + q] = turn(x[b * RADIX + q], \
                                q < 4        ? LOW(q) \
                                : q % 4 == 0 ? high \
                                             : mul(high, LOW(q % 4)), \
                                DIR);
#define BUTTERFLY(b) \
    { \
        const uint p = first + uint(b * PER_LINE); \
        if (INSIDE(p, RADIX)) { \
            TWIDDLES(b) \
            DFT(b * RADIX) \
        } \
    }
#define PUT_RESULT(b, q) \
    put(EVEN_PUTS(RADIX, DONE) ? slot + APART(q * DONE) : SLOT(to + uint(q * DONE), s.line), \
        x[b * RADIX + q], part);
#define PUT_RESULTS(b) \
    { \
        const uint p = s.first + uint(b * PER_LINE); \
        if (INSIDE(p, RADIX)) { \
            const uint to = p / uint(DONE) * uint(DONE * RADIX) + p % uint(DONE); \
            const int slot = SLOT(to, s.line); \
            EACH_POINT(PUT_RESULT, b) \
        } \
    }
#define TAKE_OPERAND(b, q) \
    x[b * RADIX + q] = got(EVEN_GETS(POINTS / RADIX) ? slot + APART(q * (POINTS / RADIX)) \
                                                     : SLOT(p + uint(q * (POINTS / RADIX)), s.line), \
                           x[b * RADIX + q], part);
#define TAKE_OPERANDS(b) \
    { \
        const uint p = s.first + uint(b * PER_LINE); \
        if (INSIDE(p, RADIX)) { \
            const int slot = SLOT(p, s.line); \
            EACH_POINT(TAKE_OPERAND, b) \
        } \
    }

#define RADIX       RADIX0
#define DONE        1
#define BUTTERFLIES butterflies0
#define PUT         put0
#define TAKE        take0
#include "stage.glsl"
#if STAGES > 1
#define DONE1       RADIX0
#define RADIX       RADIX1
#define DONE        DONE1
#define BUTTERFLIES butterflies1
#define PUT         put1
#define TAKE        take1
#include "stage.glsl"
#endif
#if STAGES > 2
#define DONE2       (DONE1 * RADIX1)
#define RADIX       RADIX2
#define DONE        DONE2
#define BUTTERFLIES butterflies2
#define PUT         put2
#define TAKE        take2
#include "stage.glsl"
#endif
#if STAGES > 3
#define DONE3       (DONE2 * RADIX2)
#define RADIX       RADIX3
#define DONE        DONE3
#define BUTTERFLIES butterflies3
#define PUT         put3
#define TAKE        take3
#include "stage.glsl"
#endif
#if STAGES > 4
#define DONE4       (DONE3 * RADIX3)
#define RADIX       RADIX4
#define DONE        DONE4
#define BUTTERFLIES butterflies4
#define PUT         put4
#define TAKE        take4
#include "stage.glsl"
#endif
#if STAGES > 5
#define DONE5       (DONE4 * RADIX4)
#define RADIX       RADIX5
#define DONE        DONE5
#define BUTTERFLIES butterflies5
#define PUT         put5
#define TAKE        take5
#include "stage.glsl"
#endif

/* All stages: the invocation owns `from` in the first, `to` in later ones. */
void transform(const share from, const share to) {
    int stage = args.table_stage;
    butterflies0(from.first, stage);
#if STAGES > 1
    EXCHANGE(put0, from, take1, to)
    butterflies1(to.first, stage);
#endif
#if STAGES > 2
    stage += ROOTS(RADIX1, DONE1) * DONE1;
    EXCHANGE(put1, to, take2, to)
    butterflies2(to.first, stage);
#endif
#if STAGES > 3
    stage += ROOTS(RADIX2, DONE2) * DONE2;
    EXCHANGE(put2, to, take3, to)
    butterflies3(to.first, stage);
#endif
#if STAGES > 4
    stage += ROOTS(RADIX3, DONE3) * DONE3;
    EXCHANGE(put3, to, take4, to)
    butterflies4(to.first, stage);
#endif
#if STAGES > 5
    stage += ROOTS(RADIX4, DONE4) * DONE4;
    EXCHANGE(put4, to, take5, to)
    butterflies5(to.first, stage);
#endif
}
