/* Shared by the generic load and store steps, between the file's array and the work buffer: planes
 * of reals or complex pairs, channel by channel (core/base/job/loadstore.h). */
#ifndef LOADSTORE_H
#define LOADSTORE_H

#include "coord.h"
#include "sample.h"

/* z, y, x and channel of element i of a block. */
struct element_coord {
    place at[3], channel;
};
INLINE STRUCT(element_coord) coord_of(const place i, const wide extent[3]) {
    STRUCT(element_coord) c;
    const place width = extent[2], height = extent[1], depth = extent[0];
    const place row = i / width, plane = row / height;
    c.at[2] = i - row * width;
    c.at[1] = row - plane * height;
    c.channel = plane / depth;
    c.at[0] = plane - c.channel * depth;
    return c;
}
/* True if a half spectrum lacks this place, and has its mirror image. */
INLINE bool is_folded(const struct loadstore_args *a, const STRUCT(element_coord) p,
                      const wide half_spectrum) {
    return half_spectrum != 0 && 2 * p.at[ARG(halved)] > ARG(n)[ARG(halved)];
}
INLINE bool is_counted(const struct loadstore_args *a, const STRUCT(element_coord) p) {
    return p.at[0] < ARG(counted)[0] && p.at[1] < ARG(counted)[1] && p.at[2] < ARG(counted)[2];
}

#endif
