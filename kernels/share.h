/* What a work item owns of a tile, see tile.h. */
#ifndef SHARE_H
#define SHARE_H

#include "complex.h"

/* A pass that finds its display range, range_pass.h: itself, or only the keys of the sample's bins. */
#define SAMPLED_FIRST 1
#define SAMPLED_ALONE 2
#ifndef SAMPLED
#define SAMPLED 0
#endif
/* Some groups of it have two tiles each; 2: they park the first one in any case, for tests. */
#ifndef PAIRS
#define PAIRS 0
#endif

/* Of tile number `tile` of all: butterflies first, first + PER_LINE, … of one of its lines. */
struct share {
    uint first, line, tile;
#if SAMPLED
    int sampling;            /* of the tiles of the range's sample */
    GLOBAL const int *order; /* where the lists of the sample are */
#endif
};
#if SAMPLED
#define NOT_SAMPLED , 0, 0
#else
#define NOT_SAMPLED
#endif

#endif
