/* A line's FFT in registers and shared memory, as kernels/tile.h has it: Stockham's autosort, whose
 * stages' operands are in registers, and the tile only carries results from one stage's owners to the
 * next one's. The options are those of kernels/pass.h. */

#if WHOLE
#define PARTS 1
#else
#define PARTS 2
#endif

#define PER_LINE     (THREADS / LINES)
#define HOLDS(r)     ((POINTS / (r) + PER_LINE - 1) / PER_LINE)
#define INSIDE(p, r) (POINTS / (r) % PER_LINE == 0 || int(p) < POINTS / (r))
#define SLOT(i, l)     (((i) + (i) / uint(PAD_EVERY)) * uint(IDX_STRIDE) + (l)*uint(LINE_STRIDE))
#define BASE(r, done)  ((r) > 5 && (done) > MOST_DIRECT ? 4 : (r))
#define ROOTS(r, done) (BASE(r, done) < (r) ? 3 + ((r)-1) / 4 : (r)-1)

#ifndef ROW_ACCESS
#define ROW_ACCESS 0
#endif

/* Words of the tile: as many as its last point's slot and, where whole rows of samples are put
 * together in it, as they take. */
const int point_words = (int(SLOT(uint(POINTS - 1), uint(LINES - 1))) + 1) * (3 - PARTS);
#if ROW_ACCESS
const int row_words = LENGTH * BITS_OF_TYPE(OUT_T) / 32; /* of one line, or of its mirror image */
const int rows_words = LINES * (MIRROR + 1) * row_words;
#elif SAMPLED
const int rows_words = LINES * LENGTH; /* keys */
#else
const int rows_words = 1;
#endif
shared uint tile[point_words > rows_words ? point_words : rows_words];

/* What an invocation owns: butterflies first, first + PER_LINE, … of one of the tile's lines. */
struct share {
    int first, line;
};
share own_share(const int rows) {
    return rows != 0 ? share(LOCAL_ID % PER_LINE, LOCAL_ID / PER_LINE)
                     : share(LOCAL_ID / LINES, LOCAL_ID % LINES);
}

void put(uint slot, cplx v, const int part) {
#if WHOLE
    tile[2u * slot] = floatBitsToUint(v.x);
    tile[2u * slot + 1u] = floatBitsToUint(v.y);
#else
    tile[slot] = floatBitsToUint(part != 0 ? v.y : v.x);
#endif
}
cplx got(uint slot, cplx v, const int part) {
#if WHOLE
    return cplx(uintBitsToFloat(tile[2u * slot]), uintBitsToFloat(tile[2u * slot + 1u]));
#else
    const real number = uintBitsToFloat(tile[slot]);
    return part != 0 ? cplx(v.x, number) : cplx(number, v.y);
#endif
}

/* All stages: of the first one the invocation owns `from`, of the later ones `to`. A stage's loops are
 * text with its own constants: compilers that meet them in functions, with the radix as a parameter,
 * keep the loops, and so the points in memory. */
void transform(const share from, const share to) {
    int stage = args.table_stage;
    int first = from.first;
#define RADIX RADIX0
#define DONE  1
#include "butterflies.glsl"
#if STAGES > 1
    share owner = from;
    first = to.first;
#define NEXT RADIX1
#include "exchange.glsl"
    owner = to;
#undef RADIX
#undef DONE
#define DONE1 RADIX0
#define RADIX RADIX1
#define DONE  DONE1
#include "butterflies.glsl"
#endif
#if STAGES > 2
    stage += ROOTS(RADIX1, DONE1) * DONE1;
#undef NEXT
#define NEXT RADIX2
#include "exchange.glsl"
#undef RADIX
#undef DONE
#define DONE2 (DONE1 * RADIX1)
#define RADIX RADIX2
#define DONE  DONE2
#include "butterflies.glsl"
#endif
#if STAGES > 3
    stage += ROOTS(RADIX2, DONE2) * DONE2;
#undef NEXT
#define NEXT RADIX3
#include "exchange.glsl"
#undef RADIX
#undef DONE
#define DONE3 (DONE2 * RADIX2)
#define RADIX RADIX3
#define DONE  DONE3
#include "butterflies.glsl"
#endif
#if STAGES > 4
    stage += ROOTS(RADIX3, DONE3) * DONE3;
#undef NEXT
#define NEXT RADIX4
#include "exchange.glsl"
#undef RADIX
#undef DONE
#define DONE4 (DONE3 * RADIX3)
#define RADIX RADIX4
#define DONE  DONE4
#include "butterflies.glsl"
#endif
#if STAGES > 5
    stage += ROOTS(RADIX4, DONE4) * DONE4;
#undef NEXT
#define NEXT RADIX5
#include "exchange.glsl"
#undef RADIX
#undef DONE
#define DONE5 (DONE4 * RADIX4)
#define RADIX RADIX5
#define DONE  DONE5
#include "butterflies.glsl"
#endif
}
