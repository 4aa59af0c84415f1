/* Even shares of a row of items. */
#include "core/base/value/span.h"

/* Items [n r / p, n (r + 1) / p), without overflow for any n below 2^62. */
struct gf_span gf_span_share(int64_t n, int ranks, int rank) {
    int64_t whole = n / ranks, rest = n % ranks;
    int64_t first = whole * rank + rest * rank / ranks;
    int64_t end = whole * (rank + 1) + rest * (rank + 1) / ranks;
    return (struct gf_span){first, end - first};
}

struct gf_span gf_span_planes(int64_t n, int ranks, int rank, int64_t unit) {
    int64_t blocks = n / unit > 1 ? n / unit : 1;
    struct gf_span r = gf_span_share(blocks, ranks, rank);
    int64_t first = r.first * unit, end = r.first + r.count == blocks ? n : first + r.count * unit;
    return (struct gf_span){r.count ? first : 0, r.count ? end - first : 0};
}

void gf_span_shift(bool shift, int64_t n, struct gf_span span, struct gf_span run[2]) {
    const int64_t first = shift ? (span.first + n / 2) % n : span.first;
    const int64_t fits = span.count < n - first ? span.count : n - first;
    run[0] = (struct gf_span){first, fits};
    run[1] = (struct gf_span){0, span.count - fits};
}
