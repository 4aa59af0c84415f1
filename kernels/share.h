/* What a work item owns of a tile, see tile.h. */
#ifndef SHARE_H
#define SHARE_H

#include "complex.h"

/* Of tile number `tile` of all: butterflies first, first + PER_LINE, … of one of its lines. */
struct share {
    uint first, line, tile;
};

#endif
