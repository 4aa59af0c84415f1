/* How several devices share a transform in slabs (core/gpu/slab.h): pure arithmetic on pages and bins.
 *
 * Each device has a share of the pages, and another one of a page's bins. A walk over slabs takes the
 * device's own pages through all axes but the slowest, a walk over blocks its own bins through that one.
 * In between each part of a slab is cut at the bounds of the blocks' parts, and the pieces go to the
 * devices whose blocks they belong to; after a filter's blocks they go the other way. A slab's part is
 * [page][bin of all], a block's part [page of all][bin], both packed, so that a piece is rows with a
 * pitch on one side and one run on the other.
 *
 *     struct gf_span pages = gf_slab_share(512, 3, device), bins = gf_slab_share(4096, 3, other);
 *     struct gf_gpu_piece p = gf_gpu_piece(&shape, true, pages, bins);
 *     … copies p.count rows of p.bytes bytes
 */
#ifndef GF_CORE_GPU_EXCHANGE_H
#define GF_CORE_GPU_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/span.h"

/* The exchange between the walks: `unit` bytes a bin, all channels. */
struct gf_gpu_exchange {
    int64_t pages, bins, unit;
};

struct gf_gpu_piece {
    int64_t bytes, count; /* of a row; rows */
    int64_t from_offset, from_pitch, to_offset, to_pitch;
};

/* The piece that a slab's part with these pages and a block's part with these bins have in common, on its way
 * from the slab to the block or back. */
static inline struct gf_gpu_piece gf_gpu_piece(const struct gf_gpu_exchange *e, bool to_block,
                                               struct gf_span pages, struct gf_span bins) {
    const int64_t row = bins.count * e->unit, page = e->bins * e->unit;
    const int64_t in_slab = bins.first * e->unit, in_block = pages.first * row;
    return (struct gf_gpu_piece){.bytes = row,
                                 .count = pages.count,
                                 .from_offset = to_block ? in_slab : in_block,
                                 .from_pitch = to_block ? page : row,
                                 .to_offset = to_block ? in_block : in_slab,
                                 .to_pitch = to_block ? row : page};
}

#endif
