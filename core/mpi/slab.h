/* How ranks share a volume: pure functions of its extents and the number of ranks.
 *
 * A volume z, y, x is cut into slabs twice: into planes z while its two inner axes are transformed,
 * and into rows y, with all z, while the slowest one is. A rank may have none. */
#ifndef GF_CORE_MPI_SLAB_H
#define GF_CORE_MPI_SLAB_H

#include <stddef.h>
#include <stdint.h>

struct gf_span {
    int64_t first, count;
};

/* The planes of a rank: all of 0..n - 1 in order, as evenly as blocks of `unit` planes (from 1) can be
 * shared. What is left of a block belongs to the last one. */
struct gf_span gf_slab_planes(int64_t n, int ranks, int rank, int64_t unit);

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

/* The most ranks that have something to do in both halves. */
int64_t gf_slab_most(int64_t nz, int64_t ny, int64_t unit, int mirrored);

#endif
