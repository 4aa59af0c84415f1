/* How ranks share a volume: pure functions of its extents and the number of ranks.
 *
 * The ranks are a grid, `down` times `across`. A volume z, y, x is cut among those down the grid:
 * into planes z while its two inner axes are transformed, and into rows y, with all z, while the
 * slowest one is. Those across it share planes: each has some lines y of them while x is transformed,
 * and afterwards some columns of frequencies x. A rank may have none. */
#ifndef GF_CORE_MPI_SLAB_H
#define GF_CORE_MPI_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/span.h"

/* The rows of a rank, one range or two, ascending. */
struct gf_rows {
    int n;
    struct gf_span range[2];
    int64_t count; /* of both */
};
/* With `mirrored`, a rank that has row y has row (n - y) mod n too: what symmetry joins is on one
 * rank. */
struct gf_rows gf_slab_rows(int64_t n, int ranks, int rank, int mirrored);
/* Row `i` of a rank, and which of the rank's rows y is. */
int64_t gf_rows_at(const struct gf_rows *r, int64_t i);
int64_t gf_rows_index(const struct gf_rows *r, int64_t y);

/* Own rows first .. first + n by number, as one range or two of y. */
struct gf_rows gf_rows_part(const struct gf_rows *r, int64_t first, int64_t n);

/* What is shared, and what is never parted. */
struct gf_shares {
    int64_t nz, ny, columns; /* frequencies x */
    int64_t planes, lines;   /* real lines are paired within groups of so many of each; from 1 */
    int mirrored;
};
struct gf_grid {
    int down, across;
};
/* The most ranks down the grid that have something to do, and across it. */
int64_t gf_grid_most_down(const struct gf_shares *s);
int64_t gf_grid_most_across(const struct gf_shares *s);
/* The grid of at most so many ranks in which the most have something to do; of those, the one with the
 * fewest across: a single one, slabs, takes one exchange less. */
struct gf_grid gf_grid_choose(const struct gf_shares *s, int ranks);

#endif
