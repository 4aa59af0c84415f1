/* Runs of items, and how those who work together share one: pure functions.
 *
 *     struct gf_span own = gf_slab_share(512, 3, i);      170, 171 or 171 items */
#ifndef GF_CORE_BASE_SPAN_H
#define GF_CORE_BASE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct gf_span {
    int64_t first, count;
};

/* The share of a rank: all of 0..n - 1 in order, as evenly as possible; and as evenly as blocks of
 * `unit` (from 1) can be shared, where what is left of a block belongs to the last one. */
struct gf_span gf_slab_share(int64_t n, int ranks, int rank);
struct gf_span gf_slab_planes(int64_t n, int ranks, int rank, int64_t unit);

/* Indices of an axis of n, shifted by half of it or not: as one run or as two. */
void gf_slab_place_span(bool shift, int64_t n, struct gf_span span, struct gf_span run[2]);

#endif
