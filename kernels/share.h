/* A work item's share of a tile, see tile.h. */
#ifndef SHARE_H
#define SHARE_H

#include "complex.h"

/* A pass over a display range's sample alone leaves the keys of its bins. */
#ifndef SAMPLED
#define SAMPLED 0
#endif

/* Butterflies first, first + PER_LINE, … of one of tile number `tile`'s lines. */
struct share {
    uint first, line, tile;
#if SAMPLED
    GLOBAL const int *order; /* lists of the sample */
#endif
};
/* The parameter `order`, RESTRICT so that looking up a bin does not wait for stored keys. */
#if SAMPLED
#define SHARE_ORDER , order
#define ORDER       GLOBAL const int *RESTRICT
#else
#define SHARE_ORDER
#define ORDER GLOBAL const int *
#endif

#endif
