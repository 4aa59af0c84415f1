/* How several devices share a transform in slabs (core/gpu/slab.h): pure arithmetic on pages and bins.
 *
 * Each device has a share of the pages, and another one of a page's bins. A walk over slabs takes the
 * device's own pages through all axes but the slowest, a walk over blocks its own bins through that one.
 * In between each part of a slab is cut at the bounds of the blocks' parts, and the pieces go to the
 * devices whose blocks they belong to; after a filter's blocks they go the other way. A slab's part is
 * [page][bin of all], a block's part [page of all][bin], both packed; in place both are in the whole exchange.
 *
 *     struct gf_span pages = gf_slab_share(512, 3, device), bins = gf_slab_share(4096, 3, other);
 *     struct gf_gpu_region slab = {pages.first, 0, 4096}, block = {0, bins.first, bins.count};
 *     struct gf_gpu_move piece = gf_gpu_piece(unit, pages, bins, slab, block);     `unit` bytes a bin, all channels
 */
#ifndef GF_CORE_GPU_EXCHANGE_H
#define GF_CORE_GPU_EXCHANGE_H

#include "core/gpu/gpu.h"

/* The page and the bin that memory begins with, and bins from page to page. */
struct gf_gpu_region {
    int64_t page, bin, pitch;
};

static inline int64_t gf_gpu_region_at(struct gf_gpu_region p, int64_t page, int64_t bin) {
    return (page - p.page) * p.pitch + bin - p.bin;
}

/* Some bins of some pages from one place to another; the memory is the caller's to set. */
static inline struct gf_gpu_move gf_gpu_piece(int64_t unit, struct gf_span pages,
                                              struct gf_span bins, struct gf_gpu_region from,
                                              struct gf_gpu_region to) {
    return (struct gf_gpu_move){
        .from = {.offset = gf_gpu_region_at(from, pages.first, bins.first) * unit,
                 .pitch = from.pitch * unit},
        .to = {.offset = gf_gpu_region_at(to, pages.first, bins.first) * unit,
               .pitch = to.pitch * unit},
        .bytes = bins.count * unit,
        .count = pages.count};
}

#endif
