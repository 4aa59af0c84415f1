/* The energy of a spectrum's Hermitian part and of the rest. */
#ifndef ENERGY_H
#define ENERGY_H

#include "codes.h"
#include "complex.h"

/* Returns the Hermitian part of a number and its mirror image; with -m, the rest. */
INLINE cplx hermitian_part(cplx v, cplx m) {
    return CPLX(R(0.5) * (v.x + m.x), R(0.5) * (v.y - m.y));
}
INLINE real square_of(cplx v) {
    return v.x * v.x + v.y * v.y;
}

/* Sums over a group's items, into its two reals; the tile has two for each item. */
INLINE void leave_energy(real kept, real lost, GLOBAL real *energy, LOCAL real *tile) {
    tile[LOCAL_ID] = kept;
    tile[GROUP + LOCAL_ID] = lost;
    for (int apart = GROUP / 2; apart != 0; apart /= 2) {
        BARRIER();
        if (LOCAL_ID < apart) {
            tile[LOCAL_ID] += tile[LOCAL_ID + apart];
            tile[GROUP + LOCAL_ID] += tile[GROUP + LOCAL_ID + apart];
        }
    }
    if (LOCAL_ID == 0) {
        SET(energy, 2 * GROUP_ID, tile[0]);
        SET(energy, 2 * GROUP_ID + 1, tile[GROUP]);
    }
}

#endif
