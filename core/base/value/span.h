/* Runs of items and their division among workers; pure functions.
 *
 *     struct gf_span own = gf_span_share(512, 3, i);      170, 171 or 171 items */
#ifndef GF_CORE_BASE_SPAN_H
#define GF_CORE_BASE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct gf_span {
    int64_t first, count;
};

/* Units in which an array is read and divided, the finest last. A page is an index of its slowest
 * axis, a sample has all channels. Rows and samples are counted through all pages. */
enum gf_unit { GF_WHOLE, GF_PAGE, GF_ROW, GF_SAMPLE };

/* A rank's share of 0..n - 1: in order and as even as possible; the second one in blocks of `unit`
 * >= 1, of which the last may be longer. */
struct gf_span gf_span_share(int64_t n, int ranks, int rank);
struct gf_span gf_span_planes(int64_t n, int ranks, int rank, int64_t unit);

/* The indices of a span along an axis of n after an optional shift by n / 2: one run or two. */
void gf_span_shift(bool shift, int64_t n, struct gf_span span, struct gf_span run[2]);

#endif
