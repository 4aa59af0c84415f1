/* Planes that a tile holds whole: passes along both their axes in one launch. Between them the tile
 * has the first one's layout: point i of its line j is point j of the second one's line i.
 *
 * Given by -D: see pass.h, and chain_next.h for the second pass; CHAIN_RESIDENT;
 *   PLANES         of a tile, counted as strips in struct chain_args */
#define READ(p)          READ_ONCE(p)
#define PLANE_LINES      ((uint)(LINES / PLANES))
#define TILE_LINES(args) PLANE_LINES
/* A share by its line in its plane; the last plane replaces missing ones. */
#define PLANE_OF(own) ((own).tile * PLANES + (own).line / PLANE_LINES)
#define IN_PLANE(own, planes) \
    { \
        (own).first, (own).line % PLANE_LINES, \
            PLANE_OF(own) < (planes) ? PLANE_OF(own) : (planes)-1 SHARE_ORDER \
    }
/* Items without a line repeat the first ones' work. */
#define ITEM ((uint)LOCAL_ID % (uint)(PER_LINE * LINES))
#include "pass.h"
enum {
    FIRST_PARTS = PARTS,
    FIRST_HELD = HELD,
    FIRST_LENGTH = LENGTH,
    FIRST_LINES = LINES / PLANES
};
enum { PACKED = STORE == STORE_TANGLE };

/* Both shares of the first pass are the same. */
INLINE void first_transform(GLOBAL const source_element *src, GLOBAL const cplx *elsewhere,
                            GLOBAL const cplx *table, const struct chain_args *a, cplx *x,
                            LOCAL word *tile) {
    const struct share own = OWN_SHARE(ROWS_IN), at = IN_PLANE(own, (uint)a->strips);
    struct source in = source_of(&a->first, at);
#if ELSEWHERE
    in.elsewhere = elsewhere;
#endif
    load_line(&in, src, table, x, tile);
    transform(x, tile, table + a->first.table_stage, own, own, DIR);
    (void)elsewhere;
}
INLINE void put_planes(const cplx *x, LOCAL word *tile, const int part) {
    const struct share own = OWN_SHARE(ROWS_OUT);
    put_results(x, tile, own, POINTS, LAST, POINTS / LAST, part);
}
/* Point i of the first pass' line l + step. */
INLINE cplx first_got(LOCAL const word *tile, uint i, uint l, const int step, cplx v,
                      const int part) {
    return got(tile, SLOT(i, l) + step * LINE_STRIDE, v, part);
}
#include "chain_next.h"
#include "pass.h"

#define AS_STORED (LOAD != LOAD_UNTANGLE && !PACKED)

/* Point p + step of the second pass' line l, of which `v` lacks this part: separated from two
 * lines, packed from two points (LOAD_UNTANGLE, STORE_TANGLE), or as stored. The plane's lines
 * begin with `first`. */
INLINE cplx take_point(LOCAL const first_word *tile, uint first, uint l, uint p, const int step,
                       cplx v, const int part) {
    const uint j = p + step, at = LOAD == LOAD_UNTANGLE ? j / 2 : 2 * j > LENGTH ? LENGTH - j : j;
    const uint other = LOAD == LOAD_UNTANGLE ? (l ? FIRST_LENGTH - l : 0) : 2 * l + 1;
    const cplx none = CPLX(R(0), R(0));
    if (AS_STORED)
        return first_got(tile, l, first + p, step, v, part);
    const cplx f = first_got(tile, PACKED ? 2 * l : l, first + at, 0, none, part);
    const cplx g = other < FIRST_LENGTH ? first_got(tile, other, first + at, 0, none, part) : none;
    if (PACKED)
        return add(v, at == j ? CPLX(f.x - g.y, f.y + g.x) : CPLX(f.x + g.y, g.x - f.y));
    return add(v, j % 2 ? CPLX(R(0.5) * (f.y + g.y), R(0.5) * (g.x - f.x))
                        : CPLX(R(0.5) * (f.x + g.x), R(0.5) * (f.y - g.y)));
}

/* Operands of the second pass' first stage. */
INLINE void take_planes(cplx *x, LOCAL const first_word *tile, const struct share own,
                        const int part) {
    const uint line = own.line % PLANE_LINES, first = own.line / PLANE_LINES * FIRST_LINES;
    UNROLL for (int i = 0; i < HOLDS(RADIX0) * RADIX0; i++) {
        const uint p = own.first + i / RADIX0 * PER_LINE;
        const cplx v = part ? x[i] : CPLX(R(0), R(0));
        if (INSIDE(p, RADIX0))
            x[i] = take_point(tile, first, line, p, i % RADIX0 * (POINTS / RADIX0), v, part);
    }
}

KERNEL(THREADS, CHAIN_RESIDENT)
VOID fft_planes(GLOBAL const first_source *src, GLOBAL sink_element *dst,
                GLOBAL const cplx *RESTRICT table,
                GLOBAL const real *RESTRICT params ELSEWHERE_OF_FIRST,
                const struct chain_args args TILE_PARAMETER(cplx)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(cplx)
    const struct share own = OWN_SHARE(ROWS_IN), at = IN_PLANE(own, (uint)args.strips);
    cplx x[FIRST_HELD], y[HELD];
    int clipped = 0;
    first_transform(src, FIRST_ELSEWHERE(elsewhere), table, &args, x, (LOCAL first_word *)tile);
    UNROLL for (int part = 0; part < FIRST_PARTS; part++) {
        BARRIER();
        put_planes(x, (LOCAL first_word *)tile, part);
        BARRIER();
        take_planes(y, (LOCAL const first_word *)tile, own, part);
    }
    transform(y, (LOCAL word *)tile, table + args.second.table_stage, own, own, DIR);
    const struct source in = source_of(&args.second, at);
    struct sink out = sink_of(&in, own, &clipped);
    out.line.there = PLANE_OF(own) < (uint)args.strips;
    store_line(&out, dst, table, params, y, (LOCAL word *)tile);
}
