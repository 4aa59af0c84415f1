/* The pieces that shares of pages and of bins have in common. */
#include "core/gpu/exchange.h"

struct gf_gpu_piece gf_gpu_piece(const struct gf_gpu_exchange *e, bool to_block,
                                 struct gf_span pages, struct gf_span bins) {
    const int64_t row = bins.count * e->unit;
    const int64_t in_slab = bins.first * e->unit, in_block = pages.first * row;
    const int64_t page = e->bins * e->unit;
    return (struct gf_gpu_piece){.bytes = row,
                                 .count = pages.count,
                                 .from_offset = to_block ? in_slab : in_block,
                                 .from_pitch = to_block ? page : row,
                                 .to_offset = to_block ? in_block : in_slab,
                                 .to_pitch = to_block ? row : page};
}
