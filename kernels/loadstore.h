/* What the generic first and last steps share: an array as its file has it on one side, the work
 * buffer on the other, planes of reals or complex pairs, channel by channel (core/base/loadstore.h). */
#ifndef STEPS_H
#define STEPS_H

#include "args.h"
#include "sample.h"

/* What a work item's turn i is: channel, z, y, x of a block of these extents. */
struct place {
    wide at[3], channel;
};
INLINE struct place place_of(wide i, const wide *extent) {
    struct place p;
    wide row = i / extent[2], plane = row / extent[1];
    p.at[2] = i - row * extent[2];
    p.at[1] = row - plane * extent[1];
    p.channel = plane / extent[0];
    p.at[0] = plane - p.channel * extent[0];
    return p;
}

INLINE wide minus(wide k, wide n) {
    return k ? n - k : 0;
}

#endif
