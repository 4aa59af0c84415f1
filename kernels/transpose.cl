/* Between the two walks over a long line (core/split), transposes spectra of columns, planes
 * [channel][number][column] of a work buffer, to rows [column][number][channel] of the line's
 * matrix, number k of column i times exp(-2 pi i k i / n); or back, with the conjugate. Squares in
 * the tile make accesses contiguous on both sides.
 *
 * Given by -D: BACK, from rows to planes. HERMITIAN: takes the Hermitian part of the rows' numbers;
 * each group leaves its energy and the rest's in `energy`. */
#include "coord.h"
#include "energy.h"
#include "twiddle.h"

#define SIDE   32 /* of a square */
#define STRIDE (SIDE + 1)
#define EACH   (GROUP / SIDE) /* its rows that a group moves at once */

/* Returns v, number k of column x, times its twiddle. */
INLINE cplx twiddled(const struct transpose_args *a, GLOBAL const cplx *table, cplx v, wide k,
                     wide x, const int dir) {
    return turn(
        v, root_of(table, a->table_split, a->table_split_low, a->split_bits, (a->first + x) * k, 2),
        dir);
}

#if BACK
/* Reads a number; those that the rows lack are conjugates of others. */
INLINE cplx row_value(const struct transpose_args *a, GLOBAL const cplx *src,
                      GLOBAL const cplx *table, wide k, wide x, wide c) {
    const int folded = k >= a->numbers;
    k = folded ? a->n - k : k;
    const cplx v = twiddled(a, table, src[(x * a->numbers + k) * a->channels + c], k, x, -1);
    return folded ? conj_of(v) : v;
}
#endif

/* Returns the offset of number k of column x in the planes. */
INLINE wide plane_at(const struct transpose_args *a, wide k, wide x, wide c) {
    return (c * a->height + k) * a->columns + x;
}

KERNEL(GROUP, 1)
VOID transpose_step(GLOBAL const cplx *src, GLOBAL cplx *dst, GLOBAL const cplx *table,
                    GLOBAL real *energy, const struct transpose_args args TILE_PARAMETER(cplx)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(cplx)
    const struct transpose_args *a = &args;
    const wide across = (a->columns + SIDE - 1) / SIDE;
    const wide rows = BACK ? a->height : a->numbers, down = (rows + SIDE - 1) / SIDE;
    const int lane = LOCAL_ID % SIDE, first = LOCAL_ID / SIDE;
#if HERMITIAN
    real kept = R(0), lost = R(0);
#endif
    for (wide square = GROUP_ID; square < across * down * a->channels; square += GROUPS) {
        const wide strip = square / across, c = strip / down;
        const wide x0 = (square - strip * across) * SIDE, k0 = (strip - c * down) * SIDE;
        for (int i = first; i < SIDE; i += EACH) {
            const wide k = k0 + (BACK ? lane : i), x = x0 + (BACK ? i : lane);
            if (k < rows && x < a->columns) {
#if BACK
                cplx v = row_value(a, src, table, k, x, c);
#if HERMITIAN
                const real weight = a->height == a->n || k == 0 || 2 * k == a->n ? R(0.5) : R(1);
                const cplx m = row_value(a, src, table, negated(k, a->n), x, c);
                lost += weight * square_of(hermitian_part(v, CPLX(-m.x, -m.y)));
                v = hermitian_part(v, m);
                kept += weight * square_of(v);
#endif
                tile[lane * STRIDE + i] = v;
#else
                tile[i * STRIDE + lane] = twiddled(a, table, src[plane_at(a, k, x, c)], k, x, 1);
#endif
            }
        }
        BARRIER();
        for (int i = first; i < SIDE; i += EACH) {
            const wide k = k0 + (BACK ? i : lane), x = x0 + (BACK ? lane : i);
            if (k < rows && x < a->columns) {
#if BACK
                dst[plane_at(a, k, x, c)] = tile[i * STRIDE + lane];
#else
                dst[(x * a->numbers + k) * a->channels + c] = tile[lane * STRIDE + i];
#endif
            }
        }
        BARRIER();
    }
#if HERMITIAN
    leave_energy(kept, lost, energy, (LOCAL real *)tile);
#else
    (void)energy;
#endif
}
