/* Shared by the generic load and store steps, between the file's array and the work buffer: planes
 * of reals or complex pairs, channel by channel (core/base/job/loadstore.h). */
#ifndef LOADSTORE_H
#define LOADSTORE_H

#include "coord.h"
#include "sample.h"

/* z, y, x and channel of element i of a block. */
struct element_coord {
    wide at[3], channel;
};
INLINE struct element_coord coord_of(wide i, const wide *extent) {
    struct element_coord c;
    wide row = i / extent[2], plane = row / extent[1];
    c.at[2] = i - row * extent[2];
    c.at[1] = row - plane * extent[1];
    c.channel = plane / extent[0];
    c.at[0] = plane - c.channel * extent[0];
    return c;
}
INLINE int is_counted(const struct loadstore_args *a, const struct element_coord *p) {
    return p->at[0] < a->counted[0] && p->at[1] < a->counted[1] && p->at[2] < a->counted[2];
}

/* Returns the Hermitian part of a number and its mirror image; adds up the squares of that part and
 * of the rest. */
INLINE cplx hermitian_part(cplx v, cplx m, real weight, real *kept, real *lost) {
    const cplx rest = CPLX(R(0.5) * (v.x - m.x), R(0.5) * (v.y + m.y));
    v = CPLX(R(0.5) * (v.x + m.x), R(0.5) * (v.y - m.y));
    *kept += weight * (v.x * v.x + v.y * v.y);
    *lost += weight * (rest.x * rest.x + rest.y * rest.y);
    return v;
}

/* Sums over a group's items, into its two reals; the tile has two for each item. */
INLINE void leave_energy(real kept, real lost, GLOBAL real *energy, LOCAL real *tile) {
    tile[LOCAL_ID] = kept;
    tile[GROUP + LOCAL_ID] = lost;
    for (int step = GROUP / 2; step; step /= 2) {
        BARRIER();
        if (LOCAL_ID < step) {
            tile[LOCAL_ID] += tile[LOCAL_ID + step];
            tile[GROUP + LOCAL_ID] += tile[GROUP + LOCAL_ID + step];
        }
    }
    if (LOCAL_ID == 0) {
        energy[2 * GROUP_ID] = tile[0];
        energy[2 * GROUP_ID + 1] = tile[GROUP];
    }
}

#endif
