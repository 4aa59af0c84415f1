/* What the generic load and store steps share: an array as its file has it on one side, the work
 * buffer on the other, planes of reals or complex pairs, channel by channel
 * (core/base/loadstore.h). */
#ifndef LOADSTORE_H
#define LOADSTORE_H

#include "coord.h"
#include "sample.h"

/* Element i of a block of these extents: its z, y, x and its channel. */
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

#endif
