/* A work item's share of a tile, see tile.h. */
#ifndef SHARE_H
#define SHARE_H

#include "complex.h"

/* A pass over the lines of an automatic display range's sample alone: it leaves the keys of the
 * sample's bins. */
#ifndef SAMPLED
#define SAMPLED 0
#endif

/* A work item's share of tile number `tile`: butterflies first, first + PER_LINE, … of one of its lines. */
struct share {
    uint first, line, tile;
#if SAMPLED
    GLOBAL const int *order; /* where the lists of the sample are */
#endif
};
/* The parameter `order`; RESTRICT: looking up a bin does not wait for the keys stored before. */
#if SAMPLED
#define SHARE_ORDER , order
#define ORDER       GLOBAL const int *RESTRICT
#else
#define SHARE_ORDER
#define ORDER GLOBAL const int *
#endif

#endif
